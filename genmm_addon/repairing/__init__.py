# SPDX-License-Identifier: GPL-3.0-or-later
"""Flaws of the action that a character plays found, and repaired in place."""

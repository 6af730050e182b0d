# SPDX-License-Identifier: GPL-3.0-or-later
"""Repair of the action that a character plays: its flaws are found, and repaired in place."""

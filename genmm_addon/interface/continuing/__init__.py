# SPDX-License-Identifier: GPL-3.0-or-later
"""Continuation of the action that a character plays, in place."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Repair: a list of the flaws of the active action, marks at their frames, and the repair."""

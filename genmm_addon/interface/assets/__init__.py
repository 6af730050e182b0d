# SPDX-License-Identifier: GPL-3.0-or-later
"""Assets: the action that a character plays, marked as one."""

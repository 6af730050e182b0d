# SPDX-License-Identifier: GPL-3.0-or-later
"""The action that a character plays, gone on with in place."""

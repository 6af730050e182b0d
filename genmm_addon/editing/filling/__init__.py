# SPDX-License-Identifier: GPL-3.0-or-later
"""New motion in the action that a character plays, in place: between two poses, through many, or past its ends."""

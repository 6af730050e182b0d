# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in the world for bones: their text form, and objects as places for the core."""

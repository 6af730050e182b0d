# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in the world for bones: their text, and objects as places that the core understands."""

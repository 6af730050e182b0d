# SPDX-License-Identifier: GPL-3.0-or-later
"""New actions made from the one that a character plays: restyled, blended with another, or with edited attributes."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Output files: their names, their origin, and writing them as a whole."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Output files: their names, what they were made with, and writing them whole."""

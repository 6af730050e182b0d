# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the rows of all lists: add, remove, move and clear."""

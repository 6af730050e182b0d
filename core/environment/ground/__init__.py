# SPDX-License-Identifier: GPL-3.0-or-later
"""Uneven ground: a surface of triangles, and motion made on flat ground whose feet are put on it."""

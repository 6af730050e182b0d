# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's side of `genmm serve`: dropped motions opened, variations made and written, one job at a time."""

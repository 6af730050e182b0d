# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's side of `genmm serve`: opens dropped motions, makes and writes variations, one job at a time."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Shorter pieces, mixed more, limbs on their own."""

patch_frames = 7
coarsest_patches = 8.0
noise = 2.0
parts = "LIMBS"

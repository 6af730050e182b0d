# SPDX-License-Identifier: GPL-3.0-or-later
"""Shorter pieces, mixed more, limbs on their own."""

patch_frames = 7
coarsest_patches = 8.0
pyramid_factor = 0.75
use_completeness = True
completeness = 0.01
iterations = 5
noise = 2.0
facing = "AUTO"
parts = "LIMBS"
foot_locking = True
contact_features = "AUTO"
parts_in_step = True

# SPDX-License-Identifier: GPL-3.0-or-later
"""Longer pieces of the examples, in an order close to theirs."""

patch_frames = 21
coarsest_patches = 2.0
pyramid_factor = 0.75
use_completeness = True
completeness = 0.01
iterations = 5
noise = 0.5
facing = "AUTO"
parts = "WHOLE_BODY"
foot_locking = True
contact_features = "AUTO"
parts_in_step = True

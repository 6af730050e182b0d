# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of the paper (section 4, Implementation Details)."""

patch_frames = 11
coarsest_patches = 4.0
pyramid_factor = 0.75
use_completeness = True
completeness = 0.01
iterations = 5
noise = 1.0
facing = "AUTO"
parts = "WHOLE_BODY"
foot_locking = True
contact_features = "AUTO"
parts_in_step = True

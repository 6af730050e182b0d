# SPDX-License-Identifier: GPL-3.0-or-later
"""Longer pieces of the examples, in an order close to theirs."""

patch_frames = 21
coarsest_patches = 2.0
noise = 0.5

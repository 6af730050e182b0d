# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that stay behind in the world: they do not count in the distances of poses."""

from dataclasses import replace

import numpy as np
import pytest
from legged import TOED, compass
from motions import build_skeleton

from genmm_addon.core import Motion
from genmm_addon.core.library import build_pose_index, rows_of


def beside_the_world(walk: Motion) -> Motion:
    """Return a walk on a skeleton that also has a control of the world, and a bone below it, as control rigs do."""
    skeleton = build_skeleton({**TOED, "world": ("", (0.0, 0.0, 0.0)), "pole": ("world", (0.0, 0.0, 1.0))})
    still = np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (walk.frames, 2, 4))
    return replace(walk, skeleton=skeleton, rotations=np.concatenate((walk.rotations, still), axis=1))


def test_the_place_of_a_control_rig_s_body_in_the_world_is_no_part_of_its_pose() -> None:
    motion = beside_the_world(compass())
    elsewhere = replace(motion, translations=motion.translations + np.array([5.0, 3.0, 0.0], np.float32))
    space = build_pose_index([motion]).space
    here, there = rows_of(space, motion), rows_of(space, elsewhere)
    assert there == pytest.approx(here, abs=1e-4)
    assert np.ptp(here, axis=0).max() > 0.05

# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded motions mirrored, if they are available: rigs of many programs, some of them with implausible rest poses."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray
from rigs import cases_of, empty_file, motion_files

from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.core import rotations
from genmm_addon.core.transfer import find_symmetry, mirror
from genmm_addon.files.import_file import import_file

WITHOUT_SIDES = {"sinusoidal", "RiggedSimple", "03_skinned_cylinder", "m2m_snake-animations"}
WITHOUT_ACTION = {"07_nla-anim", "m2m_fox-cat", "m2m_human-bunny"}
LARGEST = 0.035
"""Largest difference between the left and right of a measured body (CMU), arms and legs added up, in sizes."""


def distances(positions: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(np.linalg.norm(positions[:, :, None] - positions[:, None], axis=-1))


@pytest.mark.parametrize(
    "path",
    cases_of(path for path in motion_files((".bvh", ".glb", ".gltf")) if path.stem not in WITHOUT_ACTION),
)
def test_joints_of_a_file_are_as_far_from_each_other_as_their_counterparts_were(path: Path) -> None:
    empty_file()
    character = import_file(path, bpy.context)[0]
    (motion,) = read_examples(character.armature, character.examples[:1], scene=bpy.context.scene).motions
    motion = motion.take(np.unique(np.linspace(0, motion.frames - 1, 60).astype(np.int64)))
    symmetry = find_symmetry([motion])
    assert (symmetry is None) == (path.stem in WITHOUT_SIDES)
    if symmetry is None:
        return
    mirrored = mirror(motion, symmetry)
    body = np.flatnonzero(np.ptp(motion.pose()[1], axis=0).max(axis=1) > 0)
    before, after = (one.pose()[1].astype(np.float64) for one in (motion, mirrored))
    there = distances(before[:, symmetry.partners[body]])
    np.testing.assert_allclose(distances(after[:, body]), there, atol=2 * LARGEST * motion.skeleton.size)
    again = mirror(mirrored, symmetry)
    assert rotations.angle_between(again.rotations.astype(np.float64), motion.rotations.astype(np.float64)).max() < 1e-3
    np.testing.assert_allclose(again.pose()[1], before, atol=1e-4 * motion.skeleton.size)

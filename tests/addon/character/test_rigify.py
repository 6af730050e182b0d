# SPDX-License-Identifier: GPL-3.0-or-later
"""A human character built by Blender's Rigify: controls, IK, drivers and properties."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import play, results_of
from numpy.typing import NDArray
from rigify_human import FRAMES, generated_human, swaying

from bench.soaking.fingerprints import fingerprint
from bench.soaking.random_rigs import Built
from bench.soaking.round_trips import round_trip

SWAYING = ("torso", "hand_ik.L", "foot_ik.R", "foot_heel_ik.L")


@pytest.fixture
def human() -> Iterator[Object]:
    """Yield a generated rig in a kind of walk; only some controls have keys."""
    with generated_human() as rig:
        play(rig, swaying(rig, SWAYING)[0])
        yield rig


def deformed(rig: Object, frame: int) -> NDArray[np.float64]:
    """Return matrices `(B, 4, 4)` of the bones that move the skin."""
    bpy.context.scene.frame_set(frame)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([bone.matrix for bone in posed.pose.bones if bone.bone.use_deform])


def test_its_channels_come_back_as_they_were(human: Object) -> None:
    assert round_trip(Built(human, ("Rigify",))) == "channels"


def test_new_character_is_moved_by_its_controls(human: Object) -> None:
    human.genmm.frames = 60
    before = fingerprint("Action", "Text", "Mesh", "Collection")
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    after = fingerprint("Action", "Text", "Mesh", "Collection")
    assert {name: after.get(name) for name in before} == before
    made = results_of(human)[0]
    assert len(made.pose.bones) == len(human.pose.bones)
    assert made.pose.bones["forearm_fk.L"].constraints.keys() == human.pose.bones["forearm_fk.L"].constraints.keys()
    first, later = deformed(made, 5), deformed(made, 40)
    assert np.isfinite(first).all() and np.abs(first - later).max() > 0.01


def test_visual_channels_keep_the_bone_places_that_the_controls_produce(human: Object) -> None:
    """All joints are in place; a note tells that stretching limbs shear hands and feet, which keys cannot do."""
    frames = range(1, FRAMES + 1, 6)
    before = np.array([deformed(human, frame) for frame in frames])
    assert round_trip(Built(human, ("Rigify",)), visual=True) in ("visual", "said")
    after = np.array([deformed(human, frame) for frame in frames])
    assert np.abs(after - before)[..., :3, 3].max() < 1e-4

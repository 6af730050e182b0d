# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp of a Rigify human that steps on a box, with legs by forward or inverse kinematics, or both."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select
from numpy.typing import NDArray
from walking_human import SWITCHES, follow, key_controls, places, walking_human

from genmm_addon.animation.actions import assigned
from genmm_addon.control_rigs.ground_in_action import ActionForGround, put_action_on_ground

BONES = ("DEF-foot.L", "DEF-foot.R", "DEF-spine", "DEF-hand.R", "DEF-shin.L", "DEF-shin.R")
STEP = np.array([0.42, -1.54, 0.05])
"""Center of the box, under the left foot where it stands at frames 38 to 48; the box is 10 cm high."""
STANDS = slice(37, 45)
FIRST, LAST = 5, 85


@pytest.fixture
def rig() -> Iterator[Object]:
    """Yield the rig with a box below one of its steps, and another to which the motion is to be fitted."""
    with walking_human() as made:
        yield made


def add_mesh(name: str, corners: list[tuple[float, float, float]], faces: list[tuple[int, ...]]) -> Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def add_box(name: str) -> Object:
    corners = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.05, 0.05)]
    return add_mesh(name, corners, [(1, 5, 7, 3), (0, 2, 6, 4)])


def on_box(rig: Object) -> tuple[Object, Object]:
    """Put the rig's walk on flat ground with a box; return the box and a target that is moved, raised and turned."""
    ground = [(-9.0, -9.0, 0.0), (9.0, -9.0, 0.0), (9.0, 9.0, 0.0), (-9.0, 9.0, 0.0)]
    top = [(STEP[0] + x, STEP[1] + y, 0.1) for x, y in ((-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3))]
    action, slot = assigned(rig) or (None, "")
    assert action is not None
    mesh = add_mesh("Ground", [*ground, *top], [(0, 1, 2, 3), (4, 5, 6, 7)])
    put_action_on_ground(ActionForGround(rig, bpy.context.scene, action, slot, mesh))
    box, target = add_box("Box"), add_box("Target")
    box.location, target.location = STEP.tolist(), (STEP + np.array([0.12, -0.08, 0.06])).tolist()
    target.rotation_euler.z = 0.2
    bpy.context.view_layer.update()
    return box, target


def warp() -> set[str]:
    values = {"range_choice": "FRAMES", "first_frame": FIRST, "last_frame": LAST}
    return set(bpy.ops.genmm.warp_motion(original="Box", target="Target", **values))


def accelerations(paths: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(np.diff(paths, 2, axis=0), axis=2).max(axis=0))


def follow_with_hands(rig: Object) -> None:
    """Key the hands' inverse kinematics controls where forward kinematics has the hands, and switch them on."""
    key_controls(rig, "hand")
    for side in "LR":
        rig.pose.bones[f"upper_arm_parent.{side}"]["IK_FK"] = 0.0
    bpy.context.scene.frame_set(40)
    moved_hand = rig.pose.bones["DEF-hand.R"]
    before = moved_hand.head.copy()
    rig.pose.bones["hand_ik.R"].location.z -= 0.1
    bpy.context.view_layer.update()
    assert (moved_hand.head - before).length > 0.05, "The arms do not follow inverse kinematics."


def test_hands_with_inverse_kinematics_go_along(rig: Object) -> None:
    follow(rig, "inverse")
    follow_with_hands(rig)
    select(rig)
    on_box(rig)
    bones = ("DEF-hand.L", "DEF-hand.R", "DEF-spine.003", "DEF-forearm.L", "DEF-forearm.R")
    before = places(rig, bones)
    assert warp() == {"FINISHED"}
    after = places(rig, bones)
    for hand in (0, 1):
        distances = [np.linalg.norm(found[:, hand] - found[:, 2], axis=1) for found in (before, after)]
        assert np.abs(distances[1] - distances[0]).max() < 0.01
    assert np.abs(after[STANDS] - before[STANDS]).min(axis=0).max() > 0.02


@pytest.mark.parametrize("switch", list(SWITCHES))
def test_the_foot_stands_on_the_target_and_the_rest_stays(rig: Object, switch: str) -> None:
    if switch != "forward":
        follow(rig, switch)
    select(rig)
    box, target = on_box(rig)
    before = places(rig, BONES)
    assert warp() == {"FINISHED"}
    after = places(rig, BONES)
    change = np.array(target.matrix_world @ box.matrix_world.inverted())
    expected = before[STANDS, 0] @ change[:3, :3].T + change[:3, 3]
    assert np.abs(after[STANDS, 0] - expected).max() < 0.01
    assert np.abs(after[:FIRST] - before[:FIRST]).max() < 1e-4
    assert np.abs(after[LAST - 1 :] - before[LAST - 1 :]).max() < 1e-4
    assert (accelerations(after) < 1.2 * accelerations(before).max()).all()

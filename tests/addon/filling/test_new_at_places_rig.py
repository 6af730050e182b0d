# SPDX-License-Identifier: GPL-3.0-or-later
"""New motion of a Rigify human with hands and feet at places; its constraints move the bones."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run
from interface import select
from numpy.typing import NDArray
from test_ground import add_stairs, height_at
from test_ground_rig import SIZE, above_stairs
from walking_human import FRAMES, places, walking_human

from genmm_addon.animation import actions
from genmm_addon.animation.bone_places import PLACES, read_places
from genmm_addon.animation.rig import read_skeleton
from genmm_addon.control_rigs import evaluated_body
from genmm_addon.control_rigs.evaluated_body import IdleSolvers, solvers_resting
from genmm_addon.control_rigs.reach_in_action import reach_in_action
from genmm_addon.control_rigs.rig_limbs import RigLimb

pytestmark = pytest.mark.slow

FIRST, LAST = 40, 50
MET = 1e-3 * SIZE


@pytest.fixture
def rig() -> Iterator[Object]:
    with walking_human() as made:
        made.genmm.frames, made.genmm.seed, made.genmm.new_seed = FRAMES, 3, False
        yield made


def ask(rig: Object, place: tuple[float, float, float], bone: str = "hand_fk.R") -> Object:
    """Make the panel request a bone at a rising object, and return the object."""
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    bpy.context.view_layer.update()
    for frame, height in ((FIRST, 0.0), (LAST, 0.05)):
        handle.location = (place[0], place[1], place[2] + height)
        handle.keyframe_insert("location", frame=frame)
    rig.genmm.reaches = f'"{bone}" at "{handle.name}" {FIRST}-{LAST}'
    select(rig)
    return handle


def away(made: Object, handle: Object, bone: str = "hand_fk.R") -> float:
    """Return the largest distance of a bone from the object, in meters."""
    heads = places(made, (bone,))[FIRST - 1 : LAST, 0]
    found = []
    for frame, head in enumerate(heads, FIRST):
        bpy.context.scene.frame_set(frame)
        found.append(
            np.linalg.norm(
                head - np.array(handle.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation)
            )
        )
    return float(max(found))


def accelerations(heads: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(np.diff(heads, 2, axis=0), axis=2).max(axis=0))


def made_by(rig: Object) -> Object:
    (made,) = (one for one in bpy.data.objects if one.type == "ARMATURE" and one.name.startswith(f"{rig.name} Gen"))
    return made


SEEN = ("DEF-hand.R", "DEF-hand.L", "DEF-forearm.R", "DEF-spine.006", "DEF-shin.L", "DEF-shin.R")


@pytest.mark.parametrize("place", [(3.0, 2.0, 1.2), (-3.0, 2.0, 0.7)])
def test_a_hand_is_at_an_object_that_moves_and_nothing_jerks(rig: Object, place: tuple[float, float, float]) -> None:
    example = accelerations(places(rig, SEEN))
    handle = ask(rig, place)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = made_by(rig)
    assert away(made, handle) < MET and away(made, handle, "DEF-hand.R") < MET
    seen = accelerations(places(made, SEEN))
    assert seen.max() < 1.2 * example.max()


def test_feet_stay_on_the_ground_while_a_hand_is_at_a_high_object(rig: Object) -> None:
    lowest = places(rig)[..., 2].min()
    ask(rig, (3.0, 2.0, 1.2))
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    toes = places(made_by(rig))[FIRST - 1 : LAST, :, 2].min(axis=1)
    assert np.abs(toes - lowest).max() < 0.01 * SIZE


@pytest.mark.parametrize(("output", "spacing"), [("NEW_ACTION", "EVERY_FRAME"), ("NLA_STRIP", "SHARED")])
def test_actions_and_strips_of_the_rig_itself_reach_with_all_or_few_keys(
    rig: Object, output: str, spacing: str
) -> None:
    rig.genmm.output, rig.genmm.key_spacing = output, spacing
    handle = ask(rig, (3.0, 2.0, 1.2))
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert away(rig, handle) < (MET if spacing == "EVERY_FRAME" else 0.01 * SIZE)
    (made,) = (one for one in bpy.data.actions if " Gen " in one.name)
    curve = next(one for one in actions.fcurves_of(made) if one.data_path.endswith('"torso"].location'))
    assert (len(curve.keyframe_points) < 0.7 * FRAMES) == (spacing == "SHARED")


@pytest.mark.parametrize("farther", [0.0, 9.0])
def test_hands_are_at_objects_and_feet_on_stairs_however_high_these_are(rig: Object, farther: float) -> None:
    lowest = places(rig)[..., 2].min(axis=0)
    there = places(rig, ("hand_fk.R",))[FIRST - 1, 0] - np.array([0.0, farther, 0.0])
    rig.genmm.ground_object, rig.genmm.use_ground = add_stairs(), True
    handle = ask(rig, (there[0], there[1], there[2] + height_at(there[1])))
    assert (handle.location.z > 2.0) == (farther > 0.0)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = made_by(rig)
    assert away(made, handle) < MET
    assert (above_stairs(places(made)) - lowest).min() > -0.01 * SIZE


@pytest.mark.parametrize("follows", [False, True])
def test_objects_are_where_bones_bring_them_and_where_they_are_keyed(rig: Object, follows: bool) -> None:
    handle = ask(rig, (3.0, 2.0, 1.2))
    if follows:
        copying = handle.constraints.new("COPY_LOCATION")
        copying.target, copying.subtarget = rig, "DEF-hand.L"
    frames, scene = np.arange(1.0, FRAMES + 1), bpy.context.scene
    (reach,) = read_places(PLACES.parse(rig.genmm.reaches), rig, read_skeleton(rig), scene, frames)
    expected = []
    for frame in range(FIRST, LAST + 1):
        scene.frame_set(frame)
        expected.append(handle.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation[:])
    assert np.allclose(reach.positions[FIRST - 1 : LAST], expected, atol=1e-5)
    assert np.ptp(expected, axis=0).max() > 0.04 and rig.data.pose_position == "POSE"


def test_inverse_kinematics_that_nothing_follows_rests_and_changes_nothing(
    rig: Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = places(rig, ("hand_fk.R",))[FIRST - 1, 0]
    ask(rig, (head[0], head[1] - 0.1, head[2] + 0.1))
    rig.genmm.reaches = rig.genmm.reaches.replace(f"{FIRST}-{LAST}", f"{FIRST}-{FIRST + 4}")
    action, slot = actions.assigned(rig)
    asked, rested = PLACES.parse(rig.genmm.reaches), list[int]()

    def resting(character: Object, limbs: Sequence[RigLimb]) -> AbstractContextManager[None]:
        rested.append(len(limbs))
        return solvers_resting(character, limbs)

    monkeypatch.setattr(evaluated_body, "solvers_resting", resting)
    made = []
    for awake in (False, True):
        if awake:
            monkeypatch.setattr(IdleSolvers, "__init__", lambda idle, *_: setattr(idle, "limbs", ()))
        copy = action.copy()
        actions.assign(rig, copy, slot)
        assert reach_in_action(rig, bpy.context.scene, copy, slot, asked).bones == 1
        made.append(places(rig, SEEN))
        assert (max(rested) == 4) != awake
        rested.clear()
    assert np.allclose(made[0], made[1], atol=1e-5)


def test_impossible_places_are_rejected_and_leave_no_data_blocks(rig: Object) -> None:
    def blocks() -> tuple[int, int, int]:
        return len(bpy.data.actions), len(bpy.data.objects), len(bpy.data.armatures)

    handle = ask(rig, (3.0, 2.0, 4.0))
    before = blocks()
    with pytest.raises(RuntimeError, match="higher than the character reaches at frame"):
        bpy.ops.genmm.generate_motion()
    rig.genmm.reaches = f'"hand_ik.R" at "{handle.name}" {FIRST}-{LAST}'
    with pytest.raises(RuntimeError, match=r'No keys move "hand_ik\.R"'):
        bpy.ops.genmm.generate_motion()
    with pytest.raises(RuntimeError, match=r'No keys move "hand_ik\.R"'):
        bpy.ops.genmm.reach_in_action()
    bpy.data.objects.remove(handle)
    with pytest.raises(RuntimeError, match=r'Object "Handle".* does not exist'):
        bpy.ops.genmm.generate_motion()
    assert blocks() == (before[0], before[1] - 1, before[2])


def test_the_command_line_makes_and_refuses_as_the_panel_does(
    rig: Object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = ask(rig, (3.0, 2.0, 1.2)).name
    text, rig.genmm.reaches = rig.genmm.reaches, ""
    scene, made = tmp_path / "scene.blend", tmp_path / "{seed}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    asked = ("generate", scene, "--armature", rig.name, "--reach", text, "--frames", FRAMES, "--seeds", "3")
    assert run(capfd, *asked, "--output", made).status == 0
    said = run(capfd, *asked, "--output", tmp_path / "made.npz")
    assert said.status == 2 and "through its control bones, which a .npz does not contain" in said.errors[-1]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "3.blend"))
    armatures = [one for one in bpy.data.objects if one.type == "ARMATURE" and one.name.startswith("rig")]
    assert min(away(one, bpy.data.objects[name]) for one in armatures) < MET

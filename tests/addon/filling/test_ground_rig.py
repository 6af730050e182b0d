# SPDX-License-Identifier: GPL-3.0-or-later
"""A Rigify human on stairs, with legs by forward kinematics, by inverse kinematics, and by both in turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import addon_utils
import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import registered, select
from numpy.typing import NDArray
from other_rigs import walking_rigify
from test_ground import add_stairs, height_at

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.control_rigs.ground_in_action import put_action_on_ground
from genmm_addon.control_rigs.idle_solvers import IdleSolvers
from genmm_addon.control_rigs.rig_limbs import find_rig_limbs
from genmm_addon.core import InputError

FRAMES = 90
SIZE = 1.9
"""Size of the rig in meters, including the tips of the controls."""
SWITCHES = {"forward": ((1, 1.0),), "inverse": ((1, 0.0),), "mixed": ((1, 1.0), (30, 1.0), (50, 0.0))}
"""Keys of the legs' switch; 1 is forward kinematics."""
FEET = ("DEF-foot.L", "DEF-toe.L", "DEF-foot.R", "DEF-toe.R")


@contextmanager
def walking_human() -> Iterator[Object]:
    """Yield Rigify's human, walking by forward kinematics, opened from a file: building it takes ten times as long."""
    with registered():
        if addon_utils.enable("rigify", default_set=True) is None:
            pytest.skip("Rigify is not part of this Blender.")
        content = file_of_walking_human()
        with TemporaryDirectory() as folder:
            path = Path(folder, "human.blend")
            path.write_bytes(content)
            # As a startup file, so that the open file has no path, as a new one.
            bpy.ops.wm.read_homefile(filepath=str(path), load_ui=False)
        yield bpy.data.objects["rig"]
        addon_utils.disable("rigify", default_set=True)


@cache
def file_of_walking_human() -> bytes:
    """Return the content of a file with the walking human, which is built once in each process."""
    bpy.context.scene.render.fps = 30
    made = add_sample_character(bpy.context)
    select(made.armature)
    actions.assign(made.armature, next(one for one in made.actions if one.name == "GenMM Walk"))
    walking_rigify(made.armature, FRAMES)
    with TemporaryDirectory() as folder:
        path = Path(folder, "human.blend")
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
        return path.read_bytes()


@pytest.fixture
def rig() -> Iterator[Object]:
    with walking_human() as made:
        yield made


def follow(rig: Object, switch: str) -> None:
    """Key the feet's inverse kinematics controls at the positions from forward kinematics, and the switch."""
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for side in "LR":
            foot, control = f"ORG-foot.{side}", rig.pose.bones[f"foot_ik.{side}"]
            moved = posed.pose.bones[foot].matrix @ rig.data.bones[foot].matrix_local.inverted()
            control.matrix = moved @ control.bone.matrix_local
            control.keyframe_insert("location", frame=frame)
            control.keyframe_insert("rotation_quaternion", frame=frame)
    for side in "LR":
        parent = rig.pose.bones[f"thigh_parent.{side}"]
        for frame, value in SWITCHES[switch]:
            parent["IK_FK"] = value
            parent.keyframe_insert('["IK_FK"]', frame=frame)


def places(rig: Object, bones: tuple[str, ...] = FEET) -> NDArray[np.float64]:
    """Return the evaluated positions `(T, B, 3)` of bones' heads."""
    found = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([(posed.matrix_world @ posed.pose.bones[bone].head).to_tuple() for bone in bones])
    return np.array(found)


def above_stairs(feet: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the height `(T, B)` of the feet above the tread below them."""
    return np.asarray(feet[..., 2] - np.vectorize(height_at)(feet[..., 1]), np.float64)


def put(rig: Object, stairs: Object, frames: tuple[float, float] | None = None) -> None:
    action, slot = actions.assigned(rig)
    put_action_on_ground(rig, bpy.context.scene, action, slot, stairs, frames)


def test_a_rig_tells_its_limbs_by_its_constraints(rig: Object) -> None:
    limbs = {limb.ankle: limb for limb in find_rig_limbs(rig)}
    assert set(limbs) == {"ORG-foot.L", "ORG-foot.R", "ORG-hand.L", "ORG-hand.R"}
    leg = limbs["ORG-foot.L"]
    assert leg.bones == ("ORG-thigh.L", "ORG-shin.L", "ORG-foot.L") and leg.tip == "ORG-toe.L"
    assert [leg.forward[bone] for bone in leg.bones] == ["thigh_fk.L", "shin_fk.L", "foot_fk.L"]
    assert "foot_ik.L" in leg.carriers


@pytest.mark.parametrize("switch", list(SWITCHES))
def test_feet_of_a_rig_stand_on_stairs_whether_its_legs_use_ik_or_fk(rig: Object, switch: str) -> None:
    if switch != "forward":
        follow(rig, switch)
    flat = places(rig)
    lowest = flat[..., 2].min(axis=0)
    stairs = add_stairs()
    assert (above_stairs(flat) - lowest).min() < -0.1 * SIZE, "the walk goes through the stairs"
    hips = places(rig, ("DEF-spine",))[-1, 0, 2]
    put(rig, stairs)
    feet = places(rig)
    assert (above_stairs(feet) - lowest).min() > -0.01 * SIZE
    assert places(rig, ("DEF-spine",))[-1, 0, 2] > hips + 0.5
    # Feet stand on the stairs for as long as they stood on flat ground.
    stood = (flat[..., 2] - lowest < 0.01) & (np.linalg.norm(np.gradient(flat, axis=0), axis=2) < 0.005)
    assert np.median((above_stairs(feet) - lowest)[stood]) < 0.01
    assert np.percentile(np.linalg.norm(np.gradient(feet, axis=0), axis=2)[stood], 90) < 0.012


@pytest.mark.parametrize(
    "frames", [((1, 1.0),), ((1, 1.0), (10, 0.0), (13, 1.0))], ids=["all along", "but for a moment"]
)
def test_inverse_kinematics_rests_where_nothing_follows_it(
    rig: Object, frames: tuple[tuple[int, float], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SWITCHES, "moment", frames)
    follow(rig, "moment")
    for side in "LR":
        for curve in actions.fcurves_of(rig.animation_data.action):
            if curve.data_path == f'pose.bones["thigh_parent.{side}"]["IK_FK"]':
                for point in curve.keyframe_points:
                    point.interpolation = "CONSTANT"
    action, slot = actions.assigned(rig)
    copy = action.copy()
    before = switches(rig)
    assert any(before), "some solvers are muted by drivers"
    put(rig, (stairs := add_stairs()))
    assert switches(rig) == before
    feet = places(rig)
    monkeypatch.setattr(IdleSolvers, "__init__", lambda idle, *_: setattr(idle, "limbs", ()))
    actions.assign(rig, copy, slot)
    put(rig, stairs)
    assert np.allclose(places(rig), feet, atol=1e-5)


def switches(rig: Object) -> list[bool]:
    """Return whether each constraint and driver is muted."""
    constraints = [one.mute for bone in rig.pose.bones for one in bone.constraints]
    return constraints + [driver.mute for driver in rig.animation_data.drivers]


def test_arms_and_spine_of_a_rig_keep_their_keys(rig: Object) -> None:
    action = rig.animation_data.action
    kept = {
        (curve.data_path, curve.array_index): [curve.evaluate(frame) for frame in (1, 30, 60)]
        for curve in actions.fcurves_of(action)
        if not any(word in curve.data_path for word in ("thigh", "shin", "foot", "toe", '"torso"].location'))
    }
    put(rig, add_stairs())
    after = {
        (curve.data_path, curve.array_index): [curve.evaluate(frame) for frame in (1, 30, 60)]
        for curve in actions.fcurves_of(action)
    }
    assert kept and all(after[name] == values for name, values in kept.items())


def test_a_range_of_a_rig_s_action_keeps_the_poses_at_its_ends(rig: Object) -> None:
    follow(rig, "inverse")
    before = places(rig)
    put(rig, add_stairs(), (20.0, 70.0))
    after = places(rig)
    outside = [frame - 1 for frame in range(1, FRAMES + 1) if not 20 < frame < 70]
    assert np.allclose(before[outside], after[outside], atol=1e-5)
    assert not np.allclose(before[44], after[44], atol=0.01)


def test_rig_without_location_keys_on_its_hips_is_rejected_with_one_sentence(rig: Object) -> None:
    action, slot = actions.assigned(rig)
    for curve in actions.fcurves_of(action, slot):
        curve.data_path = curve.data_path.replace('"torso"].location', '"root"].location')
    with pytest.raises(InputError, match="location of the control that carries them"):
        put(rig, add_stairs())
    assert f"{action.name}.001" not in bpy.data.actions

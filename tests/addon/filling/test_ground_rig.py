# SPDX-License-Identifier: GPL-3.0-or-later
"""A Rigify human on stairs, with legs by forward kinematics, by inverse kinematics, and by both in turn."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from numpy.typing import NDArray
from test_ground import add_stairs, height_at
from walking_human import FRAMES, SWITCHES, follow, places, walking_human

from genmm_addon.animation import actions
from genmm_addon.control_rigs.evaluated_body import IdleSolvers
from genmm_addon.control_rigs.ground_in_action import ActionForGround, put_action_on_ground
from genmm_addon.control_rigs.rig_limbs import find_rig_limbs
from genmm_addon.core import InputError

pytestmark = pytest.mark.slow

SIZE = 1.9
"""Size of the rig in meters, including the tips of the controls."""


@pytest.fixture
def rig() -> Iterator[Object]:
    with walking_human() as made:
        yield made


def above_stairs(feet: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the height `(T, B)` of the feet above the tread below them."""
    return np.asarray(feet[..., 2] - np.vectorize(height_at)(feet[..., 1]), np.float64)


def put(rig: Object, stairs: Object, frames: tuple[float, float] | None = None) -> None:
    action, slot = actions.assigned(rig)
    put_action_on_ground(ActionForGround(rig, bpy.context.scene, action, slot, stairs), frames)


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion on uneven ground: no foot is in the mesh or slides, and flat ground changes nothing."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from legged import carried_hound, compass
from motions import styled_walks, with_channel
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    Facing,
    InputError,
    Loop,
    Motion,
    PoseConstraint,
    Settings,
    Waypoint,
    prepare,
    synthesize,
)
from genmm_addon.core.constraints import OnGround, Waypoints, lowered_poses
from genmm_addon.core.environment import Surface, make_surface, put_on_ground, standing_of
from genmm_addon.core.environment.ground import on_ground
from genmm_addon.core.environment.ground.on_ground import note_on_length
from genmm_addon.core.motion import joint_accelerations, on_skeleton, with_parents

Array = NDArray[np.float64]


@cache
def walk() -> Motion:
    return styled_walks()["neutral"].slice(0, 200)


def quad(corners: list[tuple[float, float, float]]) -> Array:
    points = np.array(corners, np.float64)
    return np.array([points[[0, 1, 2]], points[[0, 2, 3]]])


def strip(first: float, last: float, low: float, high: float) -> Array:
    """Return ground from y = -first to y = -last, the sample character's direction, between two heights."""
    return quad([(-20, -first, low), (-20, -last, high), (20, -last, high), (20, -first, low)])


def stairs(rise: float, unit: float) -> Surface:
    """Return steps 30 cm deep at human size; unit: the length of a meter there."""
    treads = [strip(-30, 1, 0, 0)]
    for number in range(60):
        height, first = rise * (number + 1), 1 + 0.3 * number
        treads.append(strip(first, first + (30 if number == 59 else 0.3), height, height))
    return make_surface(unit * np.concatenate(treads), walk().skeleton.up)


def unit() -> float:
    return walk().skeleton.size / 1.75


def ground_of(name: str) -> Surface:
    if name == "flat":
        return make_surface(strip(-30, 40, 0, 0), walk().skeleton.up)
    if name == "slope":
        slope = np.tan(np.radians(15.0))
        return make_surface(
            np.concatenate((strip(-30, 0.5, 0, 0), strip(0.5, 40, 0, 39.5 * slope))), walk().skeleton.up
        )
    return stairs({"up": 0.15, "down": -0.15}[name], unit())


def bent(motion: Motion) -> Array:
    """Return the bend `(T,)` of the straighter knee in radians."""
    places, found = motion.pose()[1].astype(np.float64), []
    for foot in standing_of(walk()).feet:
        hip, knee, ankle = (places[:, joint] for joint in (*foot.leg[:2], foot.leg[-1]))
        lengths = np.linalg.norm(knee - hip, axis=1) * np.linalg.norm(ankle - knee, axis=1)
        found.append(np.arccos(np.clip(np.sum((knee - hip) * (ankle - knee), axis=1) / lengths, -1.0, 1.0)))
    return np.asarray(np.min(found, axis=0), np.float64)


@pytest.mark.parametrize("ground", ["slope", "up"])
def test_legs_with_roots_of_their_own_stay_at_the_body(ground: str) -> None:
    thighs = [foot.leg[0] for foot in standing_of(walk()).feet]
    apart = on_skeleton(walk(), with_parents(walk().skeleton, dict.fromkeys(thighs, -1), {}))
    hips = apart.skeleton.names.index("Hips")
    result = put_on_ground(apart, ground_of(ground), standing_of(apart), hips).motion
    for thigh in (apart.skeleton.names.index(f"Thigh.{side}") for side in "LR"):
        away = np.linalg.norm(result.pose()[1][:, thigh] - result.pose()[1][:, hips], axis=1)
        assert np.ptp(away) < 0.001 * walk().skeleton.size


def sloping(degrees: float) -> Surface:
    """Return ground that rises along +y, the hound's direction, through the origin."""
    high = 20.0 * np.tan(np.radians(degrees))
    return make_surface(quad([(-20, -20, -high), (20, -20, -high), (20, 20, high), (-20, 20, high)]), (0.0, 0.0, 1.0))


@pytest.mark.parametrize("degrees", [15.0, -15.0])
def test_a_body_on_four_legs_pitches_with_the_ground_and_its_feet_stand_on_it(degrees: float) -> None:
    hound, surface = carried_hound(np.zeros((60, 3))), sloping(degrees)
    standing = standing_of(hound)
    result = put_on_ground(hound, surface, standing, root=0).motion
    pelvis, chest = (result.pose()[1][30, hound.skeleton.names.index(name)] for name in ("pelvis", "chest"))
    flat = hound.pose()[1][30, hound.skeleton.names.index("chest")] - hound.pose()[1][30, 0]
    rise = np.arctan2(*(chest - pelvis)[[2, 1]]) - np.arctan2(*flat[[2, 1]])
    assert np.degrees(rise) == pytest.approx(degrees, abs=1.0)
    for foot in standing.feet:
        height = result.pose()[1][30, foot.joint, 2] - result.pose()[1][30, foot.joint, 1] * np.tan(np.radians(degrees))
        assert height == pytest.approx(hound.pose()[1][30, foot.joint, 2], abs=0.01 * hound.skeleton.size)


def test_a_body_on_two_legs_stays_upright_on_a_slope() -> None:
    result = put_on_ground(walk(), ground_of("slope"), standing_of(walk()), root=0).motion
    assert np.array_equal(result.rotations[:, 0], walk().rotations[:, 0])


def test_a_foot_that_only_touches_the_ground_meets_it_as_well() -> None:
    hound, surface = carried_hound(np.zeros((60, 3))), sloping(15.0)
    standing = standing_of(hound)
    contacts = standing.contacts.copy()
    contacts[np.arange(60) % 10 >= 2, 0] = False
    result = put_on_ground(hound, surface, replace(standing, contacts=contacts), root=0).motion
    both = put_on_ground(hound, surface, standing, root=0).motion
    away = np.linalg.norm(result.pose()[1] - both.pose()[1], axis=2)[31, standing.feet[0].joint]
    assert away < 0.01 * hound.skeleton.size


def test_a_pelvis_rises_between_the_steps_up_a_slope_unless_hips_would_jerk(monkeypatch: pytest.MonkeyPatch) -> None:
    def put() -> Motion:
        return put_on_ground(walk(), ground_of("slope"), standing_of(walk()), root=0).motion

    rising = put()
    monkeypatch.setattr(on_ground, "ALLOWED", 0.0)
    low = put()
    assert np.median(bent(rising)) < np.median(bent(low)) - np.radians(1.0)
    hips = [foot.leg[0] for foot in standing_of(walk()).feet]
    assert joint_accelerations(rising, hips).max() <= 1.2 * joint_accelerations(walk(), hips).max()


@pytest.mark.parametrize("name", ["up", "down", "slope"])
def test_no_foot_is_in_the_mesh_and_none_slides(name: str) -> None:
    surface, standing = ground_of(name), standing_of(walk())
    motion = put_on_ground(walk(), surface, standing, root=0).motion
    places, flat = (surface.to_ground(one.pose()[1]) for one in (motion, walk()))
    for number, foot in enumerate(standing.feet):
        for joint in (foot.leg[-1], foot.joint):
            there = places[:, joint]
            under = surface.heights(there[:, :2], there[:, 2] + 0.15 * unit())
            assert (under - there[:, 2]).max() < 0.01 * walk().skeleton.size
        stands = standing.contacts[1:, number] & standing.contacts[:-1, number]
        now, before = (np.linalg.norm(np.diff(one[:, foot.joint], axis=0), axis=1)[stands] for one in (places, flat))
        assert now.mean() < 1.2 * before.mean()
    assert abs(places[-1, 0, 2] - flat[-1, 0, 2]) > unit(), "it climbs, or goes down"


def test_flat_ground_changes_nothing() -> None:
    motion = put_on_ground(walk(), ground_of("flat"), standing_of(walk()), root=0).motion
    away = np.abs(motion.pose()[1] - walk().pose()[1]).max()
    assert away < 2e-3 * walk().skeleton.size


def largest_of_knees(motion: Motion) -> float:
    knees = [foot.leg[1] for foot in standing_of(walk()).feet]
    return float(np.linalg.norm(np.diff(motion.pose()[1][:, knees], 2, axis=0), axis=2).max())


@pytest.mark.parametrize("name", ["up", "down", "slope"])
def test_knees_stay_as_calm_as_the_example(name: str) -> None:
    motion = put_on_ground(walk(), ground_of(name), standing_of(walk()), root=0).motion
    assert largest_of_knees(motion) < 1.2 * largest_of_knees(walk())


def way_of(motion: Motion) -> float:
    root = motion.pose()[1][:, 0, :2]
    return float(np.linalg.norm(root[-1] - root[0]))


def test_steps_are_shortened_where_they_would_climb_too_far_unless_the_way_is_given() -> None:
    surface, standing = ground_of("up"), standing_of(walk())
    shorter = put_on_ground(walk(), surface, standing, root=0)
    as_far = put_on_ground(walk(), surface, standing, root=0, shorten=False)
    assert way_of(shorter.motion) < 0.9 * way_of(walk())
    assert "Steps were shortened" in shorter.notes[0]
    assert abs(way_of(as_far.motion) - way_of(walk())) < 0.15 * walk().skeleton.size
    assert not any("Steps were shortened" in note for note in as_far.notes)


def test_steps_that_are_too_high_are_named_with_foot_frame_and_mend() -> None:
    high = stairs(0.5, unit())
    notes = put_on_ground(walk(), high, standing_of(walk()), root=0, first_frame=1, shorten=False).notes
    assert re.search(r'At frame \d+ the knee above "Foot\.[LR]" is .* times as quick .* add frames', notes[-1])


def test_a_quick_knee_in_a_level_step_is_not_blamed_on_its_height(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ground, "_rise", lambda *_: 0.0)
    notes = put_on_ground(walk(), stairs(0.5, unit()), standing_of(walk()), root=0, shorten=False).notes
    assert "as quick as in the examples; add frames" in notes[-1]


def test_a_walk_in_place_is_refused_as_one() -> None:
    above = compass().translations.copy()
    above[..., :2] = 0.0
    treading = with_channel(compass(), "translations", above)
    with pytest.raises(InputError, match="walks in place"):
        put_on_ground(treading, ground_of("slope"), standing_of(treading), root=0)


def test_a_hole_is_named_with_foot_and_frame() -> None:
    short = make_surface(strip(-30, 2, 0, 0), walk().skeleton.up)
    with pytest.raises(InputError, match=r'no ground under "Foot\.[LR]" at frame \d+'):
        put_on_ground(walk(), short, standing_of(walk()), root=0, first_frame=1)
    away = make_surface(strip(-30, 2, 0, 0) + np.array([100.0, 0.0, 0.0]), walk().skeleton.up)
    with pytest.raises(InputError, match="no ground under the character"):
        put_on_ground(walk(), away, standing_of(walk()), root=0)


def test_a_result_is_made_on_the_ground_and_no_loop_is() -> None:
    prepared, ground = prepare([walk()]), OnGround(ground_of("slope"))
    motion = synthesize(prepared, 150, seed=1, constraints=Constraints(others=(ground,))).motion
    feet = [foot.joint for foot in prepared.feet]
    places = ground.surface.to_ground(motion.pose()[1][:, feet]).reshape(-1, 3)
    under = ground.surface.heights(places[:, :2], places[:, 2] + 0.15 * unit())
    assert (under - places[:, 2]).max() < 0.01 * walk().skeleton.size
    with pytest.raises(InputError, match="A loop ends on other ground"):
        synthesize(prepared, 150, constraints=Constraints(others=(ground,), loop=Loop.TRAVEL))


def test_waypoints_are_met_on_stairs_and_feet_stand_on_them() -> None:
    surface, prepared = ground_of("up"), prepare([walk()], settings=Settings(facing=Facing.FREE))
    points = tuple(Waypoint(frame, (0.0, -0.024 * frame * unit(), 0.0)) for frame in (0, 60, 140))
    made = synthesize(
        prepared, 150, seed=1, constraints=Constraints(others=(Waypoints(points), OnGround(surface)))
    ).motion
    places = surface.to_ground(made.pose()[1])
    for point in points:
        root = made.pose()[1][point.frame, prepared.root.joint]
        assert np.abs((root - np.array(point.place))[:2]).max() < 5e-3 * walk().skeleton.size
    for foot in prepared.feet:
        there = places[:, foot.joint]
        under = surface.heights(there[:, :2], there[:, 2] + 0.15 * unit())
        assert (under - there[:, 2]).max() < 0.01 * walk().skeleton.size
    assert places[-1, 0, 2] - places[0, 0, 2] > 0.5 * unit(), "it climbs"


def test_a_pose_pinned_with_its_place_on_the_ground_is_met() -> None:
    """A pin set on the slope is lowered for planning and lifted again."""
    surface, standing = ground_of("slope"), standing_of(walk())
    pinned = put_on_ground(walk(), surface, standing, root=0).motion.slice(0, 150)
    joints, place = np.zeros((150, len(pinned.skeleton.names)), bool), np.zeros(150, bool)
    joints[100], place[100] = True, True
    poses, given = lowered_poses(PoseConstraint(pinned, joints, place), surface, walk(), root=0)
    made = synthesize(
        prepare([walk()]), 150, seed=2, constraints=Constraints(poses, others=(OnGround(surface, given),))
    ).motion
    away = np.abs(made.pose()[1][100] - pinned.pose()[1][100]).max()
    assert away < 1e-3 * pinned.skeleton.size


@pytest.mark.parametrize("seed", [1, 2])
def test_beside_a_pose_pinned_on_stairs_knees_are_calm_and_feet_stay_on_the_treads(seed: int) -> None:
    """The legs of the pin are planned as on flat ground, and the steps before and after it are shortened."""
    surface, standing = ground_of("up"), standing_of(walk())
    pinned = put_on_ground(walk(), surface, standing, root=0).motion.slice(0, 150)
    joints, place = np.zeros((150, len(pinned.skeleton.names)), bool), np.zeros(150, bool)
    joints[90], place[90] = True, True
    poses, given = lowered_poses(PoseConstraint(pinned, joints, place), surface, walk(), root=0)
    assert given is not None and given.posed is not None
    made = synthesize(
        prepare([walk()]), 150, seed=seed, constraints=Constraints(poses, others=(OnGround(surface, given),))
    ).motion
    assert np.abs(made.pose()[1][90] - pinned.pose()[1][90]).max() < 1e-3 * pinned.skeleton.size
    assert largest_of_knees(made) < 1.5 * largest_of_knees(walk())
    places = surface.to_ground(made.pose()[1])
    for foot in standing.feet:
        there = places[:, foot.joint]
        under = surface.heights(there[:, :2], there[:, 2] + 0.15 * unit())
        assert (under - there[:, 2]).max() < 0.01 * pinned.skeleton.size


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_the_sentence_on_shortened_steps_is_the_same_in_centimeters(unit: float) -> None:
    (note,) = note_on_length(0.34 * unit, 1.7 * unit)
    assert note.endswith("the character's travel is 20 % of its size shorter than planned.")

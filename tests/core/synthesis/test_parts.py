# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts combined: each shows frames of its own, and no seam is visible where they overlap."""

from functools import cache

import numpy as np
import pytest
from measures import (
    body,
    far_from_cuts,
    highest_speeds,
    is_sound,
    joint_speeds,
    root_path,
    root_speeds,
    shown_frames,
    travel,
)
from motions import MotionMaker, under_a_static_top, walker, waver, with_foot_controls, with_scales_and_scalars

from genmm_addon.core import InputError, Part, Prepared, Settings, Synthesis, prepare, rotations, synthesize
from genmm_addon.core.features.body_parts import limb_partition, whole_body
from genmm_addon.core.synthesis.part_paths import coupling_to

SEEDS = range(5)
RIGS = {
    "walker": walker,
    "waver": waver,
    "static top": under_a_static_top,
    "foot controls": with_foot_controls,
    "scales and scalars": with_scales_and_scalars,
}
every_rig = pytest.mark.parametrize("make", RIGS.values(), ids=RIGS)


VERBATIM = Settings(foot_locking=False)
"""Settings for the examples' own frames, without bending of legs for planted feet."""


@cache
def by_limbs(make: MotionMaker, settings: Settings = Settings()) -> Prepared:
    return prepare([make()], parts=limb_partition(make().skeleton), settings=settings)


@cache
def result_of(make: MotionMaker, seed: int = 0, frames: int = 480, settings: Settings = Settings()) -> Synthesis:
    return synthesize(by_limbs(make, settings), frames, seed=seed)


def test_a_part_is_coupled_to_the_frames_that_the_roots_part_shows_and_asks_for_no_others() -> None:
    planning = by_limbs(waver).planning
    plan = next(one for one in planning.parts if one.coupling is not None)
    leader = np.array([7, 8, 9, 8, 9, 30])
    coupling = coupling_to(plan, leader)
    assert coupling is not None and plan.coupling is not None and len(coupling.table) == 4
    path = np.arange(6)
    every = plan.coupling.beside(np.arange(planning.finest.bounds.frames))
    assert coupling.against(path) == pytest.approx(every[leader, path], abs=1e-3)
    assert coupling_to(planning.parts[planning.root_part], leader) is None


@every_rig
@pytest.mark.parametrize("frames", [1, 2, 10, 11, 45, 480])
def test_parts_give_every_length_and_sources_of_each_part(make: MotionMaker, frames: int) -> None:
    result = result_of(make, 1, frames)
    assert result.motion.frames == frames
    assert result.source_frames.shape == result.source_examples.shape == (frames, 3)
    assert is_sound(result.motion)


def test_single_part_of_all_joints_equals_synthesis_without_parts() -> None:
    skeleton = waver().skeleton
    whole = synthesize(prepare([waver()], parts=whole_body(skeleton)), 200, seed=2)
    assert np.array_equal(whole.motion.rotations, synthesize(prepare([waver()]), 200, seed=2).motion.rotations)


def test_arms_show_other_frames_than_the_trunk_at_times() -> None:
    for seed in SEEDS:
        result = result_of(waver, seed)
        trunk = shown_frames(result, 0)
        for arm in (1, 2):
            assert np.any(shown_frames(result, arm) != trunk)


@every_rig
def test_where_parts_meet_nothing_moves_faster_than_in_the_example(make: MotionMaker) -> None:
    plan = by_limbs(make).root
    joints, root = highest_speeds(by_limbs(make))
    for seed in SEEDS:
        result = result_of(make, seed)
        assert is_sound(result.motion)
        assert joint_speeds(body(result.motion, plan)).max() < 1.25 * joints
        assert root_speeds(result.motion, result.root).max() < 1.2 * root


@pytest.mark.parametrize("make", [walker, waver])
def test_no_joint_turns_faster_than_any_does_in_the_example(make: MotionMaker) -> None:
    own = rotations.angle_between(make().rotations[1:], make().rotations[:-1]).max()
    for seed in SEEDS:
        result = result_of(make, seed, settings=VERBATIM).motion
        assert rotations.angle_between(result.rotations[1:], result.rotations[:-1]).max() < 1.25 * own


@pytest.mark.parametrize("make", [walker, waver])
def test_the_speed_is_natural_by_parts_too(make: MotionMaker) -> None:
    own = joint_speeds(make().pose()[1]).mean()
    for seed in SEEDS:
        assert 0.85 < joint_speeds(result_of(make, seed).motion.pose()[1]).mean() / own < 1.15


def test_each_part_equals_its_example_frames_far_from_cuts() -> None:
    parts, compared = [plan.part.joints for plan in by_limbs(waver).parts], 0
    for seed in SEEDS:
        result = result_of(waver, seed, settings=VERBATIM)
        frames = far_from_cuts(result, 31)
        compared += len(frames)
        for index, joints in enumerate(parts):
            alone = [j for j in joints if sum(j in other for other in parts) == 1 and j != 0]
            shown = waver().rotations[shown_frames(result, index)[frames, 1]][:, alone]
            turned = rotations.angle_between(result.motion.rotations[frames][:, alone], shown)
            assert turned.max(initial=0.0) < 1e-3
    assert compared > 5


def test_where_parts_overlap_they_meet_half_way() -> None:
    result = result_of(waver, 1, settings=VERBATIM)
    frames, chest = far_from_cuts(result, 31), waver().skeleton.names.index("chest")
    turned = result.motion.rotations[frames, chest]
    by_part = [waver().rotations[shown_frames(result, part)[frames, 1], chest] for part in range(3)]
    widest = np.max([rotations.angle_between(one, two) for one in by_part for two in by_part], axis=0)
    for own in by_part:
        assert np.all(rotations.angle_between(turned, own) <= widest + 1e-3)


def test_the_hips_are_led_by_the_trunk_alone() -> None:
    result = result_of(walker, 2, settings=VERBATIM)
    frames = far_from_cuts(result, 31)
    shown = shown_frames(result, by_limbs(walker).planning.root_part)[frames, 1]
    steps = np.linalg.norm(np.diff(root_path(result.motion), axis=0), axis=1)
    own = np.linalg.norm(np.diff(root_path(walker()), axis=0), axis=1)
    within = (frames < 479) & (shown < 239)
    assert steps[frames[within]] == pytest.approx(own[shown[within]], abs=1e-3)


def test_of_two_parts_that_have_the_hips_the_first_leads() -> None:
    everything = tuple(range(17))
    ready = prepare([waver()], parts=[Part("First", everything), Part("Second", everything)], settings=VERBATIM)
    apart = []
    for seed in SEEDS:
        result = synthesize(ready, 480, seed=seed)
        frames = far_from_cuts(result, 31)
        own, other = (waver().rotations[shown_frames(result, part)[frames, 1], 0] for part in range(2))
        apart.extend(rotations.angle_between(own, other).tolist())
        turned = rotations.angle_between(result.motion.rotations[frames, 0], own)
        assert turned.max(initial=0.0) < 2e-3
    assert max(apart) > 0.02, "the two parts are to show different hips at times"


@pytest.mark.parametrize("make", [waver, with_scales_and_scalars])
def test_in_place_motion_stays_in_place_when_synthesized_by_parts(make: MotionMaker) -> None:
    for seed in SEEDS:
        assert travel(result_of(make, seed).motion) < 0.05


def test_joints_in_no_part_are_synthesized_as_well() -> None:
    skeleton = walker().skeleton
    arm = Part("Arm", tuple(np.flatnonzero(skeleton.descendants(skeleton.names.index("upper_arm.L"))).tolist()))
    ready = prepare([walker()], parts=[arm])
    assert [plan.part.name for plan in ready.parts] == ["Arm", "Remainder"]
    result = synthesize(ready, 300, seed=1)
    assert result.source_frames.shape == (300, 2)
    assert is_sound(result.motion)
    legs = [skeleton.names.index(f"{name}.{side}") for name in ("thigh", "shin") for side in "LR"]
    spread = [np.ptp(motion.rotations[:, legs], axis=0).max() for motion in (result.motion, walker())]
    assert spread[0] == pytest.approx(spread[1], rel=0.2)


def test_a_part_that_never_moves_stays_as_it_is() -> None:
    skeleton = walker().skeleton
    neck = Part("Neck", (skeleton.names.index("neck"), skeleton.names.index("head")))
    result = synthesize(prepare([walker()], parts=[neck]), 200, seed=1)
    still = walker().rotations[:1, list(neck.joints)]
    assert rotations.angle_between(result.motion.rotations[:, list(neck.joints)], still).max() < 1e-3


def test_a_part_without_joints_is_refused() -> None:
    with pytest.raises(InputError, match="'Nothing'"):
        prepare([walker()], parts=[Part("Nothing", ())])


def test_scales_and_scalars_are_carried_by_parts_too() -> None:
    example, result = with_scales_and_scalars(), result_of(with_scales_and_scalars, 1, settings=VERBATIM)
    frames = far_from_cuts(result, 31)
    shown = shown_frames(result, by_limbs(with_scales_and_scalars).planning.root_part)[frames, 1]
    assert len(frames) > 10
    assert result.motion.scalars[frames] == pytest.approx(example.scalars[shown], abs=1e-4)
    assert result.motion.scales[frames] == pytest.approx(example.scales[shown], abs=1e-4)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthesis: lengths, seeds, properties of the result, and its own reports."""

from functools import cache

import numpy as np
import pytest
from measures import (
    body,
    cuts_of,
    distances_to_shown,
    far_from_cuts,
    highest_speeds,
    is_sound,
    joint_speeds,
    root_path,
    root_speeds,
    same_sources,
    shown_frames,
)
from motions import (
    UP,
    UPWARD,
    MotionMaker,
    motionless,
    turn,
    turned_and_moved,
    under_a_static_top,
    walker,
    waver,
    whirler,
    with_foot_controls,
    with_scales_and_scalars,
)

from genmm_addon.core import (
    Cancelled,
    Facing,
    InputError,
    Motion,
    Prepared,
    Settings,
    Synthesis,
    prepare,
    rotations,
    synthesize,
)
from genmm_addon.core.planning.crossfades import LONGEST_CROSSFADE_SECONDS

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = range(5)
RIGS = {
    "walker": walker,
    "waver": waver,
    "static top": under_a_static_top,
    "foot controls": with_foot_controls,
    "scales and scalars": with_scales_and_scalars,
    "whirler": whirler,
}
every_rig = pytest.mark.parametrize("make", RIGS.values(), ids=RIGS)


VERBATIM = Settings(foot_locking=False)
"""Settings for the examples' own frames, without bending of legs for planted feet."""


@cache
def prepared(make: MotionMaker, settings: Settings = Settings()) -> Prepared:
    return prepare([make()], settings=settings)


@cache
def result_of(make: MotionMaker, seed: int = 0, frames: int = 480, settings: Settings = Settings()) -> Synthesis:
    return synthesize(prepared(make, settings), frames, seed=seed)


# Lengths and settings


@every_rig
@pytest.mark.parametrize("frames", [1, 2, 3, 9, 10, 11, 12, 43, 44, 45, 100, 1000])
def test_the_result_is_exactly_as_long_as_asked_for(make: MotionMaker, frames: int) -> None:
    result = result_of(make, 3, frames)
    assert result.motion.frames == frames
    assert result.source_frames.shape == result.source_examples.shape == (frames, 1)
    assert is_sound(result.motion)


@pytest.mark.slow
@pytest.mark.parametrize("example_frames", [10, 11, 13, 44, 45, 90, 200])
@pytest.mark.parametrize("coarsest", [1.0, 4.0, 20.0])
def test_every_combination_of_settings_gives_the_length_asked_for(example_frames: int, coarsest: float) -> None:
    example = walker(200).slice(0, example_frames)
    for factor in (0.1, 0.75, 0.95):
        for patch in (1, 11, 300):
            method = Settings(patch_frames=patch, coarsest_patches=coarsest, pyramid_factor=factor, iterations=1)
            ready = prepare([example], settings=method)
            for frames in (1, 10, 11, 97):
                result = synthesize(ready, frames, seed=patch)
                assert result.motion.frames == frames, (factor, patch, frames)
                assert is_sound(result.motion), (factor, patch, frames)


@pytest.mark.parametrize(
    "method", [Settings(completeness=None), Settings(iterations=1), Settings(noise=0.0), Settings(noise=100.0)]
)
def test_the_method_at_its_limits_still_gives_a_natural_motion(method: Settings) -> None:
    result = synthesize(prepared(walker, method), 300, seed=1)
    assert is_sound(result.motion)
    assert 0.9 < joint_speeds(result.motion.pose()[1]).mean() / joint_speeds(walker().pose()[1]).mean() < 1.1


@pytest.mark.parametrize("frames", [0, -5])
def test_a_result_of_no_frames_is_refused(frames: int) -> None:
    with pytest.raises(InputError, match="1 frame or more"):
        synthesize(prepared(walker), frames)


def test_examples_need_not_be_prepared_first() -> None:
    assert np.array_equal(synthesize([walker()], 50).motion.rotations, result_of(walker, 0, 50).motion.rotations)


# Seeds


@every_rig
def test_the_same_seed_gives_the_same_bytes(make: MotionMaker) -> None:
    first, second = result_of(make, 7), synthesize(prepare([make()]), 480, seed=7)
    for name, values in first.motion.channels().items():
        assert values.tobytes() == second.motion.channels()[name].tobytes()
    assert np.array_equal(first.source_frames, second.source_frames)


@pytest.mark.parametrize("make", [walker, waver])
def test_different_seeds_show_other_frames_at_most_times(make: MotionMaker) -> None:
    shares = [
        same_sources(result_of(make, first), result_of(make, second)) for first in SEEDS for second in range(first)
    ]
    assert max(shares) < 0.5


def test_preparation_is_unchanged_by_use() -> None:
    ready = prepare([waver()])
    first = synthesize(ready, 200, seed=1)
    synthesize(ready, 333, seed=2)
    again = synthesize(ready, 200, seed=1)
    assert np.array_equal(first.motion.rotations, again.motion.rotations)


# Properties of the result


@every_rig
def test_rotations_are_unit_and_never_flip(make: MotionMaker) -> None:
    assert all(is_sound(result_of(make, seed).motion) for seed in SEEDS)


def test_an_example_that_flips_gives_a_result_that_does_not() -> None:
    signs = np.where(np.random.default_rng(0).uniform(size=(240, 17, 1)) < 0.5, -1, 1).astype(np.float32)
    channels = {**walker().channels(), "rotations": walker().rotations * signs}
    flipping = synthesize([walker().with_channels(channels)], 480, seed=2)
    assert is_sound(flipping.motion)
    assert flipping.motion.pose()[1] == pytest.approx(result_of(walker, 2).motion.pose()[1], abs=1e-3)


@every_rig
def test_no_joint_and_no_root_moves_faster_than_in_the_example(make: MotionMaker) -> None:
    joints, root = highest_speeds(prepared(make))
    for seed in SEEDS:
        result = result_of(make, seed)
        assert joint_speeds(body(result.motion, prepared(make).root)).max() < 1.2 * joints
        assert root_speeds(result.motion, result.root).max() < 1.2 * root


@every_rig
def test_the_speed_is_natural(make: MotionMaker) -> None:
    own = joint_speeds(make().pose()[1]).mean()
    for seed in SEEDS:
        assert 0.9 < joint_speeds(result_of(make, seed, settings=VERBATIM).motion.pose()[1]).mean() / own < 1.1


@pytest.mark.parametrize("make", [waver, with_scales_and_scalars])
@pytest.mark.parametrize("frames", [120, 480, 1500])
def test_in_place_example_gives_an_in_place_result(make: MotionMaker, frames: int) -> None:
    path = root_path(make())
    own = np.ptp(path, axis=0)
    for seed in SEEDS:
        result = result_of(make, seed, frames)
        size, made = result.motion.skeleton.size, root_path(result.motion)
        shown = path[shown_frames(result)[[0, -1], 1]]
        # A root that leans at the end as the example's does has not traveled.
        assert np.linalg.norm((made[-1] - made[0]) - (shown[1] - shown[0])) < 0.05 * size
        assert np.all(np.ptp(made, axis=0) < own + 0.15 * size)


@pytest.mark.parametrize("make", [walker, under_a_static_top, with_foot_controls])
def test_a_walk_walks_on(make: MotionMaker) -> None:
    own = root_speeds(make()).mean()
    for seed in SEEDS:
        result = result_of(make, seed).motion
        assert 0.9 < root_speeds(result).mean() / own < 1.1
        assert np.linalg.norm(np.ptp(root_path(result), axis=0)) > 3 * make().skeleton.size


def test_a_walk_faces_where_it_goes() -> None:
    for seed in SEEDS:
        result = result_of(walker, seed).motion
        hips = rotations.multiply(result.skeleton.rest_rotations[0], result.rotations[:, 0].astype(float))
        facing = rotations.multiply(hips, rotations.inverse(result.skeleton.rest_rotations[0]))
        ahead = rotations.rotate(facing, np.broadcast_to(np.array([0.0, 1.0, 0.0]), (result.frames, 3)))[:-1, :2]
        steps = np.diff(root_path(result), axis=0)
        cosines = np.sum(ahead * steps, axis=1) / np.linalg.norm(steps, axis=1)
        assert cosines.min() > 0.8


def test_heights_equal_the_example_outside_fades_and_stay_close_inside() -> None:
    own = walker().pose()[1][..., 2]
    for seed in SEEDS:
        result = result_of(walker, seed)
        heights = result.motion.pose()[1][..., 2]
        calm = far_from_cuts(result, round(LONGEST_CROSSFADE_SECONDS * 30 / 2) + 1)
        assert heights[calm].min() > own.min() - 1e-3
        assert heights.min() > own.min() - 0.03 * result.motion.skeleton.size
        assert heights.max() < own.max() + 0.03 * result.motion.skeleton.size


def test_controls_stay_on_the_feet_they_travel_with() -> None:
    feet = [with_foot_controls().skeleton.names.index(f"foot.{side}") for side in "LR"]
    for seed in SEEDS:
        result = result_of(with_foot_controls, seed)
        positions = result.motion.pose()[1]
        apart = np.linalg.norm(positions[:, feet] - positions[:, -2:], axis=-1)
        # In a crossfade the paths of hips and control differ a little; elsewhere they are equal.
        assert apart.max() < 0.1 * result.motion.skeleton.size
        assert np.median(apart) < 1e-3


@every_rig
def test_a_result_of_twice_the_length_shows_the_whole_example(make: MotionMaker) -> None:
    for seed in SEEDS:
        distances = distances_to_shown([make()], result_of(make, seed).motion)
        assert np.mean(distances < 1) > 0.95


@pytest.mark.parametrize("make", [walker, waver])
def test_a_result_of_twice_the_length_plays_most_of_the_example_itself(make: MotionMaker) -> None:
    shares = [len(np.unique(shown_frames(result_of(make, seed)), axis=0)) / 240 for seed in SEEDS]
    assert np.mean(shares) > 0.8
    assert min(shares) > 0.6


@pytest.mark.parametrize("make", [walker, waver])
def test_the_order_of_events_is_new(make: MotionMaker) -> None:
    for seed in SEEDS:
        cuts = cuts_of(result_of(make, seed))
        assert len(cuts) >= 2
        assert np.diff(np.concatenate(([0], cuts, [480]))).max() < 0.9 * make().frames


def test_a_motionless_example_gives_a_motionless_result() -> None:
    for frames in (1, 30, 200):
        result = synthesize([motionless()], frames, seed=1).motion
        assert result.pose()[1] == pytest.approx(np.broadcast_to(motionless().pose()[1][:1], (frames, 17, 3)), abs=1e-5)


# Facing


def test_a_result_that_keeps_its_facing_shows_only_directions_of_the_example() -> None:
    for make in (walker, waver):
        ready = prepared(make, Settings(facing=Facing.KEEP, foot_locking=False))
        result = synthesize(ready, 480, seed=1)
        assert result.facing is Facing.KEEP
        frames = far_from_cuts(result, 31)
        shown = shown_frames(result)[frames, 1]
        assert len(frames) > 30
        turned = rotations.angle_between(
            result.motion.rotations[frames, 0].astype(float), make().rotations[shown, 0].astype(float)
        )
        assert turned.max() < 1e-2


def test_a_free_result_turns_on_from_where_it_is() -> None:
    result = result_of(walker, 1)
    assert result.facing is Facing.FREE
    own = rotations.angle_between(walker().rotations[1:, 0], walker().rotations[:-1, 0]).max()
    turned = rotations.angle_between(result.motion.rotations[1:, 0], result.motion.rotations[:-1, 0])
    assert turned.max() < 1.2 * own


@pytest.mark.parametrize("facing", [Facing.KEEP, Facing.FREE])
@pytest.mark.parametrize("make", [walker, waver, with_foot_controls])
def test_moving_the_example_moves_the_result(make: MotionMaker, facing: Facing) -> None:
    method, shift = Settings(facing=facing, foot_locking=False), (12.0, -5.0, 0.0)
    own = synthesize(prepared(make, method), 300, seed=4)
    moved = prepare([turned_and_moved(make(), 0.0, shift)], settings=method)
    other = synthesize(moved, 300, seed=4)
    assert same_sources(own, other) == 1
    assert other.motion.pose()[1] == pytest.approx(own.motion.pose()[1] + np.array(shift), abs=1e-2)


@pytest.mark.parametrize("make", [walker, under_a_static_top, with_foot_controls])
@pytest.mark.parametrize("angle", [0.6, 2.5, np.pi])
def test_turning_a_free_example_turns_the_result(make: MotionMaker, angle: float) -> None:
    shift = (4.0, 9.0, 0.0)
    own = result_of(make, 2, settings=VERBATIM)
    other = synthesize(prepare([turned_and_moved(make(), angle, shift)], settings=VERBATIM), 480, seed=2)
    assert own.facing is other.facing is Facing.FREE
    assert same_sources(own, other) == 1
    expected = turned_and_moved(own.motion, angle, shift).pose()[1]
    assert other.motion.pose()[1] == pytest.approx(expected, abs=1e-2)


@pytest.mark.parametrize("make", [walker, waver])
def test_a_result_begins_as_the_example_frame_it_shows_but_for_a_turn_about_up(make: MotionMaker) -> None:
    for seed in SEEDS:
        result = result_of(make, seed, settings=VERBATIM)
        first = shown_frames(result)[0, 1]
        own, other = (motion.pose()[1] for motion in (result.motion, make()))
        ours, theirs = own[0] - own[0, :1], other[first] - other[first, :1]
        assert ours[:, 2] == pytest.approx(theirs[:, 2], abs=1e-3)
        assert np.linalg.norm(ours[:, :2], axis=1) == pytest.approx(np.linalg.norm(theirs[:, :2], axis=1), abs=1e-3)


@every_rig
def test_no_other_turn_of_the_whole_lets_much_more_of_a_result_face_as_the_frames_it_shows(make: MotionMaker) -> None:
    for seed in SEEDS:
        result = result_of(make, seed, settings=VERBATIM)
        shown = make().take(shown_frames(result)[:, 1])
        ours, theirs = (motion.pose()[0][:, 0] for motion in (result.motion, shown))

        def facing_alike(turned: np.ndarray, theirs: np.ndarray = theirs) -> float:
            away = np.arccos(np.clip((np.einsum("tab,tab->t", turned, theirs) - 1) / 2, -1, 1))
            return float(np.mean(away < 0.5))

        turns = rotations.to_matrix(turn(UPWARD, np.linspace(0, 2 * np.pi, 36, endpoint=False)))
        assert facing_alike(ours) > max(facing_alike(by @ ours) for by in turns) - 0.3


def test_a_walk_begins_where_the_example_begins_and_a_wave_where_its_first_frame_stands() -> None:
    for seed in SEEDS:
        walk, wave = result_of(walker, seed, settings=VERBATIM), result_of(waver, seed, settings=VERBATIM)
        first = shown_frames(wave)[0, 1]
        assert root_path(walk.motion)[0] == pytest.approx(root_path(walker())[0], abs=1e-4)
        assert root_path(wave.motion)[0] == pytest.approx(root_path(waver())[first], abs=1e-4)


# Reports of the result


@every_rig
def test_pose_far_from_cuts_equals_the_example(make: MotionMaker) -> None:
    result = result_of(make, 1, settings=VERBATIM)
    frames = far_from_cuts(result, round(LONGEST_CROSSFADE_SECONDS * 30 / 2) + 1)
    shown = shown_frames(result)[frames, 1]
    assert len(frames) > 20
    plan = prepared(make).root
    anchored = plan.anchored
    others = np.setdiff1d(np.arange(len(make().skeleton.names)), anchored)
    turned = rotations.angle_between(result.motion.rotations[frames], make().rotations[shown])
    assert turned[:, others].max() < 1e-3
    assert body(result.motion, plan)[frames] == pytest.approx(body(make(), plan)[shown], abs=5e-3)


def test_root_can_be_given_by_name() -> None:
    assert result_of(under_a_static_top).root == "hips"
    assert synthesize(prepared(under_a_static_top, Settings(root="top")), 20).root == "top"


def test_the_result_has_the_examples_skeleton_rate_and_channels() -> None:
    example = with_scales_and_scalars()
    result = result_of(with_scales_and_scalars).motion
    assert result.skeleton.names == example.skeleton.names
    assert np.array_equal(result.skeleton.parents, example.skeleton.parents)
    assert np.array_equal(result.skeleton.rest_rotations, example.skeleton.rest_rotations)
    assert np.array_equal(result.skeleton.rest_translations, example.skeleton.rest_translations)
    assert result.frames_per_second == example.frames_per_second
    assert np.array_equal(result.scaled, example.scaled)
    assert result.scalar_names == example.scalar_names
    assert {values.dtype for values in result.channels().values()} == {np.dtype(np.float32)}


def test_scales_and_scalars_are_carried() -> None:
    example, result = with_scales_and_scalars(), result_of(with_scales_and_scalars, 2)
    frames = far_from_cuts(result, 31)
    shown = shown_frames(result)[frames, 1]
    assert result.motion.scales[frames] == pytest.approx(example.scales[shown], abs=1e-5)
    assert result.motion.scalars[frames] == pytest.approx(example.scalars[shown], abs=1e-4)
    for name in ("scales", "scalars"):
        own, values = example.channels()[name], result.motion.channels()[name]
        # Beyond the end of an example, motion is extrapolated for a moment under a crossfade.
        beyond = 0.05 * np.ptp(own, axis=0) + 1e-5
        assert np.all(values >= own.min(axis=0) - beyond) and np.all(values <= own.max(axis=0) + beyond)
        assert np.ptp(values, axis=0) == pytest.approx(np.ptp(own, axis=0), rel=0.1)


# Progress


def test_progress_goes_from_nothing_to_all_without_going_back() -> None:
    told: list[float] = []
    synthesize(prepared(walker), 200, progress=told.append)
    assert told[0] == 0 and told[-1] == 1
    assert told == sorted(told)
    assert len(told) > 10


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_false_cancels_at_any_time(share: float) -> None:
    with pytest.raises(Cancelled):
        synthesize(prepared(walker), 200, progress=lambda done: done < share)


def test_being_told_changes_nothing() -> None:
    told = synthesize(prepared(walker), 480, seed=2, progress=lambda done: None)
    assert np.array_equal(told.motion.rotations, result_of(walker, 2).motion.rotations)


# Another up axis, and a minimal skeleton


def test_rig_with_another_up_axis_walks_on_its_ground() -> None:
    walk = walker()
    lay = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(-np.pi / 2))
    skeleton = walk.skeleton
    rest_rotations, rest_translations = skeleton.rest_rotations.copy(), skeleton.rest_translations.copy()
    rest_rotations[0] = rotations.multiply(lay, rest_rotations[0])
    rest_translations[0] = rotations.rotate(lay, rest_translations[0])
    up = rotations.rotate(lay, np.array(UP))
    lying = type(skeleton)(skeleton.names, skeleton.parents, rest_rotations, rest_translations, tuple(up))
    example = Motion(lying, 30.0, walk.rotations, walk.translated, walk.translations)
    result = synthesize([example], 480, seed=1)
    assert result.facing is Facing.FREE
    height, own = result.motion.pose()[1][:, 0] @ up, example.pose()[1][:, 0] @ up
    assert height.min() > own.min() - 0.02 and height.max() < own.max() + 0.02
    ground = result.motion.pose()[1][:, 0] - height[:, None] * up
    assert np.linalg.norm(ground[-1] - ground[0]) > 3 * skeleton.size


def test_one_turning_object_is_a_character_too() -> None:
    time = np.arange(120) / 30
    spin = rotations.from_axis_angle(np.array([0.0, 0.6, 0.8]), np.sin(2 * time) + 0.3 * np.sin(3.1 * time))
    point = type(walker().skeleton)(("object",), np.array([-1]), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)))
    result = synthesize([Motion(point, 30.0, spin[:, None].astype(np.float32))], 200, seed=1)
    assert is_sound(result.motion)
    assert joint_speeds(result.motion.rotations).mean() == pytest.approx(joint_speeds(spin[:, None]).mean(), rel=0.2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot locking: planted feet stand still, steps are kept, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from legged import TOES, carried, carried_hound, compass, feet_of, heights_of, marcher, places_of
from measures import far_from_cuts, has_flips, is_sound, shown_frames
from motions import RATE, Array, turned_and_moved
from numpy.typing import NDArray

from genmm_addon.core import Facing, Motion, Settings, prepare, rotations, synthesize
from genmm_addon.core.feet.calm_knees import find_knees
from genmm_addon.core.feet.contact_detection import Foot
from genmm_addon.core.feet.footsteps import (
    HIGHEST_LIFT,
    SHORTEST_STANCE_SECONDS,
    STEP_FROM,
    Stance,
    stances,
    take_steps,
)
from genmm_addon.core.feet.leg_ik import calm_lengths, follow_paths, ik_weights_beside, lock_feet
from genmm_addon.core.feet.root_detours import detours_of_feet
from genmm_addon.core.motion import joint_accelerations
from genmm_addon.core.motion.filters import smooth
from genmm_addon.core.motion.root_motion import apply_root, encode_root, plan_root

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 90
TIME = np.arange(FRAMES) / RATE
NO_CUTS = np.array([0])
SWAY = np.stack((0.06 * np.sin(3 * TIME), 0.04 * np.sin(2 * TIME), np.zeros(FRAMES)), axis=1)
LEGS = {f"{name}.{side}" for name in ("thigh", "shin", "foot") for side in "LR"}


def locked(
    motion: Motion,
    contacts: NDArray[np.bool_] | None = None,
    transitions: NDArray[np.int64] = NO_CUTS,
    feet: tuple[Foot, ...] = (),
) -> Motion:
    """Return the motion with its feet, the two toes, locked; by default they stand all the time."""
    feet = feet or feet_of(motion)
    contacts = np.ones((motion.frames, len(feet)), bool) if contacts is None else contacts
    return lock_feet(motion, feet, contacts, heights_of(motion, feet), transitions, 0)


def spread(motion: Motion, names: tuple[str, ...] = TOES) -> float:
    """Return the extent of a joint's positions along the ground, in sizes of the skeleton."""
    return float(np.ptp(places_of(motion, names)[..., :2], axis=0).max()) / motion.skeleton.size


def knee_angles(motion: Motion) -> Array:
    """Return the knees' angles `(T, 2)` in degrees; 180 is straight."""
    places = [places_of(motion, tuple(f"{name}.{side}" for side in "LR")) for name in ("thigh", "shin", "foot")]
    thigh, shin = places[0] - places[1], places[2] - places[1]
    cosine = np.sum(thigh * shin, axis=2) / np.linalg.norm(thigh, axis=2) / np.linalg.norm(shin, axis=2)
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


# A stance


def test_a_foot_that_slides_while_it_stands_stands_still_afterwards() -> None:
    sliding = carried(SWAY)
    assert spread(sliding) > 0.04
    assert spread(locked(sliding)) < 1e-3


def test_a_foot_stays_where_it_stood_most() -> None:
    sliding = carried(SWAY)
    stood = np.median(places_of(sliding), axis=0)
    assert np.allclose(places_of(locked(sliding)).mean(axis=0), stood, atol=1e-3)


def test_a_standing_foot_sways_as_it_does_in_the_example() -> None:
    sliding = carried(SWAY)
    feet = feet_of(sliding)
    sway = np.repeat(0.3 * SWAY[:, None], 2, axis=1)
    contacts, heights = np.ones((FRAMES, 2), bool), heights_of(sliding, feet)
    result = lock_feet(sliding, feet, contacts, heights, NO_CUTS, 0, movement=sway)
    assert np.allclose(np.diff(places_of(result), axis=0), np.diff(sway, axis=0), atol=2e-4)


def test_no_stance_with_a_transition_takes_a_foot_farther_than_the_examples_do() -> None:
    drag = np.linspace(0.0, 0.1, FRAMES)[:, None] * np.array([1.0, 0.0, 0.0])
    sliding = carried(drag)
    feet = feet_of(carried(SWAY))
    contacts, heights = np.ones((FRAMES, 2), bool), heights_of(sliding, feet)
    movement, cut = np.repeat(drag[:, None], 2, axis=1), np.array([FRAMES // 2])
    result = lock_feet(sliding, feet, contacts, heights, cut, 0, movement=movement, longest_drift=0.02)
    ways = np.linalg.norm(places_of(result)[-1] - places_of(result)[0], axis=1)
    assert np.allclose(ways, 0.02, atol=5e-4)


def test_feet_are_held_whichever_way_the_body_is_turned() -> None:
    assert spread(locked(turned_and_moved(carried(SWAY), 2.0, (5.0, -3.0, 0.4)))) < 1e-3


def test_the_foot_keeps_its_orientation() -> None:
    sliding = carried(SWAY)
    feet = [sliding.skeleton.names.index(f"foot.{side}") for side in "LR"]
    assert np.allclose(locked(sliding).pose()[0][:, feet], sliding.pose()[0][:, feet], atol=1e-5)


def test_no_joint_but_those_of_the_leg_is_touched() -> None:
    sliding = carried(SWAY)
    result = locked(sliding)
    others = [joint for joint, name in enumerate(sliding.skeleton.names) if name not in LEGS]
    assert np.array_equal(result.rotations[:, others], sliding.rotations[:, others])
    assert np.allclose(result.translations, sliding.translations, atol=1e-6)


def test_rotations_stay_sound_and_beside_the_recorded_ones() -> None:
    sliding = carried(SWAY)
    result = locked(sliding)
    assert is_sound(result) and not has_flips(result)
    assert np.all(np.sum(result.rotations * sliding.rotations, axis=2) > 0)


def test_knee_keeps_bending_forward() -> None:
    result = locked(carried(SWAY))
    hips, knees, ankles = (places_of(result, (f"{name}.L", f"{name}.R")) for name in ("thigh", "shin", "foot"))
    assert np.all(knees[..., 1] > (hips[..., 1] + ankles[..., 1]) / 2)


def test_nothing_changes_where_nothing_slides() -> None:
    standing = carried(np.zeros((FRAMES, 3)))
    assert np.array_equal(locked(standing).rotations, standing.rotations)
    walk = compass()
    down = np.abs(np.diff(places_of(walk), axis=0, append=places_of(walk)[-1:])).max(axis=2) < 1e-5
    result = locked(walk, down)
    assert np.allclose(places_of(result), places_of(walk), atol=2e-3)


def test_a_foot_in_the_air_is_left_to_its_motion() -> None:
    sliding = carried(SWAY)
    assert np.array_equal(locked(sliding, np.zeros((FRAMES, 2), bool)).rotations, sliding.rotations)


def test_a_foot_comes_to_its_place_and_leaves_it_smoothly() -> None:
    sliding = carried(np.stack((0.15 * np.sin(4 * TIME), np.zeros(FRAMES), np.zeros(FRAMES)), axis=1))
    contacts = np.zeros((FRAMES, 2), bool)
    contacts[30:60] = True
    speeds = [np.linalg.norm(np.diff(places_of(m), axis=0), axis=2).max() for m in (locked(sliding, contacts), sliding)]
    assert speeds[0] < 2.5 * speeds[1]
    held = locked(sliding, contacts)
    assert np.array_equal(held.rotations[:15], sliding.rotations[:15])
    assert np.array_equal(held.rotations[-15:], sliding.rotations[-15:])


def beside_pin(motion: Motion, contacts: NDArray[np.bool_]) -> Motion:
    """Return the motion with locked feet and a fixed pose at frame 45."""
    feet, joints = feet_of(motion), np.zeros((FRAMES, len(motion.skeleton.names)), bool)
    joints[45] = True
    weights = ik_weights_beside(joints, feet, 0, RATE)
    return lock_feet(motion, feet, contacts, heights_of(motion, feet), NO_CUTS, 0, weights)


def test_a_foot_that_stands_across_a_pin_stands_still_where_the_pin_has_it() -> None:
    sliding = carried(SWAY)
    result = beside_pin(sliding, np.ones((FRAMES, 2), bool))
    assert np.array_equal(result.rotations[45], sliding.rotations[45])
    level = places_of(result)[..., :2]
    assert np.abs(level - level[45]).max() < 2e-3


def test_a_foot_that_a_pin_lifts_returns_to_the_ground_no_more_suddenly_than_the_examples_move() -> None:
    raised, feet = carried(np.outer(np.ones(FRAMES), (0.0, 0.0, 0.06))), feet_of(carried(SWAY))
    heights, joints = heights_of(carried(0.0 * SWAY), feet), np.zeros((FRAMES, len(raised.skeleton.names)), bool)
    joints[45], largest = True, 0.002
    weights = ik_weights_beside(joints, feet, 0, RATE, calm_lengths(raised, feet, heights, np.full(2, largest)))
    down = lock_feet(raised, feet, np.ones((FRAMES, 2), bool), heights, NO_CUTS, 0, weights)
    assert np.array_equal(down.rotations[45], raised.rotations[45])
    assert np.linalg.norm(np.diff(places_of(down), 2, axis=0), axis=2).max() < 1.2 * largest
    assert np.allclose(places_of(down)[[20, 70], :, 2], heights[[20, 70]], atol=2e-3)


def test_a_foot_that_a_pin_holds_in_the_air_does_not_stand_there() -> None:
    march, down = marcher(FRAMES)
    high = int(np.argmax(heights_of(march, feet_of(march))[:, 0]))
    feet, joints = feet_of(march), np.zeros((FRAMES, len(march.skeleton.names)), bool)
    joints[high] = True
    weights = ik_weights_beside(joints, feet, 0, RATE)
    everywhere = np.ones((FRAMES, 2), bool)
    result = lock_feet(march, feet, everywhere, heights_of(march, feet), NO_CUTS, 0, weights)
    assert np.array_equal(result.rotations[high], march.rotations[high])
    assert not down[high, 0]
    near = slice(high - 2, high + 3)
    assert np.allclose(places_of(result)[near, 0, 2], places_of(march)[near, 0, 2], atol=0.01)


def test_a_foot_that_comes_fast_does_not_stop_dead() -> None:
    """If contacts change sides in the middle of a swing, the foot slows down before it stands."""
    passing = carried(np.outer(0.8 * TIME, (1.0, 0.0, 0.0)))
    contacts = np.zeros((FRAMES, 2), bool)
    contacts[46:54] = True
    places = places_of(locked(passing, contacts))[..., 0]
    assert np.abs(np.diff(places[46:54], axis=0)).max() < 1e-4
    assert np.abs(np.diff(places, 2, axis=0)).max() < 0.65 * 0.8 / RATE


def test_a_foot_on_the_ground_is_brought_to_its_height() -> None:
    sinking = carried(SWAY + np.array([0.0, 0.0, -0.03]) * np.sin(3 * TIME)[:, None] ** 2)
    feet = feet_of(sinking)
    level = np.full((FRAMES, 2), heights_of(sinking, feet).max())
    result = lock_feet(sinking, feet, np.ones((FRAMES, 2), bool), level, NO_CUTS, 0)
    assert np.ptp(places_of(sinking)[..., 2]) > 0.02
    assert np.ptp(places_of(result)[..., 2]) < 1e-3


def test_height_of_a_foot_high_in_the_air_is_unchanged() -> None:
    march, _ = marcher()
    feet = feet_of(march)
    wanted = heights_of(march, feet)
    raised = wanted > 0.1
    result = lock_feet(march, feet, wanted < 0.03, np.where(raised, wanted + 0.3, wanted), NO_CUTS, 0)
    assert raised.any()
    assert np.allclose(places_of(result)[..., 2][raised], wanted[raised], atol=0.02)


# Legs that do not reach, and other kinds of legs


@pytest.mark.parametrize("way", [(0.0, 0.7, 0.0), (0.5, 0.0, 0.3), (0.0, 0.0, 0.5)])
def test_a_place_out_of_reach_never_snaps_the_knee(way: tuple[float, float, float]) -> None:
    share = np.linspace(0.0, 1.0, FRAMES)[:, None]
    leaving = carried(share * share * (3 - 2 * share) * np.array(way))
    wanted = np.tile(heights_of(leaving, feet_of(leaving))[:1], (FRAMES, 1))
    result = lock_feet(leaving, feet_of(leaving), np.ones((FRAMES, 2), bool), wanted, NO_CUTS, 0)
    assert is_sound(result)
    angles = knee_angles(result)
    assert angles.max() > 150
    assert np.abs(np.diff(angles, axis=0)).max() < 6
    assert np.abs(np.diff(angles, 2, axis=0)).max() < 3


def test_the_pelvis_gives_way_to_a_leg_that_would_be_overstretched() -> None:
    leaving = carried(np.linspace(np.zeros(3), np.array([0.0, 0.0, 0.25]), FRAMES))
    wanted = np.tile(heights_of(leaving, feet_of(leaving))[:1], (FRAMES, 1))
    result = lock_feet(leaving, feet_of(leaving), np.ones((FRAMES, 2), bool), wanted, NO_CUTS, 0)
    hips = [places_of(motion, ("hips",))[-1, 0, 2] for motion in (leaving, result)]
    assert hips[1] < hips[0] - 0.05
    assert np.ptp(places_of(result)[..., 2]) < 0.2 * np.ptp(places_of(leaving)[..., 2])


def test_the_hind_leg_of_a_hound_reaches_its_place() -> None:
    names = ("hind_toe.L", "hind_toe.R", "fore_paw.L", "fore_paw.R")
    sliding = carried_hound(0.5 * SWAY)
    result = locked(sliding, feet=feet_of(sliding, *names))
    assert spread(sliding, names) > 0.03
    assert spread(result, names) < 1e-3
    assert is_sound(result)


def test_feet_without_a_leg_to_bend_are_left_alone() -> None:
    sliding = carried(SWAY)
    feet = tuple(Foot(foot.joint, ()) for foot in feet_of(sliding))
    assert locked(sliding, feet=feet) is sliding


def test_motion_without_feet_is_returned_as_is() -> None:
    sliding = carried(SWAY)
    assert lock_feet(sliding, (), np.zeros((FRAMES, 0), bool), np.zeros((FRAMES, 0)), NO_CUTS, 0) is sliding


# Stances and steps


def level_path(*places: tuple[int, float]) -> NDArray[np.float64]:
    """Return a path along X that stays at each place for a number of frames."""
    return np.concatenate([np.tile(np.array([place, 0.0, 0.0]), (frames, 1)) for frames, place in places])


def test_short_touches_are_not_stances_and_short_gaps_do_not_split_them() -> None:
    contacts = np.zeros(60, bool)
    contacts[[5, *range(20, 30), *range(31, 40)]] = True
    found = stances(contacts, np.zeros((60, 3)), NO_CUTS, RATE, 1.0)
    assert [(stance.first, stance.end) for stance in found] == [(20, 40)]


def test_a_cut_divides_a_stance_only_where_it_displaces_the_foot() -> None:
    contacts = np.ones(60, bool)
    far, near = (level_path((30, 0.0), (30, step)) for step in (2 * STEP_FROM, 0.5 * STEP_FROM))
    apart, together = (stances(contacts, path, np.array([0, 30]), RATE, 1.0) for path in (far, near))
    assert [(stance.first, stance.end) for stance in apart] == [(0, 30), (30, 60)]
    assert [(stance.first, stance.end) for stance in together] == [(0, 60)]
    assert 0.0 < together[0].place[0] < 0.5 * STEP_FROM


def test_a_body_that_is_guided_over_a_standing_foot_does_not_divide_its_stance() -> None:
    contacts, slide = np.ones(60, bool), np.linspace(0.0, 4 * STEP_FROM, 60)[:, None] * np.array([1.0, 0.0, 0.0])
    ways = (slide, slide + level_path((30, 0.0), (30, 2 * STEP_FROM)))
    cut = np.array([0, 30])
    guided, guided_and_displaced = (stances(contacts, way, cut, RATE, 1.0, way - slide) for way in ways)
    assert [(stance.first, stance.end) for stance in guided] == [(0, 60)]
    assert [(stance.first, stance.end) for stance in guided_and_displaced] == [(0, 30), (30, 60)]


def test_feet_follow_a_guided_root_off_its_path() -> None:
    motion = marcher(FRAMES)[0]
    plan = plan_root([motion], Facing.FREE, None)
    own = encode_root(motion, plan)
    walked = replace(own, ground=own.ground + SWAY.astype(np.float32))
    found = detours_of_feet(apply_root(motion, plan, walked), feet_of(motion), own, walked)
    assert np.allclose(found, (SWAY - SWAY[0])[:, None], atol=1e-5)


def test_a_longer_step_takes_longer() -> None:
    def step(length: float) -> int:
        found = [Stance(0, 50, np.zeros(3)), Stance(50, 100, np.array([length, 0.0, 0.0]))]
        kept, steps = take_steps(found, {}, np.zeros((200, 3)), RATE, 1.0)
        assert (kept[0].end, kept[1].first) == (steps[0].first, steps[0].end)
        return steps[0].end - steps[0].first

    assert step(0.05) < step(0.2) < step(0.25)
    assert step(0.6) == step(5.0)


def test_a_stance_too_short_to_step_into_is_given_up() -> None:
    found = [Stance(0, 50, np.zeros(3)), Stance(50, 53, np.array([0.2, 0.0, 0.0]))]
    kept, steps = take_steps(found, {}, np.zeros((200, 3)), RATE, 1.0)
    assert len(kept) == 1 and kept[0].end < 50
    assert steps[0].end - steps[0].first > SHORTEST_STANCE_SECONDS * RATE


def test_two_feet_that_a_cut_displaces_step_one_after_the_other() -> None:
    path = level_path((45, 0.0), (45, 0.25))
    result = locked(carried(path), transitions=np.array([0, 45]))
    moves = np.linalg.norm(np.diff(places_of(result), axis=0), axis=2) > 2e-3
    assert moves.any(axis=0).all()
    # In the same frame, the first foot lands and the other one starts.
    assert moves.all(axis=1).sum() <= 1


def test_a_step_is_lifted_and_lands_where_the_next_stance_is() -> None:
    path = level_path((45, 0.0), (45, 0.25))
    before, result = carried(path), locked(carried(path), transitions=np.array([0, 45]))
    lift = places_of(result)[..., 2] - places_of(before)[..., 2]
    assert np.all(lift.max(axis=0) > 0.02)
    assert np.all(lift.max(axis=0) <= HIGHEST_LIFT * before.skeleton.size + 1e-3)
    assert np.allclose(places_of(result)[[0, -1]], places_of(before)[[0, -1]], atol=1e-3)


@pytest.mark.parametrize("length", [0.07, 0.08])
def test_a_foot_is_seen_to_leave_the_ground_in_a_short_step(length: float) -> None:
    places = places_of(locked(carried(level_path((45, 0.0), (45, length))), transitions=np.array([0, 45])))
    assert np.all(np.ptp(places[..., 2], axis=0) > 0.025), "lower, it seems to glide"
    assert np.allclose(np.linalg.norm(places[-1] - places[0], axis=1), length, atol=1e-3)


def test_smoothing_spreads_a_move_and_keeps_its_sum() -> None:
    moves = np.zeros((60, 3))
    moves[30, 1] = 1.0
    spread_out = smooth(moves, 0.1, RATE)
    assert spread_out[:, 1].max() < 0.2
    assert np.allclose(spread_out.sum(axis=0), moves.sum(axis=0))


# In a synthesis


def test_examples_are_reproduced_exactly_without_foot_locking() -> None:
    march, _ = marcher(300)
    result = synthesize(prepare([march], settings=Settings(foot_locking=False)), 400, seed=2)
    frames = far_from_cuts(result, 35)
    shown = march.rotations[shown_frames(result)[frames, 1]]
    assert len(frames) > 20
    angles = rotations.angle_between(result.motion.rotations[frames], shown)
    assert angles.max() < 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_the_standing_feet_of_a_result_slide_less_than_without_locking(seed: int) -> None:
    walk = compass(24)

    def slid(settings: Settings) -> float:
        ready = prepare([walk], settings=settings)
        result = synthesize(ready, 600, seed=seed)
        stands = ready.example_feet.contacts[shown_frames(result)[:, 1]]
        steps = np.linalg.norm(np.diff(places_of(result.motion)[..., :2], axis=0), axis=2)
        return float(steps[stands[1:] & stands[:-1]].sum())

    assert slid(Settings()) < 0.4 * slid(Settings(foot_locking=False))


def test_empty_list_of_feet_disables_foot_locking() -> None:
    none, off = (
        synthesize(prepare([compass()], settings=settings), 300, seed=1).motion
        for settings in (Settings(feet=()), Settings(feet=(), foot_locking=False))
    )
    assert np.array_equal(none.rotations, off.rotations)
    assert np.array_equal(none.translations, off.translations)


def test_a_knee_does_not_jump_where_a_smoothed_swing_meets_a_foot_that_stays_on_its_path() -> None:
    motion = carried(np.zeros((FRAMES, 3)))
    feet, at = feet_of(motion), np.arange(FRAMES)
    lift = np.interp(at, [30, 45, 60], [0.0, 0.15, 0.0])[:, None, None]
    paths, lands = places_of(motion) + lift * np.array(motion.skeleton.up), np.tile(at[:, None] > 44, (1, 2))
    knees = find_knees([motion], feet)
    unbounded, still = (
        follow_paths(motion, feet, paths, lands, 0, replace(knees, acceleration=np.full(2, largest)))
        for largest in (np.inf, 0.0)
    )
    shins = [motion.skeleton.names.index(f"shin.{side}") for side in "LR"]
    raw, calm = (joint_accelerations(each, shins).max() for each in (unbounded, still))
    assert calm < 0.8 * raw
    np.testing.assert_allclose(places_of(still)[45:], places_of(unbounded)[45:], atol=2e-3)

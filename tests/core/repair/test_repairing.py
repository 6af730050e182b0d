# SPDX-License-Identifier: GPL-3.0-or-later
"""Flaws found and repaired: nearer to the recording, with everything outside of flaws unchanged."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from motions import in_other_units, styled_walks, turned_and_moved, walker, waver
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion, metrics, rotations
from genmm_addon.core.feet import label_contacts, standing_of
from genmm_addon.core.feet.soft_footing import accelerations
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.core.motion import spans
from genmm_addon.core.motion.filters import smooth_line, smoothstep
from genmm_addon.core.repair import (
    Flaw,
    FlawKind,
    denoised,
    find_flaws,
    fit_to_places,
    marked_frames,
    repair,
    repairing,
)

pytestmark = pytest.mark.filterwarnings("error")

FRAMES, KNEE = 120, 2


@pytest.fixture(scope="module")
def prepared() -> IndexedMotions:
    return index_motions([walker(240, seed) for seed in range(4)])


def with_turns(motion: Motion, joint: int, first: int, turns: NDArray[np.float64]) -> Motion:
    """Return the motion with a joint rotated by vectors `(K, 3)` from a frame on."""
    turned = motion.rotations.copy()
    own = turned[first : first + len(turns), joint].astype(np.float64)
    turned[first : first + len(turns), joint] = rotations.multiply(own, rotations.from_vector(turns))
    return replace(motion, rotations=turned)


def spiked(motion: Motion) -> Motion:
    return with_turns(motion, KNEE, 40, np.tile([0.9, 0.0, 0.0], (2, 1)))


def trembling(motion: Motion) -> Motion:
    return with_turns(motion, KNEE, 60, np.random.default_rng(1).normal(0.0, 0.08, (30, 3)))


def lost(motion: Motion) -> Motion:
    turned = motion.rotations.copy()
    turned[21:40, KNEE] = turned[20, KNEE]
    return replace(motion, rotations=turned)


FLAWED = {FlawKind.SPIKE: spiked, FlawKind.JITTER: trembling, FlawKind.LOST: lost}


def noisy(motion: Motion, deviation: float, seed: int = 1) -> Motion:
    """Return the motion fitted to positions with white noise."""
    places = motion.pose()[1].astype(np.float64)
    noise = np.random.default_rng(seed).normal(0.0, deviation, places.shape)
    return fit_to_places(motion, places + noise, np.arange(places.shape[1]), standing_of(motion).plan.joint)


def filtered(motion: Motion, width: float) -> Motion:
    places = motion.pose()[1].astype(np.float64)
    soft = smooth_line(places, width).reshape(places.shape).astype(np.float64)
    return fit_to_places(motion, soft, np.arange(places.shape[1]), standing_of(motion).plan.joint)


def test_clean_motion_has_no_flaw() -> None:
    assert find_flaws(walker(FRAMES, 9), standing_of(walker(FRAMES, 9))) == ()


def test_a_quick_turn_that_the_joints_above_make_up_for_is_no_spike() -> None:
    still = walker(FRAMES, 9).take(np.zeros(FRAMES, np.int64))
    alone = with_turns(still, KNEE, 40, np.tile([0.2, 0.0, 0.0], (2, 1)))
    together = alone
    for joint in (0, 1):
        together = with_turns(together, joint, 40, np.tile([-0.1, 0.0, 0.0], (2, 1)))
    assert [flaw.joints for flaw in find_flaws(alone, standing_of(still))] == [(KNEE,)]
    assert find_flaws(together, standing_of(still), frozenset({FlawKind.SPIKE})) == ()


def test_a_flick_in_a_quick_movement_of_other_joints_is_no_spike() -> None:
    still = walker(FRAMES, 9).take(np.zeros(FRAMES, np.int64))
    flick = with_turns(still, KNEE, 40, np.array([[0.3, 0.0, 0.0]]))
    # The hip turns by as much, and stays so.
    kick = with_turns(flick, 1, 40, np.tile([0.0, 0.3, 0.0], (FRAMES - 40, 1)))
    alone, within = (find_flaws(each, standing_of(still), frozenset({FlawKind.SPIKE})) for each in (flick, kick))
    assert [flaw.joints for flaw in alone] == [(KNEE,)] and within == ()


def jumping(motion: Motion) -> Motion:
    moves = motion.translations.copy()
    moves[70:72] += np.array([0.0, 0.0, 0.2 * motion.skeleton.size], np.float32)
    return replace(motion, translations=moves)


@pytest.mark.parametrize(("kind", "broken"), [*FLAWED.items(), (FlawKind.SPIKE, jumping)])
def test_neither_units_nor_the_place_in_the_world_change_a_repair(
    kind: FlawKind, broken: Callable[[Motion], Motion]
) -> None:
    given = broken(walker(FRAMES, 9))
    moved = in_other_units(turned_and_moved(given, 0.4, (3.0, 1.0, 0.0)), 100.0)
    flaws, same = (find_flaws(motion, standing_of(motion), frozenset({kind})) for motion in (given, moved))
    assert flaws and [(flaw.first, flaw.last, flaw.joints) for flaw in flaws] == [
        (flaw.first, flaw.last, flaw.joints) for flaw in same
    ]
    made = in_other_units(turned_and_moved(repair(given, flaws, standing_of(given)), 0.4, (3.0, 1.0, 0.0)), 100.0)
    again = repair(moved, same, standing_of(moved))
    assert np.abs(made.pose()[1] - again.pose()[1]).max() < 1e-3 * moved.skeleton.size


def test_a_repair_with_a_jerk_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = walker(FRAMES, 9)
    flaw = Flaw(FlawKind.PENETRATION, 40, 60, (KNEE,))

    def moved_by(meters: float) -> Motion:
        raised = motion.translations.copy()
        raised[50] += meters
        return replace(motion, translations=raised)

    for meters, is_left_out in ((0.001, False), (0.1, True)):
        made = moved_by(meters)
        monkeypatch.setattr(repairing, "with_limbs_outside", lambda *_, made=made: made)
        assert (repair(motion, [flaw], standing_of(motion)) is motion) == is_left_out


def shake(motion: Motion) -> float:
    """Return the mean acceleration of the joints."""
    return float(np.linalg.norm(np.diff(motion.pose()[1].astype(np.float64), 2, axis=0), axis=2).mean())


def shaken(motion: Motion, degrees: float, seed: int) -> Motion:
    """Return the motion with white noise on the rotation of each joint but the root."""
    random = np.random.default_rng(seed)
    for joint in range(1, len(motion.skeleton.names)):
        motion = with_turns(motion, joint, 0, random.normal(0.0, np.radians(degrees), (motion.frames, 3)))
    return motion


@pytest.mark.parametrize("degrees", [1.4, 3.0])
def test_filters_leave_little_more_shake_than_clean_motion_has(degrees: float) -> None:
    truth = walker(240, 9)
    given = shaken(truth, degrees, 0)
    standing = standing_of(given)
    made = repair(given, find_flaws(given, standing), standing)
    assert shake(given) > 2 * shake(truth)
    assert shake(made) < 1.5 * shake(truth)
    ends = [np.linalg.norm((one.pose()[1] - truth.pose()[1])[[0, -1]], axis=2).mean() for one in (given, made)]
    assert ends[1] < ends[0]


@pytest.mark.parametrize("degrees", [0.6, 1.4])
@pytest.mark.parametrize("seed", range(4))
def test_filters_leave_little_shake_where_the_body_is_almost_still(degrees: float, seed: int) -> None:
    moving = walker(60, 9)
    still = rotations.slerp(moving.rotations[:1], moving.rotations, np.full(moving.rotations.shape[:2], 0.02))
    given = shaken(replace(moving, rotations=still), degrees, seed)
    standing = standing_of(given)
    made = repair(given, find_flaws(given, standing), standing)
    assert shake(made) < min(0.3 * shake(given), shake(moving))


@pytest.mark.parametrize("degrees", [0.6, 1.4])
def test_joints_that_tremble_while_they_move_fast_and_joints_that_move_no_other_are_found(degrees: float) -> None:
    fast = walker(240, 9)
    given = shaken(fast.with_channels({name: values[::2] for name, values in fast.channels().items()}), degrees, 0)
    marked = marked_frames(given, find_flaws(given, standing_of(given), frozenset({FlawKind.JITTER})))
    assert marked[:, 1:].all()


@pytest.mark.every_case
@pytest.mark.parametrize("kind", FLAWED)
def test_each_kind_is_found_where_it_is_and_repaired_there_alone(kind: FlawKind, prepared: IndexedMotions) -> None:
    truth = walker(FRAMES, 9)
    given = FLAWED[kind](truth)
    standing = standing_of(truth)
    flaws = find_flaws(given, standing)
    assert {flaw.kind for flaw in flaws} == {kind} and {flaw.joints for flaw in flaws} == {(KNEE,)}
    # A straight line across a lost knee has no bend, but the examples have it.
    made = repair(given, flaws, standing, library=prepared if kind is FlawKind.LOST else None)
    assert metrics.l2_positions(made, truth) < 0.6 * metrics.l2_positions(given, truth)
    outside = ~marked_frames(given, flaws)
    assert np.array_equal(made.rotations[outside], given.rotations[outside])
    assert np.array_equal(made.translations, given.translations)


@pytest.mark.parametrize("kind", FlawKind)
def test_a_flaw_of_any_joint_alone_is_repaired_even_of_one_that_carries_nothing(kind: FlawKind) -> None:
    motion = trembling(walker(FRAMES))
    for joint in range(len(motion.skeleton.names)):
        mended = repair(motion, [Flaw(kind, 60, 64, (joint,))], standing_of(motion))
        mended.check_values("The repaired motion")
        np.testing.assert_array_equal(mended.rotations[:60], motion.rotations[:60])
        np.testing.assert_array_equal(mended.rotations[65:], motion.rotations[65:])


def test_the_strength_goes_from_nothing_to_all() -> None:
    given = trembling(walker(FRAMES, 9))
    standing = standing_of(given)
    flaws = find_flaws(given, standing)
    changes = [
        float(rotations.angle_between(repair(given, flaws, standing, share).rotations, given.rotations).sum())
        for share in (0.0, 0.5, 1.0)
    ]
    assert changes[0] < 1e-3 and changes == sorted(changes)


@pytest.mark.parametrize("deviation", [0.003, 0.03])
def test_filters_by_themselves_are_as_good_as_the_best_gaussian(deviation: float) -> None:
    truth = walker(FRAMES, 9)
    given = noisy(truth, deviation * truth.skeleton.size)
    best = min(metrics.l2_positions(filtered(given, width), truth) for width in (0.5, 0.75, 1.0, 1.5, 2.0, 3.0))
    made = denoised(given, standing_of(truth).plan)
    assert metrics.l2_positions(made, truth) < 1.1 * min(best, metrics.l2_positions(given, truth))


def test_examples_leave_less_of_strong_noise_than_filters(prepared: IndexedMotions) -> None:
    truth = walker(FRAMES, 9)
    given, plan = noisy(truth, 0.03 * truth.skeleton.size), standing_of(truth).plan
    alone, helped = denoised(given, plan), denoised(given, plan, prepared)
    assert metrics.l2_positions(helped, truth) < 0.8 * metrics.l2_positions(alone, truth)


def test_fitted_bones_keep_their_lengths_and_come_to_their_places() -> None:
    motion, other = walker(FRAMES, 1), walker(FRAMES, 9)
    places = other.pose()[1].astype(np.float64)
    made = fit_to_places(motion, places, np.arange(places.shape[1]), standing_of(motion).plan.joint)
    assert metrics.l2_positions(made, other) < 0.1 * metrics.l2_positions(motion, other)


def test_impossible_repairs_are_rejected_with_one_sentence(prepared: IndexedMotions) -> None:
    motion = walker(FRAMES, 9)
    standing, flaw = standing_of(motion), Flaw(FlawKind.SPIKE, 10, 11, (KNEE,))
    with pytest.raises(InputError, match="strength must lie between"):
        repair(motion, [flaw], standing, 1.5)
    with pytest.raises(InputError, match="outside of the motion"):
        repair(motion, [replace(flaw, last=FRAMES)], standing)
    with pytest.raises(InputError, match="another frame rate"):
        repair(replace(motion, frames_per_second=60.0), [flaw], standing, 1.0, prepared)


def test_a_foot_that_slides_stands_again_and_its_leg_alone_turns() -> None:
    motion = styled_walks()["neutral"].slice(0, 240)
    standing = standing_of(motion)
    foot, stands = standing.feet[0], label_contacts(motion, standing.feet, standing.ground)[:, 0]
    first, end = max((span for span in spans(stands) if span[0] > 20), key=lambda span: span[1] - span[0])
    away = smoothstep(np.clip((np.arange(240) - first) / (end - first), 0.0, 1.0))[:, None] * [0.05, 0.0, 0.0]
    moved = motion.translations.copy()
    moved[:, list(motion.translated).index(standing.plan.joint)] += motion.skeleton.size * away
    given = replace(motion, translations=moved.astype(np.float32))

    def way(one: Motion) -> float:
        places = one.pose()[1][first:end, foot.joint, :2]
        return float(np.ptp(places, axis=0).max()) / motion.skeleton.size

    flaws = [
        flaw
        for flaw in find_flaws(given, standing)
        if foot.joint in flaw.joints and flaw.first < end and flaw.last >= first
    ]
    made = repair(given, flaws, standing)
    assert flaws and way(given) > 0.04 and way(made) < 0.2 * way(given)
    untouched = ~marked_frames(given, tuple(flaws))
    assert np.array_equal(made.rotations[untouched], given.rotations[untouched])
    assert np.array_equal(made.translations, given.translations)
    assert accelerations(made).max() < 1.3 * accelerations(given).max()


def test_a_foot_that_slides_too_fast_to_be_standing_is_found_and_stands_again() -> None:
    motion, way = styled_walks()["neutral"].slice(0, 240), 0.055
    standing = standing_of(motion)
    stands = label_contacts(motion, standing.feet, standing.ground)
    first, end = max((span for span in spans(stands[:, 0]) if span[0] > 20), key=lambda span: span[1] - span[0])
    middle = (first + end) // 2
    share = smoothstep(np.clip((np.arange(240) - middle + 5) / 10, 0.0, 1.0))[:, None]
    moved = motion.translations.copy()
    moved[:, list(motion.translated).index(standing.plan.joint)] += motion.skeleton.size * way * share * [1.0, 0.0, 0.0]
    given = replace(motion, translations=moved.astype(np.float32))
    # The labels that decide which feet stand divide the stance where the foot is quick.
    assert not label_contacts(given, standing.feet, standing.ground)[first:end, 0].all()

    def slid(one: Motion) -> float:
        places = one.pose()[1][first:end, standing.feet[0].joint, :2]
        return float(np.linalg.norm(np.ptp(places, axis=0))) / motion.skeleton.size

    flaws = find_flaws(given, standing, frozenset({FlawKind.SLIDE}))
    assert any(standing.feet[0].joint in flaw.joints and flaw.first < end and flaw.last >= first for flaw in flaws)
    assert slid(given) > 0.9 * way and slid(repair(given, flaws, standing)) < 0.2 * way
    assert find_flaws(motion, standing, frozenset({FlawKind.SLIDE})) == ()


def test_a_joint_that_rests_at_the_end_of_its_range_again_and_again_is_not_lost() -> None:
    motion = walker(FRAMES, 9)
    rests = motion.rotations.copy()
    for first in (20, 50, 80):
        rests[first : first + 15, KNEE] = rests[20, KNEE]
    held = replace(motion, rotations=rests)
    kinds = frozenset({FlawKind.LOST})
    assert find_flaws(held, standing_of(held), kinds) == ()
    once = replace(motion, rotations=np.concatenate([rests[:40], motion.rotations[40:]]))
    assert [flaw.joints for flaw in find_flaws(once, standing_of(once), kinds)] == [(KNEE,)]


def with_sliding(motion: Motion, foot_alone: bool, share_of_step: float = 1.0) -> Motion:
    """Return the motion with the left foot, or the whole body, moved along the ground by an eighth of the size.

    share_of_step: of this way.
    """
    share = share_of_step * smoothstep(np.clip((np.arange(motion.frames) - 40) / 40, 0.0, 1.0))[:, None]
    if foot_alone:
        return with_turns(motion, motion.skeleton.names.index("thigh.L"), 0, 0.25 * share * [1.0, 0.0, 0.0])
    moved = motion.translations + (0.2 * share * [1.0, 0.0, 0.0]).astype(np.float32)[:, None]
    return replace(motion, translations=moved)


@pytest.mark.parametrize("share_of_step", [1.0, 0.3])
def test_a_foot_that_goes_elsewhere_by_itself_does_not_slide(share_of_step: float) -> None:
    still = waver(1, 1).take(np.zeros(150, np.int64))
    for foot_alone in (True, False):
        given = with_sliding(still, foot_alone, share_of_step)
        flaws = find_flaws(given, standing_of(given), frozenset({FlawKind.SLIDE}))
        assert (flaws == ()) == foot_alone


def test_feet_slide_on_where_no_place_is_calm(monkeypatch: pytest.MonkeyPatch) -> None:
    given = with_sliding(waver(1, 1).take(np.zeros(150, np.int64)), foot_alone=False)
    standing = standing_of(given)
    flaws = find_flaws(given, standing, frozenset({FlawKind.SLIDE}))
    assert not np.array_equal(repair(given, flaws, standing).rotations, given.rotations)
    monkeypatch.setattr(repairing, "is_calm", lambda *_: False)
    assert np.array_equal(repair(given, flaws, standing).rotations, given.rotations)

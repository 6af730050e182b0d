# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch planned again: it continues from the motion before it, leads to that after it, and differs if requested."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from legged import compass
from motions import turned_and_moved, walker, waver

from genmm_addon.core import InputError, Motion, Prepared, prepare, synthesize
from genmm_addon.core.infill import Surroundings, connect, nearby_motions, replan
from genmm_addon.core.infill.alternatives import body_places, difference
from genmm_addon.core.library import build_pose_index, index_motions
from genmm_addon.core.motion import joint_accelerations

FIRST, LENGTH = 60, 45


@pytest.fixture(scope="module")
def examples() -> Prepared:
    return prepare([walker(240, 1), waver(240, 2)])


@pytest.fixture(scope="module")
def result(examples: Prepared) -> Motion:
    return synthesize(examples, 180, seed=3).motion


@pytest.fixture(scope="module")
def walks() -> Prepared:
    return prepare([walker(240, 1), walker(240, 5)])


@pytest.fixture(scope="module")
def walk(walks: Prepared) -> Motion:
    return synthesize(walks, 180, seed=3).motion


def around(motion: Motion, first: int = FIRST, length: int = LENGTH) -> Surroundings:
    return Surroundings(motion.slice(0, first), motion.slice(first + length, motion.frames))


def whole(pieces: Sequence[Motion]) -> Motion:
    channels = {name: np.concatenate([getattr(one, name) for one in pieces]) for name in pieces[0].channels()}
    return pieces[0].with_channels(channels)


def highest(motion: Motion, order: int) -> float:
    """Return the highest of a joint's speeds (order 1) or accelerations (order 2)."""
    return float(np.linalg.norm(np.diff(motion.pose()[1].astype(float), order, axis=0), axis=2).max())


@pytest.mark.parametrize("length", [1, 2, 15, 45, 90])
def test_speeds_and_accelerations_at_both_ends_are_those_of_the_examples(
    walks: Prepared, walk: Motion, length: int
) -> None:
    sides = around(walk, 40, length)
    assert sides.before is not None and sides.after is not None
    made = replan(walks, sides, length)
    joined = whole([sides.before.slice(38, 40), made.motion, sides.after.slice(0, 2)])
    seams = [joined.slice(0, 7), joined.slice(max(joined.frames - 7, 0), joined.frames)]
    for order in (1, 2):
        most = max(highest(example, order) for example in walks.motions)
        assert max(highest(seam, order) for seam in seams) <= 1.1 * most
    assert made.motion.frames == length and made.source_frames.shape == (length, 1)


def test_replanning_continues_from_one_side_in_either_direction_of_time(walks: Prepared, walk: Motion) -> None:
    most = max(highest(example, 2) for example in walks.motions)
    later = replan(walks, Surroundings(before=walk), 60).motion
    earlier = replan(walks, Surroundings(after=walk), 60).motion
    for seam in (whole([walk.slice(178, 180), later]), whole([earlier, walk.slice(0, 2)])):
        assert seam.frames == 62
        assert highest(seam, 2) <= 1.1 * most


@pytest.mark.parametrize("seed", [1, 2])
def test_planted_feet_do_not_make_legs_of_a_continued_walk_jerk(seed: int) -> None:
    made = replan(prepare([compass()]), Surroundings(before=compass()), 60, seed=seed)
    together = whole([compass(), made.motion])
    highest, usual = (joint_accelerations(motion).max(axis=0) for motion in (together, compass()))
    assert (highest <= 1.45 * np.maximum(usual, 0.1 * usual.max())).all()


@pytest.mark.slow
def test_the_root_is_carried_on_from_wherever_the_motion_is(examples: Prepared, result: Motion) -> None:
    angle, shift = 1.2, (30.0, -5.0, 0.0)
    here = replan(examples, Surroundings(before=result), 60).motion
    there = replan(examples, Surroundings(before=turned_and_moved(result, angle, shift)), 60).motion
    moved = turned_and_moved(here, angle, shift)
    assert np.abs(there.pose()[1] - moved.pose()[1]).max() < 2e-2


@pytest.mark.slow
def test_alternatives_differ_by_half_of_the_movement_of_the_stretch(examples: Prepared, result: Motion) -> None:
    found = [result.slice(FIRST, FIRST + LENGTH)]
    for seed in range(3):
        found.append(replan(examples, around(result), LENGTH, seed=seed, unlike=found).motion)
    for number, one in enumerate(found):
        for other in found[number + 1 :]:
            places = (body_places(motion, examples.root) for motion in (one, other))
            assert difference(*places) >= 0.5


def test_the_same_values_give_the_same_motion(examples: Prepared, result: Motion) -> None:
    one, other = (replan(examples, around(result), LENGTH, seed=5, unlike=[result.slice(0, LENGTH)]) for _ in range(2))
    assert (one.motion.rotations == other.motion.rotations).all()
    assert (one.motion.translations == other.motion.translations).all()


def test_its_frames_say_where_they_came_from(examples: Prepared, result: Motion) -> None:
    made = replan(examples, Surroundings(before=result), 60)
    numbers, frames = made.source_examples[30:, 0], made.source_frames[30:, 0]
    for example, frame, pose in zip(numbers, frames, made.motion.rotations[30:], strict=True):
        source = examples.motions[example].rotations[round(frame)]
        turned = 2 * np.arccos(np.clip(np.abs((source * pose).sum(axis=1)), 0, 1))
        # Apart from crossfades, and from the root's heading.
        assert np.median(turned[1:]) < 0.2


def test_single_pose_is_enough_to_continue_from(examples: Prepared, result: Motion) -> None:
    alone = Surroundings(result.slice(20, 21), result.slice(80, 81))
    assert np.isfinite(replan(examples, alone, 59).motion.pose()[1]).all()


def test_the_nearest_motions_of_a_library_are_planned_from(result: Motion) -> None:
    library = [make(120, seed) for seed in range(20) for make in (walker, waver)]
    index = build_pose_index(library)
    chosen = nearby_motions(index, Surroundings(before=library[14].slice(20, 50), after=library[7].slice(40, 70)))
    assert {7, 14} <= set(chosen.tolist())
    assert sum(library[number].frames for number in chosen) <= 3000
    assert nearby_motions(index, Surroundings(after=library[7].slice(40, 70)), most_frames=1).tolist() == [7]


def test_impossible_plans_are_rejected_with_one_sentence(examples: Prepared, result: Motion) -> None:
    broken = result.with_channels({**result.channels(), "translations": result.translations * np.nan})
    with pytest.raises(InputError, match="is not a finite number"):
        Surroundings(before=broken)
    with pytest.raises(InputError, match="Motion to go on from is missing"):
        Surroundings()
    with pytest.raises(InputError, match="at least one frame"):
        replan(examples, around(result), 0)
    with pytest.raises(InputError, match="45 frames"):
        replan(examples, around(result), 45, unlike=[result])
    with pytest.raises(InputError, match="another frame rate"):
        replan(examples, Surroundings(before=walker(60, rate=24.0)), 20)


def test_motion_in_another_rest_pose_is_not_connected() -> None:
    first = walker(240, 1)
    rests = replace(first.skeleton, rest_translations=first.skeleton.rest_translations[::-1])
    with pytest.raises(InputError, match="another rest pose than the examples"):
        connect(index_motions([first]), first, replace(first, skeleton=rests), 5)


def test_a_transition_says_how_sudden_it_is_where_no_example_leads_to_its_end() -> None:
    first = walker(240, 1)
    raised = first.translations + np.float32(first.skeleton.size) * np.array(first.skeleton.up, np.float32)
    calm, sudden = (
        connect(index_motions([first]), first, second, 5).acceleration
        for second in (walker(240, 2), replace(first, translations=raised))
    )
    assert calm < 1.2 and sudden > 1.8

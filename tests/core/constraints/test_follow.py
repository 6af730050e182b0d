# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion that follows a signal."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from motions import motionless, turned_and_moved, walker, waver
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    Drive,
    Follow,
    InputError,
    Motion,
    Settings,
    Synthesis,
    limb_partition,
    metrics,
    prepare,
    synthesize,
)
from genmm_addon.core.constraints.constraint import Task
from genmm_addon.core.constraints.follow import constraint
from genmm_addon.core.constraints.follow.quantities import quantity
from genmm_addon.core.constraints.follow.transport import match, normalized
from genmm_addon.core.examples.shortlist import shortlist
from genmm_addon.core.motion.filters import smooth
from genmm_addon.core.motion.ground_travel import SWAY_SECONDS

FRAMES = 300


def slow_and_fast() -> list[Motion]:
    """Return a walk, and the same walk at half and at twice its pace."""
    walk = walker(360)
    return [walk, walk.take(np.arange(0, 360, 2)), walk.take(np.repeat(np.arange(180), 2))]


def steps_of_four(frames: int = FRAMES) -> NDArray[np.float64]:
    """Return a signal that is low, high, low, high."""
    return np.repeat([0.0, 1.0, 0.0, 1.0], frames // 4)[:, None]


def following(examples: list[Motion], signal: NDArray[np.float64], seed: int = 0, **others: Any) -> Synthesis:
    follow = Follow(signal, **others)
    return synthesize(prepare(examples), len(signal), seed=seed, constraints=Constraints(others=(follow,)))


def driven(result: Synthesis, drive: Drive, joint: int | None = None) -> NDArray[np.float64]:
    root = prepare(slow_and_fast()).root
    values = quantity(drive, result.motion, root, joint, range(len(result.motion.skeleton.names)))
    assert values is not None
    return values


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("drive", [Drive.ENERGY, Drive.TRAVEL], ids=str)
def test_a_louder_signal_gives_faster_motion(drive: Drive, seed: int) -> None:
    signal = steps_of_four()
    result = following(slow_and_fast(), signal, seed, drive=drive)
    assert np.corrcoef(driven(result, drive), signal[:, 0])[0, 1] > 0.55


def test_a_signal_turned_upside_down_gives_slower_motion_where_it_gave_faster() -> None:
    signal = steps_of_four()
    result = following(slow_and_fast(), 1.0 - signal)
    assert np.corrcoef(driven(result, Drive.ENERGY), signal[:, 0])[0, 1] < -0.55


@pytest.mark.slow
@pytest.mark.parametrize(
    ("drive", "joint"), [(Drive.ENERGY, None), (Drive.TRAVEL, None), (Drive.HEIGHT, 0), (Drive.ANYTHING, None)], ids=str
)
def test_of_many_clips_a_few_that_differ_in_the_quantity_are_followed(drive: Drive, joint: int | None) -> None:
    prepared, signal = prepare([clip.slice(0, 150) for clip in slow_and_fast()] * 40), steps_of_four(120)
    follow = Follow(signal, drive=drive, joint=joint)
    groups = follow.groups_needed(Task(prepared, len(signal)))
    assert sorted(number for group in groups for number in group) == list(range(120))
    assert (numbers := shortlist(prepared, len(signal), groups, 1)) is not None and len(numbers) < 60
    if drive in (Drive.ENERGY, Drive.TRAVEL):
        assert [{number % 3 for number in group} for group in groups] == [{2}, {0}, {1}]
        result = synthesize(prepared, len(signal), constraints=Constraints(others=(follow,)))
        assert (result.followed[0].correlation or 0.0) > 0.55


def test_the_units_of_a_signal_do_not_count() -> None:
    signal = steps_of_four()
    first, second = (following(slow_and_fast(), values) for values in (signal, 1e6 * signal - 3e5))
    assert np.array_equal(first.motion.rotations, second.motion.rotations)


def test_a_bone_rises_and_falls_with_a_signal() -> None:
    wave = waver(360)
    hand = wave.skeleton.names.index("hand.R")
    time = np.arange(FRAMES)
    signal = np.sin(2 * np.pi * time / 150)[:, None]
    result = following([wave], signal, drive=Drive.HEIGHT, joint=hand, strength=1.0)
    free = synthesize(prepare([wave]), FRAMES)
    heights = [motion.pose()[1][:, hand, 2] for motion in (result.motion, free.motion)]
    followed, unled = (np.corrcoef(height, signal[:, 0])[0, 1] for height in heights)
    assert followed > unled + 0.2


def test_a_part_follows_alone_while_the_rest_stays_as_it_was() -> None:
    examples = slow_and_fast()
    parts = limb_partition(examples[0].skeleton)
    prepared = prepare(examples, parts=parts)
    root_part = prepared.parts[prepared.planning.root_part].part.name
    other = next(part.name for part in parts if part.name != root_part)
    follow = Follow(steps_of_four(), part=other)
    led, free = (synthesize(prepared, FRAMES, constraints=Constraints(others=others)) for others in ((follow,), ()))
    number = [plan.part.name for plan in prepared.parts].index(other)
    assert not np.array_equal(led.source_frames[:, number], free.source_frames[:, number])


def test_the_same_seed_gives_the_same_motion_and_another_seed_another() -> None:
    first, again, other = (following(slow_and_fast(), steps_of_four(), seed) for seed in (4, 4, 5))
    assert np.array_equal(first.motion.rotations, again.motion.rotations)
    assert not np.array_equal(first.motion.rotations, other.motion.rotations)


def test_the_result_tells_how_well_it_follows_the_signal() -> None:
    result = following(slow_and_fast(), steps_of_four())
    (match_of_signal,) = result.followed
    averaged = smooth(steps_of_four(), SWAY_SECONDS, result.motion.frames_per_second)[:, 0]
    expected = np.corrcoef(driven(result, Drive.ENERGY), averaged)[0, 1]
    assert match_of_signal.correlation == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_by_default_cuts_are_as_smooth_as_without_a_signal_and_rougher_only_at_full_strength(seed: int) -> None:
    wave = waver(360)
    signal = np.random.default_rng(seed).standard_normal(FRAMES).cumsum()[:, None]
    free = synthesize(prepare([wave]), FRAMES, seed=seed)
    usual, full = (following([wave], signal, seed, strength=strength) for strength in (Follow.strength, 1.0))
    of_free, of_usual, of_full = (metrics.local_distance(result.motion, wave) for result in (free, usual, full))
    assert of_usual < min(1.5 * of_free, of_full)


@pytest.mark.parametrize("seed", range(3))
def test_the_stronger_a_signal_is_followed_the_better(seed: int) -> None:
    signal = np.sin(2 * np.pi * np.arange(FRAMES) / 150)[:, None]
    hand = waver(360).skeleton.names.index("hand.R")
    matches = [
        following([waver(360)], signal, seed, drive=Drive.HEIGHT, joint=hand, strength=strength).followed[0].correlation
        for strength in (0.1, 0.5, 1.0)
    ]
    rises = np.diff(np.array(matches, np.float64))
    assert rises[0] >= 0 and rises[1] > 0


@pytest.mark.parametrize("strength", [-0.1, 0.0, 1.1, np.nan])
def test_a_strength_out_of_range_is_refused(strength: float) -> None:
    with pytest.raises(InputError, match="above 0 and up to 1"):
        Follow(steps_of_four(), strength=strength)


def test_a_signal_that_flickers_drives_as_its_mean_over_a_stride() -> None:
    flickering = steps_of_four() * np.tile([2.0, 0.0], FRAMES // 2)[:, None]
    result = following(slow_and_fast(), flickering)
    assert np.corrcoef(driven(result, Drive.ENERGY), steps_of_four()[:, 0])[0, 1] > 0.55


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.zeros((60, 0)), "empty"),
        (np.zeros((60, 1)), "does not change"),
        (np.full((60, 1), 7.5), "does not change"),
        (np.array([[0.0], [np.nan]]), "not numbers"),
        (np.array([[0.0], [np.inf]]), "not numbers"),
    ],
)
def test_a_signal_that_cannot_be_followed_is_refused(values: NDArray[np.float64], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Follow(values)


def test_what_the_examples_never_do_is_refused() -> None:
    with pytest.raises(InputError, match="travel of the examples does not vary"):
        following([motionless(120)], steps_of_four(), drive=Drive.TRAVEL)


@pytest.mark.parametrize(
    ("others", "said"),
    [({"drive": Drive.HEIGHT}, "choose the bone"), ({"part": "tail"}, 'no part "tail"')],
    ids=["no joint", "no part"],
)
def test_a_missing_bone_or_part_is_named(others: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        following([walker()], steps_of_four(), **others)


def test_a_signal_of_another_length_is_refused_and_any_rate_is_resampled() -> None:
    with pytest.raises(InputError, match="60 frames, and the result 90"):
        synthesize(prepare([walker()]), 90, constraints=Constraints(others=(Follow(np.arange(60.0)[:, None]),)))
    assert len(Follow.at_any_rate(np.arange(60.0)[:, None], 90).values) == 90


def test_a_stretch_that_is_generated_again_follows_its_own_part_of_the_signal() -> None:
    follow = Follow(steps_of_four())
    assert follow.over(10, 20) is None
    part = follow.over(60, 30)
    assert isinstance(part, Follow) and np.array_equal(part.values, steps_of_four()[60:90])


def test_moments_that_are_alike_are_matched_with_moments_that_are_alike() -> None:
    generator = np.random.default_rng(0)
    two_kinds = np.repeat([0.0, 1.0], 40)
    examples = two_kinds[:, None] * 5.0 + 0.1 * generator.standard_normal((80, 3))
    signal = np.tile([0.0, 1.0], 30)[:, None]
    signal_rows, example_rows = normalized(signal), normalized(examples)
    costs = match(signal_rows, example_rows, None, 0.5).costs(signal_rows, example_rows)
    kinds = two_kinds[costs.argmin(axis=1)]
    assert len(set(kinds[::2])) == len(set(kinds[1::2])) == 1 and kinds[0] != kinds[1]


def test_a_transport_plan_shows_each_moment_of_the_signal_equally() -> None:
    generator = np.random.default_rng(1)
    plan = match(generator.standard_normal((50, 2)), generator.standard_normal((70, 4)), None, 0.5).plan
    assert np.allclose(plan.sum(axis=1), 1.0 / 50) and (plan >= 0).all()


def test_the_place_and_heading_of_the_examples_do_not_count() -> None:
    signal = steps_of_four()
    moved = [turned_and_moved(motion, 0.7, (3.0, -2.0, 0.0)) for motion in slow_and_fast()]
    settings = Settings()
    first, second = (
        synthesize(prepare(examples, settings=settings), FRAMES, constraints=Constraints(others=(Follow(signal),)))
        for examples in (slow_and_fast(), moved)
    )
    assert np.mean(first.source_frames[:, 0] == second.source_frames[:, 0]) > 0.9


def test_long_signals_are_matched_by_landmarks() -> None:
    generator = np.random.default_rng(2)
    signal = np.cumsum(generator.standard_normal((5000, 1)), axis=0)
    found = match(normalized(signal), normalized(generator.standard_normal((900, 3))), None, 0.5)
    assert found.plan.shape == (256, 256)


@pytest.mark.slow
def test_costs_are_those_beside_what_a_path_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    def correlations() -> list[float]:
        signals = [np.random.default_rng(seed).standard_normal(FRAMES).cumsum()[:, None] for seed in range(3)]
        led = [following([waver(360)], signal, drive=Drive.ANYTHING, strength=1.0) for signal in signals]
        return [result.followed[0].correlation or 0.0 for result in led]

    settled = correlations()
    monkeypatch.setattr(constraint, "_costs_beside_paths", lambda plan, path, others, costs, *rows: costs)
    assert np.mean(settled) > np.mean(correlations()) + 0.01


def test_the_phase_of_a_stride_at_the_ends_of_a_result_does_not_count() -> None:
    follow = Follow(steps_of_four(), drive=Drive.ANYTHING)
    task = Task(prepare(slow_and_fast()), FRAMES)
    motion = following(slow_and_fast(), steps_of_four(), drive=Drive.ANYTHING).motion
    turned = motion.rotations.copy()
    turned[[0, -1]] = turned[[FRAMES // 2, FRAMES // 3]]
    others = replace(motion, rotations=turned)
    assert follow._correlation(task, others) == pytest.approx(follow._correlation(task, motion), abs=1e-4)

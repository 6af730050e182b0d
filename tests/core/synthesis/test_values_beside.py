# SPDX-License-Identifier: GPL-3.0-or-later
"""Values recorded along with the motion, which follow the frames that a result shows."""

import numpy as np

from genmm_addon.core.synthesis.values_beside import SourceRows, values_beside

RISING = np.arange(60, dtype=np.float32)[:, None]
FALLING = 100 - np.arange(60, dtype=np.float32)[:, None]


def shown(*stretches: tuple[int, int, int]) -> SourceRows:
    """Return sources made of stretches of examples, each with its first frame and length."""
    examples = np.concatenate([np.full(length, example) for example, _, length in stretches])
    frames = np.concatenate([first + np.arange(length, dtype=np.float64) for _, first, length in stretches])
    return SourceRows(examples, frames, np.ones(len(frames)))


def test_away_from_transitions_values_are_those_of_the_source_frames() -> None:
    of = shown((0, 5, 20), (1, 30, 20))
    values = values_beside([RISING, FALLING], of, 8)[:, 0]
    assert np.array_equal(values[:16], 5 + np.arange(16))
    assert np.array_equal(values[24:], 100 - (30 + np.arange(4, 20)))


def test_a_crossfade_never_leaves_its_two_sources_and_never_jumps() -> None:
    of = shown((0, 5, 20), (1, 30, 20))
    values = values_beside([RISING, FALLING], of, 8)[:, 0]
    assert np.abs(np.diff(values)).max() < np.abs(np.diff(values_beside([RISING, FALLING], of, 0)[:, 0])).max() / 3
    assert values[16:24].min() >= 5 + 16 and values[16:24].max() <= 100 - 26


def test_short_stretches_have_short_crossfades() -> None:
    of = shown((0, 5, 20), (1, 30, 1), (0, 40, 20))
    assert values_beside([RISING, FALLING], of, 8)[20, 0] == FALLING[30, 0]


def test_values_play_at_the_rate_of_the_example_and_hold_beyond_its_end() -> None:
    twice = SourceRows(np.zeros(5, int), 50.0 + 2 * np.arange(5, dtype=np.float64), np.full(5, 2.0))
    assert not len(twice.transitions())
    beyond = shown((0, 40, 20), (1, 0, 20))
    values = values_beside([RISING, np.full((60, 1), 59, np.float32)], beyond, 8)[:, 0]
    assert values[20:24].tolist() == [59] * 4


def test_a_loop_ends_as_it_begins_with_no_jump_at_its_seam() -> None:
    of = shown((0, 10, 31))
    values = values_beside([RISING], of, 8, loops=True)[:, 0]
    assert values[0] == values[-1]
    assert np.abs(np.diff(np.concatenate((values, values[1:4])))).max() < 8

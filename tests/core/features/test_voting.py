# SPDX-License-Identifier: GPL-3.0-or-later
"""Blending: overlapping patches are combined into one value."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genmm_addon.core.features.voting import average_votes, count_votes
from genmm_addon.core.motion.piecewise import PIECE

few = settings(max_examples=40, deadline=None)
EXAMPLES = np.random.default_rng(2).normal(size=(50, 3)).astype(np.float32)


@st.composite
def patches(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    length = draw(st.integers(1, 11))
    starts = draw(st.lists(st.integers(0, 50 - length), min_size=1, max_size=30))
    return np.array(starts), length


@few
@given(start=st.integers(0, 20), length=st.integers(1, 11))
def test_patches_of_one_run_blend_to_the_example_itself(start: int, length: int) -> None:
    blended = average_votes(EXAMPLES, np.arange(start, start + 15), length)
    assert blended == pytest.approx(EXAMPLES[start : start + 14 + length], abs=1e-6)


@few
@given(choice=patches())
def test_a_frame_is_the_mean_of_the_patches_over_it(choice: tuple[np.ndarray, int]) -> None:
    starts, length = choice
    blended = average_votes(EXAMPLES, starts, length)
    assert len(blended) == len(starts) + length - 1
    for frame, row in enumerate(blended):
        over = [index for index in range(len(starts)) if 0 <= frame - index < length]
        assert row == pytest.approx(np.mean([EXAMPLES[starts[i] + frame - i] for i in over], axis=0), abs=1e-5)


@few
@given(choice=patches())
def test_votes_sum_to_one_and_reproduce_the_blend(choice: tuple[np.ndarray, int]) -> None:
    votes = count_votes(*choice, len(EXAMPLES))
    assert votes.sum(axis=1) == pytest.approx(np.ones(len(votes)))
    assert votes @ EXAMPLES == pytest.approx(average_votes(EXAMPLES, *choice), abs=1e-5)


def test_patches_that_agree_have_all_the_votes() -> None:
    votes = count_votes(np.arange(3, 9), 4, 50)
    assert np.array_equal(votes.argmax(axis=1), np.arange(3, 12))
    assert np.all(votes.max(axis=1) == 1)


def test_rows_are_the_same_wherever_they_lie_in_a_long_result() -> None:
    starts = np.random.default_rng(4).integers(0, 40, 2 * PIECE + 5)
    whole = average_votes(EXAMPLES, starts, 11)
    for first in (0, PIECE - 20, len(starts) - 40):
        part = average_votes(EXAMPLES, starts[first : first + 40], 11)
        assert np.array_equal(whole[first + 10 : first + 40], part[10:40])

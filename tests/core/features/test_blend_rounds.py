# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds of blended patches: each equals a first round, although little is computed again."""

import numpy as np
import pytest
from numpy.typing import NDArray

from genmm_addon.core.examples.transition_costs import Bounds
from genmm_addon.core.features import blend_rounds as module
from genmm_addon.core.features import nearest_patches as whole_rounds
from genmm_addon.core.features.blend_rounds import BlendRounds
from genmm_addon.core.features.nearest_patches import (
    distances_of_blend,
    distances_of_blended_rows,
    frame_distances,
    nearest_patches_of_blend,
)
from genmm_addon.core.motion import piecewise

EXAMPLES = np.random.default_rng(6).normal(size=(70, 6)).astype(np.float32)
BETWEEN = frame_distances(EXAMPLES, EXAMPLES)
BOUNDS = Bounds.of_lengths(np.array([40, 30]))


def rounds_of(length: int, changes: int, patches: int = 400) -> list[NDArray[np.int64]]:
    """Return the choices of some rounds, with changes at the ends and between; the last two are the same."""
    random = np.random.default_rng(length)
    rounds = [random.integers(0, 30, patches)]
    for _ in range(3):
        following = rounds[-1].copy()
        following[random.integers(0, patches, changes)] = random.integers(0, 30, changes)
        following[[0, -1]] = random.integers(0, 30, 2)
        rounds.append(following)
    return [*rounds, rounds[-1].copy()]


@pytest.mark.parametrize("completeness", [None, 0.01])
@pytest.mark.parametrize("changes", [1, 6, 400])
@pytest.mark.parametrize("length", [1, 2, 11])
def test_each_round_gives_the_same_choice_as_a_first_round(
    monkeypatch: pytest.MonkeyPatch, length: int, changes: int, completeness: float | None
) -> None:
    monkeypatch.setattr(whole_rounds, "BLOCK_BYTES", 20_000)
    monkeypatch.setattr(piecewise, "PIECE", 16)
    starts = BOUNDS.patch_starts(length)
    rounds = BlendRounds(BETWEEN, starts, length, completeness)
    for chosen in rounds_of(length, changes):
        first = nearest_patches_of_blend(chosen, BETWEEN, starts, length, completeness)
        assert np.array_equal(rounds.nearest(chosen), first)


def test_a_round_of_few_changes_computes_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []

    def counted(
        chosen: NDArray[np.int64], between: NDArray[np.float32], length: int, rows: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        computed.append(len(rows))
        return distances_of_blended_rows(chosen, between, length, rows)

    monkeypatch.setattr(module, "distances_of_blended_rows", counted)
    rounds = BlendRounds(BETWEEN, BOUNDS.patch_starts(11), 11, 0.01)
    chosen = rounds_of(11, 1)[0]
    rounds.nearest(chosen)
    assert computed == []
    following = chosen.copy()
    following[200] = (following[200] + 1) % 30
    rounds.nearest(following)
    # Its own 11 rows, and those of patches that overlap them.
    assert computed == [31]
    rounds.nearest(following.copy())
    assert computed == [31]


def test_too_many_distances_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    starts, choices = BOUNDS.patch_starts(11), rounds_of(11, 6)
    kept = BlendRounds(BETWEEN, starts, 11, 0.01)
    expected = [kept.nearest(chosen) for chosen in choices]
    monkeypatch.setattr(module, "KEPT_BYTES", 0)
    rounds = BlendRounds(BETWEEN, starts, 11, 0.01)
    assert all(np.array_equal(rounds.nearest(one), found) for one, found in zip(choices, expected, strict=True))


@pytest.mark.parametrize("length", [1, 5, 11])
def test_some_rows_have_the_distances_that_they_have_among_all(length: int) -> None:
    chosen = rounds_of(length, 3, patches=60)[1]
    frames = len(chosen) + length - 1
    rows = np.array([0, 1, 7, 8, 30, frames - 2, frames - 1])
    among_all = distances_of_blend(chosen, BETWEEN, length, 0, frames)
    some = distances_of_blended_rows(chosen, BETWEEN, length, rows)
    assert np.array_equal(some.view(np.int32), among_all[rows].view(np.int32))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Regression adjustment: fillings come nearer to motion that no window has, and ends, speeds and short lists stay."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from motions import turned_and_moved, walker, waver

from genmm_addon.core import Motion, metrics, rotations
from genmm_addon.core.infill.agreement import Agreement
from genmm_addon.core.infill.fill import rank_gap
from genmm_addon.core.infill.fillings import GapWindow
from genmm_addon.core.infill.regression_adjustment import (
    LEAST_STRETCHES,
    adjusted,
    gap_surroundings,
    predicting_shares,
    window_surroundings,
)
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.core.motion import Gap, piecewise

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 40
"""Frames of the gaps, from pose to pose."""


@pytest.fixture(scope="module")
def prepared() -> IndexedMotions:
    return index_motions([make(240, seed) for seed in range(8) for make in (walker, waver)])


def gap_in(motion: Motion, first: int, frames: int = FRAMES, around: int = 15) -> Gap:
    last = first + frames
    return Gap(motion.slice(first + 1 - around, first + 1), motion.slice(last, last + around))


def through(gap: Gap, truth: Motion, bend: float = 0.0) -> Agreement:
    """Return one window's filling: the truth, of which all joints deviate in the middle by an angle in radians."""
    share = np.sin(np.pi * np.arange(truth.frames) / (truth.frames - 1)) ** 2
    vectors = np.zeros((*truth.rotations.shape[:2], 3))
    vectors[..., 0] = bend * share[:, None]
    turned = rotations.multiply(truth.rotations, rotations.from_vector(vectors).astype(np.float32))
    return Agreement(
        0, (GapWindow(100, FRAMES, 0.2),), np.ones(1), truth.with_channels({**truth.channels(), "rotations": turned})
    )


def swinging(library: list[Motion], swing: Callable[[int], float]) -> list[Motion]:
    """Return motions whose upper arms swing by further angles in radians, one for each motion."""
    found = []
    for number, motion in enumerate(library):
        vectors = np.zeros((*motion.rotations.shape[:2], 3))
        time = np.arange(motion.frames) / motion.frames_per_second
        arms = [joint for joint, name in enumerate(motion.skeleton.names) if name.startswith("upper_arm")]
        vectors[:, arms, 0] = (swing(number) * np.sin(2 * np.pi * time))[:, None]
        turned = rotations.multiply(motion.rotations, rotations.from_vector(vectors).astype(np.float32))
        found.append(motion.with_channels({**motion.channels(), "rotations": turned}))
    return found


def test_a_swing_wider_than_in_any_window_is_seen_around_the_gap_and_continued_in_it() -> None:
    standing = [waver(240, 0).slice(0, 1).take(np.zeros(240, np.int64))] * 24
    library = index_motions(swinging(standing, lambda number: 0.02 * number))
    asked = swinging(standing[:1], lambda _: 0.7)[0]
    distances = []
    for first in (40, 57, 131):
        gap, truth = gap_in(asked, first), asked.slice(first, first + FRAMES + 1)
        ranked = rank_gap(library, gap, FRAMES, None)
        widest = ranked.windows[0]
        clip = int(library.index.clips[widest.start])
        start = widest.start - int(library.index.starts[clip])
        mean = library.motions[clip].slice(start, start + widest.length + 1)
        if mean.frames != FRAMES + 1:
            mean = mean.take(np.round(np.linspace(0, mean.frames - 1, FRAMES + 1)).astype(np.int64))
        agreement = Agreement(0, (widest,), np.ones(1), mean)
        moved = adjusted(library.motions, library.index, gap, agreement, ranked.similar)
        inside = slice(5, FRAMES - 4)
        distances.append(
            [
                metrics.l2_positions(one.slice(inside.start, inside.stop), truth.slice(inside.start, inside.stop))
                for one in (moved, mean)
            ]
        )
    after, before = np.mean(distances, axis=0)
    assert after < 0.6 * before


@pytest.mark.parametrize("around", [1, 2, 15])
def test_both_ends_stay_to_the_bit_and_so_do_the_speeds_there(prepared: IndexedMotions, around: int) -> None:
    motion = walker(240, 9)
    gap, truth = gap_in(motion, 80, around=around), motion.slice(80, 80 + FRAMES + 1)
    agreement, ranked = through(gap, truth), rank_gap(prepared, gap, FRAMES, None)
    moved = adjusted(prepared.motions, prepared.index, gap, agreement, ranked.similar)
    assert moved.frames == truth.frames
    for name, values in truth.channels().items():
        assert np.array_equal(np.abs(getattr(moved, name)[[0, -1]]), np.abs(values[[0, -1]]))
    off = np.linalg.norm(moved.pose()[1] - truth.pose()[1], axis=2).max(axis=1)
    assert off.max() > 0.01, "the window that was said to be laid is another one, so there is something to move"
    assert off[[1, -2]].max() < 0.1 * off.max()


def test_a_window_that_was_cut_out_of_the_gap_is_hardly_moved(prepared: IndexedMotions) -> None:
    clip, first = 4, 90
    motion = prepared.motions[clip]
    gap = gap_in(motion, first)
    window = GapWindow(int(prepared.index.starts[clip]) + first, FRAMES, 0.0)
    mean = motion.slice(first, first + FRAMES + 1)
    moved = adjusted(
        prepared.motions,
        prepared.index,
        gap,
        Agreement(0, (window,), np.ones(1), mean),
        rank_gap(prepared, gap, FRAMES, None).similar,
    )
    # The speed of the last pose that is known is one-sided, that of a window's is not.
    assert np.abs(moved.pose()[1] - mean.pose()[1]).max() < 0.01 * motion.skeleton.size


def test_moves_do_not_depend_on_the_place_and_heading_of_the_gap(prepared: IndexedMotions) -> None:
    motion = walker(240, 9)
    away = turned_and_moved(motion, 2.0, (5.0, -3.0, 0.0))
    moved = []
    for one in (motion, away):
        gap = gap_in(one, 80)
        ranked = rank_gap(prepared, gap, FRAMES, None)
        agreement = through(gap, one.slice(80, 80 + FRAMES + 1))
        moved.append(adjusted(prepared.motions, prepared.index, gap, agreement, ranked.similar))
    assert np.abs(turned_and_moved(moved[0], 2.0, (5.0, -3.0, 0.0)).pose()[1] - moved[1].pose()[1]).max() < 2e-3


def test_little_motion_teaches_nothing_and_the_mean_stays_as_it_is() -> None:
    library = index_motions([walker(240, 1)])
    gap = gap_in(walker(240, 9), 80)
    agreement = through(gap, walker(240, 9).slice(80, 80 + FRAMES + 1))
    ranked = rank_gap(library, gap, FRAMES, None)
    assert len(ranked.similar) > LEAST_STRETCHES, "frames are many, but next to each other"
    assert adjusted(library.motions, library.index, gap, agreement, ranked.similar) is agreement.motion


@pytest.mark.slow
def test_reading_in_blocks_gives_the_same_moves(prepared: IndexedMotions, monkeypatch: pytest.MonkeyPatch) -> None:
    gap = gap_in(walker(240, 9), 80)
    agreement = through(gap, walker(240, 9).slice(80, 80 + FRAMES + 1))
    similar = rank_gap(prepared, gap, FRAMES, None).similar
    whole = adjusted(prepared.motions, prepared.index, gap, agreement, similar)
    monkeypatch.setattr(piecewise, "PIECE", 1)
    blocks = adjusted(prepared.motions, prepared.index, gap, agreement, similar)
    assert np.allclose(whole.rotations, blocks.rotations, atol=1e-6)
    assert np.allclose(whole.translations, blocks.translations, atol=1e-6)


@pytest.mark.parametrize("around", [1, 4, 15])
def test_a_gap_has_the_surroundings_of_the_window_that_was_cut_out_of_it(prepared: IndexedMotions, around: int) -> None:
    clip, first = 2, 70
    gap = gap_in(prepared.motions[clip], first, around=around)
    start = np.array([int(prepared.index.starts[clip]) + first])
    window = window_surroundings(prepared.index, gap, start, start + FRAMES)[0]
    found = gap_surroundings(prepared.index, gap)
    # The last frame of a side is one-sided in its speed, and so is a frame next to it in a side of few frames.
    assert found.shape == window.shape
    assert np.linalg.norm(found - window) < 0.15 * np.linalg.norm(window)


@given(st.integers(0, 10**6), st.integers(3, 60), st.integers(1, 12))
def test_shares_predict_as_ridge_regression_does(seed: int, windows: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    around, difference = random.normal(size=(windows, columns)), random.normal(size=columns)
    inside = random.normal(size=(windows, 5)) + around @ random.normal(size=(columns, 5))
    shares = predicting_shares(around, difference)
    assert abs(shares.sum()) < 1e-9
    centered = around - around.mean(axis=0)
    penalty = 0.1 * np.trace(centered.T @ centered) / columns
    # The same as least squares on the windows and one more row for the penalty of each column.
    rows = np.vstack((centered, np.sqrt(penalty) * np.eye(columns)))
    targets = np.vstack((inside - inside.mean(axis=0), np.zeros((columns, 5))))
    coefficients = np.linalg.lstsq(rows, targets, rcond=None)[0]
    assert np.allclose(shares @ inside, difference @ coefficients, atol=1e-8)


def test_windows_that_are_all_the_same_predict_nothing() -> None:
    assert not predicting_shares(np.ones((50, 4)), np.ones(4)).any()

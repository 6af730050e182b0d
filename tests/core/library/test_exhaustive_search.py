# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for similar stretches in random rows: always the places of an exhaustive search, also among equal frames."""

from dataclasses import replace

import numpy as np
import pytest
from motions import walker

from genmm_addon.core.arrays import Float32
from genmm_addon.core.library import PoseIndex, build_pose_index, find_similar, similar
from genmm_addon.core.library.pose_index import coarse_columns
from genmm_addon.core.motion.piecewise import MOMENTS, PIECE, evenly

COLUMNS = 12


def index_of(rows: Float32, lengths: list[int]) -> PoseIndex:
    """Return an index of motions with these rows, in order."""
    stops, frames = np.cumsum(lengths), len(rows)
    index = build_pose_index([walker(40, 0)])
    return replace(
        index,
        rows=rows,
        squares=np.einsum("nc,nc->n", rows, rows),
        ground=np.zeros((frames, 2), np.float32),
        turns=np.zeros(frames, np.float32),
        starts=stops - np.array(lengths),
        stops=stops,
    )


def expected_places(index: PoseIndex, rows: Float32, count: int) -> list[tuple[int, int]]:
    """Return clips and first frames of the best places, found by comparing the stretch with every place."""
    moments = evenly(len(rows), MOMENTS)
    starts = np.concatenate(
        [np.arange(start, stop - len(rows) + 1) for start, stop in zip(index.starts, index.stops, strict=True)]
    )
    away = index.rows[starts[:, None] + moments].astype(np.float64) - rows[moments]
    costs = np.square(away).reshape(len(starts), -1).sum(axis=1)
    chosen = list[tuple[int, int]]()
    for best in np.lexsort((starts, costs)).tolist():
        clip = int(index.clips[starts[best]])
        first, reach = int(starts[best] - index.starts[clip]), max(1, round(len(rows) / 2))
        if all(clip != other or abs(first - place) >= reach for other, place in chosen):
            chosen.append((clip, first))
        if len(chosen) == count:
            break
    return chosen


def random_rows(kind: str, frames: int, generator: np.random.Generator) -> Float32:
    """Return rows whose frames are smooth, of few values, repeated exactly, or far from the origin."""
    if kind == "few values":
        return generator.integers(0, 2, (frames, COLUMNS)).astype(np.float32)
    rows = np.cumsum(generator.normal(size=(frames, COLUMNS)), axis=0) / 20
    if kind == "repeated":
        rows = np.tile(rows[:50], (frames // 50 + 1, 1))[:frames]
    if kind == "far away":
        rows = rows / 500 + 3
    if kind == "standing still":
        rows = np.repeat(rows[: frames // 40 + 1], 40, axis=0)[:frames]
    return rows.astype(np.float32)


@pytest.mark.parametrize("kind", ["smooth", "few values", "repeated", "far away", "standing still"])
@pytest.mark.parametrize("seed", range(6))
def test_a_search_finds_what_comparing_with_every_place_finds(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:  # spans of one piece: a library of millions of frames has several spans
        monkeypatch.setattr(similar, "COLUMNS", 2 + coarse_columns(COLUMNS))
    generator = np.random.default_rng(seed)
    lengths = generator.integers(1, 400, 40).tolist()
    frames = sum(lengths)
    assert frames > PIECE, "there are several pieces to leave out"
    index = index_of(random_rows(kind, frames, generator), lengths)
    for length, count in ((1, 3), (7, 1), (20, 12), (90, 30)):
        # The stretch is there, nearly there, or of other rows.
        clip = int(np.argmax(index.stops - index.starts >= length + 5))
        own = index.rows[index.starts[clip] + 5 :][:length]
        for rows in (own, own + np.float32(1e-4), random_rows(kind, length, generator)):
            found = find_similar(index, rows.astype(np.float32), count)
            assert [(place.clip, place.first) for place in found] == expected_places(index, rows, count)

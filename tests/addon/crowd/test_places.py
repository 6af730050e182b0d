# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a crowd's agents: their number, their distances, and the ground below them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genmm_addon.crowd.casting import Casting, Repertoire
from genmm_addon.crowd.places import AgentPlaces, along, grid, on_triangles
from genmm_addon.crowd.separation import (
    Arrangement,
    MotionChange,
    Search,
    arrange,
    encounters,
    exchange,
    grids_of,
    recast,
)

pytestmark = pytest.mark.arrays
SQUARE = np.array([[[0.0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]])


def nearest(points: np.ndarray) -> float:
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 1e9 * np.eye(len(points))
    return float(apart.min())


@given(st.integers(1, 200), st.floats(0.1, 10), st.integers(1, 30), st.floats(0, 1), st.integers(0, 99))
def test_a_grid_keeps_its_distance(count: int, spacing: float, columns: int, scatter: float, seed: int) -> None:
    places = grid(count, spacing, columns, scatter, np.random.default_rng(seed))
    assert places.positions.shape == (count, 3)
    assert abs(np.ptp(places.positions[:, 0])) <= (min(columns, count) - 1 + scatter) * spacing + 1e-9
    if count > 1:
        assert nearest(places.positions) >= (1 - scatter) * spacing - 1e-9


@given(st.integers(2, 60), st.booleans())
def test_along_a_line_all_gaps_are_the_same(count: int, closed: bool) -> None:
    angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    points = np.column_stack((5 * np.cos(angles), 5 * np.sin(angles), 0 * angles))
    places = along(points if closed else points[:200], closed, count)
    gaps = np.linalg.norm(np.diff(places.positions, axis=0), axis=1)
    assert np.ptp(gaps) < 0.03 * gaps.mean() + 1e-9
    # Along a circle, the direction of walking is perpendicular to that from the center.
    around = np.arctan2(places.positions[:, 1], places.positions[:, 0])
    inner = places.directions[1:-1] - around[1:-1]
    assert np.allclose(np.cos(inner), 0.0, atol=0.05) and np.all(np.sin(inner) > 0)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 80), st.floats(0.0, 3.0), st.integers(0, 99))
def test_on_a_surface_everyone_has_a_place(count: int, spacing: float, seed: int) -> None:
    places = on_triangles(SQUARE, count, spacing, np.random.default_rng(seed))
    assert places.positions.shape == (count, 3)
    assert np.all((places.positions >= 0) & (places.positions <= 1))
    assert count == 1 or len(np.unique(places.positions, axis=0)) == count


def test_places_on_a_large_surface_keep_the_requested_distance() -> None:
    places = on_triangles(50 * SQUARE, 100, 2.0, np.random.default_rng(0))
    assert nearest(places.positions) >= 2.0


def test_larger_triangles_hold_more() -> None:
    corners = np.concatenate((SQUARE[:1], 3 * SQUARE[:1] + (10, 0, 0)))
    places = on_triangles(corners, 1000, 0.0, np.random.default_rng(0))
    assert np.mean(places.positions[:, 0] >= 10) == pytest.approx(0.9, abs=0.05)


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 12), st.floats(0.01, 3), st.integers(0, 999))
def test_encounters_are_those_that_all_distances_tell(count: int, frames: int, distance: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    paths, levels = random.uniform(-4, 4, (count, frames, 2)), random.choice([0.0, 5.0], count)
    agents, ranks = np.arange(count), random.permutation(count)
    circles = np.concatenate((paths, random.uniform(0, distance, (count, frames, 1))), axis=-1)
    found = encounters(grids_of(circles), levels, ranks, circles, agents, headroom=1.0)
    apart = np.linalg.norm(paths[:, None] - paths[None], axis=-1)
    met = (
        (apart < circles[:, None, :, 2] + circles[..., 2])
        & (levels[:, None] == levels)[..., None]
        & ~np.eye(count, dtype=bool)[..., None]
    )
    assert np.array_equal(found.counts, met.sum(axis=(1, 2)))
    assert np.array_equal(found.first, np.where(met.any(axis=2), ranks, -1).max(axis=1))


@pytest.fixture
def blocks_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the memory to that for some positions at a time."""
    from genmm_addon.crowd import separation as module

    monkeypatch.setattr(module, "INDEXED", 3)
    monkeypatch.setattr(module, "COMPARED", 3)


@pytest.mark.usefixtures("blocks_of_three")
def test_encounters_are_the_same_with_little_memory() -> None:
    paths = np.random.default_rng(1).uniform(-1, 1, (9, 7, 2))
    circles = np.concatenate((paths, np.full((9, 7, 1), 0.3)), axis=-1)
    found = encounters(grids_of(circles), np.zeros(9), np.arange(9), circles, np.arange(9), headroom=1.0)
    apart = np.linalg.norm(paths[:, None] - paths[None], axis=-1) + 9 * np.eye(9)[..., None]
    assert np.array_equal(found.counts, (apart < 0.6).sum(axis=(1, 2)))


class Rows:
    """Places in rows, at first a unit apart."""

    def __init__(self, count: int, gives_way: bool) -> None:
        self._count, self._gives_way = count, gives_way

    def places(self, scale: float) -> AgentPlaces | None:
        """Return the places at `scale` times the distance."""
        if scale > 1 and not self._gives_way:
            return None
        return grid(self._count, scale, None, 0.0, np.random.default_rng(0))


def wandering(count: int, frames: int, speed: float) -> Repertoire:
    """Return motions that move at a speed and turn all the time."""
    random = np.random.default_rng(5)
    ways = np.cumsum(random.normal(0, 0.1, (count, frames)), axis=1)
    steps = speed * np.stack((np.cos(ways), np.sin(ways)), axis=-1)
    return Repertoire(np.cumsum(steps, axis=1), np.full((count, frames), 0.125), ways, frames // 2, repeats=False)


def arranged(repertoire: Repertoire, agents: int, moves: MotionChange, *, gives_way: bool, clips: int) -> Arrangement:
    """Return the arrangement in which as many agents as possible stay a quarter of a unit apart."""
    random = np.random.default_rng(2)
    phases = random.integers(0, repertoire.starts, agents)
    casting = Casting(np.arange(agents) % clips, phases, random.uniform(-1, 1, agents))
    search = Search(repertoire, 1.0, random, moves, lambda: None)
    return arrange(search, Rows(agents, gives_way), casting, 30.0)


def least_distances(repertoire: Repertoire, found: Arrangement) -> np.ndarray:
    """Return the smallest distance of each agent to another `(N,)`."""
    every = np.arange(repertoire.visible_frames)
    paths = repertoire.paths(found.casting, found.places.positions[:, :2], every)[..., :2]
    apart = np.linalg.norm(paths[:, None] - paths[None], axis=-1).min(axis=-1) + 1e9 * np.eye(len(paths))
    return np.asarray(apart.min(axis=1))


@pytest.mark.parametrize(("moves", "clips"), [(recast(False), 8), (recast(True), 8), (exchange, 60)])
def test_agents_that_can_give_way_never_come_too_near(moves: MotionChange, clips: int) -> None:
    repertoire = wandering(clips, 120, 0.05)
    found = arranged(repertoire, 60, moves, gives_way=True, clips=clips)
    assert not found.too_near.any()
    assert least_distances(repertoire, found).min() >= 0.25
    assert sorted(set(found.casting.clips.tolist())) == list(range(clips))  # every motion is used


def test_where_places_are_given_fewer_meet_and_they_are_counted() -> None:
    repertoire = wandering(8, 120, 0.05)
    found = arranged(repertoire, 60, recast(False), gives_way=False, clips=8)
    at_first = arranged(repertoire, 60, lambda _search, casting, *_: casting, gives_way=False, clips=8)
    assert found.scale == 1.0
    assert np.array_equal(found.too_near, least_distances(repertoire, found) < 0.25)
    assert found.too_near.sum() < at_first.too_near.sum() / 2


def test_agents_without_encounters_keep_their_motion_and_place() -> None:
    found = arranged(wandering(8, 120, 0.0), 60, recast(True), gives_way=True, clips=8)
    assert found.scale == 1.0
    phases = np.random.default_rng(2).integers(0, 61, 60)
    assert np.array_equal(found.casting.clips, np.arange(60) % 8) and np.array_equal(found.casting.phases, phases)


def test_all_in_one_place_is_an_answer_as_well() -> None:
    """Agents in one place cannot be kept apart; the search ends, and all of them are counted."""

    class Point:
        def places(self, scale: float) -> AgentPlaces | None:
            return AgentPlaces(np.zeros((30, 3))) if scale == 1 else None

    search = Search(wandering(4, 60, 0.0), 1.0, np.random.default_rng(0), recast(False), lambda: None)
    casting = Casting(np.arange(30) % 4, np.zeros(30, np.int64), np.zeros(30))
    assert arrange(search, Point(), casting, 30.0).too_near.all()


def test_a_loop_in_place_is_looked_at_for_one_round_and_a_traveling_one_for_all() -> None:
    around = np.stack((np.cos(np.linspace(0, 2 * np.pi, 31)), np.sin(np.linspace(0, 2 * np.pi, 31))), axis=-1)[None]
    in_place = Repertoire(around, np.ones((1, 31)), np.zeros((1, 31)), 900, repeats=True)
    onward = Repertoire(around + np.linspace(0, 1, 31)[:, None], np.ones((1, 31)), np.zeros((1, 31)), 900, repeats=True)
    assert (in_place.frames_that_differ, onward.frames_that_differ) == (30, 900)
    casting = Casting(np.zeros(1, np.int64), np.full(1, 7), np.zeros(1))
    path = onward.paths(casting, np.zeros((1, 2)), np.arange(900))[0, :, :2]
    assert np.allclose(path[30::30], np.arange(1, 30)[:, None])  # one round is (1, 1) farther
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() < 0.3

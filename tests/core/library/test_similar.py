# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for similar stretches in many motions: the places found, their order, and what does not affect them."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from motions import SIDEWAYS, in_other_units, turn, turned_and_moved, walker, waver

from genmm_addon.core import InputError, Motion, resample, rotations
from genmm_addon.core.library import PoseIndex, SimilarPlace, build_pose_index, find_similar, rows_of

pytestmark = pytest.mark.filterwarnings("error")

STRETCH = slice(100, 120)


def with_y_up(motion: Motion) -> Motion:
    """Return the motion of a rig with one root in a space whose Y points up."""
    skeleton, lying = motion.skeleton, turn(SIDEWAYS, -np.pi / 2)
    rest, places = skeleton.rest_rotations.copy(), skeleton.rest_translations.copy()
    rest[0], places[0] = rotations.multiply(lying, rest[0]), rotations.rotate(lying, places[0])
    turned = replace(skeleton, rest_rotations=rest, rest_translations=places, up=(0.0, 1.0, 0.0))
    return replace(motion, skeleton=turned)


def library() -> list[Motion]:
    return [make(240, seed) for seed in range(4) for make in (walker, waver)]


@pytest.fixture(scope="module")
def index() -> PoseIndex:
    return build_pose_index(library())


def found_in(index: PoseIndex, motion: Motion, count: int = 6) -> tuple[SimilarPlace, ...]:
    return find_similar(index, rows_of(index.space, motion)[STRETCH], count)


def test_a_stretch_of_a_clip_is_found_there_first(index: PoseIndex) -> None:
    best = found_in(index, library()[2])[0]
    assert (best.clip, best.first, best.frames, best.distance) == (2, STRETCH.start, 20, 0.0)


def test_the_best_place_is_the_one_that_all_counted_out_have(index: PoseIndex) -> None:
    rows = rows_of(index.space, walker(240, 9))[STRETCH]
    costs = {
        (clip, first): float(np.mean(np.sum((index.rows[start + first : start + first + 20] - rows) ** 2, axis=1)))
        for clip, (start, stop) in enumerate(zip(index.starts, index.stops, strict=True))
        for first in range(stop - start - 20 + 1)
    }
    best = find_similar(index, rows, 1)[0]
    assert (best.clip, best.first) == min(costs, key=lambda place: costs[place])
    assert best.distance == pytest.approx(np.sqrt(min(costs.values())), rel=1e-3)


def test_a_walk_is_found_in_walks(index: PoseIndex) -> None:
    assert all(place.clip % 2 == 0 for place in found_in(index, walker(240, 9)))
    assert all(place.clip % 2 == 1 for place in found_in(index, waver(240, 9)))


def test_places_come_best_first_and_none_lies_over_another(index: PoseIndex) -> None:
    places = found_in(index, walker(240, 9), 40)
    assert [place.distance for place in places] == sorted(place.distance for place in places)
    for one, other in itertools.combinations(places, 2):
        assert one.clip != other.clip or abs(one.first - other.first) >= 10
    assert all(0 <= place.first <= 240 - place.frames for place in places)


def test_place_and_facing_of_the_stretch_do_not_matter(index: PoseIndex) -> None:
    plain = found_in(index, walker(240, 9))
    elsewhere = found_in(index, turned_and_moved(walker(240, 9), 2.0, (5.0, -3.0, 0.0)))
    assert [(place.clip, place.first) for place in elsewhere] == [(place.clip, place.first) for place in plain]


def test_units_do_not_matter(index: PoseIndex) -> None:
    large = build_pose_index([in_other_units(motion, 100.0) for motion in library()])
    plain, found = found_in(index, walker(240, 9)), found_in(large, in_other_units(walker(240, 9), 100.0))
    assert [(place.clip, place.first) for place in found] == [(place.clip, place.first) for place in plain]
    assert [place.distance for place in found] == pytest.approx([place.distance for place in plain], rel=1e-3)


def test_clips_that_are_left_out_are_not_found(index: PoseIndex) -> None:
    allowed = np.arange(8) != 2
    places = find_similar(index, rows_of(index.space, library()[2])[STRETCH], 6, allowed)
    assert places
    assert all(place.clip != 2 for place in places)
    assert all(place.clip == 5 for place in found_in_one(index, 5)), "not even if hardly any others are there"


def found_in_one(index: PoseIndex, clip: int) -> tuple[SimilarPlace, ...]:
    return find_similar(index, rows_of(index.space, library()[2])[STRETCH], 100, np.arange(8) == clip)


@pytest.mark.slow
def test_every_place_is_found_that_all_counted_out_give(index: PoseIndex) -> None:
    """Compare with an exhaustive search: copies with small changes, of which few pieces can be left out unseen."""
    large = build_pose_index([turned_and_moved(motion, 0.3, (1.0, 0.0, 0.0)) for motion in library() * 6])
    rows = rows_of(large.space, walker(240, 9))[STRETCH]
    differences = np.lib.stride_tricks.sliding_window_view(large.rows.astype(np.float64), 20, axis=0) - rows.T
    costs = np.einsum("ncm,ncm->n", differences, differences) / 20
    expected = list[tuple[int, int]]()
    for start in np.argsort(costs, kind="stable").tolist():
        clip = int(large.clips[start])
        alone = all(clip != other or abs(start - int(large.starts[clip]) - first) >= 10 for other, first in expected)
        if alone and start + 20 <= large.stops[clip]:
            expected.append((clip, start - int(large.starts[clip])))
    for count in (1, 12, 60):
        found = find_similar(large, rows, count)
        assert [(place.clip, place.first) for place in found] == expected[:count]
    nearest = find_similar(large, rows, 12)
    within = find_similar(large, rows, 12, farthest=nearest[5].distance + 1e-9)
    assert within == tuple(place for place in nearest if place.distance <= nearest[5].distance + 1e-9)


def test_impossible_searches_are_rejected_with_one_sentence(index: PoseIndex) -> None:
    with pytest.raises(InputError, match="no frame to look for"):
        find_similar(index, np.zeros((0, index.rows.shape[1]), np.float32))
    with pytest.raises(InputError, match="stretch of 241 frames"):
        find_similar(index, np.zeros((241, index.rows.shape[1]), np.float32))
    with pytest.raises(InputError, match="several skeletons or rates"):
        build_pose_index([walker(240, 0), resample(walker(240, 1), 24.0)[0]])
    for name in ("rest_translations", "rest_rotations"):
        rest = {name: getattr(walker(240, 1).skeleton, name)[::-1]}
        other = replace(walker(240, 1), skeleton=replace(walker(240, 1).skeleton, **rest))
        with pytest.raises(InputError, match="with the same channels and rest pose"):
            build_pose_index([walker(240, 0), other])
    moved = replace(walker(240, 1), translated=np.zeros(0, np.int64), translations=np.zeros((240, 0, 3), np.float32))
    with pytest.raises(InputError, match="with the same channels and rest pose"):
        build_pose_index([walker(240, 0), moved])
    with pytest.raises(InputError, match="no motion to search in"):
        build_pose_index([])


def test_the_axis_that_points_up_does_not_matter(index: PoseIndex) -> None:
    plain, found = found_in(index, walker(240, 9)), found_in(index, with_y_up(walker(240, 9)))
    assert [(place.clip, place.first) for place in found] == [(place.clip, place.first) for place in plain]
    assert [place.distance for place in found] == pytest.approx([place.distance for place in plain], abs=1e-3)

# SPDX-License-Identifier: GPL-3.0-or-later
"""A root along a path: travel follows the path, sway is kept, and ends, stops and corners are handled."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motions import in_other_units, turned_and_moved, walker, waver
from numpy.typing import NDArray

from genmm_addon.core import Constraints, Facing, InputError, Motion, RootPath, Settings, prepare, rotations, synthesize
from genmm_addon.core.constraints.root_path import Followed, follow, target_rates
from genmm_addon.core.constraints.travel import forward_of
from genmm_addon.core.evaluation import find_body_model, find_gravity
from genmm_addon.core.motion.root_motion import RootTrack, encode_root, plan_root

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 240


@cache
def walk() -> tuple[Motion, RootTrack]:
    motion = walker(FRAMES)
    return motion, encode_root(motion, plan_root([motion], Facing.FREE, None))


def along(path: RootPath, lap: bool = False, facing: Facing = Facing.FREE) -> Followed:
    motion, track = walk()
    skeleton = motion.skeleton
    forward = forward_of([track], skeleton.up)
    return follow(track, path, facing, forward, skeleton.up, motion.frames_per_second, skeleton.size, lap)


def smoothed(places: NDArray[np.floating]) -> NDArray[np.floating]:
    bell = np.hanning(33)[1:-1] / np.hanning(33).sum()
    return np.stack([np.convolve(column, bell, "valid") for column in places.T], axis=1)


def line(length: float = 20.0) -> NDArray[np.float64]:
    return np.stack((np.linspace(0, length, 50), np.zeros(50), np.zeros(50)), axis=1)


def circle(radius: float) -> NDArray[np.float64]:
    angles = np.linspace(0, 2 * np.pi, 400)[:-1]
    return radius * np.stack((np.cos(angles), np.sin(angles), np.zeros(399)), axis=1)


def off(result: Followed, points: NDArray[np.float64]) -> float:
    """Return the largest distance of the root, with its sway smoothed out, from the path, in sizes of the skeleton."""
    steps = np.diff(points, axis=0)
    behind = smoothed(result.track.ground)[:, None] - points[:-1]
    share = np.clip((behind * steps).sum(axis=2) / (steps**2).sum(axis=1), 0, 1)
    apart = np.linalg.norm(behind - share[..., None] * steps, axis=2).min(axis=1)
    return float(apart.max()) / walk()[0].skeleton.size


def test_on_a_straight_line_the_root_stays_on_it() -> None:
    result = along(RootPath(line()))
    assert off(result, line()) < 0.01
    assert not result.notes or "before the end" in result.notes[0]


def test_it_goes_as_fast_as_it_went_by_itself() -> None:
    _, track = walk()
    own = np.linalg.norm(np.diff(smoothed(track.ground), axis=0), axis=1).sum()
    theirs = np.linalg.norm(np.diff(smoothed(along(RootPath(line())).track.ground), axis=0), axis=1).sum()
    assert theirs == pytest.approx(own, rel=0.05)


@pytest.mark.parametrize("radius", [4.0, 8.0])
def test_on_an_arc_it_stays_on_it_and_turns(radius: float) -> None:
    result = along(RootPath(circle(radius), closed=True))
    assert off(result, np.concatenate((circle(radius), circle(radius)[:1]))) < 0.02
    up = np.array([0.0, 0.0, 1.0])
    turned = np.unwrap(rotations.angle_about(result.track.heading.astype(np.float64), up))
    way = np.linalg.norm(np.diff(smoothed(result.track.ground), axis=0), axis=1).sum()
    assert abs(turned[-1] - turned[0]) == pytest.approx(way / radius, rel=0.25)


def test_the_sway_stays() -> None:
    motion, track = walk()
    up = motion.skeleton.up
    forward = forward_of([track], up)
    aside = rotations.rotate(track.heading, np.tile(np.cross(up, forward).astype(np.float32), (FRAMES, 1)))
    sway = 0.04 * np.sin(2 * np.pi * np.arange(FRAMES) / 30.0)
    swaying = replace(track, ground=(track.ground + sway[:, None] * aside).astype(np.float32))
    result = follow(swaying, RootPath(line()), Facing.FREE, forward, up, 30.0, motion.skeleton.size)
    straight = follow(track, RootPath(line()), Facing.FREE, forward, up, 30.0, motion.skeleton.size)
    kept = result.track.ground[:, 1] - straight.track.ground[:, 1]
    assert kept.std() == pytest.approx(sway.std(), rel=0.2)
    assert np.corrcoef(kept, sway)[0, 1] > 0.95


def test_where_it_shall_be_there_it_is_and_where_it_shall_stop_it_stops() -> None:
    progress = np.interp(np.arange(FRAMES), [0, 80, 160, FRAMES - 1], [0.0, 0.5, 0.5, 1.0])
    places = smoothed(along(RootPath(line(), progress=progress)).track.ground)
    wanted = smoothed(np.stack((20 * progress, 0 * progress, 0 * progress), axis=1))
    assert np.abs(places - wanted)[:, :2].max() < 0.02 * walk()[0].skeleton.size
    assert np.ptp(places[85:125, 0]) < 0.02 * walk()[0].skeleton.size


def test_in_the_given_time_it_is_at_the_end() -> None:
    result = along(RootPath(line(7.0), arrives=True))
    assert result.track.ground[-1, 0] == pytest.approx(7.0, abs=0.1)
    assert result.notes == ()


def test_beyond_the_end_it_goes_straight_on_and_says_from_where() -> None:
    result = along(RootPath(line(3.0)))
    assert "straight on" in result.notes[0]
    assert result.track.ground[-1, 0] > 5.0
    assert off(result, line(60.0)) < 0.01


def test_a_path_that_is_too_long_says_how_long_it_takes() -> None:
    assert "frames would reach it" in along(RootPath(line(200.0))).notes[0]
    assert "near the beginning" in along(RootPath(line(20_000.0))).notes[0]


def test_a_loop_takes_whole_rounds() -> None:
    result = along(RootPath(circle(1.5), closed=True), lap=True)
    ground, step = result.track.ground, result.track.ground[-1] - result.track.ground[-2]
    assert np.linalg.norm(ground[-1] + step - ground[0]) < 0.05
    with pytest.raises(InputError, match="closed path"):
        along(RootPath(line()), lap=True)


def test_a_corner_is_turned_through_quickly_and_not_at_once() -> None:
    points = np.array([[0.0, 0, 0], [3, 0, 0], [3, 9, 0]])
    turned = np.unwrap(
        rotations.angle_about(along(RootPath(points)).track.heading.astype(np.float64), np.array([0.0, 0, 1]))
    )
    assert np.abs(np.diff(turned)).max() < 0.35
    assert smoothed(np.stack((turned,) * 3, axis=1))[-1, 0] - turned[0] == pytest.approx(np.pi / 2, abs=0.4)


def test_facing_stays_where_it_is_not_to_follow() -> None:
    _, track = walk()
    assert np.array_equal(along(RootPath(circle(4.0), closed=True, along=False)).track.heading, track.heading)


def test_kept_facing_cannot_turn_along() -> None:
    with pytest.raises(InputError, match="Follow Curve"):
        along(RootPath(line()), facing=Facing.KEEP)


def test_it_climbs_with_the_path_only_if_it_is_to() -> None:
    slope = line(6.0) + np.linspace(0, 3, 50)[:, None] * np.array([0.0, 0.0, 1.0])
    assert along(RootPath(slope)).rise.max() == 0.0
    climbing = along(RootPath(slope, climbs=True))
    assert climbing.rise[0] == 0.0
    assert climbing.rise.max() == pytest.approx(3.0, abs=0.05)


def test_in_place_motion_follows_a_path_only_in_a_given_time() -> None:
    motion = waver(FRAMES)
    track = encode_root(motion, plan_root([motion], Facing.FREE, None))
    options = (forward_of([track], motion.skeleton.up), motion.skeleton.up, 30.0, motion.skeleton.size)
    with pytest.raises(InputError, match="stay in place"):
        follow(track, RootPath(line()), Facing.FREE, *options)
    result = follow(track, RootPath(line(), arrives=True), Facing.FREE, *options)
    assert result.track.ground[-1, 0] == pytest.approx(20.0, abs=0.3)


@pytest.mark.parametrize("arrives", [False, True])
def test_a_path_is_walked_also_if_most_examples_stand(arrives: bool) -> None:
    moving = walk()[0]
    standing = moving.take(np.full(2 * FRAMES, 7))
    prepared = prepare([standing, moving, standing], settings=replace(Settings(), facing=Facing.FREE))
    path = RootPath(line(0.5 * FRAMES * prepared.examples.mean_root_speed), arrives=arrives)
    for seed in range(4):
        result = synthesize(prepared, FRAMES // 2, seed=seed, constraints=Constraints(path=path))
        assert (result.source_examples == 1).all()


@pytest.mark.parametrize("points", [np.zeros((5, 3)), np.array([[0.0, 0, 0], [0, 0, 4]])])
def test_a_path_without_length_is_refused(points: NDArray[np.float64]) -> None:
    with pytest.raises(InputError, match="no length along the ground"):
        along(RootPath(points))


def test_repeated_points_change_nothing() -> None:
    twice = np.repeat(line(), 3, axis=0)
    assert np.allclose(along(RootPath(twice)).track.ground, along(RootPath(line())).track.ground, atol=1e-4)


def test_another_place_and_unit_of_the_example_change_nothing() -> None:
    motion, _ = walk()
    moved = turned_and_moved(motion, 1.2, (5.0, -3.0, 0.0))
    track = encode_root(moved, plan_root([moved], Facing.FREE, None))
    up = motion.skeleton.up
    result = follow(track, RootPath(line()), Facing.FREE, forward_of([track], up), up, 30.0, motion.skeleton.size)
    assert np.allclose(result.track.ground, along(RootPath(line())).track.ground, atol=0.05)
    large = in_other_units(motion, 100.0)
    track = encode_root(large, plan_root([large], Facing.FREE, None))
    size = large.skeleton.size
    result = follow(track, RootPath(100 * line()), Facing.FREE, forward_of([track], up), up, 30.0, size)
    assert np.allclose(result.track.ground / 100, along(RootPath(line())).track.ground, atol=0.02)


@pytest.mark.parametrize("factor", [1.0, 100.0])
def test_a_circle_on_which_feet_would_push_sideways_with_more_than_the_weight_is_reported(factor: float) -> None:
    prepared = prepare([in_other_units(walk()[0], factor)])
    speed = prepared.examples.mean_root_speed * prepared.examples.frames_per_second / factor
    tightest = speed**2 / find_gravity(walk()[0].skeleton, find_body_model(walk()[0].skeleton))
    corners = {
        share: synthesize(prepared, 60, constraints=Constraints(path=RootPath(factor * circle(tightest / share), True)))
        for share in (0.5, 0.9, 1.5)
    }
    assert corners[0.5].notes == corners[0.9].notes == ()
    (note,) = corners[1.5].notes
    assert "1.5 times the body's weight" in note


def test_a_corner_is_too_sharp_for_some_speed_in_a_given_time() -> None:
    prepared, corner = prepare([walk()[0]]), np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 3.0, 0.0]])
    notes = [
        synthesize(prepared, frames, constraints=Constraints(path=RootPath(corner, arrives=True))).notes
        for frames in (30, 150)
    ]
    assert notes[1] == () and "so sharply" in notes[0][0]


def test_one_frame_is_enough() -> None:
    motion, track = walk()
    single = RootTrack(**{name: value[:1] for name, value in vars(track).items()})
    up = motion.skeleton.up
    path = replace(RootPath(line()), arrives=True)
    assert len(follow(single, path, Facing.FREE, forward_of([track], up), up, 30.0, 1.7).track.ground) == 1


def test_path_sets_the_target_speed_and_turn_of_each_frame() -> None:
    speed, turn = target_rates(RootPath(circle(2.0), closed=True), 100, 0.05, (0.0, 0.0, 1.0))
    assert speed is None
    assert np.median(turn) == pytest.approx(0.05 / 2.0, rel=0.1)
    speed, turn = target_rates(RootPath(line(10.0), arrives=True), 101, 0.05, (0.0, 0.0, 1.0))
    assert speed is not None
    assert np.allclose(speed, 0.1)
    assert np.allclose(turn, 0.0)


@pytest.mark.parametrize(
    ("arrives", "said"), [(False, "is 20 times as long as the examples get"), (True, "asks for 20 times the examples'")]
)
def test_a_path_in_other_units_is_reported_as_what_it_is(arrives: bool, said: str) -> None:
    prepared = prepare([walk()[0]], settings=replace(Settings(), facing=Facing.FREE))
    length = 20.0 * (FRAMES - 1) * prepared.examples.mean_root_speed
    path = RootPath(line(length), arrives=arrives)
    notes = synthesize(prepared, FRAMES, constraints=Constraints(path=path)).notes
    assert notes[0].startswith(f"The path {said}"), notes

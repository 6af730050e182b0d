# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion sets: loops in step, starts, stops and turns in place, all from examples that show them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from motions import RATE, turn, under_a_static_top, waver

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import InputError, Motion, rotations
from genmm_addon.core.examples import Move, MoveKind, locomotion_set
from genmm_addon.core.feet import find_feet
from genmm_addon.core.feet.contact_detection import ground_heights, label_contacts
from genmm_addon.core.motion.root_motion import apply_root, encode_root, plan_root
from genmm_addon.core.settings import Facing


def walk(name: str = "GenMM Walk", rate: float = RATE) -> Motion:
    """Return a walk of the sample character."""
    return sample_motions(rate)[name]


def sidling(angle: float, name: str = "GenMM Walk Tired") -> Motion:
    """Return a walk whose hips are turned by an angle about the up axis, and nothing else with them."""
    motion = walk(name)
    skeleton, turned = motion.skeleton, motion.rotations.astype(np.float64)
    matrices, _ = motion.pose()
    globally = rotations.from_matrix(rotations.without_scale(matrices.astype(np.float64)))
    hips = next(
        joint for joint, name in enumerate(skeleton.names) if len(np.flatnonzero(skeleton.parents == joint)) > 2
    )
    now = rotations.multiply(turn(np.array(skeleton.up), np.full(motion.frames, angle)), globally[:, hips])
    for joint in (hips, *np.flatnonzero(skeleton.parents == hips).tolist()):
        above = rotations.multiply(rotations.inverse(globally[:, joint]), now if joint == hips else globally[:, joint])
        if joint == hips:
            turned[:, joint] = rotations.multiply(turned[:, joint], above)
        else:
            parent = rotations.multiply(now, skeleton.rest_rotations[joint])
            turned[:, joint] = rotations.multiply(rotations.inverse(parent), globally[:, joint])
    return replace(motion, rotations=rotations.normalize(turned).astype(np.float32))


def loops_of(moves: tuple[Move, ...]) -> list[Move]:
    return [move for move in moves if move.kind is MoveKind.LOOP]


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_a_loop_holds_whole_strides_and_begins_as_the_first_foot_lands(rate: float) -> None:
    example = walk(rate=rate)
    feet = find_feet([example])
    loops = loops_of(locomotion_set([example], strides=(1, 2)).moves)
    assert {loop.strides for loop in loops} == {1, 2}
    for loop in loops:
        assert loop.direction == "forward" and 0.8 < loop.speed < 1.8
        stands = label_contacts(loop.motion, feet, ground_heights([example], feet))[:, 0]
        landings = np.flatnonzero(stands[1:] & ~stands[:-1])
        assert stands[1] and len(landings) in (loop.strides - 1, loop.strides)
        dots = np.abs(np.sum(loop.motion.rotations[0] * loop.motion.rotations[-1], axis=-1))
        assert dots[1:].min() > 1 - 1e-6


def test_moves_begin_at_the_origin_with_the_heading_at_rest() -> None:
    for loop in loops_of(locomotion_set([walk()], strides=(1, 2)).moves):
        places = loop.motion.pose()[1][:, 0]
        assert np.abs(places[0, :2]).max() < 0.05
        assert np.linalg.norm(places[-1] - places[0]) == pytest.approx(loop.speed * loop.seconds, rel=0.1)


@pytest.mark.parametrize(("angle", "direction"), [(90, "right"), (-90, "left"), (180, "back"), (-45, "forward_left")])
def test_directions_are_relative_to_the_body(angle: float, direction: str) -> None:
    found = locomotion_set([walk(), sidling(np.radians(angle))])
    assert {loop.direction for loop in loops_of(found.moves)} == {"forward", direction}
    lacking = next(sentence for sentence in found.missing if sentence.startswith("No loop"))
    assert f'"{direction.replace("_", " ")}"' not in lacking


def test_speeds_have_one_loop_each() -> None:
    loops = loops_of(locomotion_set([walk(), walk("GenMM Walk Tired"), walk("GenMM Walk Proud")]).moves)
    speeds = [loop.speed for loop in loops]
    assert speeds == sorted(speeds) and len(speeds) > 1
    assert all(faster / slower >= 1.2 for slower, faster in pairwise(speeds))


def test_examples_without_straight_strides_are_refused() -> None:
    with pytest.raises(InputError, match="no straight stride"):
        locomotion_set([walk().slice(0, 40)])


def marching() -> Motion:
    """Return steps on the spot: the knees of a body that stands are raised in turn, and its root does not move."""
    walk_here = walk()
    still = walk_here.take(np.full(240, int(np.argmax(walk_here.pose()[1][:, 0] @ np.array(walk_here.skeleton.up)))))
    names, turned = list(still.skeleton.names), still.rotations.astype(np.float64)
    for phase, side in enumerate("LR"):
        raised = np.maximum(np.sin(2 * np.pi * np.arange(still.frames) / 30 + np.pi * phase), 0.0)
        for bone, angle in (("Thigh", 1.0), ("Shin", -2.0), ("Foot", 1.0)):
            joint = names.index(f"{bone}.{side}")
            bent = turn(np.array([1.0, 0.0, 0.0]), angle * raised)
            turned[:, joint] = rotations.multiply(turned[:, joint], bent)
    return replace(still, rotations=turned.astype(np.float32))


def test_steps_on_the_spot_have_no_direction_and_are_refused() -> None:
    with pytest.raises(InputError, match="no straight stride"):
        locomotion_set([marching()])


@pytest.mark.parametrize("frames", [1, 2])
def test_example_of_a_pose_or_two_shows_no_move(frames: int) -> None:
    pose = walk().slice(0, frames)
    alone, beside = locomotion_set([walk()]), locomotion_set([walk(), pose])
    assert [move.label for move in beside.moves] == [move.label for move in alone.moves]
    with pytest.raises(InputError, match=r"no straight stride|no two feet"):
        locomotion_set([pose])


def test_examples_without_steps_are_refused() -> None:
    with pytest.raises(InputError, match=r"no straight stride|no two feet"):
        locomotion_set([waver()])


def in_place(motion: Motion) -> Motion:
    """Return a motion whose root does not travel."""
    plan = plan_root([motion], Facing.FREE, None)
    track = encode_root(motion, plan)
    return apply_root(motion, plan, replace(track, ground=np.zeros_like(track.ground)))


@pytest.mark.parametrize("is_in_place", [False, True])
@pytest.mark.parametrize("rate", [30.0, 24.0])
def test_one_cycle_is_a_loop_with_the_speed_at_which_its_feet_slide_back(is_in_place: bool, rate: float) -> None:
    [walked] = loops_of(locomotion_set([walk()]).moves)
    cycle = walked.motion.slice(0, walked.motion.frames - 1)
    found = locomotion_set([in_place(cycle) if is_in_place else cycle], frames_per_second=rate)
    [loop] = loops_of(found.moves)
    assert loop.direction == "forward" and loop.strides == 1 and loop.motion.frames_per_second == rate
    assert loop.seconds == pytest.approx(walked.seconds, abs=1.01 / rate)
    assert loop.speed == pytest.approx(walked.speed, rel=0.1)
    places = loop.motion.pose()[1][:, 0]
    assert np.linalg.norm(places[-1] - places[0]) == pytest.approx(walked.speed * walked.seconds, rel=0.1)


def test_loops_of_one_cycle_in_place_all_have_its_speed() -> None:
    [walked] = loops_of(locomotion_set([walk()]).moves)
    cycle = in_place(walked.motion.slice(0, walked.motion.frames - 1))
    speeds = [loop.speed for loop in loops_of(locomotion_set([cycle], strides=(1, 2, 3)).moves)]
    assert len(speeds) == 3 and speeds == pytest.approx([speeds[0]] * 3, rel=1e-3)


def standing_around(motion: Motion, first: int, last: int) -> Motion:
    """Return the frames of a motion from one to another, with two seconds of standing before and after."""
    still = round(2 * RATE)
    return motion.take(np.concatenate((np.full(still, first), np.arange(first, last), np.full(still, last))))


def test_starts_and_stops_lead_to_the_poses_of_loops() -> None:
    loop = locomotion_set([walk()], strides=(2,)).moves[0]
    stride = (loop.last - loop.first) // 2
    example = standing_around(walk(), loop.first - stride + 3, loop.last + stride + 3)
    found = locomotion_set([example])
    labels = {move.label: move for move in found.moves}
    assert {"forward", "start_forward", "stop_forward"} <= set(labels)
    for edge, move in ((-1, labels["start_forward"]), (0, labels["stop_forward"])):
        dots = np.abs(np.sum(move.motion.rotations[edge] * labels["forward"].motion.rotations[0], axis=-1))
        assert np.degrees(2 * np.arccos(dots.clip(0, 1)))[1:].max() < 15.0
    assert not [sentence for sentence in found.missing if sentence.startswith(("No start", "No stop"))]


@pytest.mark.parametrize(("degrees", "label"), [(90, "turn_left_90"), (-120, "turn_right_120"), (20, None)])
def test_turns_in_place_are_found_between_standing(degrees: float, label: str | None) -> None:
    first = locomotion_set([walk()]).moves[0].first
    still = walk().take(np.full(150, first + 2))
    plan = plan_root([still], Facing.FREE, None)
    track = encode_root(still, plan)
    yaw = np.radians(degrees) * np.clip((np.arange(150.0) - 60) / 30, 0, 1)
    heading = rotations.multiply(turn(np.array(still.skeleton.up), yaw), track.heading.astype(np.float64))
    turning = apply_root(still, plan, replace(track, heading=heading.astype(np.float32)))
    moves = [move for move in locomotion_set([walk(), turning]).moves if move.kind is MoveKind.TURN]
    assert [move.label for move in moves] == ([label] if label else [])


def test_what_the_examples_lack_is_named() -> None:
    found = locomotion_set([walk()])
    assert [sentence for sentence in found.missing if sentence.startswith("No loop of 1 stride")]
    assert {"No turn in place to the left.", "No turn in place to the right."} <= set(found.missing)


def test_walks_of_two_skeletons_are_refused_by_name_of_the_fault() -> None:
    with pytest.raises(InputError, match="has other joints than the first one"):
        locomotion_set([walk(), under_a_static_top()])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: the seam is not visible, and every round begins where the one before ended."""

from dataclasses import replace

import numpy as np
import pytest
from measures import is_sound, joint_speeds
from motions import RATE, turned_and_moved, under_a_static_top, walker, waver, whirler, with_foot_controls
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    Loop,
    Motion,
    PoseConstraint,
    Prepared,
    Settings,
    Synthesis,
    prepare,
    rotations,
    synthesize,
)
from genmm_addon.core.features.body_parts import limb_partition
from genmm_addon.core.motion import resample
from genmm_addon.core.planning.crossfades import LEAST_ROOM

pytestmark = pytest.mark.filterwarnings("error")

RIGS = {
    "walker": walker,
    "waver": waver,
    "static top": under_a_static_top,
    "foot controls": with_foot_controls,
    "whirler": whirler,
}
every_rig = pytest.mark.parametrize("name", RIGS)
every_seed = pytest.mark.parametrize("seed", range(4))
FRAMES = 150


def looped(name: str, seed: int = 0, loop: Loop = Loop.TRAVEL, frames: int = FRAMES) -> tuple[Prepared, Synthesis]:
    prepared = prepare([RIGS[name]()])
    return prepared, synthesize(prepared, frames, constraints=Constraints(loop=loop), seed=seed)


def positions(motion: Motion) -> NDArray[np.floating]:
    return motion.pose()[1]


def placed_once_more(result: Synthesis) -> NDArray[np.floating]:
    """Return the joints' positions `(T, J, 3)` in the next round."""
    assert result.loop is not None
    spin = rotations.from_axis_angle(np.array(result.motion.skeleton.up), np.array(result.loop.turn))
    here = positions(result.motion).astype(np.float64)
    return rotations.rotate(np.broadcast_to(spin, (*here.shape[:2], 4)), here) + result.loop.shift


@pytest.mark.slow
@every_rig
@every_seed
def test_the_last_frame_is_the_first_of_the_next_round(name: str, seed: int) -> None:
    _, result = looped(name, seed)
    assert result.motion.frames == FRAMES + 1
    skeleton = result.motion.skeleton
    # Joints above the root do not travel.
    still = skeleton.chain(skeleton.names.index(result.root))[:-1]
    moving = [joint for joint in range(len(skeleton.names)) if joint not in still]
    apart = positions(result.motion)[-1] - placed_once_more(result)[0]
    assert np.abs(apart[moving]).max() < 1e-4 * skeleton.size
    assert is_sound(result.motion)


@pytest.mark.slow
@every_rig
@every_seed
def test_step_at_the_seam_is_no_larger_than_in_the_example(name: str, seed: int) -> None:
    prepared, result = looped(name, seed)
    step = joint_speeds(positions(result.motion)[-2:]).max()
    # A crossfade may add LEAST_ROOM to a joint that is at its highest speed already.
    assert step <= (1.0 + LEAST_ROOM) * joint_speeds(positions(prepared.motions[0])).max()


@every_seed
def test_movement_continues_across_the_seam(seed: int) -> None:
    """The change of velocity at the seam is one that occurs in the example."""
    prepared, result = looped("walker", seed)
    here, following = positions(result.motion), placed_once_more(result)
    joined = np.concatenate((here[-3:-1], following[:3]))
    change = np.linalg.norm(np.diff(joined, 2, axis=0), axis=2).max()
    example = np.linalg.norm(np.diff(positions(prepared.motions[0]), 2, axis=0), axis=2).max()
    assert change <= 2.0 * example


@every_seed
def test_a_walk_closes_its_heading_and_travels(seed: int) -> None:
    _, result = looped("walker", seed)
    assert result.loop is not None
    assert result.loop.closes
    assert np.linalg.norm(result.loop.shift) > 1.0


@every_seed
def test_in_place_it_ends_where_it_began(seed: int) -> None:
    _, result = looped("walker", seed, Loop.IN_PLACE)
    there = positions(result.motion)
    assert np.allclose(there[-1], there[0], atol=1e-4)
    root = result.motion.skeleton.names.index("hips")
    assert np.ptp(there[:, root], axis=0).max() < 0.6 * result.motion.skeleton.size


def spinner() -> Motion:
    """Return a figure that walks in circles while it turns at 2 radians per second."""
    motion = walker()
    angles = 2.0 * np.arange(motion.frames) / motion.frames_per_second
    spins = rotations.from_axis_angle(np.array(motion.skeleton.up), angles)
    rotated = motion.rotations.astype(np.float64)
    rest = motion.skeleton.rest_orientations[0]
    spins = rotations.multiply(rotations.multiply(rotations.inverse(rest), spins), rest)
    rotated[:, 0] = rotations.multiply(spins, rotated[:, 0])
    return replace(motion, rotations=rotated.astype(np.float32))


def joint_accelerations(places: NDArray[np.floating]) -> float:
    """Return the highest acceleration of joints at places `(T, J, 3)`."""
    return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=2).max())


@every_seed
def test_a_quick_turn_in_place_closes_without_a_jerk(seed: int) -> None:
    example = spinner()
    made = synthesize(prepare([example]), 50, constraints=Constraints(loop=Loop.IN_PLACE), seed=seed).motion
    there = positions(made).astype(np.float64)
    rounds = np.concatenate((there[:-1], there))
    assert joint_accelerations(rounds) <= 2.0 * joint_accelerations(positions(example).astype(np.float64))


@every_seed
def test_a_quick_turn_on_the_spot_goes_on_in_the_next_round(seed: int) -> None:
    """A round that turns too far to be turned back evenly leads to the next one, which begins as it ended."""
    wave = waver(60)
    example = turned_and_moved(wave, np.linspace(0.0, 2.5, wave.frames), (0.0, 0.0, 0.0))
    result = synthesize(prepare([example]), 45, constraints=Constraints(loop=Loop.TRAVEL), seed=seed)
    assert result.loop is not None and not result.loop.closes
    assert any("turns the character" in note for note in result.notes)
    rounds = np.concatenate((positions(result.motion)[:-1], placed_once_more(result))).astype(np.float64)
    assert joint_accelerations(rounds) <= 2.0 * joint_accelerations(positions(example).astype(np.float64))


@every_seed
def test_who_stays_stays(seed: int) -> None:
    _, result = looped("waver", seed)
    assert result.loop is not None
    assert np.linalg.norm(result.loop.shift) < 1e-6


@every_seed
def test_feet_that_stand_for_seconds_are_in_one_place_on_both_sides_of_the_seam(seed: int) -> None:
    slow = replace(resample(walker(), 5 * RATE)[0], frames_per_second=RATE)
    result = synthesize(prepare([slow]), 200, constraints=Constraints(loop=Loop.TRAVEL), seed=seed)
    near_seam = positions(result.motion).astype(np.float64)[-5:]
    assert joint_accelerations(near_seam) <= 1.5 * joint_accelerations(positions(slow).astype(np.float64))


def test_a_loop_of_parts_and_a_pinned_pose() -> None:
    example = waver()
    prepared = prepare([example], parts=limb_partition(example.skeleton))
    joints = np.zeros((FRAMES, len(example.skeleton.names)), bool)
    joints[40] = True
    given = synthesize(prepare([example]), FRAMES, seed=9).motion
    held = PoseConstraint(given, joints, np.zeros(FRAMES, bool))
    result = synthesize(prepared, FRAMES, constraints=Constraints(held, loop=Loop.TRAVEL))
    off = np.degrees(rotations.angle_between(result.motion.rotations[40], given.rotations[40]))
    assert off.max() < 1.0
    assert np.allclose(positions(result.motion)[-1], positions(result.motion)[0], atol=1e-4)


def test_short_loops_work() -> None:
    for frames in (2, 5, 17, 40):
        _, result = looped("waver", frames=frames)
        assert result.motion.frames == frames + 1
        assert is_sound(result.motion)


@pytest.mark.parametrize("rate", [1e-5, 0.01])
def test_a_loop_at_frames_that_last_minutes_stays_within_the_example(rate: float) -> None:
    slow = replace(walker(20), frames_per_second=rate)
    result = synthesize(prepare([slow]), 250, constraints=Constraints(loop=Loop.TRAVEL))
    assert 0 <= result.source_frames.min() <= result.source_frames.max() < 20


def test_a_loop_without_feet_works() -> None:
    prepared = prepare([walker()], settings=Settings(foot_locking=False, feet=()))
    result = synthesize(prepared, FRAMES, constraints=Constraints(loop=Loop.TRAVEL))
    assert np.allclose(positions(result.motion)[-1], placed_once_more(result)[0], atol=1e-4)


def test_sources_are_told_for_every_frame() -> None:
    _, result = looped("walker")
    assert len(result.source_frames) == len(result.source_examples) == result.motion.frames
    assert result.source_frames[-1] == result.source_frames[0]

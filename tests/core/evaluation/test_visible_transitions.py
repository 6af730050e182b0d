# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps around transitions, relative to the motion of the examples."""

import numpy as np
import pytest
from motions import FORWARD, RATE, SIDEWAYS, UP, UPWARD, turn, walker, waver
from numpy.typing import NDArray

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.evaluation.visible_transitions import UNIT_SECONDS, VISIBLE_GAP, transition_gaps

STEP = 0.01
"""Angle in radians by which the swinging joint turns in a frame."""


def swinging(offset: float = 0.0, frames: int = 90) -> Motion:
    """Return two joints; the first one turns steadily about one axis, after a rotation by `offset` about another."""
    skeleton = Skeleton(
        ("arm", "tip"), np.array([-1, 0]), np.tile([1.0, 0, 0, 0], (2, 1)), np.array([[0, 0, 1.0], [0, 0, 0.5]]), UP
    )
    swing = rotations.multiply(turn(FORWARD, offset), turn(SIDEWAYS, STEP * np.arange(frames)))
    still = np.tile([1.0, 0, 0, 0], (frames, 1))
    return Motion(skeleton, RATE, np.stack((swing, still), axis=1).astype(np.float32))


def at(*frames: int) -> NDArray[np.int64]:
    return np.array(frames, np.int64)


def joined(first: Motion, second: Motion) -> Motion:
    channels = {name: np.concatenate((values, second.channels()[name])) for name, values in first.channels().items()}
    return first.with_channels(channels)


def test_transitions_that_match_the_example_have_no_gap() -> None:
    motion = walker()
    assert transition_gaps(motion, at(0, 50, 120, 239), [waver(), motion]).max() < 0.02


@pytest.mark.parametrize("units", [0.5, 2.0, 4.0])
def test_a_gap_of_one_is_how_far_the_example_moves_in_its_unit_of_time(units: float) -> None:
    unit = STEP * RATE * UNIT_SECONDS
    (gap,) = transition_gaps(swinging(units * unit), at(40), [swinging()])
    assert gap == pytest.approx(units, rel=0.05)


def test_a_jump_to_another_pose_may_show_and_one_round_of_a_cycle_does_not() -> None:
    frames = np.arange(120)
    wave = swinging().with_channels({**swinging(frames=120).channels(), "rotations": _cycle(frames)})
    cycle = joined(wave.slice(0, 60), wave.slice(0, 60))
    assert transition_gaps(cycle, at(60), [wave])[0] < 0.5
    jump = joined(wave.slice(0, 60), wave.slice(15, 60))
    assert transition_gaps(jump, at(60), [wave])[0] > VISIBLE_GAP


def _cycle(frames: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the rotations of two joints whose angles complete a round in thirty frames."""
    beat = 2 * np.pi * frames / 30
    arm = rotations.multiply(turn(SIDEWAYS, np.sin(beat)), turn(UPWARD, np.cos(beat)))
    return np.asarray(np.stack((arm, arm), axis=1), np.float32)


def test_joints_that_are_left_out_show_nothing() -> None:
    motion = swinging()
    turned = motion.rotations.copy()
    turned[45:, 1] = turn(SIDEWAYS, 1.0)
    bent = motion.with_channels({**motion.channels(), "rotations": turned})
    assert transition_gaps(bent, at(45), [motion], joints=[0])[0] < 0.02
    assert transition_gaps(bent, at(45), [motion], joints=[1])[0] > VISIBLE_GAP


def test_results_and_examples_shorter_than_a_window_are_compared_as_far_as_they_go() -> None:
    short = walker().slice(0, 4)
    assert transition_gaps(short, at(0, 3), [walker()]).max() < 0.02
    assert np.isfinite(transition_gaps(walker(), at(100), [short])).all()


def test_motion_without_transitions_has_no_gaps() -> None:
    assert transition_gaps(walker(), at(), [walker()]).shape == (0,)

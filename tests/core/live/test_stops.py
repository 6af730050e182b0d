# SPDX-License-Identifier: GPL-3.0-or-later
"""A steered character that stops, with and without examples that stand."""

from functools import cache

import numpy as np
import pytest
from legged import compass
from numpy.typing import NDArray

from genmm_addon.core import Controller, Motion, Wish
from genmm_addon.core.live import LiveState
from genmm_addon.core.live.leading import lead
from genmm_addon.core.motion import joined, joint_accelerations
from genmm_addon.core.motion.filters import smooth

RATE = 30
GOING, STANDING = Wish(np.array([0.0, 1.2, 0.0])), Wish(np.zeros(3))
STOPS = range(60, 96, 6)
"""Numbers of frames after which the character is told to stop: at all phases of a stride."""


@cache
def of_walks(stands: bool) -> Controller:
    """Return a controller for walks, and for their first pose, held for two seconds, if one `stands`."""
    walks = [compass(seed=seed) for seed in range(2)]
    return Controller.of([*walks, walks[0].take(np.zeros(60, np.int64))] if stands else walks)


@cache
def stopped(after: int, stands: bool = False) -> tuple[list[LiveState], Motion]:
    """Return the states and frames of a walk that is told to stop `after` frames, and of the two seconds from there."""
    controller, states, frames = of_walks(stands), list[LiveState](), list[Motion]()
    state = controller.start()
    for number in range(after + 2 * RATE):
        state, frame = controller.step(state, GOING if number < after else STANDING)
        states.append(state)
        frames.append(frame)
    return states, joined(frames)


def speeds(states: list[LiveState]) -> NDArray[np.float64]:
    """Return the speeds of the root, in sizes per second."""
    places = np.array([state.place for state in states])
    return np.asarray(RATE * np.linalg.norm(np.diff(places, axis=0, prepend=places[:1]), axis=1))


@pytest.mark.parametrize("after", STOPS)
@pytest.mark.parametrize("stands", [False, True])
def test_a_walk_that_is_told_to_stop_slows_down_to_rest_within_a_second(after: int, stands: bool) -> None:
    found = speeds(stopped(after, stands)[0])
    assert found[after - 15 : after].mean() > 0.3
    assert found[after + RATE :].max() < 0.01
    slowing = smooth(found[:, None], 0.1, RATE)[after:, 0]
    assert np.diff(slowing).max() < 0.01


@pytest.mark.parametrize(("degrees", "stands"), [(0.0, True), (90.0, False), (-90.0, False), (180.0, False)])
def test_who_is_told_to_turn_on_the_spot_is_not_told_to_stand(degrees: float, stands: bool) -> None:
    """A turn is made of steps, which a pose to stand at would end."""
    controller, state = of_walks(True), stopped(STOPS[0], True)[0][-1]
    angle = state.heading + np.radians(degrees) + controller.examples.forward
    facing = np.cos(angle) * controller.examples.axes[0] + np.sin(angle) * controller.examples.axes[1]
    assert lead(controller.examples, state, Wish(np.zeros(3), facing=facing), 0.5).stands == stands


@pytest.mark.parametrize("after", STOPS)
def test_no_foot_stays_in_the_air(after: int) -> None:
    examples = of_walks(False).examples
    motion = stopped(after)[1]
    heights = motion.pose()[1][:, [foot.joint for foot in examples.feet]] @ examples.up - examples.ground
    swings = (examples.heights - examples.ground).max()
    assert heights[-1].max() < 0.02 * examples.skeleton.size < 0.4 * swings


@pytest.mark.parametrize("after", STOPS)
def test_a_stop_accelerates_no_joint_more_than_the_examples_do(after: int) -> None:
    largest = of_walks(False).examples.strongest.max()
    assert joint_accelerations(stopped(after)[1])[after - 2 :].max() < 1.2 * largest


def test_a_pose_is_held_only_if_no_example_stands() -> None:
    assert stopped(60)[0][-1].frozen
    assert not any(state.frozen for state in stopped(60, stands=True)[0])


def test_a_pose_of_the_allowed_motions_is_held_if_none_of_them_stands() -> None:
    state, controller = stopped(60, stands=True)[0][59], of_walks(True)
    walks, second = np.array([True, True, False]), np.array([False, True, False])
    for allowed in (walks, second):
        for _ in range(2 * RATE):
            state, _ = controller.step(state, Wish(np.zeros(3), allowed=allowed))
        assert state.frozen
        assert allowed[controller.examples.index.clips[int(state.frame)]]


def test_a_character_that_holds_a_pose_walks_on() -> None:
    controller, state = of_walks(False), stopped(60)[0][-1]
    for _ in range(60):
        state, _ = controller.step(state, GOING)
    start = state.place
    for _ in range(RATE):
        state, _ = controller.step(state, GOING)
    assert not state.frozen
    assert (state.place - start) @ (controller.examples.axes @ np.array([0.0, 1.0, 0.0])) > 0.3

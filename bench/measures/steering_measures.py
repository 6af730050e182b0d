# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a steered character: its distance to a goal, turns on the spot, and the bends of elbows and knees."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Controller, Motion, Wish
from genmm_addon.core.live import LiveExamples, LiveState, goal_trajectory
from genmm_addon.core.motion import joined, place_and_heading

Float64 = NDArray[np.float64]

BOW, WALK = 1.18, 0.65
"""Radius of each circle of the figure of eight, in sizes, and the speed on it in sizes per second: 2 m and 1.1 m/s for
an adult."""
BEGINNING = 1.0
"""Time in which the character must catch up with a goal that is already moving, in seconds."""
WINDOW = 0.6
"""Time before and after the present goal in which the nearest point of its path is searched for, in seconds."""
FINE = 0.01
"""Time between the points of the path that the character is compared with, in seconds."""
STILL = 60
"""Number of frames for which the character stands before it is told to turn."""
SECONDS = (1, 2, 4)
"""Times, in seconds, after which its heading is compared with the requested one."""
BACKWARD, SIDEWARD = 2.0, 15.0
"""Angles in degrees from which a joint counts as bent backward, and to the side."""


@dataclass(frozen=True)
class FigureOfEight:
    """The path of a goal along two circles in opposite directions, at a walk; size: of the skeleton."""

    size: float

    def place(self, second: float) -> Float64:
        """Return the position `(2,)` of the goal."""
        side, angle = self._on_bow(second)
        return BOW * self.size * np.array([side * (1.0 - np.cos(angle)), np.sin(angle)])

    def velocity(self, second: float) -> Float64:
        """Return the velocity `(2,)` of the goal, in units per second."""
        side, angle = self._on_bow(second)
        return WALK * self.size * np.array([side * np.sin(angle), np.cos(angle)])

    def _on_bow(self, second: float) -> tuple[float, float]:
        """Return the side of the goal's circle, 1 or -1, and the goal's angle on it in radians."""
        bow, angle = divmod(second * WALK / BOW, 2.0 * np.pi)
        return (1.0 if bow % 2 == 0 else -1.0), angle


def eight_wishes(controller: Controller, steps: int, allowed: NDArray[np.bool_] | None = None) -> list[Wish]:
    """Return the wishes to follow a goal on the figure of eight."""
    axes, figure = controller.examples.axes, FigureOfEight(controller.examples.skeleton.size)
    seconds = np.arange(steps) / controller.frames_per_second
    return [
        Wish(trajectory=goal_trajectory(figure.place(at) @ axes, figure.velocity(at) @ axes), allowed=allowed)
        for at in seconds.tolist()
    ]


def behind_goal(examples: LiveExamples, motion: Motion) -> dict[str, float]:
    """Return the mean and largest time of the root behind the goal, in seconds, and distance from its path, in sizes.

    The first second on the figure of eight does not count.
    """
    figure, rate = FigureOfEight(examples.skeleton.size), motion.frames_per_second
    places = place_and_heading(motion, examples.index.space.plan)[0] @ examples.axes.T
    behind, beside = [], []
    for frame in range(round(BEGINNING * rate), motion.frames):
        times = frame / rate + np.arange(-WINDOW, WINDOW, FINE)
        times = times[times >= 0.0]
        gaps = np.linalg.norm(np.array([figure.place(at) for at in times.tolist()]) - places[frame], axis=1)
        behind.append(frame / rate - times[int(gaps.argmin())])
        beside.append(gaps.min() / examples.skeleton.size)
    return {
        "behind": float(np.mean(np.abs(behind))),
        "behind_most": float(np.abs(behind).max()),
        "beside": float(np.mean(beside)),
        "beside_most": float(max(beside)),
    }


def off_facing(controller: Controller, degrees: float) -> dict[str, float]:
    """Return the angle, in degrees, by which a standing character misses a facing some seconds after the request."""
    examples, rate = controller.examples, round(controller.frames_per_second)
    angle = np.radians(90.0 + degrees)
    facing = np.cos(angle) * examples.axes[0] + np.sin(angle) * examples.axes[1]
    state, frames = controller.start(np.zeros(3), examples.axes[1]), list[Motion]()
    for step in range(STILL + max(SECONDS) * rate):
        wish = Wish(velocity=np.zeros(3), facing=examples.axes[1] if step < STILL else facing)
        state, frame = controller.step(state, wish)
        frames.append(frame)
    turns = place_and_heading(joined(frames), examples.index.space.plan)[1] + examples.forward
    off = np.degrees(np.abs((turns - angle + np.pi) % (2.0 * np.pi) - np.pi))
    return {f"off_after_{seconds}": float(off[STILL + seconds * rate - 1]) for seconds in SECONDS}


def wrong_bends(examples: LiveExamples, motion: Motion) -> dict[str, float]:
    """Return the percentages of knees and elbows, over all frames, that bend backward and to the side."""
    matrices, positions = (values.astype(np.float64) for values in motion.pose())
    backward, sideward = [], []
    for hinge in examples.hinges:
        upper, lower, end = hinge.joints
        thigh, shin = (_unit(positions[:, b] - positions[:, a]) for a, b in ((upper, lower), (lower, end)))
        axis = _unit(matrices[:, upper] @ np.array(hinge.axis))
        across = [bone - np.sum(bone * axis, axis=1, keepdims=True) * axis for bone in (thigh, shin)]
        bend = np.arctan2(np.sum(axis * np.cross(*across), axis=1), np.sum(across[0] * across[1], axis=1))
        aside = np.arcsin(np.clip(np.sum(axis * shin, axis=1), -1.0, 1.0))
        backward.append(np.degrees(bend) < -BACKWARD)
        sideward.append(np.abs(np.degrees(aside)) > SIDEWARD)
    return {"backward": 100.0 * float(np.mean(backward)), "sideward": 100.0 * float(np.mean(sideward))}


def _unit(vectors: Float64) -> Float64:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def played_through(controller: Controller, wishes: Sequence[Wish], state: LiveState) -> tuple[Motion, list[LiveState]]:
    """Return the motion played for the wishes, and the state after each step."""
    frames, states = list[Motion](), list[LiveState]()
    for wish in wishes:
        state, frame = controller.step(state, wish)
        frames.append(frame)
        states.append(state)
    return joined(frames), states

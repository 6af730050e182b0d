# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: speeds of the examples' roots, and waypoints that are too far from each other for them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...errors import counted
from ...examples.example_data import Examples
from ...feet.calm_paths import NOTICED
from ...motion import rotations
from ...motion.motion import Motion
from .route import Route
from .waypoint import Targets

MOST_FASTER = 1.25
"""Highest speed of the root, in multiples of the fastest example's; beyond it, longer steps are visible."""
NOTICED_FASTER = NOTICED**0.5
"""Speed, in multiples of the fastest example's, from which a note reports it: accelerations grow with the square."""
LONGEST_SECONDS = 2.0
"""Longest time, in seconds, over which speeds are averaged; otherwise it is the time between two waypoints."""


@dataclass(frozen=True)
class RouteLeg:
    """A leg from one place to the next: their names and frames, its length, the speed needed and the examples' highest.

    Speeds are in units per frame.
    """

    names: tuple[str, str]
    first: int
    last: int
    length: float
    needed: float
    highest: float

    @property
    def ratio(self) -> float:
        """Return the speed needed as a multiple of the examples' highest."""
        return self.needed / max(self.highest, 1e-12)

    @property
    def sentence(self) -> str:
        """Return a sentence on a leg that is out of reach, with the remedy."""
        start, end = self.names
        frames = int(np.ceil(self.length / max(MOST_FASTER * self.highest, 1e-12)))
        mend, speed = "move them nearer", "would have to travel, and the examples stay in place"
        if frames < 100_000:
            mend = f"give it {counted(frames, 'frame')}, or {mend}"
            speed = f"would have to go {self.ratio:.1f} times as fast as the examples ever do"
        return f"Out of reach: from {start} to {end} the character {speed}; {mend}."


def legs_of(examples: Examples, targets: Targets, route: Route | None) -> tuple[RouteLeg, ...]:
    """Return the legs from each place to the next; none if there are fewer than two places."""
    if len(targets.place_frames) < 2:
        return ()
    lengths = np.zeros(len(targets.place_frames)) if route is None else route.lengths
    frames = targets.place_frames.tolist()
    longest = round(LONGEST_SECONDS * examples.frames_per_second)
    known: dict[int, float] = {}
    legs = []
    for number in range(len(frames) - 1):
        first, last = frames[number], frames[number + 1]
        span = min(last - first, longest)
        if span not in known:
            known[span] = highest_speed(examples, span)
        length = float(lengths[number + 1] - lengths[number])
        names = targets.names[number], targets.names[number + 1]
        legs.append(RouteLeg(names, first, last, length, length / (last - first), known[span]))
    return tuple(legs)


def highest_speed(examples: Examples, span: int) -> float:
    """Return the highest mean speed of the root over `span` frames of an example, along its trajectory, per frame."""
    velocities = (examples.ground_velocity(number)[:-1].astype(np.float64) for number in examples.leading)
    return max((_highest_mean(np.linalg.norm(each, axis=1), span) for each in velocities), default=0.0)


def highest_ground_speed(motions: Sequence[Motion], joint: int, seconds: float) -> float:
    """Return the highest mean speed of a joint along the ground over a time, in units per second.

    >>> highest_ground_speed([swing], 0, 1.0)
    0.0
    """
    highest = 0.0
    for motion in motions:
        places = motion.pose()[1][:, joint].astype(np.float64)
        ground = places @ rotations.ground_axes(motion.skeleton.up).T
        steps = np.linalg.norm(np.diff(ground, axis=0), axis=1) * motion.frames_per_second
        highest = max(highest, _highest_mean(steps, round(seconds * motion.frames_per_second)))
    return highest


def _highest_mean(steps: Float64, span: int) -> float:
    if not len(steps):
        return 0.0
    covered, window = np.concatenate(([0.0], np.cumsum(steps))), min(max(span, 1), len(steps))
    return float((covered[window:] - covered[:-window]).max()) / window

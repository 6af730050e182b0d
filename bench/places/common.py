# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips and measures that the tables of places share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, metrics, rotations
from genmm_addon.core.environment import GroundContacts, Surface, make_surface, standing_of
from genmm_addon.core.motion import find_root, joint_accelerations, with_typical_pose

Float64 = NDArray[np.float64]

HUMAN = 1.75
"""Height in meters that a skeleton's size stands for."""
BODY = 170.0
"""Body height to which sliding is scaled, in centimeters."""
STAIR = 0.15, 0.3
"""Height and depth of a stair, in meters at human size."""


@dataclass(frozen=True, eq=False)
class Example:
    """A clip to measure, with its root joint and its feet."""

    name: str
    motion: Motion
    root: int
    standing: GroundContacts

    @property
    def meter(self) -> float:
        """Return a meter at human size, in units of the clip."""
        return self.motion.skeleton.size / HUMAN


def example_of(name: str, motion: Motion) -> Example:
    """Return a clip, ready for measuring."""
    (typical,) = with_typical_pose([motion])
    return Example(name, typical, find_root([typical]), standing_of(typical))


def travel_of(example: Example) -> Float64:
    """Return the positions `(T, 2)` of the root along the ground."""
    axes = _axes(example)
    return np.asarray(example.motion.pose()[1][:, example.root].astype(np.float64) @ axes[:2].T)


def surface_of(example: Example, kind: str) -> Surface:
    """Return ground that begins half a meter before the clip's first position and follows its direction.

    kind: "flat", "up", "down" (stairs), "slope up", "slope down" or "rough".
    """
    axes, meter, travel = _axes(example), example.meter, travel_of(example)
    way = travel[-1] - travel[0]
    length = float(np.linalg.norm(way))
    forward = way / length if length > meter else np.array([1.0, 0.0])
    side = np.array([-forward[1], forward[0]])
    heights = example.motion.pose()[1] @ np.array(example.motion.skeleton.up)
    level = float(np.percentile(heights.min(axis=1), 2))
    first, last = -30.0, length / meter + 30.0
    rows = _profile(kind, last)
    found = []
    for start, end, low, high in [(first, 0.7, rows[0][2], rows[0][2]), *rows]:
        corners = [(start, -30.0, low), (end, -30.0, high), (end, 30.0, high), (start, 30.0, low)]
        points = [
            np.array([*(travel[0] + meter * (along * forward + across * side)), level + meter * height])
            for along, across, height in corners
        ]
        found += [[points[0], points[1], points[2]], [points[0], points[2], points[3]]]
    return make_surface(np.array(found) @ axes, example.motion.skeleton.up)


def _profile(kind: str, last: float) -> list[tuple[float, float, float, float]]:
    """Return pieces of ground: their beginning and end along the path, and the heights there, in meters."""
    begin, (rise, depth) = 0.7, STAIR
    if kind == "flat":
        return [(begin, last, 0.0, 0.0)]
    if kind.startswith("slope"):
        end = np.tan(np.radians(15.0)) * (last - begin)
        return [(begin, last, 0.0, float(end if kind == "slope up" else -end))]
    count = int(np.ceil((last - begin) / depth))
    if kind == "rough":
        heights = np.random.default_rng(1).uniform(-0.1, 0.0, count + 1)
        heights[0] = 0.0
        return [
            (begin + depth * number, begin + depth * (number + 1), float(heights[number]), float(heights[number + 1]))
            for number in range(count)
        ]
    step = rise if kind == "up" else -rise
    return [
        (begin + depth * number, begin + depth * (number + 1), step * (number + 1), step * (number + 1))
        for number in range(count)
    ]


def _axes(example: Example) -> Float64:
    up = np.array(example.motion.skeleton.up, np.float64)
    return np.vstack((rotations.ground_axes(example.motion.skeleton.up), up))


def depth_in(example: Example, surface: Surface, motion: Motion) -> float:
    """Return the largest depth of a foot's joint below the ground, in sizes of the skeleton.

    The foot's lowest position on flat ground counts as zero.
    """
    flat, places = (surface.to_ground(moved.pose()[1]) for moved in (example.motion, motion))
    level = float(np.percentile(flat[..., 2].min(axis=1), 2))
    worst = 0.0
    for foot in example.standing.feet:
        for joint in {foot.leg[-1] if foot.leg else foot.joint, foot.joint}:
            there = places[:, joint]
            under = surface.heights(there[:, :2], there[:, 2] + 0.15 * example.meter)
            lowest = min(0.0, float(np.percentile(flat[:, joint, 2], 0)) - level)
            worst = max(worst, float(np.nanmax(under - there[:, 2] + lowest)))
    return worst / example.motion.skeleton.size


def knees_beside(example: Example, motion: Motion) -> float:
    """Return the largest acceleration of a knee, relative to the example's."""
    knees = [foot.leg[1] for foot in example.standing.feet if len(foot.leg) >= 3]
    return _quickest(motion, knees) / max(_quickest(example.motion, knees), 1e-12)


def knee_flexion(example: Example, motion: Motion) -> float:
    """Return the additional bend of the straighter knee relative to the example, in degrees, as median over frames."""
    return float(np.median(_straighter(example, motion) - _straighter(example, example.motion)))


def _straighter(example: Example, motion: Motion) -> Float64:
    """Return the bend `(T,)` of the straighter knee in degrees."""
    places, found = motion.pose()[1].astype(np.float64), []
    for leg in (foot.leg for foot in example.standing.feet if len(foot.leg) >= 3):
        thigh, shin = places[:, leg[1]] - places[:, leg[0]], places[:, leg[-1]] - places[:, leg[1]]
        cosines = np.sum(thigh * shin, axis=1) / (rotations.lengths(thigh) * rotations.lengths(shin))
        found.append(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))))
    return np.asarray(np.min(found, axis=0), np.float64)


def _quickest(motion: Motion, joints: Sequence[int]) -> float:
    return float(joint_accelerations(motion, joints).max(initial=0.0))


def skate(example: Example, motion: Motion) -> float:
    """Return the speed of feet near the ground, in cm/s."""
    feet = [foot.joint for foot in example.standing.feet]
    size = example.motion.skeleton.size
    return metrics.foot_skate(motion, feet, metrics.ground_base(example.motion, feet), size) * BODY / 170.0

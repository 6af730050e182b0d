# SPDX-License-Identifier: GPL-3.0-or-later
"""Polishing of a performance: motion of full quality synthesized along its trajectory, at its pace, with its labels."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Array, Float64, Int64
from ..computation import computing
from ..constraints import Constraints, Labels, LabelStretch, Waypoint, Waypoints
from ..evaluation.metrics import foot_skate
from ..examples.preparing import Prepared, prepare
from ..feet.contact_detection import label_contacts
from ..feet.planting import find_standing, planted_around
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, place_and_heading
from ..motion.rotations import ground_axes
from ..settings import Facing, Settings
from ..synthesis.result import Synthesis
from ..synthesis.synthesize import synthesize

WAYPOINT_SECONDS = 0.5
"""Time between places of the performance that become waypoints, in seconds: on a figure of eight, no place between them
is more than a ninth of the body's size off the performed trajectory; with 1 second, more than a third."""

TRIED, MOST_TRIED = 3, 6
"""Number of motions that are made, and the largest number if none of them keeps to the trajectory. Of those that keep
to it, the one whose feet slide least is taken: by chance, feet slide 1.14 to 1.32 times as much as in the clips of one
style. Each motion takes about 0.3 s for 15 s."""
KEPT_WITHIN = 0.12
"""Largest distance, in sizes, of a motion that keeps to the performed trajectory: that between waypoints."""


@computing()
def polish(
    examples: Sequence[Motion],
    performed: Motion,
    tags: Sequence[str] = (),
    stretches: Sequence[LabelStretch] = (),
    *,
    seed: int = 0,
    root: str | None = None,
) -> Synthesis:
    """Return new motion, as long as a performance, that is at the same places at the same times, and faces as it does.

    tags: of each example, for the stretches of labels. root: name of the joint that travels; None: it is found. Of
    several motions, the result is nearest to the performed trajectory, and of those that keep to it, the one whose feet
    slide least. Feet stand still where they slide in the examples, as those of a performance do. Raises InputError as
    `prepare` and `synthesize` do, for example if a place cannot be reached in time.

    >>> polish([swing], swing.slice(0, 40)).source_frames.shape
    (40, 1)
    """
    performed.check_values("The performed motion")
    prepared = prepare(examples, settings=Settings(root=root))
    step = max(1, round(WAYPOINT_SECONDS * performed.frames_per_second))
    frames = np.unique(np.append(np.arange(0, performed.frames, step), performed.frames - 1))
    points = _waypoints(performed, prepared, frames)
    labels = (Labels(tuple((tag,) for tag in tags), tuple(stretches)),) if stretches else ()
    constraints = Constraints(others=(Waypoints(points), *labels))
    standing, fixed = find_standing(examples, prepared.root), np.zeros(performed.rotations.shape[:2], bool)
    attempts: list[tuple[tuple[float, float], int, Synthesis]] = []
    for number in range(MOST_TRIED):
        synthesis = synthesize(prepared, performed.frames, seed=TRIED * seed + number, constraints=constraints)
        contacts = label_contacts(synthesis.motion, standing.feet, standing.ground)
        motion = planted_around(standing, contacts, synthesis.motion, fixed)
        beside = farthest(motion, performed, prepared.root)[1]
        skate = foot_skate(motion, [foot.joint for foot in standing.feet], standing.ground, motion.skeleton.size)
        attempts.append(((max(beside, KEPT_WITHIN), skate), number, replace(synthesis, motion=motion)))
        if number + 1 >= TRIED and min(attempts)[0][0] <= KEPT_WITHIN:
            break
    return min(attempts)[2]


def _waypoints(performed: Motion, prepared: Prepared, frames: Int64) -> tuple[Waypoint, ...]:
    """Return waypoints with the performance's places, and its facings where the examples may be turned."""
    places, turns = place_and_heading(performed, prepared.root)
    up = performed.skeleton.up
    # The mean facing, from the waypoint before to the one after: the hips turn to and fro with each stride.
    around = max(round(WAYPOINT_SECONDS * performed.frames_per_second), 1)
    total = np.concatenate(([0.0], np.cumsum(turns)))
    first, end = np.maximum(frames - around, 0), np.minimum(frames + around + 1, performed.frames)
    ahead = Waypoints(()).forward(prepared.examples)
    quaternions = rotations.from_axis_angle(np.array(up), (total[end] - total[first]) / (end - first))
    facings = rotations.rotate(quaternions, np.broadcast_to(ahead, (len(frames), 3)))
    free = prepared.root.facing is Facing.FREE
    kept = _distant(
        places[frames].astype(np.float64) @ rotations.ground_axes(up).T, KEPT_WITHIN * performed.skeleton.size
    )
    points = (
        Waypoint(frame, _vector(places[frame]) if distant else None, _vector(facing) if free else None)
        for frame, distant, facing in zip(frames.tolist(), kept, facings, strict=True)
    )
    return tuple(point for point in points if point.place is not None or point.facing is not None)


def _distant(places: Float64, least: float) -> list[bool]:
    """Return whether each place `(K, 2)` is farther than `least` from the last one before it that is.

    While a character performs on one spot, its small moves are no path to turn along.

    >>> _distant(np.array([[0.0, 0.0], [0.1, 0.0], [0.3, 0.0]]), 0.2)
    [True, False, True]
    """
    kept: list[bool] = []
    last = None
    for place in places:
        kept.append(last is None or float(np.linalg.norm(place - last)) > least)
        last = place if kept[-1] else last
    return kept


def _vector(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])


def farthest(motion: Motion, performed: Motion, root: RootPlan) -> tuple[int, float]:
    """Return the frame at which a motion is farthest from a performance at the same time, and this distance in sizes.

    >>> from genmm_addon.core.live.polishing import prepare
    >>> farthest(swing, swing, prepare([swing]).root)
    (0, 0.0)
    """
    places, others = (place_and_heading(moving, root)[0].astype(np.float64) for moving in (motion, performed))
    axes = ground_axes(motion.skeleton.up)
    gaps = np.linalg.norm((places - others) @ axes.T, axis=1) / motion.skeleton.size
    frame = int(gaps.argmax())
    return frame, float(gaps[frame])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Polishing of a performance: motion of full quality synthesized along its trajectory, at its pace, with its labels."""

from collections.abc import Sequence

import numpy as np

from ..constraints import Constraints, Labels, LabelStretch, Waypoint, Waypoints
from ..evaluation.metrics import foot_skate
from ..feet.contact_detection import ground_heights
from ..library.examples import prepare
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, place_and_heading
from ..motion.rotations import ground_axes
from ..settings import Settings
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


def polish(
    examples: Sequence[Motion],
    performed: Motion,
    tags: Sequence[str] = (),
    stretches: Sequence[LabelStretch] = (),
    *,
    seed: int = 0,
    root: str | None = None,
) -> Motion:
    """Return new motion, as long as a performance, that is at the same places at the same times.

    tags: of each example, for the stretches of labels. root: name of the joint that travels; None: it is found. Of
    several motions, the result is nearest to the performed trajectory, and of those that keep to it, the one whose feet
    slide least. Raises InputError as `prepare` and `synthesize` do, for example if a place cannot be reached in time.

    >>> polish([swing], swing.slice(0, 40)).frames
    40
    """
    prepared = prepare(examples, settings=Settings(root=root))
    places, _ = place_and_heading(performed, prepared.root)
    step = max(1, round(WAYPOINT_SECONDS * performed.frames_per_second))
    frames = np.unique(np.append(np.arange(0, performed.frames, step), performed.frames - 1))
    x, y, z = places[frames].astype(np.float64).T.tolist()
    points = tuple(Waypoint(int(frame), place) for frame, place in zip(frames, zip(x, y, z, strict=True), strict=True))
    labels = (Labels(tuple((tag,) for tag in tags), tuple(stretches)),) if stretches else ()
    constraints = Constraints(others=(Waypoints(points), *labels))
    joints, ground = [foot.joint for foot in prepared.feet], ground_heights(examples, prepared.feet)
    best, least = performed, (np.inf, np.inf)
    for number in range(MOST_TRIED):
        made = synthesize(prepared, performed.frames, seed=TRIED * seed + number, constraints=constraints).motion
        beside = farthest(made, performed, prepared.root)[1]
        off = (max(beside, KEPT_WITHIN), foot_skate(made, joints, ground, made.skeleton.size))
        if off < least:
            best, least = made, off
        if number + 1 >= TRIED and least[0] <= KEPT_WITHIN:
            break
    return best


def farthest(made: Motion, performed: Motion, root: RootPlan) -> tuple[int, float]:
    """Return the frame at which a motion is farthest from a performance at the same time, and this distance in sizes.

    >>> from genmm_addon.core.live.polishing import prepare
    >>> farthest(swing, swing, prepare([swing]).root)
    (0, 0.0)
    """
    places, others = (place_and_heading(motion, root)[0].astype(np.float64) for motion in (made, performed))
    axes = ground_axes(made.skeleton.up)
    gaps = np.linalg.norm((places - others) @ axes.T, axis=1) / made.skeleton.size
    frame = int(gaps.argmax())
    return frame, float(gaps[frame])

# SPDX-License-Identifier: GPL-3.0-or-later
"""A performance made again at full quality: its way, its pace and its labels over time, given to the synthesis."""

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
"""Time from one place that is kept to the next: on a figure of eight no place between them is then more than a ninth of
the body's size beside the performed way; with 1 second, more than a third."""

TRIED, MOST_TRIED = 3, 6
"""So many motions are made, and more while none keeps the way. Of those that keep it best the one is taken whose feet
slide least: by chance alone they slide 1.14 to 1.32 times as much as in the clips of one style. Each takes some 0.3 s
for 15 s.
"""
KEPT_WITHIN = 0.12
"""A motion keeps the way that is nowhere farther beside it, in sizes: as far as between two of its places."""


def polish(
    examples: Sequence[Motion],
    performed: Motion,
    tags: Sequence[str] = (),
    stretches: Sequence[LabelStretch] = (),
    *,
    seed: int = 0,
    root: str | None = None,
) -> Motion:
    """Return new motion, as long as what was performed, that is where it was at the same times.

    tags: of each example, that stretches of labels ask for. root: name of the joint that travels; None is the one
    found. It keeps the way best of some motions, and of those that keep it its feet slide least. Raises InputError as
    `prepare` and `synthesize` do, as where a place cannot be reached in the time.

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
    """Return the frame at which a motion is farthest from a performance at the same time, and how far, in sizes.

    >>> from genmm_addon.core.live.polishing import prepare
    >>> farthest(swing, swing, prepare([swing]).root)
    (0, 0.0)
    """
    places, others = (place_and_heading(motion, root)[0].astype(np.float64) for motion in (made, performed))
    axes = ground_axes(made.skeleton.up)
    gaps = np.linalg.norm((places - others) @ axes.T, axis=1) / made.skeleton.size
    frame = int(gaps.argmax())
    return frame, float(gaps[frame])

# SPDX-License-Identifier: GPL-3.0-or-later
"""A performance made again at full quality: its way, its pace and its labels over time, given to the synthesis."""

from collections.abc import Sequence

import numpy as np

from ..constraints import Constraints, Labels, LabelStretch, Waypoint, Waypoints
from ..evaluation.metrics import foot_skate
from ..feet.contact_detection import ground_heights
from ..library.examples import prepare
from ..motion.motion import Motion
from ..motion.root_motion import place_and_heading
from ..settings import Settings
from ..synthesis.synthesize import synthesize

WAYPOINT_SECONDS = 0.5
"""Time from one place that is kept to the next: on a figure of eight no place between them is then more than a ninth of
the body's size beside the performed way; with 1 second, more than a third."""

TRIED = 3
"""So many motions are made, of which the one whose feet slide least is taken: by chance alone they slide 1.14 to 1.32
times as much as in the clips of one style. Each takes some 0.3 s for 15 s.
"""


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
    found. Of TRIED motions it is the one whose feet slide least. Raises InputError as `prepare` and `synthesize` do, as
    where a place cannot be reached in the time.

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
    made = [
        synthesize(prepared, performed.frames, seed=TRIED * seed + number, constraints=constraints).motion
        for number in range(TRIED)
    ]
    joints, ground = [foot.joint for foot in prepared.feet], ground_heights(examples, prepared.feet)
    return min(made, key=lambda motion: foot_skate(motion, joints, ground, motion.skeleton.size))

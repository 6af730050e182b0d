# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples' body as far as it is known when joints are brought to places."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...arrays import Float64
from ...feet.calm_knees import Knees, find_knees
from ...feet.contact_detection import Foot, find_feet
from ...motion.motion import Motion
from ...motion.root_motion import find_root
from .balance import Balance
from .limbs import elbow_hinge, find_limb
from .quickest import quickest_in


@dataclass(frozen=True, eq=False)
class ReachBody:
    """The examples' body: its feet, their knees, its root, and its largest acceleration.

    elbows: the axis about which a limb bends, by the joint that the limb brings to a place. acceleration: of any joint,
    in units per frame squared. balance: None for a body that need not keep it.

    >>> isinstance(find_body([swing], [1]), ReachBody)
    True
    """

    feet: tuple[Foot, ...]
    knees: Knees
    root: int
    elbows: dict[int, Float64]
    acceleration: float
    balance: Balance | None = None


def find_body(
    motions: Sequence[Motion], joints: Sequence[int], root: int | None = None, feet: tuple[Foot, ...] | None = None
) -> ReachBody:
    """Return the body of motions on one skeleton, of which some joints are to be brought to places.

    root: the joint that travels. feet: the feet that stand. None: they are found.

    >>> find_body([swing], [1]).feet
    ()
    """
    feet = find_feet(motions) if feet is None else feet
    skeleton = motions[0].skeleton
    elbows = {}
    for joint in joints:
        limb = find_limb(skeleton, joint)
        if limb is not None:
            longest = max(motions, key=lambda motion: motion.frames)
            elbows[joint] = elbow_hinge(limb.posed(longest, rigid=True))
    accelerations = [0.0 if quickest is None else quickest.acceleration for quickest in map(quickest_in, motions)]
    return ReachBody(
        feet,
        find_knees(motions, feet),
        find_root(motions) if root is None else root,
        elbows,
        max(accelerations, default=0.0),
    )

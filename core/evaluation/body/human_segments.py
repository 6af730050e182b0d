# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments of the human body with their shares of its mass, found on a skeleton whatever its bones are called.

Source: de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", Journal of Biomechanics 29, 1996,
table 4; means of women and men.
"""

from dataclasses import dataclass

import numpy as np

from ...motion.skeleton import Skeleton
from ...transfer.bone_names import Meaning
from ...transfer.meanings import meanings_of


@dataclass(frozen=True)
class HumanSegment:
    """One row of the table: shares of the body's mass and of the segment's length.

    mass: share of the body's mass, of each side. center: distance of the center of mass from the end nearer to the
    trunk, as a share of the length; of the foot, from the heel. across, along: radii of gyration about axes across and
    along the segment, as shares of the length. length: as a share of the stature.
    """

    mass: float
    center: float
    across: float
    along: float
    length: float


HUMAN = {
    "trunk": HumanSegment(0.4302, 0.495, 0.308, 0.158, 0.3465),
    "head": HumanSegment(0.0681, 0.508, 0.296, 0.262, 0.140),
    "upperarm": HumanSegment(0.0263, 0.576, 0.273, 0.153, 0.162),
    "forearm": HumanSegment(0.0150, 0.457, 0.265, 0.108, 0.154),
    "hand": HumanSegment(0.00585, 0.769, 0.532, 0.368, 0.0495),
    "thigh": HumanSegment(0.1447, 0.385, 0.348, 0.156, 0.2425),
    "shin": HumanSegment(0.0457, 0.437, 0.257, 0.097, 0.2493),
    "foot": HumanSegment(0.0133, 0.421, 0.270, 0.132, 0.148),
}
"""The table of de Leva 1996 by usual names of bones, without units; the trunk and the head meet at the seventh cervical
vertebra, and the hand ends at the third knuckle."""
HEEL_SHARE = 0.25
"""Distance of the heel behind the ankle, as a share of the foot's length: de Leva 1996, figure 1."""
LIKE_HUMAN = 1.5
"""Largest length of arms and trunk relative to legs, as a multiple of that in the table: a horse's trunk is 2 times as
long, and a dog's forelegs 1.5 times. Shorter ones are drawn by many artists."""


@dataclass(frozen=True)
class HumanJoints:
    """The joints of a human body. limbs: by name and side. trunk: from the hips to the base of the neck, both included.

    head: the one above the neck; the neck itself if there is none.
    """

    limbs: dict[tuple[str, str], int]
    trunk: tuple[int, ...]
    head: int


def human_joints(skeleton: Skeleton) -> HumanJoints | None:
    """Return the joints of the human body that a skeleton has; None if it has other joints or proportions.

    >>> human_joints(skeleton) is None
    True
    """
    joints = drawn_human_joints(skeleton)
    return joints if joints is not None and _has_human_proportions(skeleton, joints) else None


def drawn_human_joints(skeleton: Skeleton) -> HumanJoints | None:
    """Return the joints of a human body of any proportions, such as those of a cartoon; None if some are missing.

    >>> drawn_human_joints(skeleton) is None
    True
    """
    meanings = meanings_of(skeleton)
    first = {meaning: joint for joint, meaning in reversed(list(enumerate(meanings)))}
    limbs = {}
    for side in "LR":
        for name in ("thigh", "shin", "foot", "upperarm", "forearm", "hand"):
            joint = first.get(Meaning(name, side))
            if joint is None:
                return None
            limbs[name, side] = joint
        toe = first.get(Meaning("toe", side))
        if toe is not None:
            limbs["toe", side] = toe
    neck, head = first.get(Meaning("neck", "")), first.get(Meaning("head", ""))
    top = neck if neck is not None else head
    if top is None:
        return None
    legs, trunk = skeleton.chain(limbs["thigh", "L"]), skeleton.chain(top)
    hips = [joint for joint in trunk if joint in legs]
    if not hips or hips[-1] == top:
        return None
    return HumanJoints(limbs, tuple(trunk[trunk.index(hips[-1]) :]), top if head is None else head)


def stature(skeleton: Skeleton, joints: HumanJoints) -> float:
    """Return the height of a human body in the skeleton's units, from the length of its legs.

    Rigs agree more on hips, knees and ankles than on where a neck begins.
    """
    return _limb_length(skeleton, joints, ("thigh", "shin", "foot")) / (HUMAN["thigh"].length + HUMAN["shin"].length)


def _has_human_proportions(skeleton: Skeleton, joints: HumanJoints) -> bool:
    height = stature(skeleton, joints)
    arms = _limb_length(skeleton, joints, ("upperarm", "forearm", "hand"))
    trunk = float(np.linalg.norm(np.diff(skeleton.rest_positions[list(joints.trunk)], axis=0), axis=1).sum())
    longest_arms = LIKE_HUMAN * height * (HUMAN["upperarm"].length + HUMAN["forearm"].length)
    return height > 0 and arms < longest_arms and trunk < LIKE_HUMAN * height * HUMAN["trunk"].length


def _limb_length(skeleton: Skeleton, joints: HumanJoints, names: tuple[str, ...]) -> float:
    """Return the mean length of the left and right limb through the joints with these names."""
    chains = [skeleton.rest_positions[[joints.limbs[name, side] for name in names]] for side in "LR"]
    return float(np.mean([np.linalg.norm(np.diff(chain, axis=0), axis=1).sum() for chain in chains]))

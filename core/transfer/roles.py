# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles of a human's bones: of a known kind of skeleton, or told by the meanings of names, whatever is beside them."""

import numpy as np

from ..motion.skeleton import Skeleton
from .bone_names import meanings_by_name, names_by_meaning
from .known_skeletons import NEEDED, Roles, paired, recognized

MIDDLE, LIMBS = ("hips", "head", "neck"), (*NEEDED[2:], "clavicle", "toe")
CARRIED = (("shin", "thigh"), ("forearm", "upper_arm"), ("hand", "forearm"))
"""Roles, and those that carry them; feet may hang at the root."""
BESIDE = (("upper_arm", "clavicle"), ("toe", "foot"))
"""The same of roles that a skeleton may lack."""


def pairs_by_role(source: Skeleton, target: Skeleton) -> dict[str, str]:
    """Return the target's bone of the same role for each bone of the source, if the roles of both are known.

    >>> pairs_by_role(skeleton, skeleton)
    {}
    """
    return paired(roles_of(source), roles_of(target))


def roles_of(skeleton: Skeleton) -> Roles:
    """Return the names of a human's bones by role and side; none where neither the kind nor names tell them.

    >>> roles_of(skeleton)
    {}
    """
    return recognized(skeleton.names)[1] or _named_roles(skeleton)


def _named_roles(skeleton: Skeleton) -> Roles:
    """Return the roles that the meanings of names tell; none unless the names tell all limbs of a body.

    The hips are where both legs begin, unless a bone above them is called so.
    """
    if skeleton.carriers is not None and not np.array_equal(skeleton.carriers, skeleton.parents):
        return {}
    named = names_by_meaning(meanings_by_name(skeleton.names), ())
    place = {name: joint for joint, name in enumerate(skeleton.names)}
    keys = [*((role, "") for role in MIDDLE), *((role, side) for role in LIMBS for side in "LR")]
    usual = meanings_by_name(role for role, _ in keys)
    meanings = {key: (usual[key[0]].name, key[1]) for key in keys}
    joints = {key: place[named[meaning][0]] for key, meaning in meanings.items() if meaning in named}
    if ("head", "") not in joints or any((role, side) not in joints for role in NEEDED[2:] for side in "LR"):
        return {}
    chains = {key: skeleton.chain(joint) for key, joint in joints.items()}
    if any(joints[above, side] not in chains[role, side] for role, above in CARRIED for side in "LR"):
        return {}
    for role, above in BESIDE:
        for side in "LR":
            if joints.get((above, side), -1) not in chains.get((role, side), ()):
                joints.pop((above if above not in NEEDED else role, side), None)
    both = [joint for joint in chains["thigh", "L"] if joint in chains["thigh", "R"]]
    if both and joints.get(("hips", "")) not in both:
        joints["hips", ""] = both[-1]
    return {key: [skeleton.names[joint]] for key, joint in joints.items()}

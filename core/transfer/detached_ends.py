# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and hands that are not below their limbs.

Many game characters have their feet at the skeleton's root, where inverse kinematics once moved them.
"""

from functools import lru_cache

import numpy as np

from ..motion.inheritance import Inheritance
from ..motion.reparenting import with_parents
from ..motion.skeleton import Skeleton
from .bone_names import ARM, LEG, Meaning
from .meanings import meanings_of


def detached_ends(skeleton: Skeleton) -> dict[int, int]:
    """Return the feet and hands that are not below their limb, each with the limb's last bone.

    >>> detached_ends(skeleton)
    {}
    """
    turned, moved = (np.asarray(values, np.float64) for values in (skeleton.rest_rotations, skeleton.rest_translations))
    parents = np.asarray(skeleton.parents, np.int64)
    return dict(_ends(skeleton.names, skeleton.up, parents.tobytes(), turned.tobytes(), moved.tobytes()))


# Panels ask again at each redraw, with a skeleton that was just read.
@lru_cache
def _ends(
    names: tuple[str, ...], up: tuple[float, float, float], parents: bytes, turned: bytes, moved: bytes
) -> tuple[tuple[int, int], ...]:
    rest = np.frombuffer(turned, np.float64).reshape(-1, 4), np.frombuffer(moved, np.float64).reshape(-1, 3)
    skeleton = Skeleton(names, np.frombuffer(parents, np.int64), *rest, up)
    joints: dict[Meaning, list[int]] = {}
    for joint, meaning in enumerate(meanings_of(skeleton)):
        joints.setdefault(meaning, []).append(joint)
    ends = []
    for side in "LR":
        for parts in (LEG[:3], ARM):
            limb = [joints.get(Meaning(part, side), []) for part in parts]
            # Of several bones with one meaning, as in control rigs, one drives the other.
            if any(len(found) != 1 for found in limb):
                continue
            upper, lower, end = (found[0] for found in limb)
            if upper in skeleton.chain(lower) and not {upper, lower} & set(skeleton.chain(end)):
                ends.append((end, lower))
    return tuple(ends)


def attached(skeleton: Skeleton) -> Skeleton:
    """Return the skeleton with detached ends below their limbs, as in `detached_ends`; itself if there are none.

    >>> attached(skeleton) is skeleton
    True
    """
    ends = detached_ends(skeleton)
    return with_parents(skeleton, ends, dict.fromkeys(ends, Inheritance.NONE)) if ends else skeleton

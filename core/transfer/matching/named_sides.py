# SPDX-License-Identifier: GPL-3.0-or-later
"""Left and right of a body by the names of its joints, which a shape may contradict."""

from dataclasses import replace

import numpy as np

from ...motion.skeleton import Skeleton
from ..bone_names import meanings_by_name
from ..mirroring.side_names import partners_by_name
from .body import Body
from .tree import NEAR


def with_named_sides(body: Body) -> Body:
    """Return the body with left and right exchanged if more names say so than not."""
    count, against = _named_sides(body)
    body = body.mirrored() if 2 * against > count else body
    return replace(body, facing=np.inf) if count and 2 * against != count else body


def _named_sides(body: Body) -> tuple[int, int]:
    """Return how many names of joints in limbs tell a side, and how many of these the other one."""
    names = body.tree.skeleton.names
    meanings = meanings_by_name(names)
    sides = [
        (meanings[names[joint]].side, side)
        for pair in body.pairs
        for side, limb in zip("LR", pair, strict=True)
        for joint in limb.joints
    ]
    return sum(bool(named) for named, _ in sides), sum(named != side for named, side in sides if named)


def tells_sides(body: Body) -> bool:
    """Return whether a shape says clearly which side is left: feet point forward, or the trunk does on four legs."""
    return body.facing >= NEAR and (not body.is_upright or body.feet_point_forward)


def with_exchanged_names(body: Body) -> Skeleton | None:
    """Return the skeleton with left and right exchanged in its names if most of those of limbs are wrong, else None."""
    count, against = _named_sides(body)
    if 2 * against <= count or not tells_sides(body):
        return None
    skeleton = body.tree.skeleton
    names = tuple(skeleton.names[partner] for partner in partners_by_name(skeleton.names))
    renamed = replace(skeleton, names=names)
    count, against = _named_sides(replace(body, tree=replace(body.tree, skeleton=renamed)))
    return renamed if 2 * against < count else None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Meanings of a skeleton's joints: by their names, or by the shape of its body if the names do not tell its legs."""

from functools import lru_cache

from ..motion.skeleton import Skeleton
from .bone_names import ARM, LEG, Meaning, meanings_by_name
from .matching.body import Body, find_body
from .matching.landmarks import long_bones, neck_and_head


@lru_cache
def meanings_of(skeleton: Skeleton) -> tuple[Meaning, ...]:
    """Return the meaning of each joint.

    >>> [meaning.name for meaning in meanings_of(skeleton)]
    ['hips', 'shin']
    """
    meanings = meanings_by_name(skeleton.names)
    named = [meanings[name] for name in skeleton.names]
    if all(Meaning(name, side) in named for name in LEG[:2] for side in "LR"):
        return tuple(named)
    body = find_body(skeleton)
    return tuple(named) if body is None else _by_shape(body, named)


def _by_shape(body: Body, named: list[Meaning]) -> tuple[Meaning, ...]:
    meanings = [Meaning(f"{meaning.name} {joint}", "") for joint, meaning in enumerate(named)]
    for number, pair in enumerate(body.pairs):
        is_limb = pair in body.long_pairs
        for side, limb in zip("LR", pair, strict=True):
            for joint in body.tree.below(limb.joints[0]):
                meanings[joint] = Meaning(meanings[joint].name, side)
            steps, places, _ = long_bones(body, limb, is_leg=number == 0)
            parts = (*LEG[:3],) if number == 0 else ARM if is_limb else ()
            for name, place in zip(parts, places, strict=False):
                meanings[steps[place]] = Meaning(name, side)
            if number == 0 and len(places) == len(parts) and places[-1] + 1 < len(steps):
                meanings[steps[places[-1] + 1]] = Meaning(LEG[3], side)
    for joint in body.axis:
        meanings[joint] = Meaning("spine", "")
    meanings[body.hips] = Meaning("hips", "")
    neck, head, _ = neck_and_head(body)
    for joint in neck:
        meanings[joint] = Meaning("neck", "")
    if head is not None:
        meanings[head] = Meaning("head", "")
    return tuple(meanings)

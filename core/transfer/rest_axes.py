# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons whose rest pose is none: files of motion alone whose bones at rest lie in one line, as their axes do.

There a bone's direction at rest says little of its turn about itself. Two things are known all the same. Where the
bones of the right side point the opposite way at rest, equal numbers turn both sides alike ("mirrored behavior"): the
right side's axes are those of the left one, mirrored and turned round. And a foot in line with its shin keeps the
shin's turn.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.skeleton import Skeleton
from .bone_names import meaning_of

Float64 = NDArray[np.floating]

LEGS = ("thigh", "shin")
"""Joints whose bones point the same way on both sides in any pose that a body rests in."""
OPPOSITE, SAME_WAY = -0.7, 0.3
"""Cosines of the angle between bones of both sides: less is opposite, more the same way; legs astride are neither."""
IN_LINE, AT_AN_ANGLE = 0.9, 0.8
"""Cosines of the angle between a shin and its foot: more is in line, as no foot on the ground is."""


def mirrored_sides(
    source: Skeleton, target: Skeleton, matched: Mapping[int, int], below: Mapping[int, int]
) -> dict[int, int]:
    """Return for the target's joints of the right side those of the left where the source's axes are mirrored and the
    target's are not; nothing for other skeletons.

    matched: the source joint of each target joint. below: the target joint to which each one's bone points.
    """
    sides: dict[str, dict[str, int]] = {"L": {}, "R": {}}
    for joint in matched:
        meaning = meaning_of(target.names[joint])
        if meaning.side:
            sides[meaning.side].setdefault(meaning.name, joint)
    pairs = {joint: sides["L"][name] for name, joint in sides["R"].items() if name in sides["L"]}
    legs = [(right, left) for right, left in pairs.items() if meaning_of(target.names[right]).name in LEGS]
    legs = [pair for pair in legs if pair[0] in below and pair[1] in below]
    there = [_cosine(source, *((matched[joint], matched[below[joint]]) for joint in pair)) for pair in legs]
    here = [_cosine(target, *((joint, below[joint]) for joint in pair)) for pair in legs]
    mirrored = bool(legs) and max(there) < OPPOSITE and min(here) > SAME_WAY
    return pairs if mirrored else {}


def is_foot_in_line(
    source: Skeleton, target: Skeleton, matched: Mapping[int, int], below: Mapping[int, int], joint: int
) -> bool:
    """Return whether a target joint is a foot that is bent at rest, where the source's is in line with its shin.

    matched, below: see `mirrored_sides`.
    """
    above = [other for other in target.chain(joint)[:-1] if below.get(other) == joint]
    if meaning_of(target.names[joint]).name != "foot" or joint not in below or not above:
        return False
    bones = (above[-1], joint), (joint, below[joint])
    here = _cosine(target, *bones)
    there = _cosine(source, *((matched[start], matched[end]) for start, end in bones))
    return there > IN_LINE and here < AT_AN_ANGLE


def half_turn_about_left(target: Skeleton, pairs: Mapping[int, int]) -> Float64:
    """Return half a turn `(4,)` about the line from the right side of the target at rest to its left; see
    `mirrored_sides`.
    """
    up = np.array(target.up)
    left = np.mean([target.rest_positions[one] - target.rest_positions[other] for other, one in pairs.items()], axis=0)
    left = left - (left @ up) * up
    return np.concatenate(([0.0], left / max(float(np.linalg.norm(left)), rotations.SMALLEST_NORM)))


def _cosine(skeleton: Skeleton, one: tuple[int, int], other: tuple[int, int]) -> float:
    bones = [skeleton.rest_positions[end] - skeleton.rest_positions[start] for start, end in (one, other)]
    lengths = [float(np.linalg.norm(bone)) for bone in bones]
    return float(bones[0] @ bones[1]) / (lengths[0] * lengths[1]) if min(lengths) > 0 else 0.0

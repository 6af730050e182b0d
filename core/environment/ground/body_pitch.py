# SPDX-License-Identifier: GPL-3.0-or-later
"""Pitch of bodies on more than two legs, such as a dog's, with the ground under their feet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...feet.foot_moves import EASE_SECONDS
from ...feet.leg_ik import move_root, turn_joint
from ...feet.two_bone_ik import Leg
from ...motion import rotations
from ...motion.filters import smooth
from ...motion.motion import Motion, joint_path
from .foot_paths import FootPath
from .surface import Surface


@dataclass(frozen=True, eq=False)
class Pitched:
    """A motion whose body has turned about its root with the ground; its legs still have to meet it.

    hips: `(T, 3)` of each leg by number, as if the body had turned about their middle. shift: `(T, 3)` of this middle.
    Both are in the coordinates of the ground.
    """

    motion: Motion
    hips: dict[int, Float64]
    shift: Float64


def pitched(
    motion: Motion,
    anchored: Sequence[int],
    legs: Mapping[int, Leg],
    paths: Mapping[int, FootPath],
    weights: Float64,
    surface: Surface,
) -> Pitched:
    """Return the motion with its body turned as the ground under its feet slopes ahead; one on two legs stays upright.

    anchored: the root and its companions. weights: `(T,)` of the turns.
    """
    hips = {index: surface.to_ground(leg.positions[:, leg.hip]) for index, leg in legs.items()}
    if len(legs) <= 2:
        return Pitched(motion, hips, np.zeros((motion.frames, 3)))
    feet = np.stack([surface.to_ground(leg.positions[:, -1])[:, :2] for leg in legs.values()], axis=1)
    heights = np.stack([paths[index].ground[:, 2] for index in legs], axis=1)
    ahead, slope = _slope(np.stack(list(hips.values()), axis=1)[..., :2], feet, heights)
    slope = smooth(slope[:, None], EASE_SECONDS, motion.frames_per_second)
    # The axis is level, a quarter turn from the way ahead.
    axes = np.stack([ahead[:, 1], -ahead[:, 0], np.zeros(len(ahead))], axis=1)
    turns = rotations.from_vector(surface.from_ground(weights[:, None] * np.arctan(slope) * axes))
    root = joint_path(motion, anchored[0])
    for joint in anchored:
        arm = joint_path(motion, joint) - root
        motion = move_root(turn_joint(motion, joint, turns), joint, rotations.rotate(turns, arm) - arm)
    turned = {index: surface.to_ground(joint_path(motion, leg.chain[leg.hip])) for index, leg in legs.items()}
    shift = np.mean([turned[index] - hip for index, hip in hips.items()], axis=0)
    return Pitched(motion, {index: hip - shift for index, hip in turned.items()}, shift)


def _slope(hips: Float64, feet: Float64, heights: Float64) -> tuple[Float64, Float64]:
    """Return the direction `(T, 2)` in which hips `(T, L, 2)` are farthest apart, and the slope `(T,)` of the ground
    along it, which has these heights `(T, L)` under feet `(T, L, 2)`.
    """
    offsets = hips - hips.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(np.einsum("tla,tlb->tab", offsets, offsets))
    widest = int(values[:, -1].argmax())
    # Positive for fore legs, negative for hind legs, or the reverse.
    fore = offsets[widest] @ vectors[widest, :, -1]
    ahead = np.einsum("l,tla->ta", fore, offsets)
    between_hips = np.maximum(np.linalg.norm(ahead, axis=1), 1e-12)
    ahead /= between_hips[:, None]
    between_feet = np.einsum("l,tla,ta->t", fore, feet, ahead)
    # Feet that are together under the body, as of one that lies down, show no slope.
    return ahead, np.asarray(heights @ fore / np.maximum(between_feet, between_hips / 2))

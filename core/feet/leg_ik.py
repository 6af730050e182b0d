# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet stay planted: each stance is held in one place by inverse kinematics on its leg."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.filters import smooth, smoothstep
from ..motion.motion import Motion, pose_along
from .calm_knees import Knees, solve_calmly
from .contact_detection import Foot
from .foot_moves import target_moves
from .footsteps import Stance, stances, take_turns
from .two_bone_ik import NEARLY_STRAIGHT, Leg, find_hinges, pose_leg, turn_leg

Float64 = NDArray[np.float64]

IK_WEIGHT_SECONDS = 1.0
"""Beside a held pose, locking comes back to its full strength in about this long."""
PELVIS_SECONDS = 0.15
"""The pelvis follows a leg that is too short over about this long."""


@dataclass(frozen=True, eq=False)
class IkWeights:
    """Weights of inverse kinematics beside given poses: of each foot `(T, len(feet))`, of the pelvis `(T,)`, 0 to 1."""

    feet: Float64
    pelvis: Float64


def ik_weights_beside(joints: NDArray[np.bool_], feet: Sequence[Foot], root: int, rate: float) -> IkWeights:
    """None at the frames where `joints` `(T, J)` of a leg, or the root, are held; all of it a little later."""
    legs = [np.asarray(joints[:, [foot.joint, *foot.leg]].any(axis=1)) for foot in feet]
    away = [_away_from(fixed, rate) for fixed in legs]
    return IkWeights(np.stack(away, axis=1) if away else np.zeros((len(joints), 0)), _away_from(joints[:, root], rate))


def _away_from(fixed: NDArray[np.bool_], rate: float) -> Float64:
    """From 0 where `fixed` `(T,)` to 1 where that is long ago, and far ahead."""
    if not fixed.any():
        return np.ones(len(fixed))
    at, frames = np.arange(len(fixed)), np.flatnonzero(fixed)
    after = frames[np.minimum(np.searchsorted(frames, at), len(frames) - 1)]
    before = frames[np.maximum(np.searchsorted(frames, at, side="right") - 1, 0)]
    share = np.clip(np.minimum(np.abs(after - at), np.abs(at - before)) / max(IK_WEIGHT_SECONDS * rate, 1.0), 0.0, 1.0)
    return np.asarray(smoothstep(share))


def lock_feet(
    motion: Motion,
    feet: Sequence[Foot],
    contacts: NDArray[np.bool_],
    heights: NDArray[np.floating],
    transitions: NDArray[np.int64],
    root: int,
    ik_weights: IkWeights | None = None,
    knees: Knees | None = None,
    own: Float64 | None = None,
) -> Motion:
    """The motion with every stance in one place, and feet at their height.

    contacts: `(T, len(feet))` when each foot stands. heights: `(T, len(feet))` how high each foot's joint shall be.
    transitions: the frames at which another segment begins.
    root: the joint whose translation carries the pelvis; it gives way where a leg would be over-stretched.
    Feet whose leg is too short for inverse kinematics are left alone. ik_weights: None is all of it.
    knees: of the examples; None are those of the motion itself, at any acceleration. own: `(T, len(feet), 3)` where
    each foot goes by itself while it stands, along the ground; None is nowhere.
    """
    solvable = [index for index, foot in enumerate(feet) if len(foot.leg) >= 3]
    if not solvable:
        return motion
    knees = Knees(find_hinges([motion], feet), np.inf) if knees is None else knees
    legs = {index: pose_leg(motion, feet[index]) for index in solvable}
    own = np.zeros((motion.frames, len(feet), 3)) if own is None else own
    rate, size, up = motion.frames_per_second, motion.skeleton.size, np.array(motion.skeleton.up)
    levels = {index: _along_ground(motion, legs[index]) - own[:, index] for index in solvable}
    planted = {index: stances(contacts[:, index], levels[index], transitions, rate, size) for index in solvable}
    if ik_weights is not None:
        planted = {
            index: _stances_on_fixed_frames(levels[index], planted[index], ik_weights.feet[:, index])
            for index in solvable
        }
    turns = take_turns(list(planted.values()))
    moves = {
        index: target_moves(
            legs[index].positions[:, -1], own[:, index], planted[index], turn, heights[:, index], up, rate, size
        )
        for (index, turn) in zip(solvable, turns, strict=True)
    }
    if ik_weights is not None:
        moves = {index: moves[index] * ik_weights.feet[:, index, None] for index in solvable}
    sink = _pelvis_moves(motion, legs, moves, root)
    if ik_weights is not None:
        sink = sink * ik_weights.pelvis[:, None]
    motion = move_root(motion, root, sink)
    for index in solvable:
        leg = legs[index]
        moved = replace(leg, positions=leg.positions + sink[:, None])
        reached = moves[index] - sink
        if ik_weights is not None:
            # Where the leg is held it goes with the pelvis.
            reached = np.where(ik_weights.feet[:, index, None] > 0, reached, 0.0)
        weights = np.ones(len(reached)) if ik_weights is None else ik_weights.feet[:, index]
        solution = solve_calmly(moved, reached, knees.hinges[index], weights, knees.acceleration, rate, size)
        motion = turn_leg(motion, moved, solution)
    return motion


def _stances_on_fixed_frames(level: Float64, found: list[Stance], ik_weights: Float64) -> list[Stance]:
    """The stances, each where the foot is at the frames in it that are held."""
    stances_there = []
    for stance in found:
        fixed = ik_weights[stance.first : stance.end] == 0
        place = level[stance.first : stance.end][fixed].mean(axis=0) if fixed.any() else stance.place
        stances_there.append(replace(stance, place=place))
    return stances_there


def _along_ground(motion: Motion, leg: Leg) -> Float64:
    """Return the foot's place `(T, 3)` along the ground."""
    up, positions = np.array(motion.skeleton.up), leg.positions[:, -1]
    return np.asarray(positions - (positions @ up)[:, None] * up)


def _pelvis_moves(motion: Motion, legs: dict[int, Leg], moves: dict[int, Float64], root: int) -> Float64:
    """Return the pelvis's moves `(T, 3)` that keep every leg within its length, or within what it was."""
    total = np.zeros((motion.frames, 3))
    if root not in motion.translated:
        return total
    for index, leg in legs.items():
        if leg.chain[0] != root and root not in leg.chain[: leg.hip]:
            continue
        hip, end = leg.positions[:, leg.hip], leg.positions[:, leg.end]
        now = np.linalg.norm(end - hip, axis=1)
        way = end + moves[index] - hip
        target_distance = np.linalg.norm(way, axis=1)
        beyond = np.maximum(target_distance - np.maximum(now, NEARLY_STRAIGHT * leg.reach), 0.0)
        needed = beyond[:, None] * way / np.maximum(target_distance, 1e-12)[:, None]
        larger = np.linalg.norm(needed, axis=1) > np.linalg.norm(total, axis=1)
        total[larger] = needed[larger]
    return smooth(total, PELVIS_SECONDS, motion.frames_per_second)


def move_root(motion: Motion, root: int, moves: Float64) -> Motion:
    """The motion with a joint that has translations moved by `(T, 3)` in the space of the roots."""
    if not moves.any():
        return motion
    chain = motion.skeleton.chain(root)
    inside: NDArray[np.floating] = moves
    if len(chain) > 1:
        above = pose_along(motion, chain[:-1])[0][:, -1].astype(np.float64)
        inside = rotations.in_axes_of(above, moves)
    rest = rotations.inverse(motion.skeleton.rest_rotations[root])
    slot = int(np.searchsorted(motion.translated, root))
    translations = motion.translations.copy()
    translations[:, slot] += rotations.rotate(np.broadcast_to(rest, (len(inside), 4)), inside).astype(np.float32)
    return replace(motion, translations=translations)

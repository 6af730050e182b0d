# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet stay planted: each stance is held in one place by inverse kinematics on its leg.

Two bones are solved in closed form, whatever lies between hip, knee and ankle: the joint that divides the leg
most evenly bends, the hip aims, the foot keeps its orientation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.filters import smooth, smoothstep
from ..motion.motion import Motion, pose_along
from ..motion.skeleton import Skeleton
from .contact_detection import Foot
from .footsteps import Stance, Step, stances, take_steps, take_turns

Float64 = NDArray[np.float64]

LIFT = 0.3
"""A step rises by this share of its length ..."""
HIGHEST_LIFT = 0.06
"""... up to this share of the skeleton's size."""
GROUND_BAND = (0.05, 0.15)
"""Up to the first share of the skeleton's size above the ground a foot's height is exact, from the second on free."""
EASE_SECONDS = 0.25
"""Time in which a foot reaches its place, and leaves it, in seconds."""
IK_WEIGHT_SECONDS = 1.0
"""Beside a held pose, locking comes back to its full strength in about this long."""
NEARLY_STRAIGHT = 0.97
"""From this share of its length on, a leg gives way softly instead of snapping its knee."""
BEND_HINT = 0.05
"""Weight of the knee's usual direction against its present one; it decides when the leg is straight."""
PELVIS_SECONDS = 0.15
"""The pelvis follows a leg that is too short over about this long."""


@dataclass(frozen=True, eq=False)
class _Leg:
    """A leg as three joints of a chain, posed over time.

    chain: joints from a root to the foot's joint. hip, knee, end: places in the chain. matrices `(T, C, 3, 3)`,
    positions `(T, C, 3)`.
    """

    chain: list[int]
    hip: int
    knee: int
    end: int
    matrices: Float64
    positions: Float64


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
) -> Motion:
    """The motion with every stance in one place, and feet at their height.

    contacts: `(T, len(feet))` when each foot stands. heights: `(T, len(feet))` how high each foot's joint shall be.
    transitions: the frames at which another segment begins.
    root: the joint whose translation carries the pelvis; it gives way where a leg would be over-stretched.
    Feet whose leg is too short for inverse kinematics are left alone. ik_weights: None is all of it.
    """
    solvable = [index for index, foot in enumerate(feet) if len(foot.leg) >= 3]
    if not solvable:
        return motion
    legs = {index: _pose_leg(motion, feet[index]) for index in solvable}
    planted = {
        index: stances(
            contacts[:, index],
            _along_ground(motion, legs[index]),
            transitions,
            motion.frames_per_second,
            motion.skeleton.size,
        )
        for index in solvable
    }
    if ik_weights is not None:
        planted = {
            index: _stances_on_fixed_frames(motion, legs[index], planted[index], ik_weights.feet[:, index])
            for index in solvable
        }
    turns = take_turns(list(planted.values()))
    moves = {
        index: _target_moves(motion, legs[index], planted[index], turn, heights[:, index])
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
        motion = _reach(motion, moved, reached)
    return motion


def _stances_on_fixed_frames(motion: Motion, leg: _Leg, found: list[Stance], ik_weights: Float64) -> list[Stance]:
    """The stances, each where the foot is at the frames in it that are held."""
    level, stances_there = _along_ground(motion, leg), []
    for stance in found:
        fixed = ik_weights[stance.first : stance.end] == 0
        place = level[stance.first : stance.end][fixed].mean(axis=0) if fixed.any() else stance.place
        stances_there.append(replace(stance, place=place))
    return stances_there


def _along_ground(motion: Motion, leg: _Leg) -> Float64:
    """Return the foot's place `(T, 3)` along the ground."""
    up, positions = np.array(motion.skeleton.up), leg.positions[:, -1]
    return np.asarray(positions - (positions @ up)[:, None] * up)


def _target_moves(
    motion: Motion, leg: _Leg, found: list[Stance], turns: dict[int, int], heights: NDArray[np.floating]
) -> Float64:
    """By how much `(T, 3)` the foot shall move: to its stance's place while it stands, eased in and out."""
    up, rate, size = np.array(motion.skeleton.up), motion.frames_per_second, motion.skeleton.size
    level, frames = _along_ground(motion, leg), motion.frames
    kept, steps = take_steps(found, turns, rate, size)
    moves, lift = np.zeros_like(level), np.zeros(frames)
    for stance in kept:
        moves[stance.first : stance.end] = stance.place - level[stance.first : stance.end]
    airborne = {step.first: step for step in steps}
    ends, firsts = [0, *(stance.end for stance in kept)], [*(stance.first for stance in kept), frames]
    for index, (start, stop) in enumerate(zip(ends, firsts, strict=True)):
        if 0 < index < len(kept) and start in airborne and airborne[start].end == stop:
            _cross(moves, level, kept[index - 1], kept[index])
            continue
        middle = (start + stop) // 2
        if index < len(kept):
            _ease(moves, stop, middle if index else start, -1, rate)
        if index:
            _ease(moves, start - 1, middle if index < len(kept) else stop - 1, 1, rate)
    for step in steps:
        _raise(lift, step, kept, size)
    return np.asarray(moves + (_heights_missed(leg.positions[:, -1] @ up, heights, size) + lift)[:, None] * up)


def _heights_missed(now: Float64, target: NDArray[np.floating], size: float) -> Float64:
    """By how much `(T,)` the foot must rise to its wanted height: near the ground, high in the air nobody minds."""
    above = (target - target.min()) / size
    share = np.clip((above - GROUND_BAND[0]) / (GROUND_BAND[1] - GROUND_BAND[0]), 0.0, 1.0)
    return np.asarray((target - now) * (1.0 - smoothstep(share)))


def _cross(moves: Float64, level: Float64, before: Stance, after: Stance) -> None:
    """In one step from the place of one stance to the next one's."""
    share = (np.arange(after.first - before.end) + 0.5) / (after.first - before.end)
    smooth_share = smoothstep(share)[:, None]
    way = after.place - before.place
    moves[before.end : after.first] = before.place + smooth_share * way - level[before.end : after.first]


def _raise(lift: Float64, step: Step, kept: list[Stance], size: float) -> None:
    """Lift the foot for a step, as far as no stance takes its time."""
    first = max([0, step.first, *(stance.end for stance in kept if stance.first <= step.first)])
    end = min([len(lift), step.end, *(stance.first for stance in kept if stance.end >= step.end)])
    if end > first:
        share = (np.arange(end - first) + 0.5) / (end - first)
        lift[first:end] += np.sin(np.pi * share) ** 2 * min(LIFT * step.length, HIGHEST_LIFT * size)


def _ease(moves: Float64, edge: int, limit: int, direction: int, rate: float) -> None:
    """Let the move at the edge of a stance die away, before it (-1) or after it (1), as far as `limit`."""
    length = min(round(EASE_SECONDS * rate), abs(limit - edge))
    if length < 1:
        return
    ramp = 1.0 - np.arange(1, length + 1) / (length + 1)
    weights = smoothstep(ramp)[:, None]
    frames = edge + direction * np.arange(1, length + 1)
    inside = (frames >= 0) & (frames < len(moves))
    moves[frames[inside]] += weights[inside] * moves[edge]


def _pose_leg(motion: Motion, foot: Foot) -> _Leg:
    chain = motion.skeleton.chain(foot.joint)
    matrices, positions = pose_along(motion, chain)
    places = [chain.index(joint) for joint in foot.leg]
    lengths = np.linalg.norm(np.diff(positions[:1, places], axis=1), axis=2)[0]
    along = np.cumsum(lengths)
    knee = 1 + int(np.argmin(np.abs(along[:-1] - along[-1] / 2)))
    # Joints above the knee that hardly have a length (a hip's offset) are no thigh.
    thighs = (place for place in range(knee) if along[place] - (along[place - 1] if place else 0) > 0.2 * along[-1])
    start = next(thighs, 0)
    return _Leg(
        chain, places[start], places[knee], places[-1], matrices.astype(np.float64), positions.astype(np.float64)
    )


def _reach_of(leg: _Leg) -> Float64:
    """The length `(T,)` of the stretched leg."""
    hip, knee, end = (leg.positions[:, place] for place in (leg.hip, leg.knee, leg.end))
    return np.asarray(np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(end - knee, axis=1))


def _soft(distance: Float64, reach: Float64) -> Float64:
    """The distance, drawn in near the reach so that it is never exceeded."""
    start, room = NEARLY_STRAIGHT * reach, (1.0 - NEARLY_STRAIGHT) * reach
    beyond = np.maximum(distance - start, 0.0)
    return np.where(distance <= start, distance, start + room * (1.0 - np.exp(-beyond / np.maximum(room, 1e-12))))


def _pelvis_moves(motion: Motion, legs: dict[int, _Leg], moves: dict[int, Float64], root: int) -> Float64:
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
        beyond = np.maximum(target_distance - np.maximum(now, NEARLY_STRAIGHT * _reach_of(leg)), 0.0)
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


def _reach(motion: Motion, leg: _Leg, moves: Float64) -> Motion:
    """The motion with the end of a leg moved by `(T, 3)`, the foot's orientation kept."""
    busy = np.linalg.norm(moves, axis=1) > 1e-6 * motion.skeleton.size
    if not busy.any():
        return motion
    part = replace(leg, matrices=leg.matrices[busy], positions=leg.positions[busy])
    bend, aim = _solve(part, moves[busy], _usual_axis(leg))
    orientation: NDArray[np.floating] = rotations.from_matrix(rotations.without_scale(part.matrices))
    new = orientation.copy()
    new[:, leg.hip : leg.knee] = rotations.multiply(aim[:, None], orientation[:, leg.hip : leg.knee])
    turned = rotations.multiply(aim, bend)
    new[:, leg.knee : leg.end] = rotations.multiply(turned[:, None], orientation[:, leg.knee : leg.end])
    joint_rotations = motion.rotations.copy()
    for place in (leg.hip, leg.knee, leg.end):
        joint = leg.chain[place]
        local = _local(motion.skeleton, joint, new[:, place], new[:, place - 1] if place else None)
        before = joint_rotations[busy, joint]
        # The sign of the recorded rotation is kept, so that neighboring keys never oppose.
        sign = np.where(np.sum(local * before, axis=1, keepdims=True) < 0, -1.0, 1.0)
        joint_rotations[busy, joint] = (local * sign).astype(np.float32)
    return replace(motion, rotations=joint_rotations)


def _solve(leg: _Leg, moves: Float64, usual: Float64) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """The turn `(T, 4)` of the knee about its own axis, and the turn of the hip after it, in global axes."""
    hip, knee, end = (leg.positions[:, place] for place in (leg.hip, leg.knee, leg.end))
    thigh, shin, target = knee - hip, end - knee, end + moves - hip
    upper, lower = np.linalg.norm(thigh, axis=1), np.linalg.norm(shin, axis=1)
    now, target_distance = np.linalg.norm(end - hip, axis=1), np.linalg.norm(target, axis=1)
    reach = upper + lower
    # Softness counts for what is changed only: a leg that is straight in the example stays so.
    distance = np.clip(
        now + _soft(target_distance, reach) - _soft(now, reach), np.abs(upper - lower) + 1e-6 * reach, reach
    )
    axis = np.cross(thigh, shin) / np.maximum(upper * lower, 1e-12)[:, None]
    hint = np.einsum("tab,b->ta", leg.matrices[:, leg.hip], usual)
    axis = axis + BEND_HINT * hint
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-12)
    angle = _inner_angle(upper, lower, now) - _inner_angle(upper, lower, distance)
    bend = rotations.from_axis_angle(axis, angle)
    constrained_path = thigh + rotations.rotate(bend, shin)
    return bend, rotations.shortest_turn(constrained_path, target)


def _inner_angle(upper: Float64, lower: Float64, distance: Float64) -> Float64:
    cosine = (upper**2 + lower**2 - distance**2) / np.maximum(2 * upper * lower, 1e-12)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _usual_axis(leg: _Leg) -> Float64:
    """The axis `(3,)` the knee bends about on the mean, in the thigh's own axes; the more bent, the more it counts."""
    hip, knee, end = (leg.positions[:, place] for place in (leg.hip, leg.knee, leg.end))
    axes = np.cross(knee - hip, end - knee)
    mean = np.einsum("tba,tb->a", leg.matrices[:, leg.hip], axes)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12))


def _local(
    skeleton: Skeleton, joint: int, orientation: NDArray[np.floating], above: NDArray[np.floating] | None
) -> NDArray[np.floating]:
    """The rotation `(T, 4)` relative to the rest pose that gives a joint an orientation under its parent's."""
    rest = skeleton.rest_rotations[joint]
    base = rest if above is None else rotations.multiply(above, rest)
    return rotations.normalize(rotations.multiply(rotations.inverse(base), orientation))

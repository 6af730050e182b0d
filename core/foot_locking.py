# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet stay planted: each stance is held in one place by inverse kinematics on its leg.

Two bones are solved in closed form, whatever lies between hip, knee and ankle: the joint that divides the leg
most evenly bends, the hip aims, the foot keeps its orientation.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import rotations
from .contacts import Foot
from .motion import Motion, pose_along
from .skeleton import Skeleton

Float64 = NDArray[np.float64]

SHORTEST_STANCE_SECONDS = 0.1
"""A contact shorter than this is a touch, not a stance."""
LONGEST_GAP_SECONDS = 0.07
"""A stance goes on over a gap this short."""
STEP_FROM = 0.04
"""Where a cut puts a standing foot farther away than this share of the skeleton's size, it steps; else it stays."""
STEP_SECONDS = 0.2
"""How long a step of a tenth of the size takes, and the shortest; three times as long the longest."""
LIFT = 0.3
"""A step rises by this share of its length ..."""
HIGHEST_LIFT = 0.06
"""... up to this share of the skeleton's size."""
EASE_SECONDS = 0.25
"""How long a foot takes to come to its place, and to leave it."""
NEARLY_STRAIGHT = 0.97
"""From this share of its length on, a leg gives way softly instead of snapping its knee."""
BEND_HINT = 0.05
"""How much the usual direction of the knee counts against the present one; it decides when the leg is straight."""
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


def lock_feet(
    motion: Motion,
    feet: Sequence[Foot],
    contacts: NDArray[np.bool_],
    heights: NDArray[np.floating],
    cuts: NDArray[np.int64],
    root: int,
) -> Motion:
    """The motion with every stance in one place, and feet at their height.

    contacts: `(T, len(feet))` when each foot stands. heights: `(T, len(feet))` how high each foot's joint shall be.
    cuts: the frames at which another run begins.
    root: the joint whose translation carries the pelvis; it gives way where a leg would be over-stretched.
    Feet whose leg is too short for inverse kinematics are left alone.
    """
    solvable = [index for index, foot in enumerate(feet) if len(foot.leg) >= 3]
    if not solvable:
        return motion
    legs = {index: _pose_leg(motion, feet[index]) for index in solvable}
    moves = {
        index: _wanted_moves(motion, legs[index].positions[:, -1], contacts[:, index], heights[:, index], cuts)
        for index in solvable
    }
    sink = _pelvis_moves(motion, legs, moves, root)
    motion = _move_root(motion, root, sink)
    for index in solvable:
        leg = legs[index]
        moved = replace(leg, positions=leg.positions + sink[:, None])
        motion = _reach(motion, moved, moves[index] - sink)
    return motion


@dataclass(frozen=True, eq=False)
class Stance:
    """From frame `first` up to `end` a foot stands at `place` `(3,)` on the ground."""

    first: int
    end: int
    place: Float64


def stances(
    contacts: NDArray[np.bool_], level: Float64, cuts: NDArray[np.int64], rate: float, size: float
) -> list[Stance]:
    """The stances of one foot: touches left out, short gaps closed, and divided at a cut that displaces the foot.

    contacts: `(T,)`; level: `(T, 3)` where the foot is along the ground; cuts: the frames that begin another run.
    """
    found: list[Stance] = []
    for first, end in _spans(contacts, rate):
        inside = cuts[(cuts > first) & (cuts < end)]
        edges = np.concatenate(([first], inside, [end]))
        for start, stop in itertools.pairwise(edges):
            place = np.median(level[start:stop], axis=0)
            before = found[-1] if found and found[-1].end == start else None
            if before is None or np.linalg.norm(place - before.place) > STEP_FROM * size:
                found.append(Stance(int(start), int(stop), place))
                continue
            share = (stop - start) / (stop - before.first)
            found[-1] = Stance(before.first, int(stop), before.place + share * (place - before.place))
    return [stance for stance in found if stance.end - stance.first >= SHORTEST_STANCE_SECONDS * rate]


def _spans(contacts: NDArray[np.bool_], rate: float) -> list[tuple[int, int]]:
    """The (first, end) frames of contacts; touches left out, short gaps closed."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], contacts, [False])).astype(np.int8)))
    joined: list[tuple[int, int]] = []
    for first, end in edges.reshape(-1, 2):
        if joined and first - joined[-1][1] <= LONGEST_GAP_SECONDS * rate:
            joined[-1] = (joined[-1][0], int(end))
        else:
            joined.append((int(first), int(end)))
    return [(first, end) for first, end in joined if end - first >= SHORTEST_STANCE_SECONDS * rate]


def _wanted_moves(
    motion: Motion,
    positions: Float64,
    contacts: NDArray[np.bool_],
    heights: NDArray[np.floating],
    cuts: NDArray[np.int64],
) -> Float64:
    """By how much `(T, 3)` the foot shall move: to its stance's place while it stands, eased in and out."""
    up, rate, size = np.array(motion.skeleton.up), motion.frames_per_second, motion.skeleton.size
    level = positions - (positions @ up)[:, None] * up
    found = stances(contacts, level, cuts, rate, size)
    moves = np.zeros_like(positions)
    lift = np.zeros(len(positions))
    for stance in found:
        moves[stance.first : stance.end] = stance.place - level[stance.first : stance.end]
    for index, stance in enumerate(found):
        before = found[index - 1].end if index else 0
        after = found[index + 1].first if index + 1 < len(found) else len(positions)
        if before < stance.first or index == 0:
            _ease(moves, stance.first, stance.first - (stance.first - before + 1) // 2, -1, rate)
        else:
            _step(moves, lift, level, found[index - 1], stance, rate, size)
        if after > stance.end or index + 1 == len(found):
            _ease(moves, stance.end - 1, stance.end - 1 + (after - stance.end + 1) // 2, 1, rate)
    return np.asarray(moves + (heights + lift - positions @ up)[:, None] * up)


def _step(
    moves: Float64, lift: Float64, level: Float64, before: Stance, after: Stance, rate: float, size: float
) -> None:
    """Between two stances that a cut has put side by side, the foot steps from the one place to the other."""
    way = after.place - before.place
    distance = float(np.linalg.norm(way))
    half = round(rate * min(max(STEP_SECONDS * distance / (0.1 * size), STEP_SECONDS), 3 * STEP_SECONDS) / 2)
    half = min(half, (before.end - before.first) // 2, (after.end - after.first) // 2)
    if half < 1:
        return
    frames = np.arange(after.first - half, after.first + half)
    share = (np.arange(2 * half) + 0.5) / (2 * half)
    smooth = share * share * (3 - 2 * share)
    moves[frames] = before.place + smooth[:, None] * way - level[frames]
    lift[frames] += np.sin(np.pi * share) ** 2 * min(LIFT * distance, HIGHEST_LIFT * size)


def _ease(moves: Float64, edge: int, limit: int, direction: int, rate: float) -> None:
    """Let the move at the edge of a stance die away, before it (-1) or after it (1), as far as `limit`."""
    length = min(round(EASE_SECONDS * rate), abs(limit - edge))
    if length < 1:
        return
    ramp = 1.0 - np.arange(1, length + 1) / (length + 1)
    weights = (ramp * ramp * (3 - 2 * ramp))[:, None]
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
    """How far `(T, 3)` the pelvis goes along so that no leg is stretched beyond what it was or can be."""
    total = np.zeros((motion.frames, 3))
    if root not in motion.translated:
        return total
    for index, leg in legs.items():
        if leg.chain[0] != root and root not in leg.chain[: leg.hip]:
            continue
        hip, end = leg.positions[:, leg.hip], leg.positions[:, leg.end]
        now = np.linalg.norm(end - hip, axis=1)
        way = end + moves[index] - hip
        wanted = np.linalg.norm(way, axis=1)
        beyond = np.maximum(wanted - np.maximum(now, NEARLY_STRAIGHT * _reach_of(leg)), 0.0)
        needed = beyond[:, None] * way / np.maximum(wanted, 1e-12)[:, None]
        larger = np.linalg.norm(needed, axis=1) > np.linalg.norm(total, axis=1)
        total[larger] = needed[larger]
    return smooth(total, PELVIS_SECONDS, motion.frames_per_second)


def smooth(values: Float64, seconds: float, rate: float) -> Float64:
    """Values `(T, 3)` spread over time by a bell of about that width to each side."""
    if not values.any():
        return values
    width = max(1, round(seconds * rate))
    bell = np.exp(-0.5 * (np.arange(-2 * width, 2 * width + 1) / width) ** 2)
    padded = np.concatenate((np.repeat(values[:1], 2 * width, 0), values, np.repeat(values[-1:], 2 * width, 0)))
    return np.stack([np.convolve(padded[:, axis], bell / bell.sum(), "valid") for axis in range(3)], axis=1)


def _move_root(motion: Motion, root: int, moves: Float64) -> Motion:
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
    orientation: NDArray[np.floating] = rotations.from_matrix(_without_scale(part.matrices))
    new = orientation.copy()
    new[:, leg.hip : leg.knee] = rotations.multiply(aim[:, None], orientation[:, leg.hip : leg.knee])
    turned = rotations.multiply(aim, bend)
    new[:, leg.knee : leg.end] = rotations.multiply(turned[:, None], orientation[:, leg.knee : leg.end])
    joint_rotations = motion.rotations.copy()
    for place in (leg.hip, leg.knee, leg.end):
        joint = leg.chain[place]
        local = _local(motion.skeleton, joint, new[:, place], new[:, place - 1] if place else None)
        before = joint_rotations[busy, joint]
        # The sign of the recorded rotation is kept, so that neighbouring keys never oppose.
        sign = np.where(np.sum(local * before, axis=1, keepdims=True) < 0, -1.0, 1.0)
        joint_rotations[busy, joint] = (local * sign).astype(np.float32)
    return replace(motion, rotations=joint_rotations)


def _solve(leg: _Leg, moves: Float64, usual: Float64) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """The turn `(T, 4)` of the knee about its own axis, and the turn of the hip after it, in global axes."""
    hip, knee, end = (leg.positions[:, place] for place in (leg.hip, leg.knee, leg.end))
    thigh, shin, target = knee - hip, end - knee, end + moves - hip
    upper, lower = np.linalg.norm(thigh, axis=1), np.linalg.norm(shin, axis=1)
    now, wanted = np.linalg.norm(end - hip, axis=1), np.linalg.norm(target, axis=1)
    reach = upper + lower
    # Softness counts for what is changed only: a leg that is straight in the example stays so.
    distance = np.clip(now + _soft(wanted, reach) - _soft(now, reach), np.abs(upper - lower) + 1e-6 * reach, reach)
    axis = np.cross(thigh, shin) / np.maximum(upper * lower, 1e-12)[:, None]
    hint = np.einsum("tab,b->ta", leg.matrices[:, leg.hip], usual)
    axis = axis + BEND_HINT * hint
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-12)
    angle = _inner_angle(upper, lower, now) - _inner_angle(upper, lower, distance)
    bend = rotations.from_axis_angle(axis, angle)
    bent = thigh + rotations.rotate(bend, shin)
    return bend, _between(bent, target)


def _inner_angle(upper: Float64, lower: Float64, distance: Float64) -> Float64:
    cosine = (upper**2 + lower**2 - distance**2) / np.maximum(2 * upper * lower, 1e-12)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _between(start: NDArray[np.floating], end: NDArray[np.floating]) -> NDArray[np.floating]:
    """The shortest turn `(T, 4)` from one direction to another."""
    start = start / np.maximum(np.linalg.norm(start, axis=1, keepdims=True), 1e-12)
    end = end / np.maximum(np.linalg.norm(end, axis=1, keepdims=True), 1e-12)
    scalar = 1.0 + np.sum(start * end, axis=1, keepdims=True)
    return rotations.normalize(np.concatenate((scalar, np.cross(start, end)), axis=1))


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


def _without_scale(matrices: Float64) -> Float64:
    lengths = np.linalg.norm(matrices, axis=-2, keepdims=True)
    return np.asarray(matrices / np.maximum(lengths, 1e-12))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs pushed out of the body: hands and free feet move away, and elbows and knees swing about the limb's line."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...environment.reach.limbs import Limb, is_of_foot
from ...environment.reach.swing import circles_of
from ...evaluation.body.capsules import TOO_DEEP, nearest_between, posed_axes
from ...evaluation.body.support import OFF_GROUND
from ...feet.contact_detection import label_contacts
from ...feet.foot_moves import EASE_SECONDS
from ...motion import rotations
from ...motion.filters import largest_beside, smooth
from ...motion.motion import Motion, joint_path
from ...motion.spans import spans
from ...transfer.self_contacts.arms import reach_with
from ..weight.bodies import BodyOnGround, eased_ends, put_into
from .finding import depths_beyond, joints_of

Float64 = NDArray[np.float64]

ROUNDS = 12
"""Largest number of pushes; most limbs are outside after four."""


@dataclass(frozen=True, eq=False)
class _Pushes:
    """Moves of the ends `(L, T, 3)` of L limbs, and swings `(L, T)` of their elbows or knees, in radians."""

    moves: Float64
    swings: Float64


def with_limbs_outside(
    motion: Motion, body: BodyOnGround, span: tuple[int, int], joints: tuple[int, ...], strength: float
) -> Motion:
    """Return the motion with the limbs of some joints outside of the body in a span, first and last frame.

    Planted feet and hands on the ground stay. The motion itself is returned if that would not help, or would bring a
    limb into the body elsewhere.
    """
    capsules, (first, last) = body.capsules, span
    limbs = [limb for limb in range(len(capsules.limbs)) if {*joints_of(capsules, limb)} <= {*joints}]
    if not limbs:
        return motion
    part = motion.slice(first, last + 1)
    ease = max(round(EASE_SECONDS * motion.frames_per_second), 1)
    ends = eased_ends(part.frames, (first > 0, last + 1 < motion.frames), ease)
    free = np.stack([_free(motion, body, capsules.limbs[limb], ease)[first : last + 1] for limb in limbs])
    before = depths_beyond(part, body)
    least, best = _beyond(before), _Pushes(np.zeros((len(limbs), part.frames, 3)), np.zeros((len(limbs), part.frames)))
    pushes, flawed = best, (before > TOO_DEEP).any(axis=1)
    for _ in range(ROUNDS):
        made = _pushed(part, body, limbs, _eased(pushes, free, ends, motion.frames_per_second))
        deep = depths_beyond(made, body)
        beyond, spread = _beyond(deep), ((deep > TOO_DEEP).any(axis=1) & ~flawed).any()
        if beyond < least and not spread:
            least, best = beyond, pushes
        if beyond == 0.0:
            break
        pushes = _further(made, body, limbs, free, pushes)
    if not (best.moves.any() or best.swings.any()):
        return motion
    eased = _eased(best, free, ends, motion.frames_per_second)
    made = _pushed(part, body, limbs, _Pushes(strength * eased.moves, strength * eased.swings))
    return put_into(motion, made, first)


def _beyond(deep: Float64) -> float:
    """Return the sum of all depths `(T, P)` beyond the usual ones, as far as they are too deep."""
    return float(np.maximum(deep - TOO_DEEP, 0.0).sum())


def _free(motion: Motion, body: BodyOnGround, limb: Limb, ease: int) -> Float64:
    """Return weights `(T,)` of the moves of a limb's end: 0 while it stands on the ground, 1 a while before and after."""
    skeleton, standing = motion.skeleton, body.standing
    touching = np.zeros(motion.frames, bool)
    if standing.feet:
        contacts = label_contacts(motion, standing.feet, standing.ground)
        of_leg = [is_of_foot(skeleton, limb.joint, foot) for foot in standing.feet]
        heights = joint_path(motion, limb.wrist) @ np.array(skeleton.up)
        on_ground = heights < standing.ground.min() + OFF_GROUND * skeleton.size
        touching = contacts[:, of_leg].any(axis=1) if any(of_leg) else on_ground
    # The nearest touch within the time to ease, from 1 at the touch to 0.
    near = largest_beside(touching.astype(np.float64), ease)
    return np.asarray(1.0 - near * (1.0 - _away(touching, ease)))


def _away(touching: NDArray[np.bool_], ease: int) -> Float64:
    """Return the distance `(T,)` to the nearest touch as a share of the frames to ease, at most 1."""
    frames, at = np.arange(len(touching)), np.flatnonzero(touching)
    if not len(at):
        return np.ones(len(touching))
    after = np.minimum(np.searchsorted(at, frames), len(at) - 1)
    nearest = np.minimum(np.abs(at[after] - frames), np.abs(frames - at[np.maximum(after - 1, 0)]))
    return np.asarray(np.minimum(nearest / ease, 1.0))


def _eased(pushes: _Pushes, free: Float64, ends: Float64, rate: float) -> _Pushes:
    seconds = EASE_SECONDS / 3
    moves = np.stack([smooth(moves, seconds, rate) for moves in pushes.moves])
    swings = np.stack([smooth(swings[:, None], seconds, rate)[:, 0] for swings in pushes.swings])
    return _Pushes(moves * (free * ends)[..., None], swings * ends)


def _pushed(part: Motion, body: BodyOnGround, limbs: list[int], pushes: _Pushes) -> Motion:
    made = part
    for number, limb in enumerate(limbs):
        moves, swings = pushes.moves[number], pushes.swings[number]
        changed = ((moves != 0).any(axis=1) | (swings != 0)).astype(np.float64)
        made = reach_with(made, body.capsules.limbs[limb], moves, changed, swings)
    return made


def _further(made: Motion, body: BodyOnGround, limbs: list[int], free: Float64, pushes: _Pushes) -> _Pushes:
    """Return the pushes after one more, by the deepest pair of each limb and frame."""
    capsules, moves, swings = body.capsules, pushes.moves.copy(), pushes.swings.copy()
    axes = posed_axes(made, capsules)
    shares, offsets = nearest_between(*axes, capsules.pairs)
    # Half of what counts as too deep remains, so that a touch stays a touch.
    goal = capsules.widths(shares) - body.usual - TOO_DEEP / 2 * made.skeleton.size
    directions, needed = _outward(offsets, goal)
    owners = capsules.owners[capsules.pairs]
    for number, limb in enumerate(limbs):
        pairs = np.flatnonzero((owners == limb).any(axis=1))
        at = pairs[needed[:, pairs].argmax(axis=1)]
        frames = np.arange(made.frames)
        is_first = owners[at, 0] == limb
        capsule = np.where(is_first, capsules.pairs[at, 0], capsules.pairs[at, 1])
        other = np.where(is_first, owners[at, 1], owners[at, 0])
        sign = np.where(is_first, 1.0, -1.0)
        push = (sign * _part_of(number, other, limbs, free) * needed[frames, at])[:, None] * directions[frames, at]
        along = np.where(is_first, shares[0, frames, at], shares[1, frames, at])
        hip, knee, _ = joints_of(capsules, limb)
        carrier = capsules.carriers[capsule]
        # Shares of the push by the middle joint and by the limb's end, of least motion.
        middle = np.where(carrier == hip, along, np.where(carrier == knee, 1.0 - along, 0.0))
        end = np.where(carrier == hip, 0.0, np.where(carrier == knee, along, 1.0))
        least = np.maximum(middle**2 + end**2, 0.25)
        moves[number] += (end / least)[:, None] * push
        swings[number] += _swing(made, capsules.limbs[limb], (middle / least)[:, None] * push)
    return _Pushes(moves, swings)


def _part_of(number: int, other: NDArray[np.int64], limbs: list[int], free: Float64) -> Float64:
    """Return the part `(T,)` of each push that a limb takes; two limbs that move share it, as far as they are free."""
    part = np.ones(free.shape[1])
    for place, limb in enumerate(limbs):
        both = free[number] + free[place]
        shared = np.where(both > 0, free[number] / np.maximum(both, 1e-12), 0.5)
        part = np.where((other == limb) & (place != number), shared, part)
    return part


def _swing(made: Motion, limb: Limb, move: Float64) -> Float64:
    """Return the angles `(T,)` by which a limb's middle joint swings to move by `(T, 3)`, or nearly so."""
    leg = limb.posed(made, rigid=False)
    beginning, middle, end = (leg.positions[:, place] for place in (leg.hip, leg.knee, leg.end))
    line = end - beginning
    line = line / np.maximum(rotations.lengths(line), 1e-12)[:, None]
    circles = circles_of(beginning, line, middle)
    square = np.sum(circles.beyond**2, axis=1)
    # The middle of a limb that is nearly straight hardly moves by a swing.
    damping = (OFF_GROUND * made.skeleton.size) ** 2
    return np.asarray(np.clip(np.sum(circles.beyond * move, axis=1) / (square + damping), -0.5, 0.5))


def _outward(offsets: Float64, goal: Float64) -> tuple[Float64, Float64]:
    """Return unit directions `(T, P, 3)` that part pairs, and how far `(T, P)` it is along them to a goal `(T, P)`.

    Where a limb goes in past the axis of what it is in, it leaves as it came: in directions between those at the first
    and the last frame of the penetration.
    """
    distances = rotations.lengths(offsets)
    directions = offsets / np.maximum(distances, 1e-12)[..., None]
    needed = np.maximum(goal - distances, 0.0)
    for pair in np.flatnonzero(needed.any(axis=0)).tolist():
        for first, end in spans(needed[:, pair] > 0):
            before, after = directions[max(first - 1, 0), pair], directions[min(end, len(needed) - 1), pair]
            to_end = np.linspace(0.0, 1.0, end - first)[:, None]
            between = (1.0 - to_end) * before + to_end * after
            if (np.sum(between * directions[first:end, pair], axis=1) >= 0).all():
                continue
            if before @ after < 0:
                between = np.tile(before if first else after, (end - first, 1))
            steady = between / np.linalg.norm(between, axis=1, keepdims=True)
            along = np.sum(offsets[first:end, pair] * steady, axis=1)
            room = along**2 - distances[first:end, pair] ** 2 + goal[first:end, pair] ** 2
            directions[first:end, pair] = steady
            needed[first:end, pair] = np.sqrt(np.maximum(room, 0.0)) - along
    return directions, needed

# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs pushed out of the body: hands and free feet move away, and elbows and knees swing about the limb's line."""

from dataclasses import dataclass, replace

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
from ...motion.motion import Motion, joint_accelerations, joint_path
from ...motion.spans import Mask, spans
from ...transfer.self_contacts.arms import reach_with
from ..weight.bodies import BodyOnGround, eased_ends, put_into
from .finding import joints_of

Float64 = NDArray[np.float64]

ROUNDS = 12
"""Largest number of pushes; most limbs are outside after four."""
LIVELIEST = 1.5
"""Largest factor by which pushes may raise the highest acceleration of a body, as other repairs do."""


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
    (first, last), capsules = span, body.capsules
    limbs = [limb for limb in range(len(capsules.limbs)) if {*joints_of(capsules, limb)} <= {*joints}]
    if not limbs:
        return motion
    part, size = motion.slice(first, last + 1), motion.skeleton.size
    involved = np.isin(capsules.owners[capsules.pairs], limbs).any(axis=1)
    body = replace(body, capsules=replace(capsules, pairs=capsules.pairs[involved]), usual=body.usual[involved])
    ease = max(round(EASE_SECONDS * motion.frames_per_second), 1)
    ends = eased_ends(part.frames, (first > 0, last + 1 < motion.frames), ease)
    free = np.stack([_free(motion, body, capsules.limbs[limb], ease)[first : last + 1] for limb in limbs])
    none = _Pushes(np.zeros((len(limbs), part.frames, 3)), np.zeros((len(limbs), part.frames)))
    flawed: Mask = np.ones(part.frames, bool)
    made, pushes, best, least, liveliest = part, none, none, 0.0, 0.0
    for number in range(ROUNDS):
        near = _Near.of(made, body)
        too_deep = np.maximum(near.beyond(body.usual) / size - TOO_DEEP, 0.0)
        beyond, deep = float(too_deep.sum()), np.asarray(too_deep.any(axis=1))
        if number == 0:
            flawed, liveliest = deep, LIVELIEST * joint_accelerations(motion).max(initial=0.0)
            least = beyond
        elif (
            beyond < least
            and not (deep & ~flawed).any()
            and _acceleration(made, [capsules.limbs[limb] for limb in limbs]) <= liveliest
        ):
            least, best = beyond, pushes
        if beyond == 0.0:
            break
        pushes = _further(made, body, limbs, free, pushes, near)
        made = _pushed(part, body, limbs, _eased(pushes, free, ends, motion.frames_per_second), ends)
    if best is none:
        return motion
    eased = _eased(best, free, ends, motion.frames_per_second)
    made = _pushed(part, body, limbs, _Pushes(strength * eased.moves, strength * eased.swings), ends)
    return put_into(motion, made, first)


def _acceleration(motion: Motion, limbs: list[Limb]) -> float:
    """Return the highest acceleration of the middles and ends of limbs, in units per frame squared."""
    legs = [limb.posed(motion, rigid=False) for limb in limbs]
    paths = np.concatenate([leg.positions[:, [leg.knee, leg.end]] for leg in legs], axis=1)
    return float(np.linalg.norm(np.diff(paths, 2, axis=0), axis=2).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class _Near:
    """The nearest places of pairs of capsules: shares `(2, T, P)` along both, offsets `(T, P, 3)`, and their lengths
    and the sums of both radii `(T, P)`.
    """

    shares: Float64
    offsets: Float64
    distances: Float64
    widths: Float64

    @staticmethod
    def of(motion: Motion, body: BodyOnGround) -> "_Near":
        """Return the nearest places of a motion's capsules."""
        shares, offsets = nearest_between(*posed_axes(motion, body.capsules), body.capsules.pairs)
        distances = np.asarray(rotations.lengths(offsets), np.float64)
        return _Near(shares, offsets, distances, body.capsules.widths(shares))

    def beyond(self, usual: Float64) -> Float64:
        """Return the depths `(T, P)` beyond the usual ones `(P,)`."""
        return np.asarray(self.widths - self.distances - usual)


def _free(motion: Motion, body: BodyOnGround, limb: Limb, ease: int) -> Float64:
    """Return weights `(T,)` of the moves of a limb's end: 0 while it is on the ground, 1 a while before and after."""
    skeleton, standing = motion.skeleton, body.standing
    touching: Mask = np.zeros(motion.frames, bool)
    if standing.feet:
        contacts = label_contacts(motion, standing.feet, standing.ground)
        of_leg = [is_of_foot(skeleton, limb.joint, foot) for foot in standing.feet]
        heights = joint_path(motion, limb.wrist) @ np.array(skeleton.up)
        on_ground = heights < standing.ground.min() + OFF_GROUND * skeleton.size
        touching = np.asarray(contacts[:, of_leg].any(axis=1) if any(of_leg) else on_ground)
    # The nearest touch within the time to ease, from 1 at the touch to 0.
    near = largest_beside(touching.astype(np.float64), ease)
    return np.asarray(1.0 - near * (1.0 - _away(touching, ease)))


def _away(touching: Mask, ease: int) -> Float64:
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


def _pushed(part: Motion, body: BodyOnGround, limbs: list[int], pushes: _Pushes, ends: Float64) -> Motion:
    made = part
    for number, limb in enumerate(limbs):
        moves, swings = pushes.moves[number], pushes.swings[number]
        if moves.any() or swings.any():
            made = reach_with(made, body.capsules.limbs[limb], moves, ends, swings)
    return made


def _further(
    made: Motion, body: BodyOnGround, limbs: list[int], free: Float64, pushes: _Pushes, near: _Near
) -> _Pushes:
    """Return the pushes after one more out of all that each limb is in."""
    capsules, moves, swings = body.capsules, pushes.moves.copy(), pushes.swings.copy()
    # Half of what counts as too deep remains, so that a touch stays a touch.
    directions, needed = _outward(near, near.widths - body.usual - TOO_DEEP / 2 * made.skeleton.size)
    for number, limb in enumerate(limbs):
        swing_of = _Swing.of(made, capsules.limbs[limb])
        weights = np.full(made.frames, 1e-12)
        move, swing = np.zeros((made.frames, 3)), np.zeros(made.frames)
        for side in (0, 1):
            for pair in np.flatnonzero(capsules.owners[capsules.pairs[:, side]] == limb).tolist():
                need = needed[:, pair]
                if not need.any():
                    continue
                other = int(capsules.owners[capsules.pairs[pair, 1 - side]])
                push = (1 - 2 * side) * _part_of(number, other, limbs, free) * need
                capsule, share = capsules.pairs[pair, side], near.shares[side, :, pair]
                by_end, by_middle = swing_of.parted(
                    push[:, None] * directions[:, pair],
                    int(capsules.bones[capsule]),
                    (1.0 - share) * capsules.along[capsule, 0] + share * capsules.along[capsule, 1],
                    free[number],
                )
                move += need[:, None] * by_end
                swing += need * by_middle
                weights += need
        # The mean over all that the limb is in, each counted as deep as it is in it.
        moves[number] += move / weights[:, None]
        swings[number] = np.clip(swings[number] + swing / weights, -np.pi / 2, np.pi / 2)
    return _Pushes(moves, swings)


def _part_of(number: int, other: int, limbs: list[int], free: Float64) -> Float64:
    """Return the part `(T,)` of a push that a limb takes; two limbs that move share it, as far as they are free."""
    if other not in limbs:
        return np.ones(free.shape[1])
    both = free[number] + free[limbs.index(other)]
    return np.where(both > 0, free[number] / np.maximum(both, 1e-12), 0.5)


@dataclass(frozen=True, eq=False)
class _Swing:
    """The circle of a limb's middle joint about the line between the limb's ends, over T frames.

    tangents: `(T, 3)` unit vectors along it. radii: `(T,)`. lengths: `(2, T)` of the limb's two bones.
    """

    tangents: Float64
    radii: Float64
    lengths: Float64

    @staticmethod
    def of(made: Motion, limb: Limb) -> "_Swing":
        """Return the circle of a posed limb."""
        leg = limb.posed(made, rigid=False)
        beginning, middle, end = (leg.positions[:, place] for place in (leg.hip, leg.knee, leg.end))
        line = (end - beginning) / np.maximum(rotations.lengths(end - beginning), 1e-12)[:, None]
        beyond = circles_of(beginning, line, middle).beyond
        radii = np.asarray(rotations.lengths(beyond), np.float64)
        lengths = np.stack([np.asarray(rotations.lengths(bone), np.float64) for bone in leg.bones])
        return _Swing(beyond / np.maximum(radii, 1e-12)[:, None], radii, lengths)

    def parted(self, push: Float64, bone: int, along: Float64, free: Float64) -> tuple[Float64, Float64]:
        """Return the move `(T, 3)` of a limb's end and the angle `(T,)` of the swing that make a push `(T, 3)`.

        bone: 0 to 2, the one that is pushed, at shares `(T,)` along it. free: `(T,)` of the limb's end.
        """
        size = np.maximum(rotations.lengths(push), 1e-12)
        aligned = np.sum(push * self.tangents, axis=1)
        # The swing moves the place as far as it is from both ends, and a nearly straight limb hardly at all.
        near_middle = np.array([along, 1.0 - along, np.zeros_like(along)])[bone]
        useful = near_middle * (aligned / size) ** 2 * self.radii / (self.radii + size)
        by_swing = 1.0 - free * (1.0 - useful)
        angle = by_swing * aligned / (self.radii + size) / np.maximum(near_middle, 0.5)
        first, second = self.lengths
        from_hip = np.array([along * first, first + along * second, first + second])[bone]
        lever = np.maximum(from_hip / np.maximum(first + second, 1e-12), 0.25)
        return ((1.0 - by_swing) / lever)[:, None] * push, np.where(near_middle > 0, angle, 0.0)


def _outward(near: _Near, goal: Float64) -> tuple[Float64, Float64]:
    """Return unit directions `(T, P, 3)` that part pairs, and how far `(T, P)` it is along them to a goal `(T, P)`.

    Where a limb goes in past the axis of what it is in, it leaves as it came: in directions between those at the first
    and the last frame of the penetration.
    """
    offsets, distances = near.offsets, near.distances
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

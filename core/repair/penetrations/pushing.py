# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs pushed out of the body: hands and free feet move away, and elbows and knees swing about the limb's line."""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64, Mask
from ...environment.reach.limbs import Limb, is_of_foot
from ...environment.reach.swing import circles_of
from ...evaluation.body.capsules import TOO_DEEP, Capsules, posed_axes
from ...evaluation.body.support import OFF_GROUND
from ...feet.contact_detection import label_contacts
from ...feet.foot_moves import EASE_SECONDS
from ...motion import rotations
from ...motion.filters import smooth
from ...motion.motion import Motion, joint_accelerations, joint_path
from ...motion.spans import nearest_marks, spans
from ...transfer.self_contacts.arms import reach_with
from ..calmness import LIVELIEST
from ..weight.bodies import BodyOnGround, eased_ends
from .finding import joints_of
from .posed_limbs import NearPairs, PosedLimb

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
    limbs = [limb for limb in range(len(body.capsules.limbs)) if {*joints_of(body.capsules, limb)} <= {*joints}]
    if not limbs:
        return motion
    # What hangs from another limb is pushed first, and carried along by that.
    limbs.sort(key=lambda limb: -body.capsules.limbs[limb].hip)
    part = _Part.of(motion, body, span, limbs)
    best = _best_pushes(motion, part)
    if best is None:
        return motion
    made = part.pushed(_Pushes(strength * best.moves, strength * best.swings))
    return motion.with_frames(np.arange(span[0], span[1] + 1), made)


def _best_pushes(motion: Motion, part: "_Part") -> _Pushes | None:
    """Return the pushes, eased, that leave the least of a part inside; None if none help without doing harm."""
    moves = np.zeros((len(part.limbs), part.motion.frames, 3))
    none = _Pushes(moves, np.zeros(moves.shape[:2]))
    best, least, flawed, before, room = None, np.inf, np.ones(part.motion.frames, bool), moves, np.inf
    # Pushes that smoothing lowers are the calmest, but may end before a limb is outside.
    for raised in (False, True):
        pushes = eased = none
        for number in range(ROUNDS):
            axes, places = part.placed(eased)
            near = NearPairs.of(axes, part.capsules, part.usual)
            too_deep = np.maximum((near.allowed - near.distances) / part.size - TOO_DEEP, 0.0)
            beyond, deep = float(too_deep.sum()), np.asarray(too_deep.any(axis=1))
            if number == 0:
                least, flawed, before = min(least, beyond), deep, places
                # A swing moves the middle of a limb twice as far as its quarters; farther, it does not go straight out.
                room = 2 * float(_outward(near, part.goal(near))[1].max(initial=0.0))
            elif beyond < least and not (deep & ~flawed).any() and _is_calm(places, before, motion):
                radii = np.stack([_Swing.of(of_limb).radii for of_limb in before])
                if float((radii * np.abs(eased.swings)).max()) > room:
                    break
                least, best = beyond, eased
            if beyond == 0.0:
                break
            pushes = _further(part, pushes, near, places, raised=raised)
            eased = part.eased(pushes)
        if least == 0.0:
            break
    return best


def _is_calm(places: Float64, before: Float64, motion: Motion) -> bool:
    """Return whether the middles and ends of limbs at `(L, 3, T, 3)` accelerate no more than repairs may make them."""
    now, then = (float(rotations.lengths(np.diff(of[:, 1:], 2, axis=2)).max(initial=0.0)) for of in (places, before))
    # The limbs' own accelerations are at hand, and mostly enough.
    return now <= LIVELIEST * then or now <= LIVELIEST * float(joint_accelerations(motion).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of a motion, of T frames, of which L limbs are pushed.

    capsules, usual: the pairs that the limbs are in, with their usual depths. free: `(L, T)` weights of the moves of
    the limbs' ends. ends: `(T,)` weights of all pushes. axes: `(2, T, C, 3)` of the capsules.
    """

    motion: Motion
    capsules: Capsules
    usual: Float64
    limbs: list[int]
    posed: list[PosedLimb]
    free: Float64
    ends: Float64
    axes: Float64

    @staticmethod
    def of(motion: Motion, body: BodyOnGround, span: tuple[int, int], limbs: list[int]) -> "_Part":
        """Return the part of a motion in a span, first and last frame."""
        (first, last), every = span, body.capsules
        part = motion.slice(first, last + 1)
        involved = np.isin(every.owners[every.pairs], limbs).any(axis=1)
        capsules = replace(every, pairs=every.pairs[involved])
        ease = max(round(EASE_SECONDS * motion.frames_per_second), 1)
        ends = eased_ends(part.frames, (first > 0, last + 1 < motion.frames), ease)
        posed = [PosedLimb.of(part, every.limbs[limb], capsules) for limb in limbs]
        free = np.stack([_free(motion, body, every.limbs[limb], ease)[first : last + 1] for limb in limbs])
        axes = np.stack(posed_axes(part, capsules))
        return _Part(part, capsules, body.usual[involved], limbs, posed, free, ends, axes)

    @property
    def size(self) -> float:
        """Return the size of the skeleton."""
        return self.motion.skeleton.size

    def goal(self, near: NearPairs) -> Float64:
        """Return the distances `(T, P)` to which pairs are parted: half of what counts as too deep remains, so that a
        touch stays a touch.
        """
        return np.asarray(near.allowed - TOO_DEEP / 2 * self.size)

    def eased(self, pushes: _Pushes) -> _Pushes:
        """Return pushes that are smooth, and vanish at the ends and where a limb's end is on the ground."""
        seconds, rate = EASE_SECONDS / 3, self.motion.frames_per_second
        moves = np.stack([smooth(moves, seconds, rate) for moves in pushes.moves])
        swings = np.stack([smooth(swings[:, None], seconds, rate)[:, 0] for swings in pushes.swings])
        return _Pushes(moves * (self.free * self.ends)[..., None], swings * self.ends)

    def raised(self, pushes: Float64) -> Float64:
        """Return pushes `(T, C)`, those of a few frames raised so that they are as large as before once smoothed."""
        sizes = np.linalg.norm(pushes, axis=1, keepdims=True)
        after = smooth(sizes, EASE_SECONDS / 3, self.motion.frames_per_second)
        return np.asarray(pushes * (sizes / np.maximum(after, 1e-12)))

    def placed(self, pushes: _Pushes) -> tuple[Float64, Float64]:
        """Return the axes `(2, T, C, 3)`, and the limbs' places `(L, 3, T, 3)`, that eased pushes lead to."""
        axes, places = self.axes, [posed.places for posed in self.posed]
        for number, posed in enumerate(self.posed):
            if pushes.moves[number].any() or pushes.swings[number].any():
                axes, places[number] = posed.pushed(axes, pushes.moves[number], pushes.swings[number], self.ends)
        return axes, np.stack(places)

    def pushed(self, pushes: _Pushes) -> Motion:
        """Return the motion of the part after eased pushes."""
        made = self.motion
        for number, limb in enumerate(self.limbs):
            moves, swings = pushes.moves[number], pushes.swings[number]
            if moves.any() or swings.any():
                made = reach_with(made, self.capsules.limbs[limb], moves, self.ends, swings)
        return made


def _free(motion: Motion, body: BodyOnGround, limb: Limb, ease: int) -> Float64:
    """Return weights `(T,)` of the moves of a limb's end: 0 while it is on the ground, 1 a while before and after."""
    skeleton, standing = motion.skeleton, body.standing
    touching: Mask = np.zeros(motion.frames, bool)
    if standing.feet:
        contacts = label_contacts(motion, standing.feet, standing.ground, climbs=standing.plan.climbs or None)
        of_leg = [is_of_foot(skeleton, limb.joint, foot) for foot in standing.feet]
        heights = joint_path(motion, limb.wrist) @ np.array(skeleton.up)
        on_ground = heights < standing.ground.min() + OFF_GROUND * skeleton.size
        touching = np.asarray(contacts[:, of_leg].any(axis=1) if any(of_leg) else on_ground)
    if not touching.any():
        return np.ones(motion.frames)
    away = np.abs(np.arange(motion.frames) - nearest_marks(np.flatnonzero(touching), motion.frames))
    return np.asarray(np.minimum(away / ease, 1.0))


def _further(part: _Part, pushes: _Pushes, near: NearPairs, places: Float64, *, raised: bool) -> _Pushes:
    """Return the pushes after one more out of all that each limb is in, as they are placed `(L, 3, T, 3)`.

    raised: so that smoothing does not lower those of a few frames.
    """
    capsules, free = part.capsules, part.free
    moves, swings = pushes.moves.copy(), pushes.swings.copy()
    directions, needed = _outward(near, part.goal(near))
    for number, limb in enumerate(part.limbs):
        swing_of = _Swing.of(places[number])
        weights = np.full(len(part.ends), 1e-12)
        move, swing = np.zeros((len(weights), 3)), np.zeros(len(weights))
        for side in (0, 1):
            for pair in np.flatnonzero(capsules.owners[near.pairs[:, side]] == limb).tolist():
                need = needed[:, pair]
                if not need.any():
                    continue
                capsule, other = near.pairs[pair, [side, 1 - side]].tolist()
                share = near.shares[side, :, pair]
                push = (1 - 2 * side) * _part_of(number, int(capsules.owners[other]), part.limbs, free) * need
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
        both = np.column_stack((move, swing)) / weights[:, None]
        if raised:
            both[:, :3], both[:, 3:] = part.raised(both[:, :3]), part.raised(both[:, 3:])
        moves[number] += both[:, :3]
        swings[number] = np.clip(swings[number] + both[:, 3], -np.pi / 2, np.pi / 2)
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
    def of(places: Float64) -> "_Swing":
        """Return the circle of a limb whose three joints are at places `(3, T, 3)`."""
        beginning, middle, end = places
        line = (end - beginning) / np.maximum(rotations.lengths(end - beginning), 1e-12)[:, None]
        beyond = circles_of(beginning, line, middle).beyond
        radii = np.asarray(rotations.lengths(beyond), np.float64)
        lengths = np.asarray(rotations.lengths(np.diff(places, axis=0)), np.float64)
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


def _outward(near: NearPairs, goal: Float64) -> tuple[Float64, Float64]:
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops, starts, stops and turns in place cut from examples, all of them in step: for the blend spaces of game engines.

Strides begin where the first foot lands, so that loops have the same phase. Nothing is made that the examples do not
show; a loop is only closed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import numpy as np

from ..arrays import Float64, Mask
from ..errors import InputError, counted, listed
from ..feet.calm_paths import NOTICED
from ..feet.climbs import plan_of_climb
from ..feet.contact_detection import NEAR_GROUND, find_feet, ground_heights, label_contacts
from ..motion import rotations
from ..motion.filters import wrap_angle
from ..motion.ground_travel import STANDS
from ..motion.motion import Motion, resample
from ..motion.root_joint import find_body_joint, moving_joints, travel_of
from ..motion.root_motion import IN_PLACE_NET, RootPlan, apply_root, encode_root, integrate, plan_root
from ..motion.spans import spans
from ..settings import Facing
from .cycles import Repetition, closed_round, from_origin, unrolled
from .foot_travel import with_foot_travel

MOST_LOOP_TURN = np.radians(10.0)
"""Largest turn of a straight loop in a stride."""
SHORTEST_TURN = np.radians(30.0)
"""Smallest turn in place."""
DIRECTIONS = ("forward", "forward_left", "left", "back_left", "back", "back_right", "right", "forward_right")


class MoveKind(Enum):
    """Kinds of moves of a set.

    >>> MoveKind("loop")
    <MoveKind.LOOP: 'loop'>
    """

    LOOP = "loop"
    START = "start"
    STOP = "stop"
    TURN = "turn"


@dataclass(frozen=True, eq=False)
class Move:
    """A move of a set, which begins at the origin with the heading at rest.

    direction: of the travel relative to the body, or "left" and "right" for turns. speed: of the travel, in units per
    second. strides: number of strides in a loop. turn: about the up axis, in radians. example, first, last: its source.

    >>> Move(MoveKind.TURN, "left", 0.0, 0, np.pi / 2, swing, example=0, first=0, last=59).label
    'turn_left_90'
    """

    kind: MoveKind
    direction: str
    speed: float
    strides: int
    turn: float
    motion: Motion
    example: int
    first: int
    last: int
    missed: float = 0.0
    """Distance, in sizes, by which the ends of a loop missed each other before it was closed."""

    @property
    def label(self) -> str:
        """Return the kind and direction, such as "forward", "start_forward" and, to five degrees, "turn_left_90"."""
        if self.kind is MoveKind.LOOP:
            return self.direction
        degrees = f"_{5 * round(abs(np.degrees(self.turn)) / 5)}" if self.kind is MoveKind.TURN else ""
        return f"{self.kind.value}_{self.direction}{degrees}"

    @property
    def seconds(self) -> float:
        """Return the duration."""
        return (self.motion.frames - 1) / self.motion.frames_per_second


@dataclass(frozen=True, eq=False)
class LocomotionSet:
    """Moves cut from examples; missing: sentences on what the examples do not show.

    >>> LocomotionSet((), ("No turn in place to the left.",)).missing
    ('No turn in place to the left.',)
    """

    moves: tuple[Move, ...]
    missing: tuple[str, ...]


def locomotion_set(
    motions: Sequence[Motion],
    strides: Sequence[int] = (1,),
    root: str | None = None,
    *,
    repetitions: Sequence[Repetition] | None = None,
    frames_per_second: float | None = None,
) -> LocomotionSet:
    """Return the loops, starts, stops and turns that examples on one skeleton show; of equal ones, the best.

    strides: numbers of strides of the loops. root: the joint that travels; None finds it. repetitions: see `unrolled`.
    frames_per_second: of the moves; None is each example's own. Examples in place travel, see `with_foot_travel`.
    Examples that climb are left out. Raises InputError if the examples show no two feet, or no move.

    >>> locomotion_set([swing])
    Traceback (most recent call last):
    genmm_addon.core.errors.InputError: The examples show no two feet that stand; a locomotion set needs walks or runs.
    """
    examples, rounds = unrolled(motions, repetitions, root)
    climbing = [number for number, example in enumerate(examples) if plan_of_climb(example) is not None]
    kept = [number for number in range(len(examples)) if number not in climbing]
    if not kept:
        raise InputError("The examples climb, and moves of a set are on level ground; add walks or runs there.")
    examples, rounds = tuple(examples[number] for number in kept), rounds[kept]
    rates = [frames_per_second or example.frames_per_second for example in examples]
    played, traveling = (
        [resample(example, rate)[0] for example, rate in zip(some, rates, strict=True)]
        for some in (examples, with_foot_travel(examples, rounds, root))
    )
    # In place, the ground is seen to move, and feet that follow it roughly stand on it.
    feet = find_feet(played, treadmill=True)
    if len(feet) < 2:
        raise InputError("The examples show no two feet that stand; a locomotion set needs walks or runs.")
    plan, bases = plan_root(traveling, Facing.FREE, root), ground_heights(played, feet)
    counts = rounds * np.array(rates) / [example.frames_per_second for example in examples]
    takes = [
        _take(number, motion, plan, label_contacts(own, feet, bases, treadmill=True), frames)
        for number, motion, own, frames in zip(kept, traveling, played, counts.tolist(), strict=True)
        if motion.frames > 2
    ]
    ahead = _ahead(takes)
    loops = _best([loop for take in takes for count in strides for loop in _loops(take, count, ahead)])
    moves = [*loops, *_best([move for take in takes for move in _changes(take, ahead)])]
    if not moves:
        raise InputError(
            "The examples show no straight stride that ends as it begins, and no turn in place; add walks or runs."
        )
    return LocomotionSet(tuple(moves), (*_left_out(climbing), *_missing(moves, strides)))


@dataclass(frozen=True, eq=False)
class _Take:
    """An example with the plan of its root, its contacts `(T, F)`, places on the ground `(T, 2)` and turns `(T,)`.

    landings: frames at which strides begin.
    """

    number: int
    motion: Motion
    plan: RootPlan
    contacts: Mask
    places: Float64
    turns: Float64
    landings: tuple[int, ...]

    def travel(self, first: int, last: int) -> Float64:
        """Return the travel `(2,)` over the ground between two frames."""
        return np.asarray(self.places[last] - self.places[first])

    def speed(self, first: int, last: int) -> float:
        """Return the speed of the travel between two frames, in units per second."""
        return float(np.linalg.norm(self.travel(first, last))) * self.motion.frames_per_second / (last - first)

    def stands(self) -> Mask:
        """Return a mask `(T,)` of the frames at which the character stands on all feet."""
        steps = np.linalg.norm(np.gradient(self.places, axis=0), axis=1) * self.motion.frames_per_second
        slow = steps < STANDS * self.motion.skeleton.size
        turn_rate = np.abs(np.gradient(self.turns)) * self.motion.frames_per_second
        return np.asarray(slow & self.contacts.all(axis=1) & (turn_rate < MOST_LOOP_TURN))


def _take(number: int, motion: Motion, plan: RootPlan, contacts: Mask, round_frames: float) -> _Take:
    body = find_body_joint(motion.skeleton, moving_joints(motion))
    travel = travel_of(motion, body, body)
    places = travel.places @ rotations.ground_axes(motion.skeleton.up).T
    take = _Take(number, motion, plan, contacts, places, travel.turns, tuple(_landings(contacts)))
    closes = any(_missed(take, *pair) <= NEAR_GROUND for pair in pairwise(take.landings))
    if closes or math.isinf(round_frames) or not take.landings:
        return take
    # A foot of a cycle that lands twice in a stride would hide that a round closes.
    frames = np.arange(take.landings[0], motion.frames - 0.5, round_frames).round().astype(int)
    return replace(take, landings=tuple(frames.tolist()))


def _landings(contacts: Mask) -> Iterator[int]:
    """Yield the frames at which the first foot lands after another one has."""
    others = False
    for frame in range(1, len(contacts)):
        lands = contacts[frame] & ~contacts[frame - 1]
        others |= bool(lands[1:].any())
        if lands[0] and others:
            yield frame
            others = False


def _ahead(takes: Sequence[_Take]) -> float:
    """Return the angle on the ground of the direction ahead at heading 0: that in which the fastest strides lead.

    It is 0 if all are in place.
    """
    strides = [(take, pair) for take in takes for pair in pairwise(take.landings)]
    if not strides:
        return 0.0
    angles = np.array([_angle(take.travel(*pair)) - take.turns[slice(*pair)].mean() for take, pair in strides])
    speeds = np.array([take.speed(*pair) for take, pair in strides])
    if not speeds.any():
        return 0.0
    off = wrap_angle(angles - angles[speeds.argmax()])
    near = np.abs(off) <= np.pi / len(DIRECTIONS)
    return float(angles[speeds.argmax()] + np.average(off[near], weights=speeds[near]))


def _angle(flat: Float64) -> float:
    return float(np.arctan2(flat[1], flat[0]))


def _direction(take: _Take, first: int, last: int, ahead: float) -> str:
    """Return the direction of the travel relative to the body."""
    angle = _angle(take.travel(first, last)) - float(take.turns[first : last + 1].mean()) - ahead
    return DIRECTIONS[round(wrap_angle(angle) / (np.pi / 4)) % len(DIRECTIONS)]


def _loops(take: _Take, count: int, ahead: float) -> Iterator[Move]:
    """Yield the straight loops of some strides that a take shows."""
    size = take.motion.skeleton.size
    for first, last in zip(take.landings, take.landings[count:], strict=False):
        turn, missed = float(take.turns[last] - take.turns[first]), _missed(take, first, last)
        travels = take.speed(first, last) > STANDS * size
        if not travels or abs(turn) > MOST_LOOP_TURN * count or missed > NEAR_GROUND:
            continue
        loop = closed_round(take.motion.slice(first, last + 1), take.plan)
        direction, speed = _direction(take, first, last, ahead), take.speed(first, last)
        yield Move(MoveKind.LOOP, direction, speed, count, 0.0, loop, take.number, first, last, missed)


def _missed(take: _Take, first: int, last: int) -> float:
    """Return the largest distance of a joint between two frames, both seen from the root, in sizes."""
    both = take.motion.take(np.array([first, last]))
    track = encode_root(both, take.plan)
    seen = apply_root(both, take.plan, from_origin(track))
    places = seen.pose()[1]
    return float(np.linalg.norm(places[1] - places[0], axis=1).max() / both.skeleton.size)


def _changes(take: _Take, ahead: float) -> Iterator[Move]:
    """Yield the starts, stops and turns in place that a take shows."""
    still = spans(take.stands())
    for (_, leaves), (arrives, _) in pairwise(still):
        turn = float(take.turns[arrives] - take.turns[leaves - 1])
        away = np.linalg.norm(take.places[leaves - 1 : arrives + 1] - take.places[leaves - 1], axis=1).max()
        if abs(turn) >= SHORTEST_TURN and away <= IN_PLACE_NET * take.motion.skeleton.size:
            side = "left" if turn > 0.0 else "right"
            yield _excerpt(take, MoveKind.TURN, leaves - 1, arrives, side, turn=turn)
    for loop in _loops(take, 1, ahead):
        before = [end - 1 for _, end in still if end - 1 < loop.first]
        after = [start for start, _ in still if start > loop.last]
        if before and sum(before[-1] < landing < loop.first for landing in take.landings) <= 1:
            yield _excerpt(take, MoveKind.START, before[-1], loop.first, loop.direction, speed=loop.speed)
        if after and sum(loop.last < landing < after[0] for landing in take.landings) <= 1:
            yield _excerpt(take, MoveKind.STOP, loop.last, after[0], loop.direction, speed=loop.speed)


def _excerpt(
    take: _Take, kind: MoveKind, first: int, last: int, direction: str, *, speed: float = 0.0, turn: float = 0.0
) -> Move:
    motion = take.motion.slice(first, last + 1)
    track = encode_root(motion, take.plan)
    moved = apply_root(motion, take.plan, integrate(from_origin(track), motion.skeleton.up))
    return Move(kind, direction, speed, 0, turn, moved, take.number, first, last)


def _best(moves: Sequence[Move]) -> list[Move]:
    """Return the best of moves that have one place in the grid: loops that close best, and the shortest of others."""
    chosen: list[Move] = []
    for move in sorted(moves, key=lambda move: (move.missed, move.seconds)):
        if not any(_is_same(move, other) for other in chosen):
            chosen.append(move)
    kinds = list(MoveKind)
    return sorted(
        chosen, key=lambda move: (kinds.index(move.kind), move.direction, move.strides, move.speed, move.turn)
    )


def _is_same(move: Move, other: Move) -> bool:
    """Return whether two moves have one place in the grid."""
    if (move.kind, move.direction, move.strides) != (other.kind, other.direction, other.strides):
        return False
    if move.kind is MoveKind.TURN:
        return bool(abs(move.turn - other.turn) < SHORTEST_TURN / 2)
    return bool(max(move.speed, other.speed) < NOTICED * min(move.speed, other.speed))


def _left_out(climbing: Sequence[int]) -> Iterator[str]:
    """Yield a sentence on examples that climb, by their numbers from 0."""
    if climbing:
        which = listed([number + 1 for number in climbing], "")
        yield f"Left out, since a set is on level ground: example {which}, which climbs."


def _missing(moves: Sequence[Move], strides: Sequence[int]) -> Iterator[str]:
    """Yield sentences on what the examples do not show."""
    loops = [move for move in moves if move.kind is MoveKind.LOOP]
    for count in strides:
        present = {move.direction for move in loops if move.strides == count}
        lacking = [direction.replace("_", " ") for direction in DIRECTIONS if direction not in present]
        if lacking:
            yield f"No loop of {counted(count, 'stride')} {listed(lacking)}."
    for kind, names in ((MoveKind.START, "start"), (MoveKind.STOP, "stop")):
        present = {move.direction for move in moves if move.kind is kind}
        lacking = sorted({move.direction.replace("_", " ") for move in loops if move.direction not in present})
        if lacking:
            yield f"No {names} {listed(lacking)}."
    for side in ("left", "right"):
        if not any(move.kind is MoveKind.TURN and move.direction == side for move in moves):
            yield f"No turn in place to the {side}."

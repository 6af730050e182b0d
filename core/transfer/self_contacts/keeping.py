# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-contacts restored after retargeting: the arms reach again for the places that they touch in the source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64
from ...feet.fixed_stances import LEAST_DRIFT
from ...motion import rotations
from ...motion.filters import smooth, smoothstep
from ...motion.motion import Motion
from ...motion.skeleton import SAME_PLACE, Skeleton
from .arms import reach_with
from .bodies import BodyPair, PosedBody, find_bodies, pose_body
from .detecting import HANDS, SelfContact, find_self_contacts, nearest_on

ANCHORED = 0.02
"""Weight of a hand that touches a bone when both hands share a move toward each other; a free hand weighs one more."""
SHORTEST_SECONDS, LONGEST_SECONDS = 0.2, 0.8
"""Shortest and longest duration, in seconds, in which a hand moves to its contact and away from it: those of a quick
grasp and of an unhurried reach."""
SLOWER = (1.0, 1.6, 2.5)
"""Factors on this duration, tried in this order until the arms are calm enough."""
STEEPEST = 10.0 / np.sqrt(3.0)
"""Largest acceleration of a minimum-jerk move, in lengths of the move per squared duration (Flash, Hogan 1985)."""
ALLOWED, MOST = 1.1, 1.5
"""Largest accelerations of hands and elbows, in multiples of their largest one before or, scaled, in the source. Slower
moves are tried above ALLOWED; above MOST, contacts are given up."""
CALM = 3.0
"""Acceleration that is always allowed, in sizes per second squared: that of a reach of 30 cm in 0.6 s."""
PASSES = 3
"""Number of passes if a hand touches the other arm, since each pass also moves that arm."""
STRETCHED, OUT_OF_REACH = 1.0, 1.12
"""Distances of a place from the shoulder, in lengths of the arm. A contact counts fully up to STRETCHED, less and less
beyond it, and not at all from OUT_OF_REACH."""
ALONG_SECONDS = 0.1
"""Deviation, in seconds, of the Gaussian that smooths a contact's place along its bone, which would otherwise stop
abruptly at the bone's ends, and an arm's weight while a place comes within its reach."""


@dataclass(frozen=True, eq=False)
class Goal:
    """A contact to restore.

    moves: `(T, 3)` of the hand, or of the second hand relative to the first. weights: `(T,)`, 0 to 1.
    """

    contact: SelfContact
    moves: Float64
    weights: Float64


def joined_moves(goals: Sequence[Goal], hands: int) -> tuple[Float64, Float64]:
    """Return the weighted move `(H, T, 3)` of each hand, and the weights `(H, T)`.

    Each hand goes to its bones. If the hands also meet, the hand that touches no bone comes to the other one; if
    neither does, both go halfway.
    """
    frames = len(goals[0].weights)
    moves, weights = np.zeros((hands, frames, 3)), np.zeros((hands, frames))
    for hand in range(hands):
        of_hand = [goal for goal in goals if goal.contact.hand == hand and goal.contact.bone != HANDS]
        if of_hand:
            total = np.maximum(np.sum([goal.weights for goal in of_hand], axis=0), 1e-12)
            weights[hand] = 1.0 - np.prod([1.0 - goal.weights for goal in of_hand], axis=0)
            moves[hand] = np.sum(
                [(weights[hand] * goal.weights / total)[:, None] * goal.moves for goal in of_hand], axis=0
            )
    both = [goal for goal in goals if goal.contact.bone == HANDS]
    if both:
        weight = 1.0 - np.prod([1.0 - goal.weights for goal in both], axis=0)
        free = 1.0 - weights + ANCHORED
        missing = both[0].moves - (moves[1] - moves[0])
        moves[1] += (weight * free[1] / free.sum(axis=0))[:, None] * missing
        moves[0] -= (weight * free[0] / free.sum(axis=0))[:, None] * missing
        weights = 1.0 - (1.0 - weights) * (1.0 - weight)
    return moves, weights


@dataclass(frozen=True, eq=False)
class ContactsToKeep:
    """Contacts of a body with itself in a motion, and the pair of bodies; see contacts_to_keep.

    source: positions of hands and bones in the source.

    >>> kept = contacts_to_keep(swing, swing.skeleton, {"hips": "hips"})
    >>> isinstance(kept, ContactsToKeep)
    False
    """

    bodies: BodyPair
    contacts: Sequence[SelfContact]
    source: PosedBody


@dataclass(frozen=True, eq=False)
class _Task:
    """Contacts to restore; source, before: the body's positions in the source and in the retargeted motion `result`."""

    pair: BodyPair
    contacts: Sequence[SelfContact]
    source: PosedBody
    before: PosedBody
    result: Motion


def contacts_to_keep(source: Motion, target: Skeleton, pairs: Mapping[str, str]) -> ContactsToKeep | None:
    """Return the self-contacts of a motion that another skeleton should keep; None if there are none.

    pairs: names of the target's joints by the names of the source's.

    >>> contacts_to_keep(swing, swing.skeleton, {"hips": "hips"}) is None
    True
    """
    bodies = find_bodies(source.skeleton, target, pairs)
    return None if bodies is None else contacts_between(source, bodies, pose_body(source, bodies.source))


def contacts_between(source: Motion, bodies: BodyPair, posed: PosedBody) -> ContactsToKeep | None:
    """Return the self-contacts of a motion on the source's body, which is `posed`; None if there are none."""
    contacts = find_self_contacts(source, bodies.source, posed)
    return ContactsToKeep(bodies, contacts, posed) if contacts else None


def with_self_contacts(result: Motion, kept: ContactsToKeep | None, *, quickest: float = 0.0) -> Motion:
    """Return a retargeted motion with its hands where they touch the own body in the source.

    result: the source's frames on another skeleton. A contact's place scales with its bone, and the palm's offset from
    it with the body. Only arms move, and hands keep their orientations. If there are no contacts, or all of them
    already hold, the result itself is returned. quickest: an acceleration of the arms, in units per frame squared, that
    a longer motion has of which this is a piece.

    >>> with_self_contacts(swing, contacts_to_keep(swing, swing.skeleton, {"hips": "hips"})) is swing
    True
    """
    result.check_values("The motion with contacts")
    if kept is None:
        return result
    task = _task(result, kept)
    farthest = max(_farthest(contact, _moves(contact, task, task.before)) for contact in task.contacts)
    if farthest < SAME_PLACE * result.skeleton.size:
        return result
    calm = CALM * result.skeleton.size / result.frames_per_second**2
    before, source = (arm_accelerations(posed).max(axis=(1, 2)) for posed in (task.before, task.source))
    usual = np.maximum(np.maximum(before, task.pair.scale * source), max(calm, quickest))[:, None, None]
    while task.contacts:
        moved, ratios = _calmest(task, usual)
        if ratios.max(initial=0.0) <= MOST:
            return moved
        task = replace(task, contacts=_without_quickest(task.contacts, ratios))
    return result


def missed_contacts(result: Motion, kept: ContactsToKeep) -> int:
    """Return the number of self-contacts that a retargeted motion misses.

    Contacts are missed if arms are too short, or would have to fold too far or move too quickly.

    >>> kept = contacts_to_keep(swing, swing.skeleton, {"hips": "hips"})
    >>> 0 if kept is None else missed_contacts(swing, kept)
    0
    """
    task = _task(result, kept)
    away = [
        np.linalg.norm(_moves(contact, task, task.before)[contact.start : contact.stop], axis=1).mean()
        for contact in task.contacts
    ]
    return sum(bool(distance > LEAST_DRIFT * result.skeleton.size) for distance in away)


def _task(result: Motion, kept: ContactsToKeep) -> _Task:
    return _Task(kept.bodies, kept.contacts, kept.source, pose_body(result, kept.bodies.target), result)


def _calmest(task: _Task, usual: Float64) -> tuple[Motion, Float64]:
    """Return the motion with its contacts restored, and the accelerations `(H, T)` of its arms over the usual ones.

    usual: `(2, 1, 1)` of wrists and elbows. Slower moves are tried until none exceeds ALLOWED; if none of them
    succeeds, the calmest is returned.
    """
    best: tuple[Motion, Float64] | None = None
    for slower in SLOWER:
        moved, posed = _solved(task, slower)
        ratios = (arm_accelerations(posed) / usual).max(axis=0)
        if best is None or ratios.max(initial=0.0) < best[1].max(initial=0.0):
            best = moved, ratios
        if ratios.max(initial=0.0) <= ALLOWED:
            break
    assert best is not None
    return best


def _without_quickest(contacts: Sequence[SelfContact], ratios: Float64) -> list[SelfContact]:
    """Return the contacts without one: of the hand that accelerates most, the one nearest to that frame."""
    hand, frame = np.unravel_index(int(np.argmax(ratios)), ratios.shape)
    candidates = [contact for contact in contacts if contact.bone == HANDS or contact.hand == hand] or contacts
    gone = min(candidates, key=lambda contact: max(contact.start - frame, frame - contact.stop, 0))
    return [contact for contact in contacts if contact is not gone]


def _solved(task: _Task, slower: float) -> tuple[Motion, PosedBody]:
    """Return the motion with its contacts restored, and its posed body; slower: the factor on the moves' durations."""
    bones, moved, posed = task.pair.target.bones, task.result, task.before
    on_arms = any(contact.bone != HANDS and bones[contact.bone].owner >= 0 for contact in task.contacts)
    weights = [_weights(contact, _moves(contact, task, task.before), task, slower) for contact in task.contacts]
    for _ in range(PASSES if on_arms else 1):
        goals = [
            Goal(contact, _moves(contact, task, posed), weight)
            for contact, weight in zip(task.contacts, weights, strict=True)
        ]
        moves, shares = joined_moves(goals, len(task.before.palms))
        moved = task.result
        for number, hand in enumerate(task.pair.target.hands):
            moved = reach_with(moved, hand.arm, moves[number], shares[number])
        posed = pose_body(moved, task.pair.target)
    return moved, posed


def _moves(contact: SelfContact, task: _Task, present: PosedBody) -> Float64:
    """Return the offsets `(T, 3)` from a hand to its contact; of two hands, of the second relative to the first.

    present: positions in the result, whose other arm may have moved already.
    """
    source, before, turn, scale = task.source, task.before, task.pair.turn, task.pair.scale
    if contact.bone == HANDS:
        between = rotations.rotate(turn, source.palms[1] - source.palms[0])
        return np.asarray(scale * between - (before.palms[1] - before.palms[0]))
    bone = contact.bone
    palms, shares = source.palms[contact.hand], _shares_of_bone(contact, source, task.result.frames_per_second)
    offsets = palms - _places_on(source, bone, shares)
    return np.asarray(
        _places_on(present, bone, shares) + scale * rotations.rotate(turn, offsets) - before.palms[contact.hand]
    )


def _shares_of_bone(contact: SelfContact, source: PosedBody, rate: float) -> Float64:
    """Return the smoothed place `(T,)` of a contact on its bone, from 0 to 1; beside the contact its end values."""
    bone, inside = contact.bone, slice(contact.start, contact.stop)
    shares, _ = nearest_on(
        source.palms[contact.hand][inside], source.beginnings[bone][inside], source.ends[bone][inside]
    )
    padded = np.pad(shares, (contact.start, len(source.palms[0]) - contact.stop), mode="edge")
    return smooth(padded[:, None], ALONG_SECONDS, rate)[:, 0]


def _places_on(posed: PosedBody, bone: int, shares: Float64) -> Float64:
    return np.asarray(posed.beginnings[bone] + shares[:, None] * (posed.ends[bone] - posed.beginnings[bone]))


def _weights(contact: SelfContact, moves: Float64, task: _Task, slower: float) -> Float64:
    """Return the weight `(T,)` of a contact: 1 during it, less if it is out of reach, and eased in and out.

    Easing takes longer for large moves, and for hands that are calm in the whole motion.
    """
    rate = task.result.frames_per_second
    hands = task.before.palms if contact.bone == HANDS else task.before.palms[[contact.hand]]
    quickest = float(np.linalg.norm(np.diff(hands, 2, axis=1), axis=2).max(initial=0.0)) * rate**2
    # The move adds no more than the hand's largest acceleration in the motion.
    allowed = max(quickest, 1e-9)
    seconds = np.clip(np.sqrt(STEEPEST * _farthest(contact, moves) / allowed), SHORTEST_SECONDS, LONGEST_SECONDS)
    frames = np.arange(len(moves))
    outside = np.maximum(np.maximum(contact.start - frames, frames - (contact.stop - 1)), 0)
    share = np.clip(1.0 - outside / max(slower * seconds * rate, 1.0), 0.0, 1.0)
    return np.asarray(_within_reach(contact, moves, task) * share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def _within_reach(contact: SelfContact, moves: Float64, task: _Task) -> Float64:
    """Return weights `(T,)` of 1 if a hand reaches its bone, and 0 if the bone is far out of reach."""
    vectors = task.before.wrists - task.before.shoulders
    # Hands that meet go halfway each.
    vectors = (
        vectors + np.array([-0.5, 0.5])[:, None, None] * moves
        if contact.bone == HANDS
        else vectors[[contact.hand]] + moves
    )
    lengths = task.before.arm_lengths if contact.bone == HANDS else task.before.arm_lengths[[contact.hand]]
    distances = (np.linalg.norm(vectors, axis=2) / lengths[:, None]).max(axis=0)
    return smooth(_reached(distances)[:, None], ALONG_SECONDS, task.result.frames_per_second)[:, 0]


def _reached(distances: Float64) -> Float64:
    """Return weights that fall from 1 for distances up to STRETCHED to 0 from OUT_OF_REACH, in lengths of the arm."""
    return np.asarray(1.0 - smoothstep(np.clip((distances - STRETCHED) / (OUT_OF_REACH - STRETCHED), 0.0, 1.0)))


def _farthest(contact: SelfContact, moves: Float64) -> float:
    return float(np.linalg.norm(moves[contact.start : contact.stop], axis=1).max())


def arm_accelerations(posed: PosedBody) -> Float64:
    """Return the accelerations `(2, H, T)` of wrists and elbows, in units per frame squared."""
    paths = np.stack((posed.wrists, posed.elbows))
    return np.pad(np.linalg.norm(np.diff(paths, 2, axis=2), axis=3), ((0, 0), (0, 0), (1, 1)))

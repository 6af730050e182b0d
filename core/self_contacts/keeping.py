# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of a body with itself brought back after retargeting: arms reach again what they touch in the source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.filters import smooth, smoothstep
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton
from .arms import reach_with
from .bodies import BodyPair, PosedBody, find_bodies, pose_body
from .detecting import HANDS, SelfContact, find_self_contacts, nearest_on
from .joining import Goal, joined_moves

Float64 = NDArray[np.float64]

NEGLIGIBLE = 0.005
"""Contacts that are off by less than this share of the target's size are left as they are: 1 cm of an adult."""
SHORTEST_SECONDS, LONGEST_SECONDS = 0.2, 0.8
"""Durations over which a hand is led to its contact and away from it: a quick grasp, and an unhurried reach ..."""
SLOWER = (1.0, 1.6, 2.5)
"""... and by how much they are longer where arms would be too quick, one after another."""
SHARE_OF_ACCELERATION = 0.5
"""The way to a contact adds at most this share of the largest acceleration that the hand has in the whole motion ..."""
STEEPEST = 5.77
"""... and its largest acceleration is so many times its length over its duration squared (minimum jerk)."""
ALLOWED, MOST = 1.1, 1.5
"""Hands and elbows may accelerate up to the first share of their largest acceleration before, or of the source's for
its size, if there is a way to; a contact that takes more than the second is given up."""
MISSED = 0.02
"""A contact that is off by more than this share of the size, on the mean over its frames, is missed: 4 cm of an adult,
which is seen."""
CALM = 3.0
"""Accelerations that are always allowed, in sizes of the body per second squared: reaching 30 cm far in 0.6 s."""
PASSES = 3
"""A hand on the other arm follows that arm's own change in so many passes."""
STRETCHED, OUT_OF_REACH = 1.0, 1.12
"""A place as far as so many times an arm's length is gone for as far as may be; one at the second not at all."""
ALONG_SECONDS = 0.1
"""The place along a bone is smoothed by a Gaussian of this deviation: at the bone's ends it would stop dead."""
REACH_SECONDS = 0.12
"""An arm turns to a place that comes within its reach over about this time, as the deviation of a Gaussian."""
MOSTLY = 75
"""The percentile of a contact's frames that says how far its place is from the shoulder."""


@dataclass(frozen=True, eq=False)
class ContactsToKeep:
    """Contacts of a body with itself in a motion, and the bodies that they go between.

    there: the body in the source. See contacts_to_keep.

    >>> kept = contacts_to_keep(swing, swing.skeleton, {"hips": "hips"})
    >>> isinstance(kept, ContactsToKeep)
    False
    """

    bodies: BodyPair
    contacts: Sequence[SelfContact]
    there: PosedBody


@dataclass(frozen=True, eq=False)
class _Task:
    """Contacts to be brought back. there, before: the body in the source, and in the result as it was retargeted."""

    pair: BodyPair
    contacts: Sequence[SelfContact]
    there: PosedBody
    before: PosedBody
    result: Motion


def contacts_to_keep(source: Motion, target: Skeleton, pairs: Mapping[str, str]) -> ContactsToKeep | None:
    """Return the contacts with the own body that a motion has and another skeleton is to keep; None without any.

    pairs: names of joints there and here.

    >>> contacts_to_keep(swing, swing.skeleton, {"hips": "hips"}) is None
    True
    """
    bodies = find_bodies(source.skeleton, target, pairs)
    return None if bodies is None else contacts_between(source, bodies)


def contacts_between(source: Motion, bodies: BodyPair) -> ContactsToKeep | None:
    """Return the same for bodies that were found."""
    contacts, there = find_self_contacts(source, bodies.source)
    return ContactsToKeep(bodies, contacts, there) if contacts else None


def with_self_contacts(result: Motion, kept: ContactsToKeep | None) -> Motion:
    """Return a retargeted motion with hands where they are in contact with the own body in the source.

    result: the source's frames on another skeleton. The place on a bone stays in proportion to the bone, the way from
    it to the palm in proportion to the body. Arms alone move, and hands keep their orientation. Where there is no
    contact, or all of them hold already, this is the result itself.

    >>> with_self_contacts(swing, contacts_to_keep(swing, swing.skeleton, {"hips": "hips"})) is swing
    True
    """
    if kept is None:
        return result
    task = _task(result, kept)
    if max(_farthest(one, _moves(one, task, task.before)) for one in task.contacts) < NEGLIGIBLE * result.skeleton.size:
        return result
    rest = CALM * result.skeleton.size / result.frames_per_second**2
    there = task.pair.scale * _accelerations(task.there).max()
    limit = max(_accelerations(task.before).max(), there, rest)
    while task.contacts:
        moved, accelerations = _calmest(task, ALLOWED * limit)
        if accelerations.max(initial=0.0) <= MOST * limit:
            return moved
        task = replace(task, contacts=_without_quickest(task.contacts, accelerations))
    return result


def missed_contacts(result: Motion, kept: ContactsToKeep) -> int:
    """Return how many of the contacts with the own body a retargeted motion misses.

    Arms that are too short miss them, and arms that would have to fold too far or too quickly.

    >>> kept = contacts_to_keep(swing, swing.skeleton, {"hips": "hips"})
    >>> 0 if kept is None else missed_contacts(swing, kept)
    0
    """
    task = _task(result, kept)
    away = [
        np.linalg.norm(_moves(one, task, task.before)[one.start : one.stop], axis=1).mean() for one in task.contacts
    ]
    return sum(bool(way > MISSED * result.skeleton.size) for way in away)


def _task(result: Motion, kept: ContactsToKeep) -> _Task:
    return _Task(kept.bodies, kept.contacts, kept.there, pose_body(result, kept.bodies.target), result)


def _calmest(task: _Task, limit: float) -> tuple[Motion, Float64]:
    """Return the motion with the contacts brought back within an acceleration, or as nearly as can be.

    With it come the accelerations `(H, T)` of its arms.
    """
    best: tuple[Motion, Float64] | None = None
    for slower in SLOWER:
        moved, here = _solved(task, slower)
        accelerations = _accelerations(here)
        if best is None or accelerations.max(initial=0.0) < best[1].max(initial=0.0):
            best = moved, accelerations
        if accelerations.max(initial=0.0) <= limit:
            break
    assert best is not None
    return best


def _without_quickest(contacts: Sequence[SelfContact], accelerations: Float64) -> list[SelfContact]:
    """Return the contacts but for the one of the hand that is the quickest, the nearest to when it is."""
    hand, frame = np.unravel_index(int(np.argmax(accelerations)), accelerations.shape)
    own = [one for one in contacts if one.bone == HANDS or one.hand == hand] or contacts
    gone = min(own, key=lambda one: max(one.start - frame, frame - one.stop, 0))
    return [one for one in contacts if one is not gone]


def _solved(task: _Task, slower: float) -> tuple[Motion, PosedBody]:
    """Return the motion with the contacts brought back, and its body."""
    bones, moved, here = task.pair.target.bones, task.result, task.before
    on_arms = any(one.bone != HANDS and bones[one.bone].owner >= 0 for one in task.contacts)
    weights = [_weights(one, _moves(one, task, task.before), task, slower) for one in task.contacts]
    for _ in range(PASSES if on_arms else 1):
        goals = [Goal(one, _moves(one, task, here), weight) for one, weight in zip(task.contacts, weights, strict=True)]
        moves, shares = joined_moves(goals, len(task.before.palms))
        moved = task.result
        for number, hand in enumerate(task.pair.target.hands):
            moved = reach_with(moved, hand.arm, moves[number], shares[number])
        here = pose_body(moved, task.pair.target)
    return moved, here


def _moves(contact: SelfContact, task: _Task, here: PosedBody) -> Float64:
    """Return by how much `(T, 3)` a hand is off its contact; of both hands, the second one against the first.

    here: the body, of which the other arm may have moved already.
    """
    there, before, turn, scale = task.there, task.before, task.pair.turn, task.pair.scale
    if contact.bone == HANDS:
        way = rotations.rotate(turn, there.palms[1] - there.palms[0])
        return np.asarray(scale * way - (before.palms[1] - before.palms[0]))
    bone = contact.bone
    palms, shares = there.palms[contact.hand], _shares_of_bone(contact, there, task.result.frames_per_second)
    ways = palms - _places_on(there, bone, shares)
    return np.asarray(
        _places_on(here, bone, shares) + scale * rotations.rotate(turn, ways) - before.palms[contact.hand]
    )


def _shares_of_bone(contact: SelfContact, there: PosedBody, rate: float) -> Float64:
    """Return where on its bone `(T,)`, 0 to 1, a contact is: smooth, and beside the contact as at its ends."""
    bone, inside = contact.bone, slice(contact.start, contact.stop)
    shares, _ = nearest_on(there.palms[contact.hand][inside], there.beginnings[bone][inside], there.ends[bone][inside])
    padded = np.pad(shares, (contact.start, len(there.palms[0]) - contact.stop), mode="edge")
    return smooth(padded[:, None], ALONG_SECONDS, rate)[:, 0]


def _places_on(posed: PosedBody, bone: int, shares: Float64) -> Float64:
    return np.asarray(posed.beginnings[bone] + shares[:, None] * (posed.ends[bone] - posed.beginnings[bone]))


def _weights(contact: SelfContact, moves: Float64, task: _Task, slower: float) -> Float64:
    """Return how much a contact counts `(T,)`: within it 1, or less where it is out of reach, and blended in and out.

    The larger the move, and the calmer the hand is in the whole motion, the longer that takes.
    """
    rate = task.result.frames_per_second
    hands = task.before.palms if contact.bone == HANDS else task.before.palms[[contact.hand]]
    quickest = float(np.linalg.norm(np.diff(hands, 2, axis=1), axis=2).max(initial=0.0)) * rate**2
    allowed = max(SHARE_OF_ACCELERATION * quickest, 1e-9)
    seconds = np.clip(np.sqrt(STEEPEST * _farthest(contact, moves) / allowed), SHORTEST_SECONDS, LONGEST_SECONDS)
    frames = np.arange(len(moves))
    outside = np.maximum(np.maximum(contact.start - frames, frames - (contact.stop - 1)), 0)
    share = np.clip(1.0 - outside / max(slower * seconds * rate, 1.0), 0.0, 1.0)
    return np.asarray(_within_reach(contact, moves, task) * share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def _within_reach(contact: SelfContact, moves: Float64, task: _Task) -> Float64:
    """Return `(T,)` 1 where a hand reaches its bone, 0 where that is far beyond its reach or mostly is."""
    ways = task.before.wrists - task.before.shoulders
    # Hands that meet go halfway each.
    ways = (
        ways + np.array([-0.5, 0.5])[:, None, None] * moves if contact.bone == HANDS else ways[[contact.hand]] + moves
    )
    lengths = task.before.arm_lengths if contact.bone == HANDS else task.before.arm_lengths[[contact.hand]]
    distances = (np.linalg.norm(ways, axis=2) / lengths[:, None]).max(axis=0)
    near = smooth(_reached(distances)[:, None], REACH_SECONDS, task.result.frames_per_second)[:, 0]
    return near * _reached(np.percentile(distances[contact.start : contact.stop], MOSTLY, keepdims=True))


def _reached(distances: Float64) -> Float64:
    """Return 1 for distances, in arm's lengths, up to STRETCHED, 0 from OUT_OF_REACH on."""
    return np.asarray(1.0 - smoothstep(np.clip((distances - STRETCHED) / (OUT_OF_REACH - STRETCHED), 0.0, 1.0)))


def _farthest(contact: SelfContact, moves: Float64) -> float:
    return float(np.linalg.norm(moves[contact.start : contact.stop], axis=1).max())


def _accelerations(posed: PosedBody) -> Float64:
    """Return the accelerations `(H, T)` of each arm's wrist or elbow, the larger, units per frame squared."""
    paths = np.stack((posed.wrists, posed.elbows))
    found = np.linalg.norm(np.diff(paths, 2, axis=2), axis=3).max(axis=0)
    return np.pad(found, ((0, 0), (1, 1)))

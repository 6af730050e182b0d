# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of a body with itself: frames during which a hand rests on a bone or meets the other hand."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Mask
from ...feet.contact_detection import SLOW
from ...motion.motion import Motion
from ...motion.piecewise import pieces
from ...motion.skeleton import NO_PARENT
from ...motion.spans import joined_spans
from .bodies import PosedBody, TouchingBody, pose_body

HANDS_RADIUS = 0.06
"""Largest distance between the middles of palms that meet, as a share of the size: 10 cm for an adult."""
LEAST_SECONDS = 0.5
"""Shortest contact with a bone, in seconds, and shortest gap between two; hands pass by for less."""
CLAP_SECONDS = 0.8
"""Longest gap, in seconds, over which a contact between hands continues: the time between two claps."""
HANDS = NO_PARENT
"""Number in place of a bone's for a contact between both hands."""


@dataclass(frozen=True)
class SelfContact:
    """A contact of a hand with a bone, both by number, from frame `start` up to `stop`; HANDS: of both hands."""

    hand: int
    bone: int
    start: int
    stop: int


def find_self_contacts(
    motion: Motion, body: TouchingBody, posed: PosedBody, *, least_seconds: float = LEAST_SECONDS
) -> list[SelfContact]:
    """Return the contacts of a motion's hands with its own body; posed: its hands and bones, see `pose_body`.

    least_seconds: of a contact with a bone. Hands that pass by, as in walking, are not in contact.
    """
    size, rate = motion.skeleton.size, motion.frames_per_second
    contacts = _of_hands(posed, size, rate)
    for hand in range(len(body.hands)):
        contacts += [
            contact
            for contact in _at_bones(hand, body, posed, size, rate, least_seconds)
            if not _is_of_hands(contact, body, contacts)
        ]
    return contacts


def may_touch(motion: Motion, body: TouchingBody) -> Mask:
    """Return the frames `(T,)` at which a hand is near enough to touch something, at any speed.

    It is a quick test of long motions: only clips with such frames need `find_self_contacts`.
    """
    size = motion.skeleton.size
    blocks = (pose_body(motion.slice(piece.start, piece.stop), body) for piece in pieces(motion.frames))
    return np.concatenate([hands_near(posed, body, size) for posed in blocks])


def hands_near(posed: PosedBody, body: TouchingBody, size: float) -> Mask:
    """Return the frames of `may_touch` of a posed body; size: of its skeleton."""
    near = np.zeros(posed.palms.shape[1], bool)
    if len(posed.palms) > 1:
        near |= np.linalg.norm(posed.palms[1] - posed.palms[0], axis=1) < HANDS_RADIUS * size
    for hand, palms in enumerate(posed.palms):
        numbers = _touchable(hand, body)
        _, offsets = nearest_on(palms, posed.beginnings[numbers], posed.ends[numbers])
        radii = size * np.array([body.bones[number].radius for number in numbers])
        near |= (np.einsum("bta,bta->bt", offsets, offsets) < radii[:, None] ** 2).any(axis=0)
    return near


def _touchable(hand: int, body: TouchingBody) -> list[int]:
    """Return the numbers of the bones that do not belong to the hand's own arm."""
    return [number for number, bone in enumerate(body.bones) if bone.owner != hand]


def _is_of_hands(contact: SelfContact, body: TouchingBody, others: list[SelfContact]) -> bool:
    """Return whether a contact is with the other arm, mostly while the hands meet, and so only repeats that contact."""
    if body.bones[contact.bone].owner < 0:
        return False
    both = [other for other in others if other.bone == HANDS]
    shared = sum(max(min(other.stop, contact.stop) - max(other.start, contact.start), 0) for other in both)
    return 2 * shared > contact.stop - contact.start


def nearest_on(points: Float64, beginnings: Float64, ends: Float64) -> tuple[Float64, Float64]:
    """Return the nearest places on bones, as shares `(..., T)` of the bone, and the points' offsets `(..., T, 3)`."""
    bone = ends - beginnings
    length = np.maximum(np.einsum("...a,...a->...", bone, bone), 1e-12)
    shares = np.clip(np.einsum("...a,...a->...", points - beginnings, bone) / length, 0.0, 1.0)
    return shares, points - beginnings - shares[..., None] * bone


def _of_hands(posed: PosedBody, size: float, rate: float) -> list[SelfContact]:
    if len(posed.palms) < 2:
        return []
    distance = np.linalg.norm(posed.palms[1] - posed.palms[0], axis=1)
    # A hand rests if it moves along a bone, or away from it, no faster than a standing foot.
    near = (distance < HANDS_RADIUS * size) & (np.abs(_speed(distance, rate)) < SLOW * size)
    return [SelfContact(0, HANDS, *ends) for ends in joined_spans(near, round(CLAP_SECONDS * rate), 1)]


def _at_bones(
    hand: int, body: TouchingBody, posed: PosedBody, size: float, rate: float, least_seconds: float
) -> list[SelfContact]:
    """Return a hand's contacts with bones; the bone of each contact is the nearest one at most of its frames."""
    numbers = _touchable(hand, body)
    beginnings, ends = posed.beginnings[numbers], posed.ends[numbers]
    shares, offsets = nearest_on(posed.palms[hand], beginnings, ends)
    distance = np.linalg.norm(offsets, axis=2)
    along = shares * np.linalg.norm(ends - beginnings, axis=2)
    slow = np.hypot(_speed(distance, rate), _speed(along, rate)) < SLOW * size
    radii = size * np.array([body.bones[number].radius for number in numbers])[:, None]
    at = (distance < radii) & slow
    nearest = np.argmin(np.where(at, distance / radii, np.inf), axis=0)
    contacts, least = [], round(least_seconds * rate)
    for start, stop in joined_spans(at.any(axis=0), least, max(least, 2)):
        counted = np.bincount(nearest[start:stop][at.any(axis=0)[start:stop]], minlength=len(numbers))
        contacts.append(SelfContact(hand, numbers[int(np.argmax(counted))], start, stop))
    return contacts


def _speed(values: Float64, rate: float) -> Float64:
    """Return the change per second of values `(..., T)`."""
    return np.gradient(values, axis=-1) * rate if values.shape[-1] > 1 else np.zeros_like(values)

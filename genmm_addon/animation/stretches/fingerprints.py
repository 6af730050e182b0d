# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints of keys: what an edit stores on an action holds only as long as the keys that it wrote are unchanged.

A record is stored as before, in a property of its own; the fingerprints of all records are in one further property.
They are copied with the action, saved with it, and equal in every version of Blender.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from bpy.types import Action, FCurve

from ...core.keys import ON_KEY
from ...core.storage import stored
from ..actions import POSE_BONES, armature_slots, fcurves_of
from ..keys.key_writing import ALIGNED, FREE
from ..sampling import BEZIER, LINEAR
from .key_tables import KEY, LEFT, PLACES, RIGHT, read_mark, read_place

PROPERTY = "genmm_written"
"""Property of an action: by the name of a record's property, a list of first and last frame and fingerprint, as JSON.
Saved files contain it, so its form is fixed."""
DIGITS = 16
EASING = ("easing", "amplitude", "back", "period")
"""Marks of keys whose interpolation is an easing."""

Range = tuple[float, float]
EVERYTHING: Range = (-math.inf, math.inf)
"""The range of all keys of an action."""


def fingerprint(action: Action, slot: str, frames: Range = EVERYTHING) -> str:
    """Return a text that differs where the keys strictly between two frames differ, in any curve of a slot.

    It covers the curve's shape: not names of bones, which may be changed, nor the selection.
    """
    return fingerprints(action, slot, [frames])[0]


def fingerprints(action: Action, slot: str, ranges: Sequence[Range]) -> list[str]:
    """Return the `fingerprint` of each range; the keys of a curve are read once for all of them."""
    digests = [hashlib.sha256() for _ in ranges]
    if armature_slots(action) and digests:
        for curve in fcurves_of(action, slot):
            _add(digests, curve, ranges)
    return [digest.hexdigest()[:DIGITS] for digest in digests]


def keep_fingerprints(action: Action, slot: str, record: str, ranges: Sequence[Range]) -> None:
    """Store the fingerprints of a record's ranges on an action, in place of all that the record had."""
    kept = zip(ranges, fingerprints(action, slot, ranges), strict=True)
    _store(action, record, [(*frames, digest) for frames, digest in kept])


def kept_fingerprints(action: Action, record: str) -> dict[Range, str]:
    """Return the stored fingerprints of a record by range; those of earlier versions have none."""
    return {(first, last): digest for first, last, digest in _kept(action).get(record, ())}


@contextmanager
def records_kept(action: Action, slot: str) -> Iterator[None]:
    """Have all records that hold before the block hold after it: it writes the same motion with other keys."""
    before = _by_range(action, slot)
    valid = {
        (record, first, last)
        for record, rows in _kept(action).items()
        for first, last, digest in rows
        if digest == before[first, last]
    }
    yield
    after = _by_range(action, slot)
    for record, rows in _kept(action).items():
        if any((record, first, last) in valid for first, last, _ in rows):
            now = [
                (first, last, after[first, last] if (record, first, last) in valid else digest)
                for first, last, digest in rows
            ]
            _store(action, record, now)


def _by_range(action: Action, slot: str) -> dict[Range, str]:
    """Return the present fingerprint of each range that a record has."""
    ranges = list({(first, last) for rows in _kept(action).values() for first, last, _ in rows})
    return dict(zip(ranges, fingerprints(action, slot, ranges), strict=True))


def _kept(action: Action) -> dict[str, tuple[tuple[float, float, str], ...]]:
    return stored(action, PROPERTY, dict[str, tuple[tuple[float, float, str], ...]]) or {}


def _store(action: Action, record: str, rows: Sequence[tuple[float, float, str]]) -> None:
    kept = {**_kept(action), record: tuple(rows)}
    action[PROPERTY] = json.dumps({name: rows for name, rows in kept.items() if rows})


def _add(digests: Sequence["hashlib._Hash"], curve: FCurve, ranges: Sequence[Range]) -> None:
    keys = read_place(curve, KEY)
    times, path = keys[:, 0].astype(np.float64), curve.data_path
    name = path.partition('"]')[2] if path.startswith(POSE_BONES) else path
    inside = [(times > first + ON_KEY) & (times < last - ON_KEY) for first, last in ranges]
    if not any(rows.any() for rows in inside):
        return
    # Only what counts is read: a whole table takes three times as long.
    interpolation = read_mark(curve, "interpolation")
    easing = [read_mark(curve, mark) for mark in EASING] if interpolation.max() > BEZIER else []
    sides = (LEFT, RIGHT) if interpolation.max() > LINEAR else ()
    handles = [(read_mark(curve, f"{PLACES[side]}_type"), read_place(curve, side)) for side in sides]
    for digest, rows in zip(digests, inside, strict=True):
        if not rows.any():
            continue
        kinds = interpolation[rows]
        digest.update(f"{name} {curve.array_index}".encode() + keys[rows].tobytes() + kinds.tobytes())
        for values in easing if kinds.max() > BEZIER else ():
            digest.update(values[rows].tobytes())
        for types, places in handles if kinds.max() > LINEAR else ():
            # Blender computes all other handles from the neighboring keys.
            set_by_hand = (types == FREE) | (types == ALIGNED)
            digest.update(types[rows].tobytes() + places[rows & set_by_hand].tobytes())

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
from typing import Any

import numpy as np
from bpy.types import Action, FCurve
from numpy.typing import NDArray

from ...core.keys import ON_KEY
from ...core.storage import stored
from ..actions import POSE_BONES, armature_slots, fcurves_of
from ..curves import key_values
from ..keys.key_writing import ALIGNED, FREE
from ..sampling import BEZIER, LINEAR
from .key_tables import MARKS

PROPERTY = "genmm_written"
"""Property of an action: by the name of a record's property, a list of first and last frame and fingerprint, as JSON.
Saved files contain it, so its form is fixed."""
DIGITS = 16

Range = tuple[float, float]
EVERYTHING: Range = (-math.inf, math.inf)
"""The range of all keys of an action."""


def fingerprint(action: Action, slot: str, frames: Range = EVERYTHING) -> str:
    """Return a text that differs where the keys strictly between two frames differ, in any curve of a slot.

    It covers the curve's shape: not names of bones, which may be changed, nor the selection.
    """
    digest = hashlib.sha256()
    if armature_slots(action):
        for curve in fcurves_of(action, slot):
            _add(digest, curve, *frames)
    return digest.hexdigest()[:DIGITS]


def keep_fingerprints(action: Action, slot: str, record: str, ranges: Sequence[Range]) -> None:
    """Store the fingerprints of a record's ranges on an action, in place of all that the record had."""
    _store(action, record, [(*frames, fingerprint(action, slot, frames)) for frames in ranges])


def kept_fingerprints(action: Action, record: str) -> dict[Range, str]:
    """Return the stored fingerprints of a record by range; those of earlier versions have none."""
    return {(first, last): digest for first, last, digest in _kept(action).get(record, ())}


@contextmanager
def records_kept(action: Action, slot: str) -> Iterator[None]:
    """Have all records that hold before the block hold after it: it writes the same motion with other keys."""
    valid = {
        (record, first, last)
        for record, rows in _kept(action).items()
        for first, last, digest in rows
        if digest == fingerprint(action, slot, (first, last))
    }
    yield
    for record, rows in _kept(action).items():
        if any((record, first, last) in valid for first, last, _ in rows):
            now = [
                (first, last, fingerprint(action, slot, (first, last)) if (record, first, last) in valid else digest)
                for first, last, digest in rows
            ]
            _store(action, record, now)


def _kept(action: Action) -> dict[str, tuple[tuple[float, float, str], ...]]:
    return stored(action, PROPERTY, dict[str, tuple[tuple[float, float, str], ...]]) or {}


def _store(action: Action, record: str, rows: Sequence[tuple[float, float, str]]) -> None:
    kept = {**_kept(action), record: tuple(rows)}
    action[PROPERTY] = json.dumps({name: rows for name, rows in kept.items() if rows})


def _add(digest: "hashlib._Hash", curve: FCurve, first: float, last: float) -> None:
    keys = key_values(curve)
    inside = (keys[:, 0] > first + ON_KEY) & (keys[:, 0] < last - ON_KEY)
    if not inside.any():
        return
    path = curve.data_path
    name = path.partition('"]')[2] if path.startswith(POSE_BONES) else path
    digest.update(f"{name} {curve.array_index}".encode())
    digest.update(keys[inside].astype(np.float32).tobytes())
    kinds = _marks(curve, "interpolation")[inside]
    digest.update(kinds.tobytes())
    if kinds.max() > BEZIER:
        for mark in ("easing", "amplitude", "back", "period"):
            digest.update(_marks(curve, mark)[inside].tobytes())
    if kinds.max() <= LINEAR:
        return
    for side in ("handle_left", "handle_right"):
        types = _marks(curve, f"{side}_type")[inside]
        digest.update(types.tobytes())
        # Blender computes all other handles from the neighboring keys.
        set_by_hand = np.isin(types, (FREE, ALIGNED))
        if set_by_hand.any():
            places = np.empty(2 * len(keys), np.float32)
            curve.keyframe_points.foreach_get(side, places)
            digest.update(places.reshape(-1, 2)[inside][set_by_hand].tobytes())


def _marks(curve: FCurve, name: str) -> NDArray[Any]:
    values = np.empty(len(curve.keyframe_points), MARKS[name][0])
    curve.keyframe_points.foreach_get(name, values)
    return values

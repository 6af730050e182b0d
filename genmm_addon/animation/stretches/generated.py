# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of an action that were generated in place, stored on it so that they are not learned from.

A mark holds for the keys that were written: once an animator changes one of them, the stretch is the animator's.
"""

import json
import math
from collections.abc import Sequence

from bpy.types import Action

from ...core.storage import stored
from .fingerprints import PROPERTY as WRITTEN
from .fingerprints import Range, fingerprints, keep_fingerprints, kept_fingerprints

PROPERTY = "genmm_stretches"
"""Property of an action: a list of first and last frames as JSON. Saved files contain it, so its form is fixed."""
GROUNDED = "genmm_grounded"
"""The same for ranges that stand on a ground."""
LOCKED = "genmm_locked"
"""The same for ranges that are not regenerated with others."""


def generated_ranges(action: Action | None, slot: str = "") -> tuple[Range, ...]:
    """Return the generated ranges of a slot whose keys are as written, ascending and separate.

    Ranges that an earlier version stored, without a fingerprint, count as unchanged.
    """
    if action is None:
        return ()
    kept, ranges = kept_fingerprints(action, PROPERTY), stored_ranges(action)
    present = fingerprints(action, slot, ranges)
    return tuple(frames for frames, digest in zip(ranges, present, strict=True) if kept.get(frames, digest) == digest)


def keep_marks(action: Action, slot: str) -> None:
    """Remove the marks whose keys an animator has changed; call this before an edit."""
    marked = generated_ranges(action, slot)
    if marked != stored_ranges(action):
        _store(action, marked)


def stamp_marks(action: Action, slot: str) -> None:
    """Have all marks hold for the present keys; call this after an edit."""
    marked = stored_ranges(action)
    if marked or action.get(WRITTEN) is not None:
        keep_fingerprints(action, slot, PROPERTY, marked)


def stored_ranges(action: Action, name: str = PROPERTY) -> tuple[Range, ...]:
    """Return the stored ranges, ascending and separate; a property that cannot be read counts as none."""
    ranges: tuple[Range, ...] = stored(action, name, tuple[Range, ...]) or ()
    return united(ranges) if all(first < last or name == LOCKED for first, last in ranges) else ()


def remember_generated(action: Action, first: float, last: float) -> None:
    """Store on the action that a range is generated, within `edited_in_place`; the poses at its ends are not."""
    _store(action, [*stored_ranges(action), (first, last)])


def forget_ranges(action: Action, first: float = -math.inf, last: float = math.inf) -> None:
    """Remove the frames strictly between two from the generated and grounded ranges, since their keys are gone."""
    for name in (PROPERTY, GROUNDED):
        ranges = stored_ranges(action, name)
        _store(action, [piece for frames in ranges for piece in without(frames, [(first, last)])], name)


def move_ranges(action: Action, frame: float, by: float) -> None:
    """Move all stored ranges that begin at a frame or later; those that contain it are lengthened or shortened."""
    for name in (PROPERTY, GROUNDED, LOCKED):
        moved = [
            (first + by if first >= frame else first, last + by if last >= frame else last)
            for first, last in stored_ranges(action, name)
        ]
        _store(action, moved, name)


def united(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Return ranges in ascending order; overlapping ranges are united, ranges that only meet are not.

    >>> united([(30.0, 40.0), (1.0, 10.0), (5.0, 20.0)])
    ((1.0, 20.0), (30.0, 40.0))
    """
    separate: list[Range] = []
    for first, last in sorted(ranges):
        if separate and first < separate[-1][1]:
            separate[-1] = separate[-1][0], max(separate[-1][1], last)
        else:
            separate.append((first, last))
    return tuple(separate)


def without(whole: Range, taken: Sequence[Range]) -> tuple[Range, ...]:
    """Return the pieces of a range that are outside of others; the frames at the borders remain.

    >>> without((1.0, 100.0), [(20.0, 40.0)])
    ((1.0, 20.0), (40.0, 100.0))
    """
    first, end = whole
    pieces: list[Range] = []
    for start, stop in united(taken):
        if stop <= first or start >= end:
            continue
        if start > first:
            pieces.append((first, start))
        first = stop
    return (*pieces, (first, end)) if first < end else tuple(pieces)


def split_at(whole: Range, generated: Sequence[Range]) -> tuple[Range, ...]:
    """Return the pieces of a range that are generated, and those that are not, ascending.

    >>> split_at((1.0, 30.0), [(20.0, 40.0)])
    ((1.0, 20.0), (20.0, 30.0))
    """
    first, last = whole
    inside = [(max(start, first), min(end, last)) for start, end in generated if start < last and end > first]
    return tuple(sorted((*inside, *without(whole, inside))))


def _store(action: Action, ranges: Sequence[Range], name: str = PROPERTY) -> None:
    kept = [frames for frames in united(ranges) if frames[1] > frames[0] or name == LOCKED]
    if kept:
        action[name] = json.dumps(kept)
    elif name in action.keys():  # noqa: SIM118  # the stub knows no membership
        del action[name]

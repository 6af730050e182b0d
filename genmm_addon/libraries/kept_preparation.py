# SPDX-License-Identifier: GPL-3.0-or-later
"""The last preparations of a library's clips and of examples, kept for further results; arrays only, for threads."""

from collections.abc import Callable
from dataclasses import dataclass

from ..core import Motion, Prepared
from ..core.motion import same_motion
from .choosing import MOST_FRAMES

Motions = tuple[Motion, ...]


@dataclass(frozen=True, eq=False)
class _Kept:
    """A preparation, the motions that it was made from, and its purpose."""

    motions: Motions
    purpose: object
    prepared: Prepared


_kept: list[_Kept] = []
"""At most one preparation of a library; 20,000 frames take about 150 MB."""
_of_examples: list[_Kept] = []
"""At most one preparation of examples, whose motions are read again for each result."""


def prepared_once(motions: Motions, purpose: object, prepare: Callable[[], Prepared]) -> Prepared:
    """Return the preparation of the same motion objects, made by `prepare` if it is not in memory.

    purpose: all other values on which it depends.
    """
    known = _found(motions, purpose)
    if known is not None:
        return known
    # The old preparation is released first, since memory may not suffice for both.
    forget_preparation()
    prepared = prepare()
    _kept[:] = [_Kept(motions, purpose, prepared)]
    return prepared


def prepared_again(motions: Motions, purpose: object, prepare: Callable[[], Prepared]) -> Prepared:
    """Return the preparation of examples, made by `prepare` unless the last one was for motions with equal values.

    purpose: all other values on which it depends.
    """
    known = _found_again(motions, purpose)
    if known is not None:
        return known
    _of_examples.clear()
    prepared = prepare()
    if sum(motion.frames for motion in motions) <= MOST_FRAMES:
        _of_examples[:] = [_Kept(motions, purpose, prepared)]
    return prepared


def forget_preparation() -> None:
    """Release the memory of both preparations."""
    _kept.clear()
    _of_examples.clear()


def _found_again(motions: Motions, purpose: object) -> Prepared | None:
    for kept in tuple(_of_examples):
        same = kept.purpose == purpose and len(kept.motions) == len(motions)
        if same and all(map(same_motion, kept.motions, motions)):
            return kept.prepared
    return None


def _found(motions: Motions, purpose: object) -> Prepared | None:
    for kept in tuple(_kept):
        # The same objects, not equal ones: clips in memory stay the same objects while their library does not change.
        if kept.motions is motions and kept.purpose == purpose:
            return kept.prepared
    return None

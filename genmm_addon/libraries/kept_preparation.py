# SPDX-License-Identifier: GPL-3.0-or-later
"""The last preparations of a library's clips and of examples, kept for further results; arrays only, for threads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..core import Motion, Prepared
from ..core.motion import same_motion
from .choosing import MOST_FRAMES

Motions = tuple[Motion, ...]
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class _Kept(Generic[Made]):
    """A preparation, the motions that it was made from, and its purpose."""

    motions: Motions
    purpose: object
    prepared: Made


_kept: list[_Kept[Prepared]] = []
"""At most one preparation of a library; 20,000 frames take about 150 MB."""
_of_examples: dict[type, _Kept[Any]] = {}
"""The last preparation of each kind of examples, whose motions are read again for each result and each edit."""


def prepared_once(motions: Motions, purpose: object, prepare: Callable[[], Prepared]) -> Prepared:
    """Return the preparation of the same motion objects, made by `prepare` if it is not in memory.

    purpose: all other values on which it depends.
    """
    for kept in tuple(_kept):
        # The same objects, not equal ones: clips in memory stay the same objects while their library does not change.
        if kept.motions is motions and kept.purpose == purpose:
            return kept.prepared
    # The old preparation is released first, since memory may not suffice for both.
    forget_preparation()
    prepared = prepare()
    _kept[:] = [_Kept(motions, purpose, prepared)]
    return prepared


def prepared_again(kind: type[Made], motions: Motions, purpose: object, prepare: Callable[[], Made]) -> Made:
    """Return a preparation of examples, made by `prepare` unless the last of its kind was for motions of equal values.

    purpose: all other values on which it depends.
    """
    kept: _Kept[Made] | None = _of_examples.get(kind)
    if kept is not None and kept.purpose == purpose and same_motions(kept.motions, motions):
        return kept.prepared
    _of_examples.pop(kind, None)
    prepared = prepare()
    if sum(motion.frames for motion in motions) <= MOST_FRAMES:
        _of_examples[kind] = _Kept(motions, purpose, prepared)
    return prepared


def forget_preparation() -> None:
    """Release the memory of all preparations."""
    _kept.clear()
    _of_examples.clear()


def same_motions(before: Motions, motions: Motions) -> bool:
    """Return whether all motions have equal values."""
    return len(before) == len(motions) and all(map(same_motion, before, motions))

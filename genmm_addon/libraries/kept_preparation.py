# SPDX-License-Identifier: GPL-3.0-or-later
"""The last preparations of a library's clips and of examples, kept for further results: arrays alone, for threads."""

from collections.abc import Callable
from dataclasses import dataclass

from ..core import Motion, Prepared
from ..core.motion import same_motion

Motions = tuple[Motion, ...]


@dataclass(frozen=True, eq=False)
class _Kept:
    """A preparation, the motions that it was made of, and what else it was made for."""

    motions: Motions
    purpose: object
    prepared: Prepared


_kept: list[_Kept] = []
"""One at most, of a library: of 20,000 frames it takes some 150 MB."""
_of_examples: list[_Kept] = []
"""One at most, of examples, which are read anew for each result."""
MOST_FRAMES = 20_000
"""Frames of examples whose preparation is kept."""


def is_kept(motions: Motions, purpose: object) -> bool:
    """Return whether these very motions are prepared for a purpose."""
    return _found(motions, purpose) is not None


def prepared_once(motions: Motions, purpose: object, prepare: Callable[[], Prepared]) -> Prepared:
    """Return the preparation of these very motions, made by `prepare` where it is not kept.

    purpose: all that it depends on besides.
    """
    found = _found(motions, purpose)
    if found is not None:
        return found
    # Room first: both together may be more than there is memory for.
    forget_preparation()
    prepared = prepare()
    _kept[:] = [_Kept(motions, purpose, prepared)]
    return prepared


def is_kept_again(motions: Motions, purpose: object) -> bool:
    """Return whether motions like these, value for value, are prepared for a purpose."""
    return _found_again(motions, purpose) is not None


def prepared_again(motions: Motions, purpose: object, prepare: Callable[[], Prepared]) -> Prepared:
    """Return the preparation of examples, made by `prepare` unless the last one was of the same, value for value.

    purpose: all that it depends on besides.
    """
    found = _found_again(motions, purpose)
    if found is not None:
        return found
    _of_examples.clear()
    prepared = prepare()
    if sum(motion.frames for motion in motions) <= MOST_FRAMES:
        _of_examples[:] = [_Kept(motions, purpose, prepared)]
    return prepared


def forget_preparation() -> None:
    """Give the memory back."""
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
        # The same objects, not equal ones: clips that are read once stay the same while their library does.
        if kept.motions is motions and kept.purpose == purpose:
            return kept.prepared
    return None

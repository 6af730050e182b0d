# SPDX-License-Identifier: GPL-3.0-or-later
"""The last preparation of a library's clips, kept for the results after the first: arrays alone, fit for a thread."""

from collections.abc import Callable
from dataclasses import dataclass

from ..core import Motion, Prepared

Motions = tuple[Motion, ...]


@dataclass(frozen=True, eq=False)
class _Kept:
    """A preparation, the motions that it was made of, and what else it was made for."""

    motions: Motions
    purpose: object
    prepared: Prepared


_kept: list[_Kept] = []
"""One at most: of 20,000 frames it takes some 150 MB."""


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


def forget_preparation() -> None:
    """Give the memory back."""
    _kept.clear()


def _found(motions: Motions, purpose: object) -> Prepared | None:
    for kept in tuple(_kept):
        # The same objects, not equal ones: clips that are read once stay the same while their library does.
        if kept.motions is motions and kept.purpose == purpose:
            return kept.prepared
    return None

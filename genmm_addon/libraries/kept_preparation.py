# SPDX-License-Identifier: GPL-3.0-or-later
"""The last preparation of each kind, of examples or of a library, for further results; arrays only, for threads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..core import Motion
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


_last: dict[type, _Kept[Any]] = {}
"""The last preparation of each kind; 20,000 frames take about 150 MB."""


def prepared_again(
    kind: type[Made], motions: Motions, purpose: object, prepare: Callable[[], Made], *, of_library: bool = False
) -> Made:
    """Return a preparation, made by `prepare` unless the last of its kind was for motions of equal values.

    purpose: all other values on which it depends. of_library: it is kept however many frames there are, since a
    library's take long to prepare.
    """
    kept: _Kept[Made] | None = _last.get(kind)
    if kept is not None and kept.purpose == purpose and same_motions(kept.motions, motions):
        return kept.prepared
    # The old one is released first, since memory may not suffice for both.
    _last.pop(kind, None)
    prepared = prepare()
    if of_library or sum(motion.frames for motion in motions) <= MOST_FRAMES:
        _last[kind] = _Kept(motions, purpose, prepared)
    return prepared


def forget_preparation() -> None:
    """Release the memory of all preparations."""
    _last.clear()


def same_motions(before: Motions, motions: Motions) -> bool:
    """Return whether all motions have equal values."""
    return before is motions or (len(before) == len(motions) and all(map(same_motion, before, motions)))

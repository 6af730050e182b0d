# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared keys of a given number, with errors as small as that number allows."""

from collections.abc import Sequence

from .key_frames import few_key_frames
from .simplified import Curves, Keys, keys_together

FINEST, COARSEST = -12, 12
"""Powers of two between which the bounds are scaled: from a four-thousandth of them to four thousand times them."""
HALVINGS = 8
"""So many halvings of that range tell apart bounds a tenth from each other, and motions of a key or two."""


def shared_keys_at_most(curves: Sequence[Curves], count: int) -> list[Keys]:
    """Return the keys of curves that are all keyed at the same frames, `count` at most where that can be.

    The bounds say how the errors of the curves compare, not how large they are: all are scaled by one factor, the
    smallest found that needs no more keys. A segment lasts 80 frames at most, so that long curves may need more.
    Raises InputError as `shared_keys` does.

    >>> wave = Curves(np.sin(0.3 * np.arange(61.0))[:, None], bound=0.02)
    >>> len(shared_keys_at_most([wave], 12)[0].frames) <= 12
    True
    """
    low, high = float(FINEST), float(COARSEST)
    found = _keys(curves, high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        tried = _keys(curves, middle)
        if max(len(keys.frames) for keys in tried) <= count:
            found, high = tried, middle
        else:
            low = middle
    return found


def _keys(curves: Sequence[Curves], power: float) -> list[Keys]:
    """Return the keys that the bounds need, scaled by a power of two."""
    scaled = [Curves(item.values, item.bound * 2.0**power) for item in curves]
    return keys_together(scaled, few_key_frames)

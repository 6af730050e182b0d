# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared keys of a given number, with errors as small as that number allows."""

from collections.abc import Sequence

from .key_frames import few_key_frames
from .simplified import Curves, Keys, keys_together

FINEST, COARSEST = -12, 12
"""Range of the powers of two by which the bounds are scaled: from a four-thousandth to four thousand times."""
HALVINGS = 8
"""Number of times that the range is halved. The bounds are then known to a tenth, and the number of keys to one or two.
"""


def shared_keys_at_most(curves: Sequence[Curves], count: int) -> list[Keys]:
    """Return the keys of curves that are all keyed at the same frames, at most `count` if possible.

    Only the ratios of the curves' error bounds count: all are scaled by one factor, the smallest that needs no more
    keys. A segment has at most 80 frames, so that long curves may need more. Raises InputError as `shared_keys`
    does.

    >>> wave = Curves(np.sin(0.3 * np.arange(61.0))[:, None], bound=0.02)
    >>> len(shared_keys_at_most([wave], 12)[0].frames) <= 12
    True
    """
    low, high = float(FINEST), float(COARSEST)
    fewest = _keys(curves, high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        tried = _keys(curves, middle)
        if max(len(keys.frames) for keys in tried) <= count:
            fewest, high = tried, middle
        else:
            low = middle
    return fewest


def _keys(curves: Sequence[Curves], power: float) -> list[Keys]:
    """Return the keys for the bounds scaled by a power of two."""
    scaled = [Curves(item.values, item.bound * 2.0**power) for item in curves]
    return keys_together(scaled, few_key_frames)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduction of sampled curves to Bezier keys, within a largest error or to a number of keys."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..errors import InputError
from .key_frames import KeyPoses, few_key_frames, fewest_key_frames
from .segment_fit import SampledCurves, fitted_slopes, sampled, segment, segment_fits

Rows = Float64
FINEST, COARSEST = -12, 12
"""Range of the powers of two by which the bounds are scaled: from a four-thousandth to four thousand times."""
HALVINGS = 8
"""Number of times that the range is halved. The bounds are then known to a tenth, and the number of keys to one or two.
"""


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves that belong together, such as a bone's rotation, at every frame.

    values: `(T, W)`. bound: the largest error at any frame, as the length of the difference of all W; above 0.

    >>> Curves(np.zeros((10, 3)), bound=0.01).values.shape
    (10, 3)
    """

    values: Array
    bound: float

    @property
    def is_still(self) -> bool:
        """Return whether no value ever changes."""
        return bool(np.all(self.values == self.values[:1]))


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of curves that belong together.

    frames: `(K,)` counted from the first. values: `(K, W)`. arriving, leaving: `(K, W)` the slopes, per frame, before
    and after each key. Handles are a third of the way to the next key, so that segments are cubic in time. stepped:
    `(K,)` whether the values of each key are held until the next, which has the same.

    >>> straight = own_keys([Curves(np.arange(10.0)[:, None], bound=0.01)])[0]
    >>> isinstance(straight, Keys), straight.frames, straight.leaving.round(6).ravel()
    (True, array([0, 9]), array([1., 1.]))
    """

    frames: Int64
    values: Rows
    arriving: Rows
    leaving: Rows
    stepped: Mask

    def at_frames(self, count: int) -> Rows:
        """Return the values `(count, W)` of the curves at every frame."""
        found = np.repeat(self.values[:1], count, axis=0)
        for row, (first, last) in enumerate(pairwise(self.frames.tolist())):
            slopes = np.stack((self.leaving[row], self.arriving[row + 1]))
            found[first : last + 1] = segment(self.values[row], self.values[row + 1], slopes, last - first)
        return found


def shared_keys(curves: Sequence[Curves], required: Mask | None = None, shortest_still: int = 0) -> list[Keys]:
    """Return the fewest keys of curves that are all keyed at the same frames; still curves get keys at both ends.

    required: mask `(T,)` of frames that get a key, such as changes of contact. shortest_still: least frames for which a
    pose is held where no curve leaves its bound; 0 is without holds.
    Raises InputError if the curves differ in length or have no frame, or if a bound is not above 0.

    >>> frames = np.arange(31.0)[:, None]
    >>> waves = [Curves(np.sin(0.3 * frames), bound=0.02), Curves(np.cos(0.3 * frames), bound=0.02)]
    >>> first, second = shared_keys(waves)
    >>> np.array_equal(first.frames, second.frames), len(first.frames) < 10
    (True, True)
    """
    return keys_together(curves, partial(fewest_key_frames, required=required, shortest_still=shortest_still))


def keys_together(curves: Sequence[Curves], choose: Callable[[SampledCurves], KeyPoses]) -> list[Keys]:
    """Return the keys of curves at frames that `choose` finds for those that move; still curves get keys at both ends.

    Raises InputError as `shared_keys` does.
    """
    _check(curves)
    moving = [item for item in curves if not item.is_still]
    if not moving or len(moving[0].values) == 1:
        return [_ends(item) for item in curves]
    together = _together(moving)
    keys = iter(_split(_keys_at(together, choose(together)), moving))
    return [_ends(item) if item.is_still else next(keys) for item in curves]


def own_keys(curves: Sequence[Curves]) -> list[Keys]:
    """Return the keys of curves, each keyed at its own frames; still curves get keys at both ends.

    Raises InputError as `shared_keys` does.

    >>> still = Curves(np.zeros((30, 3)), bound=0.02)
    >>> own_keys([still])[0].frames
    array([ 0, 29])
    """
    _check(curves)
    keys = []
    for item in curves:
        if item.is_still or len(item.values) == 1:
            keys.append(_ends(item))
        else:
            alone = _together([item])
            keys.append(_keys_at(alone, few_key_frames(alone)))
    return keys


def _check(curves: Sequence[Curves]) -> None:
    lengths = {len(item.values) for item in curves}
    if len(lengths) > 1 or 0 in lengths:
        raise InputError("Curves that are simplified together need the same number of frames, at least one.")
    if not all(item.bound > 0.0 for item in curves):
        raise InputError("The largest error of simplified keys must be above 0.")
    if not all(np.isfinite(item.values).all() for item in curves):
        raise InputError("A curve has a value that is not a number; repair its keys first.")


def _together(curves: Sequence[Curves]) -> SampledCurves:
    widths = [item.values.shape[1] for item in curves]
    values = np.concatenate([item.values for item in curves], axis=1).astype(np.float64)
    firsts = np.concatenate(([0], np.cumsum(widths[:-1]))).astype(np.int64)
    return sampled(values, firsts, np.array([item.bound for item in curves]))


def _keys_at(curves: SampledCurves, poses: KeyPoses) -> Keys:
    """Return keys at frames between which a segment can always be fitted."""
    frames, stepped = poses.frames, poses.stepped
    values = curves.values[frames]
    values[1:][stepped[:-1]] = values[:-1][stepped[:-1]]
    arriving, leaving = curves.slopes[frames].copy(), curves.slopes[frames].copy()
    for number, (first, last) in enumerate(zip(frames[:-1].tolist(), frames[1:].tolist(), strict=True)):
        if stepped[number]:
            leaving[number] = arriving[number + 1] = 0.0
            continue
        slopes = fitted_slopes(curves, first, last, values[number])
        assert slopes is not None, "key frames are chosen among those that fit"
        leaving[number], arriving[number + 1] = slopes
    arriving[0], leaving[-1] = leaving[0], arriving[-1]
    widths = np.diff(np.append(curves.firsts, curves.values.shape[1]))
    for number in range(1, len(frames) - 1):
        if stepped[number - 1] or stepped[number]:
            continue
        # With one slope on both sides, an animator can edit the key as a smooth one.
        slope = (arriving[number] + leaving[number]) / 2
        first, key, last = frames[number - 1 : number + 2].tolist()
        smooth = segment_fits(curves, first, key, np.stack((leaving[number - 1], slope)), values[number - 1])
        smooth &= segment_fits(curves, key, last, np.stack((slope, arriving[number + 1])), values[number])
        columns = np.repeat(smooth, widths)
        arriving[number, columns] = leaving[number, columns] = slope[columns]
    return Keys(frames, values, arriving, leaving, stepped)


def _split(keys: Keys, curves: Sequence[Curves]) -> list[Keys]:
    ends = np.cumsum([item.values.shape[1] for item in curves])
    columns = [slice(int(end) - item.values.shape[1], int(end)) for end, item in zip(ends, curves, strict=True)]
    return [
        replace(keys, **{name: getattr(keys, name)[:, at] for name in ("values", "arriving", "leaving")})
        for at in columns
    ]


def _ends(curves: Curves) -> Keys:
    frames = np.unique([0, len(curves.values) - 1])
    values = curves.values[frames].astype(np.float64)
    return Keys(frames, values, np.zeros_like(values), np.zeros_like(values), np.zeros(len(frames), bool))


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

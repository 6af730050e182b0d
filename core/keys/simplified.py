# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduction of sampled curves to Bezier keys within a largest error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .key_frames import few_key_frames, fewest_key_frames
from .segment_fit import SampledCurves, fitted_slopes, sampled, segment_fits

Rows = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves that belong together, such as a bone's rotation, at every frame.

    values: `(T, W)`. bound: the largest error at any frame, as the length of the difference of all W; above 0.

    >>> Curves(np.zeros((10, 3)), bound=0.01).values.shape
    (10, 3)
    """

    values: NDArray[np.floating]
    bound: float

    @property
    def is_still(self) -> bool:
        """Return whether no value ever changes."""
        return bool(np.all(self.values == self.values[:1]))


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of curves that belong together.

    frames: `(K,)` counted from the first. values: `(K, W)`. arriving, leaving: `(K, W)` the slopes, per frame, before
    and after each key. Handles are a third of the way to the next key, so that segments are cubic in time.

    >>> straight = own_keys([Curves(np.arange(10.0)[:, None], bound=0.01)])[0]
    >>> isinstance(straight, Keys), straight.frames, straight.leaving.round(6).ravel()
    (True, array([0, 9]), array([1., 1.]))
    """

    frames: NDArray[np.int64]
    values: Rows
    arriving: Rows
    leaving: Rows


def shared_keys(curves: Sequence[Curves], preferred: NDArray[np.bool_] | None = None) -> list[Keys]:
    """Return the fewest keys of curves that are all keyed at the same frames; still curves get keys at both ends.

    preferred: mask `(T,)` of preferred frames.
    Raises InputError if the curves differ in length or have no frame, or if a bound is not above 0.

    >>> frames = np.arange(31.0)[:, None]
    >>> waves = [Curves(np.sin(0.3 * frames), bound=0.02), Curves(np.cos(0.3 * frames), bound=0.02)]
    >>> first, second = shared_keys(waves)
    >>> np.array_equal(first.frames, second.frames), len(first.frames) < 10
    (True, True)
    """
    return keys_together(curves, partial(fewest_key_frames, preferred=preferred))


def keys_together(curves: Sequence[Curves], choose: Callable[[SampledCurves], NDArray[np.int64]]) -> list[Keys]:
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


def _keys_at(curves: SampledCurves, frames: NDArray[np.int64]) -> Keys:
    """Return keys at frames between which a segment can always be fitted."""
    arriving, leaving = curves.slopes[frames].copy(), curves.slopes[frames].copy()
    for number, (first, last) in enumerate(zip(frames[:-1].tolist(), frames[1:].tolist(), strict=True)):
        slopes = fitted_slopes(curves, first, last)
        assert slopes is not None, "key frames are chosen among those that fit"
        leaving[number], arriving[number + 1] = slopes
    arriving[0], leaving[-1] = leaving[0], arriving[-1]
    widths = np.diff(np.append(curves.firsts, curves.values.shape[1]))
    for number in range(1, len(frames) - 1):
        # With one slope on both sides, an animator can edit the key as a smooth one.
        slope = (arriving[number] + leaving[number]) / 2
        first, key, last = frames[number - 1 : number + 2].tolist()
        smooth = segment_fits(curves, first, key, np.stack((leaving[number - 1], slope)))
        smooth &= segment_fits(curves, key, last, np.stack((slope, arriving[number + 1])))
        columns = np.repeat(smooth, widths)
        arriving[number, columns] = leaving[number, columns] = slope[columns]
    return Keys(frames, curves.values[frames], arriving, leaving)


def _split(keys: Keys, curves: Sequence[Curves]) -> list[Keys]:
    ends = np.cumsum([item.values.shape[1] for item in curves])
    columns = [slice(int(end) - item.values.shape[1], int(end)) for end, item in zip(ends, curves, strict=True)]
    return [Keys(keys.frames, keys.values[:, at], keys.arriving[:, at], keys.leaving[:, at]) for at in columns]


def _ends(curves: Curves) -> Keys:
    frames = np.unique([0, len(curves.values) - 1])
    values = curves.values[frames].astype(np.float64)
    return Keys(frames, values, np.zeros_like(values), np.zeros_like(values))

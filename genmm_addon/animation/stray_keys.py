# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys far away from all others of an action: nearly always a mistake, and the reason for an action's great length."""

from dataclasses import dataclass

import numpy as np

from ..core import Float64, Int64
from .curves import SlotCurves, key_values, nearest_frames

FEW_FAR = (0.95, 5.0)
"""Share of the keys that lie together, and least gap to the stray ones, in multiples of the duration of the others."""
POSES_FAR = (0.7, 50.0)
"""The same for a few stray poses, FEW at most: a smaller share, since a blocking has few poses, and a far
longer gap."""
FEW = 3
"""Most frames with stray keys for which POSES_FAR applies, and most keyed frames without a distance that counts as far.
"""
LONGEST = 20_000
"""Most frames that are read or simplified although stray keys are likely: with 300 curves, about 10 s and 50 MB."""


@dataclass(frozen=True)
class StrayKeys:
    """The frames `first` to `last` that have nearly all keys, and the frames far `outside` that have the others."""

    first: int
    last: int
    outside: tuple[int, ...]

    @property
    def where(self) -> str:
        """Return a description such as "keys at 1-80 and one at 100,000"."""
        others = self.outside
        if len(others) == 1:
            far = f"one at {others[0]:,}"
        elif len(others) == 2:
            far = f"two at {others[0]:,} and {others[1]:,}"
        else:
            far = f"{len(others)} from {others[0]:,} to {others[-1]:,}"
        return f"keys at {self.range} and {far}"

    @property
    def range(self) -> str:
        """Return the frames to learn from, as "1-80"."""
        return f"{self.first:,}-{self.last:,}"

    @property
    def option(self) -> str:
        """Return the command line's option for these frames."""
        return f"--range {self.first}-{self.last}"


def stray_keys(curves: SlotCurves, start: float, end: float) -> StrayKeys | None:
    """Return the keys between the frames `start` and `end` that are far from the others; None if there are none."""
    if _is_dense(curves, end - start):
        return None
    frames, counts = _frames_with_keys(curves, start, end)
    if len(frames) <= FEW:
        return None
    for (share, gap), most in ((FEW_FAR, len(frames)), (POSES_FAR, FEW)):
        low, high = _shortest_stretch(frames, counts, share)
        if high - low + 1 < FEW:
            continue
        low, high = _with_neighbors(frames, low, high, gap)
        outside = np.concatenate((frames[:low], frames[high + 1 :]))
        if 0 < len(outside) <= most:
            return StrayKeys(int(frames[low]), int(frames[high]), tuple(outside.tolist()))
    return None


def _is_dense(curves: SlotCurves, length: float) -> bool:
    """Return whether a curve has too many keys for a long gap; this is quicker than reading the keys."""
    return curves.most_keys > length / FEW_FAR[1] + FEW


def _frames_with_keys(curves: SlotCurves, start: float, end: float) -> tuple[Int64, Int64]:
    """Return the whole frames that have keys, ascending, and the number of curves with a key there."""
    same_times: dict[bytes, tuple[Float64, int]] = {}
    for curve in curves.all_curves():
        times = key_values(curve)[:, 0]
        # Most curves of a recording share their key times.
        name = times.tobytes()
        same_times[name] = times, same_times[name][1] + 1 if name in same_times else 1
    inside = [(nearest_frames(times[(times >= start) & (times <= end)]), count) for times, count in same_times.values()]
    if not inside:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    every = np.concatenate([times for times, _ in inside])
    weights = np.concatenate([np.full(len(times), count) for times, count in inside])
    frames, places = np.unique(every, return_inverse=True)
    return frames, np.bincount(places.ravel(), weights).astype(np.int64)


def _shortest_stretch(frames: Int64, counts: Int64, share: float) -> tuple[int, int]:
    """Return the indices of the first and last frame of the shortest stretch that has this share of all keys."""
    sums = np.concatenate(([0], np.cumsum(counts)))
    # For each first frame, the earliest last frame with enough keys between.
    ends = np.searchsorted(sums, sums[:-1] + share * sums[-1]) - 1
    begins = np.flatnonzero(ends < len(frames))
    lasts = frames[ends[begins]] - frames[begins]
    low = int(begins[int(np.argmin(lasts))])
    return low, int(ends[low])


def _with_neighbors(frames: Int64, low: int, high: int, gap: float) -> tuple[int, int]:
    """Return the stretch extended by all frames that are no farther from it than `gap` times its duration."""
    while True:
        reach = gap * max(int(frames[high] - frames[low]), 1)
        if low > 0 and frames[low] - frames[low - 1] <= reach:
            low -= 1
        elif high + 1 < len(frames) and frames[high + 1] - frames[high] <= reach:
            high += 1
        else:
            return low, high

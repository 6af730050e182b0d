# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the frames of curves that need keys when straight lines connect them."""

import numpy as np

from ...core import Array, Int64, Mask


def frames_to_keep(values: Array, tolerances: Array, groups: Int64) -> Mask:
    """Return `(T, G)` the frames to key, for C curves `(T, C)` in G groups whose curves share their frames.

    Straight lines between the kept frames stay within each curve's tolerance `(C,)` at every frame.
    groups: `(C,)` each curve's group, 0 to G - 1. The first and the last frame are always kept.

    A line from the last kept frame to a later one is good if it passes all frames between within their tolerances.
    Every frame narrows the range of such slopes; when a frame cannot be reached, the frame before it is kept.
    """
    frames = len(values)
    keep = np.zeros((frames, int(groups.max(initial=-1)) + 1), bool)
    keep[[0, -1]] = True
    kept_frame = np.zeros(keep.shape[1], np.int64)
    kept_value = values[0].astype(np.float64)
    lowest, highest = np.full(len(groups), -np.inf), np.full(len(groups), np.inf)
    for frame in range(1, frames):
        rise, span = values[frame] - kept_value, frame - kept_frame[groups]
        missed = (rise < lowest * span) | (rise > highest * span)
        if missed.any():
            ended = np.zeros(keep.shape[1], bool)
            ended[groups[missed]] = True
            keep[frame - 1, ended] = True
            kept_frame[ended] = frame - 1
            restarted = ended[groups]
            kept_value[restarted] = values[frame - 1, restarted]
            lowest[restarted], highest[restarted] = -np.inf, np.inf
            rise, span = values[frame] - kept_value, frame - kept_frame[groups]
        np.maximum(lowest, (rise - tolerances) / span, out=lowest)
        np.minimum(highest, (rise + tolerances) / span, out=highest)
    return keep


def frames_of_change(values: Array) -> Mask:
    """Return `(T,)` the frames to key of a curve that is constant between keys; the first and last are kept."""
    keep = np.ones(len(values), bool)
    keep[1:-1] = values[1:-1] != values[:-2]
    return keep

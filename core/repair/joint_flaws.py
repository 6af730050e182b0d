# SPDX-License-Identifier: GPL-3.0-or-later
"""Spikes, jitter and lost markers: joints far from the chord between neighboring frames, joints that tremble from frame
to frame, and joints that stay exactly the same for a while and then jump.
"""

import numpy as np

from ..arrays import Float64, Mask
from ..examples.takes import LEAST_JUMP
from ..infill import CONTEXT_SECONDS
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion
from ..motion.spans import spans, without_gaps
from .smoothing import ORDER, WHITE

MOST_OF_TIME = 0.5
"""Share of a motion's frames above which a joint that trembles, or is still, is so as a rule and not by a flaw."""
LONGEST_SPIKE = 3
"""Number of frames of the longest spike."""
SPIKE_RATIO = 6.0
"""Smallest offset of a spike, in multiples of the median offset within CONTEXT_SECONDS on both sides."""
LEAST_SPIKE = 0.15
"""Smallest offset of a spike, in radians or as a share of the skeleton's size."""
RETURNS = 0.5
"""Largest change of the motion across a spike, as a share of the spike's offset, unless such a change is usual."""
OFTEN, OFTEN_RATIO = 90.0, 3.0
"""Percentile of a joint's offsets, and the multiple of it that a spike exceeds: toes flick at each step. Spikes of
joints without children, which move no other joint, are as many times LEAST_SPIKE."""
JITTER_SECONDS = 0.2
"""Time on both sides of a frame, in seconds, in which trembling is measured; shorter trembling is not a flaw."""
LEAST_JITTER = 0.01
"""Smallest visible trembling, in radians or as a share of the size: noise of a third of a degree about each axis."""
MOST_FRAMES = 0.5
"""Smallest median of a joint's trembling, as a share of its root mean square, so that single frames are no jitter."""
ALTERNATING = -0.65
"""Largest correlation of neighboring fourth differences at which a joint trembles: for white noise it is -0.8."""
LOST_SECONDS = 0.12
"""Shortest time, in seconds, with unchanged values for which a joint counts as lost."""
SAME_OFTEN = 3
"""Number of stretches with the same unchanged values from which a joint does not count as lost in any of them."""


def off_chords(motion: Motion, inside: int) -> Float64:
    """Return the offsets `(T - inside - 1, inside, J, 3)` of frames from chords between frames `inside + 1` apart.

    They are turns in radians, or moves in sizes if these are larger.
    """
    span = inside + 1
    turned = motion.rotations.astype(np.float64)
    places = motion.translations.astype(np.float64) / motion.skeleton.size
    deviations = np.zeros((max(motion.frames - span, 0), inside, turned.shape[1], 3))
    for step in range(1, span):
        share = step / span
        middle = rotations.slerp(turned[:-span], turned[span:], np.full(turned[span:].shape[:2], share))
        angles = rotations.to_vector(rotations.multiply(rotations.inverse(middle), turned[step : step - span]))
        moves = places[step : step - span] - (1 - share) * places[:-span] - share * places[span:]
        larger = np.linalg.norm(moves, axis=2) > np.linalg.norm(angles[:, motion.translated], axis=2)
        angles[:, motion.translated] = np.where(larger[..., None], moves, angles[:, motion.translated])
        deviations[:, step - 1] = angles
    return deviations


def around(values: Float64, reach: int) -> Float64:
    """Return the values `(T, J, 2 reach + 1)` around each frame; the first and last values are repeated."""
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)


def spike_frames(motion: Motion) -> Mask:
    """Return a mask `(T, J)` of the frames at which joints are in spikes.

    >>> bool(spike_frames(swing).any())
    False
    """
    marked = np.zeros(motion.rotations.shape[:2], bool)
    reach = max(round(CONTEXT_SECONDS * motion.frames_per_second), 4)
    shares = np.where(motion.skeleton.reaches > 0, 1.0, OFTEN_RATIO)
    for inside in range(1, LONGEST_SPIKE + 1):
        if motion.frames < inside + 3:
            break
        off = off_chords(motion, inside)
        sizes = np.linalg.norm(off, axis=3)
        least = sizes.min(axis=1)
        # The whole plateau is on one side of the chord, and the motion goes on after it as if there were none.
        mean = np.linalg.norm(off.mean(axis=1), axis=2)
        often = OFTEN_RATIO * np.percentile(least, OFTEN, axis=0)
        out = (least > np.maximum(often, LEAST_SPIKE * shares)) & (mean > 0.7 * least)
        chords = _chord_lengths(motion, inside + 1)
        out &= chords < np.maximum(RETURNS * least, np.percentile(chords, OFTEN, axis=0))
        # Medians take longer than all else, so they are last, for the few frames that are left.
        out[out] = least[out] > SPIKE_RATIO * np.median(around(least, reach)[out], axis=-1)
        # In a quick movement, as a kick or a blow, more joints leave their chords without a spike than with one.
        largest = np.where(out, least, 0.0).max(axis=1, keepdims=True)
        moving = ~out & (OFTEN_RATIO * least > largest)
        out &= moving.sum(axis=1, keepdims=True) < out.sum(axis=1, keepdims=True)
        for step in range(inside):
            marked[step + 1 : step + 1 + len(out)] |= out
    return marked


def jittering_frames(motion: Motion, left_out: Mask) -> Mask:
    """Return a mask `(T, J)` of the frames at which joints tremble, except those that are left out `(T, J)`.

    >>> bool(jittering_frames(swing, np.zeros((60, 2), bool)).any())
    False
    """
    jittering = np.zeros(motion.rotations.shape[:2], bool)
    if motion.frames < 5:
        return jittering
    # The offset from a chord is half of a second difference; fast motion has little of the fourth.
    noise = np.zeros((*jittering.shape, 3))
    noise[2:-2] = 2.0 * np.diff(off_chords(motion, 1)[:, 0], ORDER - 2, axis=0) / np.sqrt(WHITE)
    # Around a spike, all differences are those of the spike.
    noise[around(left_out.astype(np.float64), ORDER // 2).any(axis=-1)] = 0.0
    sizes = np.linalg.norm(noise, axis=2)
    products = np.zeros_like(sizes)
    products[1:] = np.einsum("tkc,tkc->tk", noise[1:], noise[:-1])
    reach = max(round(JITTER_SECONDS * motion.frames_per_second), 3)
    together, squared = (around(values, reach).mean(axis=-1) for values in (products, sizes**2))
    trembling = (together < ALTERNATING * squared) & (np.sqrt(squared) > LEAST_JITTER)
    # A single frame far off has two large differences beside it; most of a window must tremble.
    usual = np.median(around(sizes, reach)[trembling], axis=-1)
    trembling[trembling] = usual > MOST_FRAMES * np.sqrt(squared[trembling])
    # Noise of a recording does not pause: where a joint also moves fast, it only cannot be told from the movement. With
    # noise of 1.4 degrees on twenty clips, filters leave the worst 1.3 times its clean shake then, 9.7 times otherwise.
    trembling |= trembling.mean(axis=0) > MOST_OF_TIME
    return without_gaps(trembling, reach)


def _chord_lengths(motion: Motion, span: int) -> Float64:
    """Return the turn or move `(T - span, J)` of each joint over `span` frames, in radians or sizes."""
    turned = motion.rotations.astype(np.float64)
    chords: Float64 = np.array(rotations.angle_between(turned[:-span], turned[span:]), np.float64)
    places = motion.translations.astype(np.float64) / motion.skeleton.size
    moves = np.linalg.norm(places[span:] - places[:-span], axis=2)
    chords[:, motion.translated] = np.maximum(chords[:, motion.translated], moves)
    return chords


def frozen_frames(motion: Motion) -> Mask:
    """Return a mask `(T, J)` of the frames at which joints are lost.

    >>> bool(frozen_frames(swing).any())
    False
    """
    frozen, steps = np.zeros(motion.rotations.shape[:2], bool), np.zeros(motion.rotations.shape[:2])
    steps[1:] = _chord_lengths(motion, 1)
    same = _unchanged(motion)
    least = max(2, round(LOST_SECONDS * motion.frames_per_second))
    # A joint that is mostly still is keyed in steps, or does not move.
    for joint in np.flatnonzero(same.any(axis=0) & (same.mean(axis=0) < MOST_OF_TIME)).tolist():
        resting = spans(same[:, joint])
        stops = _rests_often(motion, joint, [first for first, _ in resting])
        for (first, end), stop in zip(resting, stops, strict=True):
            # The frames from `first - 1` to `end - 1` are the same; at `end` the joint is found again.
            if stop or end - first < least or end >= motion.frames or steps[end, joint] < LEAST_JUMP:
                continue
            begin = first if steps[first - 1, joint] < LEAST_JUMP else first - 1
            if begin > 0:
                frozen[begin:end, joint] = True
    return frozen


def _rests_often(motion: Motion, joint: int, firsts: list[int]) -> list[bool]:
    """Return for each stretch of unchanged values whether the joint has the same values in several of them.

    A toe or an elbow rests at the end of its range again and again, but a marker is lost anywhere.
    """
    values = motion.rotations[firsts, joint].astype(np.float64)
    if joint in motion.translated:
        places = motion.translations[firsts, list(motion.translated).index(joint)] / motion.skeleton.size
        values = np.concatenate([values, places], axis=1)
    often = np.zeros(len(firsts), bool)
    # Values that one rounding separates at a cell's border are together in the other rounding.
    for offset in (0.0, 0.5):
        rounded = np.floor(values / ROUNDING + offset)
        _, numbers, counts = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
        often |= counts[numbers.reshape(-1)] >= SAME_OFTEN
    return often.tolist()


def _unchanged(motion: Motion) -> Mask:
    """Return a mask `(T, J)` of joints with the values of the frame before, translations included."""
    same = np.zeros(motion.rotations.shape[:2], bool)
    same[1:] = np.abs(np.diff(motion.rotations, axis=0)).max(axis=2) < ROUNDING
    moved = np.abs(np.diff(motion.translations, axis=0)).max(axis=2, initial=0.0) / motion.skeleton.size
    same[1:, motion.translated] &= moved < ROUNDING
    return same

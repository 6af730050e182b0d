# SPDX-License-Identifier: GPL-3.0-or-later
"""Bridging of frames at which joints are missing: by a curve between the frames around them, or as examples move."""

import numpy as np

from ..arrays import Float32, Float64, Mask
from ..infill.easing import SPEED_SECONDS
from ..library.indexed_motions import IndexedMotions
from ..motion import rotations
from ..motion.interpolation import monotone_cubic
from ..motion.motion import Motion, joint_accelerations
from ..motion.skeleton import SAME_PLACE
from ..motion.spans import spans
from .local_projection import ProjectionSettings, project

SETTINGS = ProjectionSettings(seconds=0.7, count=16, noise=0.02)
"""Settings of the projection onto examples by which long gaps are bridged."""


def bridged(motion: Motion, missing: Mask, library: IndexedMotions | None = None) -> Motion:
    """Return a motion with new values for the joints at frames at which they are missing `(T, J)`.

    Raises InputError for a library on another skeleton.

    >>> gap = np.zeros((60, 2), bool)
    >>> gap[10:14, 1] = True
    >>> bridged(swing, gap).frames
    60
    """
    across = _bridged_without_examples(motion, missing)
    # A gap in which the speeds at its ends decay needs examples.
    long = SPEED_SECONDS * motion.frames_per_second
    joints = np.flatnonzero(missing.any(axis=0)).tolist()
    gaps = [(joint, *span) for joint in joints for span in spans(missing[:, joint]) if span[1] - span[0] > long]
    if library is None or not gaps:
        return across
    goal = project(library, across, across, SETTINGS).motion
    channels = {name: values.copy() for name, values in across.channels().items()}
    for joint, first, end in gaps:
        if first == 0 or end == motion.frames:
            continue
        filled = goal.rotations[first - 1 : end + 1, joint].astype(np.float64)
        ends = across.rotations[[first - 1, end], joint].astype(np.float64)
        channels["rotations"][first:end, joint] = _through_ends(filled, ends)[1:-1]
    channels["rotations"] = _signs_of(channels["rotations"], motion, missing)
    return across.with_channels(channels)


def calmed_by_bridging(motion: Motion, missing: Mask) -> Mask:
    """Return a mask `(T, J)` of the missing frames across which joints, and those below, accelerate less once bridged.

    A spike or a jump is more abrupt than any curve across it, and a quick movement, or a foot that rests, is not. What
    moves by itself, such as a foot that was read as a part of its leg, goes where the joints above it go.

    >>> bool(calmed_by_bridging(swing, np.ones((60, 2), bool)).any())
    False
    """
    missing, before = missing.copy(), joint_accelerations(motion) if missing.any() else np.zeros((0, 0))
    skeleton, shifts = motion.skeleton, np.ptp(motion.translations, axis=0).max(axis=1, initial=0.0)
    free = motion.translated[shifts > SAME_PLACE * skeleton.size].tolist()
    while missing.any():
        after, wrong = joint_accelerations(_bridged_without_examples(motion, missing)), np.zeros_like(missing)
        for joint in np.flatnonzero(missing.any(axis=0)).tolist():
            below = skeleton.descendants(joint)
            for other in free:
                below = below & ~skeleton.descendants(other) if other != joint and below[other] else below
            above = skeleton.chain(joint)[:-1] if joint in free else []
            for first, end in spans(missing[:, joint]):
                if missing[first:end, above].any():
                    continue
                # Frame `first` has the acceleration with the number `first - 1`; one more on both sides changes.
                near = slice(max(first - 2, 0), end + 1)
                wrong[first:end, joint] = after[near, below].max() > before[near, below].max()
        if not wrong.any():
            break
        missing &= ~wrong
    return missing


def _bridged_without_examples(motion: Motion, missing: Mask) -> Motion:
    channels = {name: values.copy() for name, values in motion.channels().items()}
    slots = {int(joint): slot for slot, joint in enumerate(motion.translated)}
    for joint in np.flatnonzero(missing.any(axis=0)).tolist():
        present = np.flatnonzero(~missing[:, joint])
        if not len(present):
            continue
        turns = rotations.make_continuous(motion.rotations[present, joint]).astype(np.float64)
        gone, known = np.flatnonzero(missing[:, joint]), present.astype(np.float64)
        across = monotone_cubic(known, turns, gone.astype(np.float64))
        channels["rotations"][gone, joint] = rotations.normalize(across)
        if joint in slots:
            places = motion.translations[present, slots[joint]].astype(np.float64)
            channels["translations"][gone, slots[joint]] = monotone_cubic(known, places, gone.astype(np.float64))
    channels["rotations"] = _signs_of(channels["rotations"], motion, missing)
    return motion.with_channels(channels)


def _through_ends(filled: Float64, ends: Float64) -> Float64:
    """Return rotations `(T, 4)` changed to meet those at both ends `(2, 4)`; differences are interpolated between."""
    share = np.linspace(0.0, 1.0, len(filled))
    gaps = [rotations.multiply(rotations.inverse(filled[at]), ends[at]) for at in (0, -1)]
    between = rotations.slerp(np.broadcast_to(gaps[0], filled.shape), np.broadcast_to(gaps[1], filled.shape), share)
    return np.asarray(rotations.multiply(filled, between))


def _signs_of(turned: Float32, motion: Motion, missing: Mask) -> Float32:
    """Return the rotations, with new quaternions in the half-space of the motion's own quaternions at these frames."""
    opposed = (np.sum(turned * motion.rotations, axis=-1) < 0) & missing
    return np.where(opposed[..., None], -turned, turned)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-contacts kept in many retargeted clips at once."""

from collections.abc import Sequence

import numpy as np

from ...motion import rotations
from ...motion.motion import Motion
from ...motion.piecewise import MOMENTS, evenly
from ...motion.skeleton import SAME_PLACE
from .bodies import BodyPair, pose_body
from .detecting import hands_near
from .keeping import contacts_between, with_self_contacts


def keep_in_clips(source: Motion, result: Motion, lengths: Sequence[int], bodies: BodyPair | None) -> list[Motion]:
    """Return retargeted clips with the contacts that they have in the source; see `with_self_contacts`.

    source, result: the clips in one sequence. lengths: the number of frames of each. bodies: None leaves all clips
    unchanged. Clips in which no hand comes near the own body are skipped quickly, and all clips if both bodies are of
    the same proportions, so that contacts hold anyway.

    >>> [clip.frames for clip in keep_in_clips(swing, swing, [40, 20], None)]
    [40, 20]
    """
    stops = np.cumsum(lengths).tolist()
    clips = [result.slice(stop - length, stop) for length, stop in zip(lengths, stops, strict=True)]
    if bodies is None or _keeps_places(source, result, bodies):
        return clips
    # Posed together, since the calls for a clip of some seconds take longer than the computation.
    posed = pose_body(source, bodies.source)
    near = hands_near(posed, bodies.source, source.skeleton.size)
    for number, (clip, stop) in enumerate(zip(clips, stops, strict=True)):
        start = stop - clip.frames
        if near[start:stop].any():
            kept = contacts_between(source.slice(start, stop), bodies, posed.within(start, stop))
            clips[number] = with_self_contacts(clip, kept)
    return clips


def _keeps_places(source: Motion, result: Motion, bodies: BodyPair) -> bool:
    """Return whether the result's hands and bones are where they are in the source, at frames that stand for all."""
    frames = evenly(source.frames, MOMENTS)
    posed = pose_body(source.take(frames), bodies.source), pose_body(result.take(frames), bodies.target)
    from_palm = [np.concatenate((body.palms, body.beginnings, body.ends)) - body.palms[0] for body in posed]
    away = from_palm[1] - bodies.scale * rotations.rotate(bodies.turn, from_palm[0])
    return bool(np.abs(away).max() < 0.1 * SAME_PLACE * result.skeleton.size)

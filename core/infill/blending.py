# SPDX-License-Identifier: GPL-3.0-or-later
"""Blending of two motions with equal numbers of frames, from one to the other at both ends."""

import numpy as np

from ..errors import InputError
from ..motion import rotations
from ..motion.filters import smoothstep
from ..motion.motion import Motion


def blended(old: Motion, new: Motion, blend_in: int = 0, blend_out: int = 0) -> Motion:
    """Return the new motion `(T)`, blended from the old motion `(T)` at its beginning and into it at its end.

    blend_in, blend_out: numbers of frames of both blends. Both motions are at the same place in the world. Raises
    InputError for motions of different lengths, and for blends below zero or longer than the motion together.

    >>> blended(swing, swing.take(np.zeros(60, np.int64)), blend_in=10).frames
    60
    """
    old.check_values("The motion that stays")
    new.check_values("The new motion")
    frames = new.frames
    if old.frames != frames:
        raise InputError(f"The new motion has {frames} frames, and the old one {old.frames}; give the same number.")
    if min(blend_in, blend_out) < 0 or blend_in + blend_out > frames:
        raise InputError(f"The frames to blend over lie between 0 and {frames} together; choose fewer.")
    at = np.arange(frames) + 0.5
    # Sampled at half frames, so that neither motion appears alone at the first and last frame of a blend.
    shares = [np.clip(away / max(count, 1), 0, 1) for away, count in ((at, blend_in), (frames - at, blend_out))]
    shares = [share if count else np.ones(frames) for share, count in zip(shares, (blend_in, blend_out), strict=True)]
    weights = (smoothstep(shares[0]) * smoothstep(shares[1])).astype(np.float32)
    channels = {}
    for name, values in new.channels().items():
        other = getattr(old, name)
        if name == "rotations":
            turned = rotations.slerp(other, values, np.broadcast_to(weights[:, None], values.shape[:2]))
            channels[name] = rotations.make_continuous(turned).astype(np.float32)
        else:
            shaped = weights.reshape((-1,) + (1,) * (values.ndim - 1))
            channels[name] = (other + shaped * (values - other)).astype(np.float32)
    return new.with_channels(channels)

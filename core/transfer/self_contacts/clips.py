# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-contacts kept in many retargeted clips at once."""

from collections.abc import Sequence

import numpy as np

from ...motion.motion import Motion
from .bodies import BodyPair
from .detecting import may_touch
from .keeping import contacts_between, with_self_contacts


def keep_in_clips(source: Motion, result: Motion, lengths: Sequence[int], bodies: BodyPair | None) -> list[Motion]:
    """Return retargeted clips with the contacts that they have in the source; see `with_self_contacts`.

    source, result: the clips in one sequence. lengths: the number of frames of each. bodies: None leaves all clips
    unchanged. Clips in which no hand comes near the own body are skipped quickly.

    >>> [clip.frames for clip in keep_in_clips(swing, swing, [40, 20], None)]
    [40, 20]
    """
    near = np.zeros(source.frames, bool) if bodies is None else may_touch(source, bodies.source)
    clips, stop = list[Motion](), 0
    for length in lengths:
        start, stop = stop, stop + length
        clip = result.slice(start, stop)
        if bodies is not None and near[start:stop].any():
            clip = with_self_contacts(clip, contacts_between(source.slice(start, stop), bodies))
        clips.append(clip)
    return clips

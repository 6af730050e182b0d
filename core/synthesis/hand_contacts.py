# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands at the character's own body: contacts that both sides of a crossfade have are kept through it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..examples.example_data import Examples
from ..feet.contact_detection import Foot
from ..motion.channels import Channels, motion_of
from ..motion.motion import Motion
from ..motion.piecewise import pieces
from ..planning.crossfades import Crossfades
from ..transfer.self_contacts.bodies import TouchingBody, pose_body
from ..transfer.self_contacts.crossfaded import own_body, with_contacts_of_both_sides
from ..transfer.self_contacts.detecting import HANDS_RADIUS, may_touch
from ..transfer.self_contacts.keeping import arm_accelerations
from .crossfade import both_sides


def with_hand_contacts(
    examples: Examples,
    motion: Motion,
    crossfades: Crossfades,
    feet: Sequence[Foot],
    undisplaced: Channels | None = None,
) -> Motion:
    """Return the motion of one part with the self-contacts of hands that both sides of a crossfade have.

    Only arms move, and none of a character that stands on them, as a horse does. feet: what it stands on. undisplaced:
    the crossfaded frames as they were before fixed poses displaced them. Hands that these took farther than hands that
    meet are apart have left both sides, and would be thrown to their contact and back.
    """
    body = own_body(motion.skeleton)
    if body is None or not len(crossfades.frames):
        return motion
    legs = {joint for foot in feet for joint in (foot.joint, *foot.leg)}
    if any(hand.arm.wrist in legs for hand in body.source.hands):
        return motion
    starts = crossfades.starts
    near = np.zeros(len(crossfades.frames), bool)
    for piece in pieces(len(near), motion.rotations[0].size):
        near[piece] = np.logical_and(
            *(may_touch(side, body.source) for side in _sides(examples, motion, crossfades, piece))
        )
    if not near.any():
        return motion
    quickest = _quickest(motion, body.source)
    motion = motion.with_channels({**motion.channels(), "rotations": motion.rotations.copy()})
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(near)], strict=True):
        piece = slice(start, end)
        if near[piece].any() and not _taken_away(examples, motion, crossfades, piece, undisplaced, body.source):
            first, count = int(crossfades.frames[start]), end - start
            begin, stop = max(first - 2, 0), min(first + count + 2, motion.frames)
            kept = with_contacts_of_both_sides(
                motion.slice(begin, stop),
                slice(first - begin, first - begin + count),
                _sides(examples, motion, crossfades, piece),
                crossfades.weights[piece],
                quickest,
            )
            motion.rotations[begin:stop] = kept.rotations
    return motion


def _taken_away(
    examples: Examples,
    motion: Motion,
    crossfades: Crossfades,
    piece: slice,
    undisplaced: Channels | None,
    body: TouchingBody,
) -> bool:
    """Return whether fixed poses took a hand farther from a crossfade than hands that meet are apart."""
    if undisplaced is None:
        return False
    base = motion.take(crossfades.frames[piece])
    before = replace(undisplaced, orientations=undisplaced.orientations[piece], linear=undisplaced.linear[piece])
    away = pose_body(base, body).palms - pose_body(_posed(examples, base, before), body).palms
    return bool((np.linalg.norm(away, axis=2) > HANDS_RADIUS * motion.skeleton.size).any())


def _quickest(motion: Motion, body: TouchingBody) -> float:
    """Return the largest acceleration of the arms, in units per frame squared; long motions are posed in pieces."""
    # An acceleration takes the two frames before it as well.
    posed = (
        pose_body(motion.slice(max(piece.start - 2, 0), piece.stop), body)
        for piece in pieces(motion.frames, motion.rotations[0].size)
    )
    return max(float(arm_accelerations(part).max(initial=0.0)) for part in posed)


def _sides(examples: Examples, motion: Motion, crossfades: Crossfades, piece: slice) -> tuple[Motion, Motion]:
    """Return both sides of some crossfaded frames, on the motion's own root."""
    before, after = both_sides(examples, crossfades, piece)
    base = motion.take(crossfades.frames[piece])
    return _posed(examples, base, before), _posed(examples, base, after)


def _posed(examples: Examples, base: Motion, channels: Channels) -> Motion:
    """Return the channels as a motion with the anchored joints of another one."""
    anchored, posed = np.array(examples.root.anchored), motion_of(channels, base, examples.root)
    turned = np.isin(np.arange(len(base.skeleton.names)), anchored)[:, None]
    moved = np.isin(base.translated, anchored)[:, None]
    return replace(
        posed,
        rotations=np.where(turned, base.rotations, posed.rotations),
        translations=np.where(moved, base.translations, posed.translations),
    )

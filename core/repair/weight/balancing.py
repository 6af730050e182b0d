# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiet stands whose center of mass lies outside of the support, and their repair: the pelvis moves over the feet."""

from dataclasses import replace

import numpy as np

from ...arrays import Float64, Mask
from ...evaluation.body.center import center_of_mass, velocity_of
from ...evaluation.body.stands import Stands, find_stands
from ...evaluation.body.support import Support, find_support
from ...feet.contact_detection import SLOW
from ...feet.foot_moves import EASE_SECONDS
from ...motion.filters import smooth
from ...motion.motion import Motion, joint_path
from ...motion.spans import joined_spans
from .bodies import ROUNDS, BodyOnGround, carried_along, eased_ends, with_feet_kept, with_hands_at

LEANING = 0.15
"""Distance outside of the support, as a share of the size, from which something else must carry a quiet body, such as a
chair; no ground pushes from there while a body brakes, as 755 of 757 recordings show."""
SHORTEST_SECONDS = 0.3
"""Shortest time, in seconds, outside of the support that shows: a body falls by 4 cm in it. Also the time of
a push."""


def toppling_stands(motion: Motion, body: BodyOnGround) -> list[tuple[int, int, tuple[int, ...], float]]:
    """Return the first and last frame that the repair of each stand may change, all joints, and how far it is outside,
    in sizes.

    Masses and feet are known of a human on two feet. Of any other body that is never over its support, they are not.
    """
    if not body.standing.feet:
        return []
    size, rate = motion.skeleton.size, motion.frames_per_second
    stands = _still_stands(motion, body, find_support(motion, body.standing))
    if not body.is_known and stands.outside[stands.quiet].min(initial=np.inf) > 0.0:
        return []
    outside = stands.off_balance(size)
    beside, toppling = round(3 * EASE_SECONDS * rate), []
    for first, end in joined_spans(outside, SHORTEST_SECONDS * rate / 2, SHORTEST_SECONDS * rate):
        farthest = float(np.nanmax(stands.outside[first:end])) / size
        if farthest < LEANING:
            joints = tuple(range(len(motion.skeleton.names)))
            toppling.append((max(first - beside, 0), min(end + beside, motion.frames) - 1, joints, farthest))
    return toppling


def with_balance(
    motion: Motion, body: BodyOnGround, span: tuple[int, int], strength: float, *, hands_stay: bool = True
) -> Motion:
    """Return the motion with its center of mass over the support in quiet frames of a span, first and last frame.

    Feet stay, and hands unless they go along with the trunk. The motion itself is returned if that would not help.
    """
    first, last = span
    part = motion.slice(first, last + 1)
    size, rate = motion.skeleton.size, motion.frames_per_second
    support = find_support(part, body.standing)
    stands = _still_stands(part, body, support)
    distance, outward, quiet = stands.outside, stands.outward, stands.quiet
    ends = eased_ends(part.frames, (first > 0, last + 1 < motion.frames), round(3 * EASE_SECONDS * rate))
    still = np.zeros((part.frames, len(body.standing.feet), 3))

    def moved(moves: Float64) -> Motion:
        made = carried_along(part, body.standing, moves, np.zeros_like(moves))
        made = with_feet_kept(part, made, body.standing, still)
        return with_hands_at(part, made) if hands_stay else made

    best, moves, least = np.zeros((part.frames, 3)), np.zeros((part.frames, 3)), _excess(distance, quiet, size)
    for _ in range(ROUNDS):
        beyond = np.where(quiet, np.maximum(np.nan_to_num(distance), 0.0), 0.0)
        moves = moves - beyond[:, None] * outward
        eased = smooth(moves, EASE_SECONDS, rate) * ends[:, None]
        distance, outward = support.outside(center_of_mass(moved(eased), body.model))
        excess = _excess(distance, quiet, size)
        if excess >= least:
            break
        best, least = eased, excess
    return motion.with_frames(np.arange(first, last + 1), moved(strength * best)) if best.any() else motion


def _still_stands(motion: Motion, body: BodyOnGround, support: Support) -> Stands:
    """Return the balance of a body, not quiet while a foot moves: it may fall onto that foot, as in any walk."""
    stands = find_stands(motion, body.model, support, body.gravity)
    paths = np.stack([joint_path(motion, foot.joint) for foot in body.standing.feet], axis=1)
    speeds = np.linalg.norm(velocity_of(paths, motion.frames_per_second), axis=2)
    return replace(stands, quiet=stands.quiet & (speeds < SLOW * motion.skeleton.size).all(axis=1))


def _excess(distance: Float64, quiet: Mask, size: float) -> float:
    """Return the sum over quiet frames of the distance outside of the support, in sizes."""
    return float(np.maximum(np.nan_to_num(distance), 0.0)[quiet].sum()) / size

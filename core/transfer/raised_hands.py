# SPDX-License-Identifier: GPL-3.0-or-later
"""Upper bodies of retargeted motions, raised where longer arms, or shorter legs, would take them below the ground."""

from collections.abc import Collection, Sequence

import numpy as np

from ..arrays import Float64
from ..feet.calm_paths import ALLOWED, FRAME_SECONDS, accelerations
from ..feet.contact_detection import LOWEST_PERCENT
from ..feet.foot_moves import EASE_SECONDS
from ..feet.leg_ik import turn_joint
from ..motion import rotations
from ..motion.filters import smooth, spread_smoothly
from ..motion.motion import Motion, joint_path
from ..motion.skeleton import SAME_PLACE, Skeleton
from .calm_arms import quickest_elbow
from .leg_scale import KNEE
from .meanings import meanings_of
from .retarget import places_of, rest_ground
from .self_contacts.arms import reach_with
from .self_contacts.bodies import BodyPair


def with_raised_hands(motion: Motion, laid: Motion, bodies: BodyPair, matched: Collection[str]) -> Motion:
    """Return a retargeted motion whose upper body is no deeper below the ground than the source's, to scale.

    motion: the source. The trunk bends forward less; arms raise what is still too low of their hands, which keep their
    orientations. matched: the names of the target's joints with counterparts.
    """
    skeleton, arms = laid.skeleton, [hand.arm for hand in bodies.target.hands]
    lowest = (np.array(motion.skeleton.up) @ places_of(motion)).min(axis=0)
    up, sunk = np.array(skeleton.up), np.minimum(lowest - np.percentile(lowest, LOWEST_PERCENT), 0.0)
    least = rest_ground(skeleton, float((skeleton.rest_positions @ up).min())) + bodies.scale * sunk
    hands = [skeleton.descendants(arm.wrist) for arm in arms]
    places = places_of(laid)
    waist = _waist(skeleton, matched, [arm.hip for arm in arms])
    if waist is not None:
        followed = np.isin(skeleton.names, [*matched]) | np.any(hands, axis=0)
        joints = np.flatnonzero(skeleton.descendants(waist) & followed)
        lean = places[[arm.hip for arm in arms]].mean(axis=0) - places[waist]
        turned = _more_upright(
            laid, waist, lean.T, np.transpose(places[joints] - places[waist], (2, 0, 1)), least - up @ places[waist]
        )
        places, laid = places if turned is laid else places_of(turned), turned
    reach = round(EASE_SECONDS * laid.frames_per_second)
    for arm, hand in zip(arms, hands, strict=True):
        rise = spread_smoothly(least - (up @ places[hand]).min(axis=0), reach)
        if rise.max() <= SAME_PLACE * skeleton.size:
            continue
        raised = reach_with(laid, arm, rise[:, None] * up, np.sign(rise))
        # The elbow of a nearly straight arm would jump.
        before, after = (float(accelerations(joint_path(posed, arm.knee)).max()) for posed in (laid, raised))
        laid = raised if after <= max(ALLOWED * before, quickest_elbow(motion, skeleton, bodies)) else laid
    return laid


def _waist(skeleton: Skeleton, names: Collection[str], shoulders: Sequence[int]) -> int | None:
    """Return the first joint that carries the arms and no leg; None if there is none. names: of the joints matched."""
    meanings = meanings_of(skeleton)
    knees = [joint for joint, name in enumerate(skeleton.names) if name in names and meanings[joint].name == KNEE]
    legs = {above for knee in knees for above in skeleton.chain(knee)}
    carrying = set.intersection(*({*skeleton.chain(joint)[:-1]} for joint in shoulders)) - legs
    return min(carrying, default=None) if legs else None


def _more_upright(motion: Motion, waist: int, lean: Float64, away: Float64, least: Float64) -> Motion:
    """Return the motion with its trunk turned upward, at most upright, where some of its joints are too low.

    lean, away: vectors from the waist to the shoulders `(T, 3)` and to the joints `(T, J, 3)`. least: heights `(T,)` of
    these joints above the waist.
    """
    up = np.array(motion.skeleton.up)
    # Of a trunk that hangs down, the direction may change from frame to frame.
    forward = smooth(lean - (lean @ up)[:, None] * up, FRAME_SECONDS, motion.frames_per_second)
    forward = forward / np.maximum(rotations.lengths(forward), 1e-12)[:, None]
    upright = np.arctan2(np.maximum(np.einsum("ta,ta->t", lean, forward), 0.0), lean @ up)
    ahead, height = np.einsum("tja,ta->jt", away, forward), (away @ up).T
    goal = np.clip(least / np.maximum(np.hypot(ahead, height), 1e-12), -1.0, 1.0)
    # What is behind the waist would sink.
    needed = np.where(ahead > 0, np.arcsin(goal) - np.arctan2(height, ahead), 0.0).max(axis=0)
    reach = round(EASE_SECONDS * motion.frames_per_second)
    angles = np.minimum(spread_smoothly(np.minimum(needed, upright), reach), upright)
    if angles.max() <= SAME_PLACE:
        return motion
    turns = rotations.from_axis_angle(rotations.cross(forward, np.broadcast_to(up, forward.shape)), angles)
    return turn_joint(motion, waist, turns)

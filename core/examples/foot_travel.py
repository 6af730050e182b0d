# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel of examples that walk in place, as most clips of games do: it is taken from their standing feet."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from ..arrays import Float64
from ..feet.contact_detection import feet_by_name, feet_tracks, find_feet, ground_heights
from ..feet.leg_ik import move_together
from ..feet.treadmill import velocities_over_ground
from ..motion.motion import Motion
from ..motion.root_motion import IN_PLACE_NET, RootPlan, apply_root, encode_root, plan_root
from ..settings import Facing


def with_foot_travel(
    motions: Sequence[Motion], rounds: Float64, root: str | None = None, feet: Sequence[str] | None = None
) -> tuple[Motion, ...]:
    """Return the motions, of which those that walk in place travel, so that their standing feet rest on the ground.

    All others are returned as they are: those that travel, stand, dance or show no feet. rounds: `(E,)` frames of a
    round of each, see `unrolled`; a cycle travels as far in each. root: the joint that travels; None finds it. feet:
    the names of the joints that stand; None finds them.

    >>> with_foot_travel(*unrolled([swing]))[0] is swing
    True
    """
    plan = plan_root(motions, Facing.FREE, root)
    return tuple(
        _traveling(motion, frames, plan, feet) for motion, frames in zip(motions, rounds.tolist(), strict=True)
    )


def _traveling(motion: Motion, round_frames: float, plan: RootPlan, names: Sequence[str] | None) -> Motion:
    skeleton, track = motion.skeleton, encode_root(motion, plan)
    if np.linalg.norm(track.ground[-1] - track.ground[0]) >= IN_PLACE_NET * skeleton.size:
        return motion
    feet = find_feet([motion], treadmill=True) if names is None else feet_by_name(skeleton, names)
    if not feet:
        return motion
    carrying = _carrying(motion, plan, [foot.joint for foot in feet])
    if carrying is None:
        return motion
    if carrying is not plan:
        plan, track = carrying, encode_root(motion, carrying)
    tracks = feet_tracks(motion, feet, ground_heights([motion], feet))
    velocities = velocities_over_ground(tracks, is_cycle=isfinite(round_frames))
    if not velocities.any():
        return motion
    if isfinite(round_frames):
        # A round with others on both sides shows what its ends do.
        count = int(round_frames)
        velocities = velocities[count + np.arange(motion.frames) % count]
    steps = velocities / motion.frames_per_second
    ground = track.ground + np.cumsum(steps, axis=0) - steps
    traveling = apply_root(motion, plan, replace(track, ground=ground.astype(np.float32)))
    return move_together(traveling, _beside(motion, plan), ground - track.ground)


def _beside(motion: Motion, plan: RootPlan) -> list[int]:
    """Return the joints beside the root, which it does not carry: a tail of its own, or targets of knees.

    In place, they stay at the body; it must not leave them behind.
    """
    skeleton = motion.skeleton
    related = np.logical_or.reduce([skeleton.descendants(int(joint)) for joint in plan.anchored])
    related[[above for joint in plan.anchored for above in skeleton.chain(int(joint))]] = True
    beside: list[int] = []
    for joint in motion.translated.tolist():
        if not related[joint]:
            beside.append(joint)
            related |= skeleton.descendants(joint)
    return beside


def _carrying(motion: Motion, plan: RootPlan, feet: Sequence[int]) -> RootPlan | None:
    """Return the plan of a root that carries all feet: the given one, or else that of a joint above it; None for none.

    A root that does not carry the feet would be torn from them. In clips in place, a spine with location keys may move
    farther than the hips below which the legs are.
    """
    skeleton = motion.skeleton
    carried = np.logical_or.reduce([skeleton.descendants(int(joint)) for joint in plan.anchored])
    if carried[feet].all():
        return plan if plan.joint in motion.translated else None
    above = [joint for joint in skeleton.chain(plan.joint)[::-1] if joint in motion.translated]
    carrier = next((joint for joint in above if skeleton.descendants(joint)[feet].all()), None)
    return None if carrier is None else replace(plan, joint=carrier, companions=())

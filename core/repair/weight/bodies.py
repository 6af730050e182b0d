# SPDX-License-Identifier: GPL-3.0-or-later
"""A body with weight on the ground, and its hands and feet kept in place when its pelvis moves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64
from ...environment.reach.limbs import elbow_hinge, find_limb
from ...evaluation.body.capsules import Capsules, find_capsules, penetration_depths, usual_depths
from ...evaluation.body.center import center_of_mass
from ...evaluation.body.flights import Flight, find_flights, find_gravity
from ...evaluation.body.human_segments import human_joints
from ...evaluation.body.segments import BodyModel, find_body_model
from ...feet.leg_ik import move_root
from ...feet.planting import Standing
from ...feet.standing_legs import foot_targets, with_feet_at
from ...feet.two_bone_ik import solve_leg, turn_leg
from ...motion import rotations
from ...motion.filters import smoothstep
from ...motion.motion import Motion

ROUNDS = 3
"""Number of corrections of the center of mass, which moves less than the pelvis while feet and hands are kept."""


@dataclass(frozen=True, eq=False)
class BodyOnGround:
    """A body with weight: its feet and the ground under them, its masses, and gravity in units per second squared.

    motion: before its weight is repaired. flights: of the motion. capsules: around its bones. usual: `(P,)` the depths
    of their pairs that are no flaw.
    """

    motion: Motion
    standing: Standing
    model: BodyModel
    gravity: float
    flights: tuple[Flight, ...]
    capsules: Capsules
    usual: Float64

    @property
    def is_known(self) -> bool:
        """Return whether masses and feet are known: those of a human on two feet."""
        return human_joints(self.motion.skeleton) is not None and len(self.standing.feet) == 2

    def heights(self, motion: Motion) -> Float64:
        """Return the heights `(T,)` of the center of mass."""
        return np.asarray(center_of_mass(motion, self.model) @ np.array(motion.skeleton.up))


def body_on_ground(
    motion: Motion,
    standing: Standing,
    gravity: float | None = None,
    usual: Float64 | None = None,
    capsules: Capsules | None = None,
    model: BodyModel | None = None,
) -> BodyOnGround:
    """Return the body of a motion. gravity, usual: None if the motion itself and the body are to show them.

    capsules, model: of its skin; None: those of its bones.

    Limbs that are together for half of the motion, such as folded arms, are so on purpose.
    """
    model, capsules = model or find_body_model(motion.skeleton), capsules or find_capsules(motion.skeleton)
    flights = find_flights(motion, center_of_mass(motion, model), standing)
    if usual is None:
        typical = np.median(penetration_depths(motion, capsules), axis=0)
        usual = np.maximum(usual_depths(motion.skeleton, capsules), typical)
    gravity = gravity or find_gravity(motion.skeleton, model, flights)
    return BodyOnGround(motion, standing, model, gravity, flights, capsules, usual)


def carried_along(motion: Motion, standing: Standing, moves: Float64, with_companions: Float64) -> Motion:
    """Return the motion with its root moved by `(T, 3)`, and the joints that travel beside it by their moves `(T, 3)`.

    These are the foot and hand controls of a rig.
    """
    below = motion.skeleton.descendants(standing.plan.joint)
    moved = move_root(motion, standing.plan.joint, moves)
    for joint in standing.plan.companions:
        if joint in motion.translated and not below[joint]:
            moved = move_root(moved, int(joint), with_companions)
    return moved


def with_feet_kept(
    before: Motion, moved: Motion, standing: Standing, moves: Float64, weights: Float64 | None = None
) -> Motion:
    """Return a moved motion with its feet where they were before, moved by `(T, feet, 3)`; the pelvis gives way.

    weights: of the turns of legs, see with_feet_at.
    """
    targets = foot_targets(before, standing.feet)
    return with_feet_at(moved, standing, replace(targets, places=targets.places + moves), weights)


def with_hands_at(before: Motion, moved: Motion) -> Motion:
    """Return a moved motion whose hands are those of the motion before, if the body is human."""
    joints = human_joints(before.skeleton)
    hands: Sequence[int] = () if joints is None else [joints.limbs["hand", side] for side in "LR"]
    for hand in hands:
        limb = find_limb(before.skeleton, hand)
        if limb is None:
            continue
        target, now = (limb.posed(motion, rigid=False) for motion in (before, moved))
        away = target.positions[:, target.end] - now.positions[:, now.end]
        solution = solve_leg(now, away, elbow_hinge(target), moved.frames_per_second, moved.skeleton.size)
        turns = rotations.from_matrix(rotations.without_scale(target.matrices[:, target.end]))
        moved = turn_leg(moved, now, solution, turns[solution.frames])
    return moved


def eased_ends(frames: int, eased: tuple[bool, bool], ease: int) -> Float64:
    """Return weights `(T,)` that rise from 0 at the ends that are eased."""
    at = np.arange(frames) / max(ease, 1)
    sides = [side for side, is_eased in ((at, eased[0]), (at[::-1], eased[1])) if is_eased]
    share = np.clip(np.min(sides, axis=0), 0.0, 1.0) if sides else np.ones(frames)
    return np.asarray(smoothstep(share))

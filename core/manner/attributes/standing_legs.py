# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that keep their feet at given places while the body above them moves."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...feet.calm_knees import solve_calmly
from ...feet.leg_ik import move_root, pelvis_moves
from ...feet.two_bone_ik import pose_leg, turn_leg
from ...motion import rotations
from ...motion.motion import Motion
from .body import AttributeBody


@dataclass(frozen=True, eq=False)
class FootTargets:
    """Places `(T, feet, 3)` of the ends of legs, and their orientations `(T, feet, 4)`."""

    places: Float64
    orientations: Float64


def foot_targets(motion: Motion, body: AttributeBody) -> FootTargets:
    """Return the places and orientations of the feet of a motion; each foot must have a leg."""
    legs = [pose_leg(motion, foot) for foot in body.feet]
    places = np.stack([leg.positions[:, leg.end] for leg in legs], axis=1)
    matrices = np.stack([leg.matrices[:, leg.end] for leg in legs], axis=1).astype(np.float64)
    return FootTargets(places, np.asarray(rotations.from_matrix(rotations.without_scale(matrices)), np.float64))


def with_feet_at(motion: Motion, body: AttributeBody, targets: FootTargets) -> Motion:
    """Return the motion with its feet at their targets; the body comes nearer if a leg would be too short."""
    rate, size, root = motion.frames_per_second, motion.skeleton.size, body.plan.joint
    legs = {index: pose_leg(motion, foot) for index, foot in enumerate(body.feet)}
    moves = {index: targets.places[:, index] - leg.positions[:, leg.end] for index, leg in legs.items()}
    sink = pelvis_moves(motion, legs, moves, root)
    moved = move_root(motion, root, sink)
    for index, foot in enumerate(body.feet):
        leg = pose_leg(moved, foot)
        away = targets.places[:, index] - leg.positions[:, leg.end]
        solution = solve_calmly(leg, away, body.standing.knees, index, np.ones(motion.frames), rate, size)
        moved = turn_leg(moved, leg, solution, targets.orientations[solution.frames, index])
    return moved

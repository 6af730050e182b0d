# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that keep their feet at given places while the body above them moves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64
from ..motion import rotations
from ..motion.motion import Motion
from .calm_knees import solve_calmly
from .contact_detection import Foot
from .leg_ik import move_root, pelvis_moves
from .planting import Standing
from .two_bone_ik import pose_leg, turn_leg


@dataclass(frozen=True, eq=False)
class FootTargets:
    """Places `(T, feet, 3)` of the ends of legs, and their orientations `(T, feet, 4)`; zero for feet without a leg."""

    places: Float64
    orientations: Float64


def foot_targets(motion: Motion, feet: Sequence[Foot]) -> FootTargets:
    """Return the places and orientations of the feet of a motion."""
    places, orientations = np.zeros((motion.frames, len(feet), 3)), np.zeros((motion.frames, len(feet), 4))
    for index, foot in enumerate(feet):
        if foot.has_leg:
            leg = pose_leg(motion, foot)
            places[:, index], matrices = leg.positions[:, leg.end], leg.matrices[:, leg.end].astype(np.float64)
            orientations[:, index] = rotations.from_matrix(rotations.without_scale(matrices))
    return FootTargets(places, orientations)


def with_feet_at(motion: Motion, standing: Standing, targets: FootTargets, weights: Float64 | None = None) -> Motion:
    """Return the motion with its feet at their targets; the body comes nearer if a leg would be too short.

    weights: `(T,)`, 0 at frames at which legs do not turn, and less than 1 near them; None is 1.
    """
    rate, size, root = motion.frames_per_second, motion.skeleton.size, standing.plan.joint
    weights = np.ones(motion.frames) if weights is None else weights
    legs = {index: pose_leg(motion, foot) for index, foot in enumerate(standing.feet) if foot.has_leg}
    moves = {index: targets.places[:, index] - leg.positions[:, leg.end] for index, leg in legs.items()}
    moved = move_root(motion, root, pelvis_moves(motion, legs, moves, root))
    for index in legs:
        leg = pose_leg(moved, standing.feet[index])
        away = targets.places[:, index] - leg.positions[:, leg.end]
        solution = solve_calmly(leg, away, standing.knees, index, weights, rate, size)
        moved = turn_leg(moved, leg, solution, targets.orientations[solution.frames, index])
    return moved

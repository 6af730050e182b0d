# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that are pinned on uneven ground: as they would be on flat ground, and exactly as they are in the end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...feet.contact_detection import NEAR_GROUND
from ...feet.leg_ik import move_root
from ...feet.two_bone_ik import pose_leg, solve_leg, turn_leg
from ...ground import Standing, Surface
from ...ground.footholds import STEP_UP
from ...motion import rotations
from ...motion.motion import Motion
from ..displacement import ease
from ..pose import PoseConstraint

Float64 = NDArray[np.float64]

MET_SECONDS = (0.25, 0.2, 0.15, 0.1)
"""Legs come to the poses as they are, and leave them, in about one of these times, in seconds ..."""
DEEPER = 0.005
"""... the one with the calmest knees with which no foot comes this share of the size deeper into the ground."""


@dataclass(frozen=True, eq=False)
class PosesOnGround:
    """Whole poses `(K)` on uneven ground, at `frames` `(K,)`, and the joints of their legs.

    >>> PosesOnGround(np.array([0]), swing.slice(0, 1), (1,)).motion.frames
    1
    """

    frames: NDArray[np.int64]
    motion: Motion
    legs: tuple[int, ...]

    def met_by(self, motion: Motion, surface: Surface, standing: Standing) -> Motion:
        """Return a motion `(T)` whose legs are as in the poses at their frames, calm and with feet on the ground."""
        feet = [foot for foot in standing.feet if len(foot.leg) >= 3]
        ends = sorted({joint for foot in feet for joint in (foot.leg[-1], foot.joint)})
        knees = [foot.leg[1] for foot in feet]
        before, allowed = _depths(motion, surface, ends), DEEPER * motion.skeleton.size
        ranked = []
        for number, seconds in enumerate(MET_SECONDS):
            met = self._met_in(motion, round(seconds * motion.frames_per_second))
            deeper = float((_depths(met, surface, ends) - before).max())
            moves = np.diff(met.pose()[1][:, knees].astype(np.float64), 2, axis=0)
            quick = float(np.linalg.norm(moves, axis=2).max(initial=0.0))
            ranked.append((max(deeper, allowed), quick, number, met))
        return min(ranked, key=lambda one: one[:3])[3]

    def _met_in(self, motion: Motion, width: int) -> Motion:
        joints = list(self.legs)
        now, there = motion.rotations[:, joints].astype(np.float64), self.motion.rotations[:, joints]
        turns = rotations.to_vector(rotations.multiply(rotations.inverse(now[self.frames]), there))
        eased = ease(motion.frames, self.frames, np.full(len(self.frames), max(width, 1))).of(turns)
        turned = motion.rotations.copy()
        turned[:, joints] = rotations.multiply(now, rotations.from_vector(eased))
        return replace(motion, rotations=rotations.normalize(turned).astype(np.float32))


def _depths(motion: Motion, surface: Surface, joints: Sequence[int]) -> Float64:
    """Return how deep `(T,)` the deepest of some joints is in the ground at least, 0 above it."""
    places = surface.to_ground(motion.pose()[1][:, joints])
    seen = (places[..., 2] + STEP_UP * motion.skeleton.size).reshape(-1)
    under = surface.heights(places[..., :2].reshape(-1, 2), seen).reshape(places.shape[:2])
    return np.asarray(np.nan_to_num(np.maximum(under - places[..., 2], 0.0)).max(axis=1))


def poses_on_ground(
    poses: PoseConstraint, frames: NDArray[np.int64], surface: Surface, standing: Standing, legs: Sequence[int]
) -> PosesOnGround | None:
    """Return the poses at these frames; None where they leave joints of legs free, where no foot stands in one, and
    where no ground is under a foot.

    legs: numbers of the feet that have legs.
    """
    joints = tuple(sorted({joint for leg in legs for joint in standing.feet[leg].leg}))
    if not poses.joints[np.ix_(frames, np.array(joints, np.int64))].all():
        return None
    motion = poses.motion.take(frames)
    under = _under_feet(motion, surface, standing, legs)
    places = surface.to_ground(motion.pose()[1][:, [standing.feet[index].joint for index in legs]])
    # In flight, as in a run, the ground below a foot is not the one that it comes from or goes to.
    stands = (places[..., 2] - under < NEAR_GROUND * motion.skeleton.size).any(axis=1).all()
    return PosesOnGround(frames, motion, joints) if stands and np.isfinite(under).all() else None


def flat_poses(
    posed: PosesOnGround, surface: Surface, standing: Standing, legs: Sequence[int], root: int, level: float
) -> tuple[Motion, Float64]:
    """Return the poses with each foot as high above flat ground as it is above its own, and the hips as their mean.

    The heights `(K,)` of the ground that the hips were above follow.
    """
    motion, up = posed.motion, surface.axes[2]
    under = _under_feet(motion, surface, standing, legs)
    middle = under.mean(axis=1)
    flat = move_root(motion, root, (level - middle)[:, None] * up)
    for column, index in enumerate(legs):
        leg = pose_leg(flat, standing.feet[index])
        moves = (middle - under[:, column])[:, None] * up
        solved = solve_leg(leg, moves, standing.knees.hinges[index], motion.frames_per_second, motion.skeleton.size)
        flat = turn_leg(flat, leg, solved)
    return flat, np.asarray(middle, np.float64)


def _under_feet(motion: Motion, surface: Surface, standing: Standing, legs: Sequence[int]) -> Float64:
    """Return the heights `(K, len(legs))` of the ground under the feet."""
    places = surface.to_ground(motion.pose()[1][:, [standing.feet[index].joint for index in legs]])
    seen = places[..., 2] + STEP_UP * motion.skeleton.size
    return np.stack([surface.heights(places[:, column, :2], seen[:, column]) for column in range(len(legs))], axis=1)

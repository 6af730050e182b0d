# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinned poses on uneven ground: converted to flat ground first, and met exactly in the end."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64, Int64
from ...environment import GroundContacts, Grounded, Surface
from ...environment.ground.footholds import STEP_UP, SUNK
from ...environment.ground.soles import find_sole
from ...feet.calm_paths import NOTICED
from ...feet.contact_detection import NEAR_GROUND
from ...feet.leg_ik import move_root
from ...feet.two_bone_ik import pose_leg, solve_leg, turn_leg
from ...motion import rotations
from ...motion.motion import Motion, joined, joint_accelerations
from ..displacement import ease
from ..pose import PoseConstraint

MET_SECONDS = (0.25, 0.2, 0.15, 0.1)
"""Candidate times, in seconds, over which legs are blended to exact poses, and from them. The time with the calmest
knees is used, of those at which feet are no deeper in the ground than SUNK."""


@dataclass(frozen=True, eq=False)
class PosesOnGround:
    """Whole poses on uneven ground at `frames` `(K,)`, and the joints of their legs.

    >>> PosesOnGround(np.array([0]), swing.slice(0, 1), (1,)).motion.frames
    1
    """

    frames: Int64
    motion: Motion
    legs: tuple[int, ...]

    def kept_by(self, motion: Motion) -> Motion:
        """Return a motion whose legs are blended to those of the poses over the longest time, on any ground."""
        return self._met_in(motion, round(MET_SECONDS[0] * motion.frames_per_second))

    def met_by(self, motion: Motion, surface: Surface, standing: GroundContacts) -> Motion:
        """Return a motion whose legs equal those of the poses at their frames, calm and with feet on the ground."""
        feet = [foot for foot in standing.feet if foot.has_leg]
        ends = sorted({joint for foot in feet for joint in (foot.leg[-1], foot.joint)})
        knees = [foot.leg[1] for foot in feet]
        before, allowed = _depths(motion, surface, ends), SUNK * motion.skeleton.size
        ranked = []
        for number, seconds in enumerate(MET_SECONDS):
            met = self._met_in(motion, round(seconds * motion.frames_per_second))
            deeper = float((_depths(met, surface, ends) - before).max())
            ranked.append((max(deeper, allowed), _quickest(met, knees), number, met))
        return min(ranked, key=lambda entry: entry[:3])[3]

    def _met_in(self, motion: Motion, width: int) -> Motion:
        joints = list(self.legs)
        now, posed = motion.rotations[:, joints].astype(np.float64), self.motion.rotations[:, joints]
        turns = rotations.to_vector(rotations.multiply(rotations.inverse(now[self.frames]), posed))
        eased = ease(motion.frames, self.frames, np.full(len(self.frames), max(width, 1))).of(turns)
        turned = motion.rotations.copy()
        turned[:, joints] = rotations.multiply(now, rotations.from_vector(eased))
        return replace(motion, rotations=rotations.normalize(turned).astype(np.float32))


def calmest(
    attempts: Iterable[Callable[[], Grounded]], flat: Motion, surface: Surface, standing: GroundContacts, level: float
) -> Grounded:
    """Return the first calm result of `attempts`, which are made in order; else the best of them.

    The knees of a calm result accelerate less than is noticed, and its feet are no deeper than SUNK.

    flat: the motion from which they are made, on flat ground at the height `level`. The depth of its feet there is
    allowed here as well.
    """
    feet = [foot for foot in standing.feet if foot.has_leg]
    ends = sorted({joint for foot in feet for joint in (foot.leg[-1], foot.joint)})
    knees, size = [foot.leg[1] for foot in feet], flat.skeleton.size
    lowest = level - surface.to_ground(flat.pose()[1][:, ends])[..., 2]
    allowed, ranked = float(lowest.max(initial=0.0)), []
    for number, attempt in enumerate(attempts):
        grounded = attempt()
        quick = _quickest(grounded.motion, knees) / max(standing.knees.quickest, 1e-12)
        deeper = max(float(_depths(grounded.motion, surface, ends).max(initial=0.0)) - allowed, 0.0) / size
        if quick <= NOTICED and deeper <= SUNK:
            return grounded
        ranked.append((max(deeper, SUNK), quick, number, grounded))
    return min(ranked, key=lambda entry: entry[:3])[3]


def _quickest(motion: Motion, joints: Sequence[int]) -> float:
    """Return the largest acceleration of some joints, in units per frame squared."""
    return float(joint_accelerations(motion, joints).max(initial=0.0))


def _depths(motion: Motion, surface: Surface, joints: Sequence[int]) -> Float64:
    """Return the depth `(T,)` of the deepest of some joints in the ground; 0 above it."""
    places = surface.to_ground(motion.pose()[1][:, joints])
    seen = (places[..., 2] + STEP_UP * motion.skeleton.size).reshape(-1)
    under = surface.heights(places[..., :2].reshape(-1, 2), seen).reshape(places.shape[:2])
    return np.asarray(np.nan_to_num(np.maximum(under - places[..., 2], 0.0)).max(axis=1))


def poses_on_ground(
    poses: PoseConstraint,
    frames: Int64,
    surface: Surface,
    standing: GroundContacts,
    legs: Sequence[int],
    example: Motion,
    level: float,
) -> tuple[PosesOnGround, Float64] | None:
    """Return the poses at these frames, and the heights `(K, len(legs))` of the ground under the soles.

    None is returned if joints of legs are free, if no foot stands in a pose, and if there is no ground under a foot.
    legs: numbers of the feet that have legs. example: a motion on flat ground at the height `level`, from which the
    soles are found.
    """
    joints = tuple(sorted({joint for leg in legs for joint in standing.feet[leg].leg}))
    if not poses.joints[np.ix_(frames, np.array(joints, np.int64))].all():
        return None
    motion = poses.motion.take(frames)
    under, above = _under_soles(motion, surface, standing, legs, example, level)
    # High in flight, as in a dash, the ground below a foot is not the ground that it leaves or lands on.
    stands = (above < NEAR_GROUND * motion.skeleton.size).any(axis=1).all()
    return (PosesOnGround(frames, motion, joints), under) if stands and np.isfinite(under).all() else None


def flat_poses(
    posed: PosesOnGround,
    under: Float64,
    surface: Surface,
    standing: GroundContacts,
    legs: Sequence[int],
    root: int,
    level: float,
) -> tuple[Motion, Float64]:
    """Return the poses with each foot as high above flat ground as above its own ground, and the ground's mean heights.

    The hips move by the mean height `(K,)`, which is returned as well. under: `(K, len(legs))` the heights of the
    ground under the soles.
    """
    motion, up = posed.motion, surface.axes[2]
    middle = under.mean(axis=1)
    flat = move_root(motion, root, (level - middle)[:, None] * up)
    for column, index in enumerate(legs):
        leg = pose_leg(flat, standing.feet[index])
        moves = (middle - under[:, column])[:, None] * up
        solved = solve_leg(leg, moves, standing.knees.hinges[index], motion.frames_per_second, motion.skeleton.size)
        flat = turn_leg(flat, leg, solved)
    return flat, np.asarray(middle, np.float64)


def _under_soles(
    motion: Motion, surface: Surface, standing: GroundContacts, legs: Sequence[int], example: Motion, level: float
) -> tuple[Float64, Float64]:
    """Return the heights `(K, len(legs))` of the ground under the soles, and the soles' heights above it.

    The highest ground under a sole counts: a foot may stand on an edge, with its joints beyond it.
    """
    both = joined([example, motion])
    under, above = np.empty((2, motion.frames, len(legs)))
    for column, index in enumerate(legs):
        stands = np.concatenate((standing.contacts[:, index], np.zeros(motion.frames, bool)))
        points = find_sole(both, standing.feet[index], stands, level, surface).points[example.frames :]
        seen = points[..., 2] + STEP_UP * motion.skeleton.size
        heights = surface.heights(points[..., :2].reshape(-1, 2), seen.reshape(-1)).reshape(seen.shape)
        above[:, column] = (points[..., 2] - heights).min(axis=1)
        under[:, column] = points[..., 2].min(axis=1) - above[:, column]
    return under, above

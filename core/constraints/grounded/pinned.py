# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that are pinned on uneven ground: as they would be on flat ground, and exactly as they are in the end."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...feet.contact_detection import NEAR_GROUND
from ...feet.leg_ik import move_root
from ...feet.two_bone_ik import pose_leg, solve_leg, turn_leg
from ...ground import Grounded, Standing, Surface
from ...ground.footholds import STEP_UP
from ...ground.soles import find_sole
from ...motion import rotations
from ...motion.motion import Motion, joined, joint_accelerations
from ..displacement import ease
from ..pose import PoseConstraint

Float64 = NDArray[np.float64]

MET_SECONDS = (0.25, 0.2, 0.15, 0.1)
"""Legs come to the poses as they are, and leave them, in about one of these times, in seconds ..."""
DEEPER = 0.005
"""... the one with the calmest knees with which no foot comes this share of the size deeper into the ground."""
CALM = 1.2
"""A result is calm if knees accelerate at most so many times as much as in the examples, and feet come no deeper than
that into the ground. If not, other ways are tried as well, and the best is kept ..."""
DEEP = 0.01
"""... where a foot this share of the size deeper counts as much as knees once more as quick as in the examples."""


@dataclass(frozen=True, eq=False)
class PosesOnGround:
    """Whole poses `(K)` on uneven ground, at `frames` `(K,)`, and the joints of their legs.

    >>> PosesOnGround(np.array([0]), swing.slice(0, 1), (1,)).motion.frames
    1
    """

    frames: NDArray[np.int64]
    motion: Motion
    legs: tuple[int, ...]

    def kept_by(self, motion: Motion) -> Motion:
        """Return a motion `(T)` whose legs come to those of the poses in the longest time, whatever is under them."""
        return self._met_in(motion, round(MET_SECONDS[0] * motion.frames_per_second))

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
            ranked.append((max(deeper, allowed), _quickest(met, knees), number, met))
        return min(ranked, key=lambda one: one[:3])[3]

    def _met_in(self, motion: Motion, width: int) -> Motion:
        joints = list(self.legs)
        now, there = motion.rotations[:, joints].astype(np.float64), self.motion.rotations[:, joints]
        turns = rotations.to_vector(rotations.multiply(rotations.inverse(now[self.frames]), there))
        eased = ease(motion.frames, self.frames, np.full(len(self.frames), max(width, 1))).of(turns)
        turned = motion.rotations.copy()
        turned[:, joints] = rotations.multiply(now, rotations.from_vector(eased))
        return replace(motion, rotations=rotations.normalize(turned).astype(np.float32))


def calmest(
    ways: Iterable[Callable[[], Grounded]], flat: Motion, surface: Surface, standing: Standing, level: float
) -> Grounded:
    """Return the first of the results of ways, made one after another, that is calm; else the best of them.

    flat: what they are made from, on flat ground at the height `level`: feet that are deeper there may be so here.
    """
    feet = [foot for foot in standing.feet if len(foot.leg) >= 3]
    ends = sorted({joint for foot in feet for joint in (foot.leg[-1], foot.joint)})
    knees, size = [foot.leg[1] for foot in feet], flat.skeleton.size
    lowest = level - surface.to_ground(flat.pose()[1][:, ends])[..., 2]
    own, ranked = float(lowest.max(initial=0.0)), []
    for number, way in enumerate(ways):
        made = way()
        quick = _quickest(made.motion, knees) / max(standing.knees.acceleration, 1e-12)
        deeper = max(float(_depths(made.motion, surface, ends).max(initial=0.0)) - own, 0.0) / size
        if quick <= CALM and deeper <= DEEPER:
            return made
        ranked.append((max(quick, CALM) + max(deeper, DEEPER) / DEEP, number, made))
    return min(ranked, key=lambda one: one[:2])[2]


def _quickest(motion: Motion, joints: Sequence[int]) -> float:
    """Return the largest acceleration of some joints, units per frame squared."""
    return float(joint_accelerations(motion, joints).max(initial=0.0))


def _depths(motion: Motion, surface: Surface, joints: Sequence[int]) -> Float64:
    """Return how deep `(T,)` the deepest of some joints is in the ground at least, 0 above it."""
    places = surface.to_ground(motion.pose()[1][:, joints])
    seen = (places[..., 2] + STEP_UP * motion.skeleton.size).reshape(-1)
    under = surface.heights(places[..., :2].reshape(-1, 2), seen).reshape(places.shape[:2])
    return np.asarray(np.nan_to_num(np.maximum(under - places[..., 2], 0.0)).max(axis=1))


def poses_on_ground(
    poses: PoseConstraint,
    frames: NDArray[np.int64],
    surface: Surface,
    standing: Standing,
    legs: Sequence[int],
    example: Motion,
    level: float,
) -> tuple[PosesOnGround, Float64] | None:
    """Return the poses at these frames, and the heights `(K, len(legs))` of the ground that the soles are above.

    None where they leave joints of legs free, where no foot stands in one, and where no ground is under a foot.

    legs: numbers of the feet that have legs. example: tells where their soles are, on flat ground at the height
    `level`.
    """
    joints = tuple(sorted({joint for leg in legs for joint in standing.feet[leg].leg}))
    if not poses.joints[np.ix_(frames, np.array(joints, np.int64))].all():
        return None
    motion = poses.motion.take(frames)
    under, above = _under_soles(motion, surface, standing, legs, example, level)
    # High in flight, as in a dash, the ground below a foot is not the one that it comes from or goes to.
    stands = (above < NEAR_GROUND * motion.skeleton.size).any(axis=1).all()
    return (PosesOnGround(frames, motion, joints), under) if stands and np.isfinite(under).all() else None


def flat_poses(
    posed: PosesOnGround,
    under: Float64,
    surface: Surface,
    standing: Standing,
    legs: Sequence[int],
    root: int,
    level: float,
) -> tuple[Motion, Float64]:
    """Return the poses with each foot as high above flat ground as it is above its own, and the hips as their mean.

    under: `(K, len(legs))` the heights of the ground under the soles. The heights `(K,)` of the ground that the hips
    were above follow.
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
    motion: Motion, surface: Surface, standing: Standing, legs: Sequence[int], example: Motion, level: float
) -> tuple[Float64, Float64]:
    """Return the heights `(K, len(legs))` of the ground that soles stand on, or are above, and how far they are above.

    It is what keeps the sole from sinking: a foot may stand on an edge, with its joints beyond it.
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

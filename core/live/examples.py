# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples prepared for steering: poses, and the trajectories that follow them, by frame."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Array, Float32, Float64, Indices, Mask
from ..computation import computing
from ..constraints.travel import angle_of, forward_of
from ..feet.calm_paths import ALLOWED
from ..feet.contact_detection import SLOW, Foot, foot_heights, label_contacts
from ..feet.footsteps import STEP_SECONDS
from ..library.indexed_motions import IndexedMotions
from ..library.pose_index import PoseIndex
from ..motion import rotations
from ..motion.motion import Motion, joint_accelerations, joint_path
from ..motion.root_motion import encode_root
from ..motion.skeleton import Skeleton
from .calm_limbs import Limbs
from .candidates import AHEAD_SECONDS, Candidates, Motions, candidates_of
from .single.hinges import Hinge, find_hinges
from .single.legs import LegSet

PACE_PERCENTS = (10, 50, 97)
"""Percentiles of the speeds of frames that count as slow, usual and fast."""
FACING_SIZE = 0.5
"""Distance of a point ahead, in sizes, as which a facing direction counts; of 0.25 to 1, this follows goals best."""
LEAST_ACCELERATION = 24.0
"""Acceleration that joints may always have, in sizes per second squared, since examples that stand have hardly any. A
foot that stops or steps to its place takes longer if it would exceed this."""


@dataclass(frozen=True, eq=False)
class LiveExamples:
    """Motions prepared for steering, with N frames in total.

    library: their index and feet. body `(N, A, 4)`, offset `(N, A, 3)`: the joints that travel, relative to the root's
    place and heading. trajectories: `(N, W)` place and heading of the root AHEAD_SECONDS later, relative to now, in
    sizes. contacts, heights: `(N, F)` of the feet whose legs can bend. gathered: see Motions. legs: those legs. limbs:
    all that hangs from the trunk. hinges: knees and elbows. strongest: `(M,)` largest acceleration of a joint in each
    motion, in units per step squared. forward: direction that the body faces at heading 0, in radians on the ground.
    candidates: those of all motions.

    >>> isinstance(Controller.of([swing]).examples, LiveExamples)
    True
    """

    library: IndexedMotions
    body: Float32
    offset: Float32
    trajectories: Float32
    contacts: Mask
    heights: Float32
    gathered: Indices
    feet: tuple[Foot, ...]
    legs: LegSet
    limbs: Limbs
    hinges: tuple[Hinge, ...]
    strongest: Float64
    forward: float
    candidates: Candidates

    @property
    def index(self) -> PoseIndex:
        """Return the rows of all frames."""
        return self.library.index

    @cached_property
    def moving(self) -> Motions:
        """Return the frames from which candidates are taken."""
        return Motions(self.index, self.trajectories, self.contacts, self.gathered)

    @property
    def skeleton(self) -> Skeleton:
        """Return the skeleton of all motions."""
        return self.library.motions[0].skeleton

    def most_at(self, frame: float) -> float:
        """Return the acceleration that joints may have at a frame, in units per step squared."""
        least = LEAST_ACCELERATION * self.skeleton.size / self.index.frames_per_second**2
        return max(ALLOWED * float(self.strongest[self.index.clips[int(frame)]]), least)

    @cached_property
    def frozen(self) -> "LiveExamples":
        """Return the same with each frame frozen, and all feet on the ground."""
        still = trajectory_columns(np.zeros((1, len(AHEAD_SECONDS), 2)), np.zeros((1, len(AHEAD_SECONDS))))
        return replace(
            self,
            trajectories=np.broadcast_to(still.astype(np.float32), self.trajectories.shape),
            contacts=np.broadcast_to(np.True_, self.contacts.shape),
            heights=np.broadcast_to(self.ground.astype(np.float32), self.heights.shape),
        )

    @cached_property
    def ground(self) -> Float64:
        """Return the height `(F,)` of the ground under each foot."""
        return np.asarray(self.library.standing.ground[self._numbers], np.float64)

    @property
    def _numbers(self) -> list[int]:
        """Return the numbers of these feet among all feet of the library."""
        return [self.library.standing.feet.index(foot) for foot in self.feet]

    @cached_property
    def paces(self) -> tuple[float, float, float]:
        """Return the slow, usual and fast speed of frames that travel, in units per second; 0 if none does."""
        speeds = np.linalg.norm(self.trajectories[:, :2].astype(np.float64), axis=1)
        going = speeds[speeds > SLOW] * self.skeleton.size
        slow, usual, fast = np.percentile(going, PACE_PERCENTS).tolist() if len(going) else (0.0, 0.0, 0.0)
        return slow, usual, fast

    @cached_property
    def axes(self) -> Float64:
        """Return the axes `(2, 3)` of the ground."""
        return rotations.ground_axes(self.skeleton.up)

    @cached_property
    def up(self) -> Float64:
        """Return the direction `(3,)` away from the ground."""
        return np.array(self.skeleton.up, np.float64)


@computing()
def prepare_live(library: IndexedMotions) -> LiveExamples:
    """Return the motions of a library that is prepared for filling gaps, prepared for steering as well.

    >>> from genmm_addon.core.library import index_motions
    >>> prepare_live(index_motions([swing])).trajectories.shape
    (60, 12)
    """
    index, motions, standing = library.index, library.motions, library.standing
    chosen = [number for number, foot in enumerate(standing.feet) if foot.has_leg]
    feet, ground = tuple(standing.feet[number] for number in chosen), standing.ground[chosen]
    tracks = [encode_root(motion, index.space.plan) for motion in motions]
    up, trajectories = motions[0].skeleton.up, _trajectories(index)
    contacts = np.concatenate([label_contacts(motion, feet, ground) for motion in motions])
    heights = [foot_heights(motion, feet).astype(np.float32) for motion in motions]
    gathered = np.concatenate(
        [
            start + _gathered(motion, feet, of_motion - ground.astype(np.float32), track.ground)
            for start, motion, of_motion, track in zip(index.starts, motions, heights, tracks, strict=True)
        ]
    )
    legs = LegSet.of(motions[0], feet, standing.knees.hinges[chosen])
    limbs = Limbs.of(motions[0].skeleton, index.space.plan.anchored.tolist())
    return LiveExamples(
        library=library,
        body=np.concatenate([track.body for track in tracks]),
        offset=np.concatenate([track.offset for track in tracks]),
        trajectories=trajectories,
        contacts=contacts,
        heights=np.concatenate(heights),
        gathered=gathered,
        feet=feet,
        legs=legs,
        limbs=limbs,
        hinges=find_hinges(motions, {leg.joints: leg.hinge for leg in legs.legs}, limbs.bones),
        strongest=np.array([joint_accelerations(motion).max(initial=0.0) for motion in motions]),
        forward=angle_of(forward_of(tracks, up), rotations.ground_axes(up)),
        candidates=candidates_of(Motions(index, trajectories, contacts, gathered)),
    )


def trajectory_columns(places: Array, turns: Array) -> Array:
    """Return the columns `(N, W)` of places `(N, S, 2)` ahead, in sizes, and of turns `(N, S)`, in radians."""
    facing = FACING_SIZE * np.stack((np.cos(turns), np.sin(turns)), axis=-1)
    # Places are divided by their times, so that all times count alike.
    scaled = places / np.array(AHEAD_SECONDS)[:, None]
    return np.concatenate((scaled, facing), axis=-1).reshape(len(places), -1)


def _gathered(motion: Motion, feet: tuple[Foot, ...], heights: Float32, below: Float32) -> Indices:
    """Return the frames at which the feet are nearer to the ground below the root than for a step around them.

    heights: `(T, F)` of the feet above the ground. below: `(T, 3)` the root's place, without height.
    """
    up, around = np.array(motion.skeleton.up), round(STEP_SECONDS * motion.frames_per_second)
    away = np.square(heights)
    for number, foot in enumerate(feet):
        offset = joint_path(motion, foot.joint) - below
        away[:, number] += np.square(offset - (offset @ up)[:, None] * up).sum(axis=1)
    farthest = away.max(axis=1, initial=0.0)
    # Without its ends: whether the feet would have come nearer beyond them is not known.
    beside = np.lib.stride_tricks.sliding_window_view(np.pad(farthest, around, constant_values=-1.0), 2 * around + 1)
    return np.union1d(np.flatnonzero(farthest <= beside.min(axis=1)), np.argmin(farthest))


def _trajectories(index: PoseIndex) -> Float32:
    frames, last = np.arange(index.frames), index.stops[index.clips] - 1
    back = np.maximum(last - round(AHEAD_SECONDS[0] * index.frames_per_second), index.starts[index.clips])
    spent = np.maximum(last - back, 1)
    speed = (index.ground[last] - index.ground[back]) / spent[:, None]
    rate = (index.turns[last] - index.turns[back]) / spent
    places, turns = [], []
    for seconds in AHEAD_SECONDS:
        ahead = frames + round(seconds * index.frames_per_second)
        over = np.maximum(ahead - last, 0)
        ahead = np.minimum(ahead, last)
        displacement = index.ground[ahead] + speed * over[:, None] - index.ground
        places.append(rotations.turn_on_ground(displacement, -index.turns))
        turns.append(index.turns[ahead] + rate * over - index.turns)
    return trajectory_columns(np.stack(places, axis=1), np.stack(turns, axis=1)).astype(np.float32)

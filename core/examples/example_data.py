# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples at the result's rate, and their feet: the material of which a result is composed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Float32, Float64, Mask
from ..errors import listed
from ..feet.contact_detection import Foot
from ..feet.footing import Footing
from ..motion import rotations
from ..motion.channels import Channels, root_columns
from ..motion.climbing import ground_velocity
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, RootTrack, stays_in_place
from ..motion.skeleton import Skeleton
from ..motion.spans import spans
from .speeds import Speeds
from .transition_costs import Bounds


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples on one skeleton, at one rate, N frames together.

    motions: at the output's rate. positions: the original frame, with fractions, of each frame, counted on through the
    rounds of a cycle. rounds: `(E,)` the original frames of a round; infinite for a take. root: the joint that carries
    the travel, and its encoding. bounds: the range of each example among the N frames. channels: of all N
    frames; a result is composed of them. tracks: of the roots. speeds: see `Speeds`. leading: the numbers of the
    examples that the root's part draws from. highest_root_speed: in units per frame. from_feet: the names of
    the examples whose travel is taken from their feet.
    """

    motions: tuple[Motion, ...]
    positions: tuple[Float64, ...]
    rounds: Float64
    root: RootPlan
    bounds: Bounds
    channels: Channels
    tracks: tuple[RootTrack, ...]
    speeds: Speeds
    leading: tuple[int, ...]
    highest_root_speed: float
    from_feet: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence on examples in place that travel."""
        if not self.from_feet:
            return ()
        some = "is in place: its travel is taken from its feet"
        if len(self.from_feet) > 1:
            some = "are in place: their travel is taken from their feet"
        return (f"{listed(self.from_feet, '')} {some}.",)

    @property
    def frames_per_second(self) -> float:
        """The rate of examples and result."""
        return self.motions[0].frames_per_second

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of examples and result."""
        return self.motions[0].skeleton

    def ground_velocity(self, number: int) -> Float32:
        """Return the root's velocity `(T, 3)` along the ground in an example, units per frame."""
        return ground_velocity(self.tracks[number], self.root, self.skeleton.up)

    @cached_property
    def traveling(self) -> tuple[int, ...]:
        """The numbers of the leading examples that travel; of all where none does."""
        size = self.skeleton.size
        some = tuple(number for number in self.leading if not stays_in_place(self.tracks[number].ground, size))
        return some or self.leading

    @property
    def mean_root_speed(self) -> float:
        """The mean speed of the root along the ground in the traveling examples, units per frame."""
        velocities = np.concatenate([self.ground_velocity(number) for number in self.traveling])
        return float(np.mean(np.linalg.norm(velocities, axis=1)))


@dataclass(frozen=True, eq=False)
class ExampleFeet:
    """The examples' feet, and their contacts in the N frames.

    feet: the joints. contacts: `(N, feet)` whether each stands. heights: `(N, feet)` of the joints. footing: movement
    of standing feet, and bending of the knees.
    """

    feet: tuple[Foot, ...]
    contacts: Mask
    heights: Float64
    footing: Footing

    @property
    def longest_stance(self) -> int:
        """Return the largest number of frames for which a foot stands; 0 if there are none."""
        return max((end - first for stands in self.contacts.T for first, end in spans(stands)), default=0)


def channels_of(motions: Sequence[Motion], tracks: Sequence[RootTrack], root: RootPlan) -> Channels:
    """Return the concatenated channels of motions; tracks: of their roots."""
    orientations = []
    for motion, track in zip(motions, tracks, strict=True):
        posed = motion.rotations.copy()
        posed[:, root.anchored] = track.body
        orientations.append(rotations.make_continuous(posed))
    linear = [
        np.concatenate(
            (
                root_columns(track),
                motion.translations.reshape(motion.frames, -1),
                motion.scales.reshape(motion.frames, -1),
                motion.scalars,
            ),
            axis=1,
        )
        for motion, track in zip(motions, tracks, strict=True)
    ]
    count = 3 * len(root.anchored)
    rates = slice(count, count + 4)
    return Channels(np.concatenate(orientations).astype(np.float32), np.concatenate(linear).astype(np.float32), rates)

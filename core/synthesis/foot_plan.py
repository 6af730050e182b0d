# SPDX-License-Identifier: GPL-3.0-or-later
"""The feet of a result: their contacts, their heights, and the root that they lead across a transition."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..feet.contact_detection import Foot
from ..library.example_data import ExampleFeet, Examples
from ..library.part_plans import PlanningData
from ..motion import rotations
from ..motion.filters import smooth
from ..motion.motion import Motion, pose_along
from ..motion.root_motion import RootPlan, RootTrack, apply_root
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments

HIGHEST_LEAD_SPEED = 1.05
"""A standing foot may drive the root to this share of the examples' highest speed."""
LARGEST_LEAD = 0.5
"""It changes the root's speed by no more than this share of it: nobody stops in the middle of a walk to step."""
LEAD_SECONDS = 0.07
"""The root takes over a foot's lead, and leaves it, in about this long: a body has weight."""


@dataclass(frozen=True, eq=False)
class Steps:
    """The feet of a result.

    contacts: `(F, feet)` when each stands. shares: `(F, feet)` the same, 0 to 1 in a crossfade where one side of it
    stands.
    heights: `(F, feet)` how high each is. crossfaded: `(F,)` where the root is in a crossfade.
    """

    contacts: NDArray[np.bool_]
    shares: NDArray[np.float64]
    heights: NDArray[np.float64]
    crossfaded: NDArray[np.bool_]


def plan_steps(
    example_feet: ExampleFeet, planning: PlanningData, segments: list[Segments], crossfades: list[Crossfades]
) -> Steps:
    """The feet's contacts and heights as the examples have them; in a crossfade, of the nearer side and in between."""
    frames = segments[0].frames
    contacts = np.zeros((frames, len(example_feet.feet)), bool)
    shares, heights = np.zeros((2, frames, len(example_feet.feet)))
    for index, foot in enumerate(example_feet.feet):
        part = planning.part_of(foot.joint)
        crossfade = crossfades[part]
        contacts[:, index] = segments[part].of_examples(example_feet.contacts[:, index].astype(np.float64)) >= 0.5
        for encoded, values in ((shares, example_feet.contacts), (heights, example_feet.heights)):
            of_foot = values[:, index].astype(np.float64)
            encoded[:, index] = segments[part].of_examples(of_foot)
            before, after = crossfade.of_examples(of_foot)
            encoded[crossfade.frames, index] = before + (after - before) * crossfade.weights
    crossfaded = np.zeros(frames, bool)
    crossfaded[crossfades[planning.root_part].frames] = True
    return Steps(contacts, shares, heights, crossfaded)


def root_from_feet(
    motion: Motion, examples: Examples, feet: Sequence[Foot], track: RootTrack, steps: Steps
) -> RootTrack:
    """The track with the root moving, in the crossfades, so that a standing foot stays where it is.

    Averaging the velocities of two segments would let it slide.
    """
    frames = np.flatnonzero(steps.crossfaded[:-1] & steps.crossfaded[1:])
    if not len(frames) or not feet:
        return track
    total, count = np.zeros((len(frames), 3)), np.zeros(len(frames))
    up, walked = np.array(motion.skeleton.up), track.velocity.astype(np.float64)
    turns = rotations.from_axis_angle(np.broadcast_to(up, (len(frames), 3)), track.yaw_rate[frames].astype(np.float64))
    here, following = (_at_origin(motion, examples.root, track, chosen) for chosen in (frames, frames + 1))
    for index, foot in enumerate(feet):
        chain = motion.skeleton.chain(foot.joint)
        now, later = (pose_along(posed, chain)[1][:, -1].astype(np.float64) for posed in (here, following))
        needed = now - rotations.rotate(turns, later) - walked[frames]
        stands = np.minimum(steps.shares[frames, index], steps.shares[frames + 1, index])
        total += stands[:, None] * needed
        count += stands
    lead = np.zeros_like(walked)
    lead[frames] = total / np.maximum(count, 1.0)[:, None]
    lead -= (lead @ up)[:, None] * up
    lead = _at_most(lead, LARGEST_LEAD * examples.highest_root_speed)
    velocity = walked + smooth(lead, LEAD_SECONDS, motion.frames_per_second)
    limit = np.maximum(HIGHEST_LEAD_SPEED * examples.highest_root_speed, np.linalg.norm(walked, axis=1))
    return replace(track, velocity=_at_most(velocity, limit).astype(np.float32))


def _at_most(vectors: NDArray[np.float64], longest: NDArray[np.floating] | float) -> NDArray[np.float64]:
    """Vectors `(T, 3)`, shortened to a length where they are longer."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(vectors * np.minimum(1.0, longest / np.maximum(lengths, 1e-12))[:, None])


def _at_origin(motion: Motion, root: RootPlan, track: RootTrack, frames: NDArray[np.int64]) -> Motion:
    """Some frames of the motion with the root at the origin, facing ahead."""
    ahead = np.tile(np.array([1, 0, 0, 0], np.float32), (len(frames), 1))
    placed = RootTrack(
        heading=ahead,
        ground=np.zeros((len(frames), 3), np.float32),
        velocity=track.velocity[frames],
        yaw_rate=track.yaw_rate[frames],
        body=track.body[frames],
        offset=track.offset[frames],
    )
    return apply_root(motion.take(frames), root, placed)

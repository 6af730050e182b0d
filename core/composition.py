# SPDX-License-Identifier: GPL-3.0-or-later
"""From the runs of all parts to one motion on the skeleton, and where each of its frames came from."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import footing, rotations
from .anchoring import anchor
from .assembly import assemble
from .channels import Channels, root_track
from .examples import Prepared
from .fades import Fades, plan_fades
from .foot_locking import lock_feet
from .footing import Steps
from .heading import face_as_sources
from .motion import Motion
from .root import RootTrack, apply_root, integrate
from .runs import Runs
from .settings import Facing


@dataclass(frozen=True, eq=False)
class Synthesis:
    """A new motion, and where each of its frames came from.

    source_examples, source_frames: `(T, P)` for P parts: which example, and which frame of it, counted
    from 0 in the frames that were handed in (fractional where the example was resampled).
    facing: KEEP or FREE, as used. root: the name of the joint that carries the travel.
    """

    motion: Motion
    source_examples: NDArray[np.int64]
    source_frames: NDArray[np.float64]
    facing: Facing
    root: str


def compose(prepared: Prepared, runs: list[Runs]) -> Synthesis:
    """The motion of each part's runs: channels faded, parts averaged, the root led through space."""
    fades = [
        plan_fades(part, prepared.bounds, prepared.channels, prepared.speeds, prepared.frames_per_second)
        for part in runs
    ]
    channels = _blend_parts(prepared, runs, fades)
    steps = footing.plan_steps(prepared, runs, fades)
    motion = _to_motion(prepared, runs[prepared.root_part], fades[prepared.root_part], channels, steps)
    if prepared.settings.foot_locking:
        motion = lock_feet(
            motion, prepared.feet, steps.contacts, steps.heights, runs[prepared.root_part].starts, prepared.root.joint
        )
    motion = replace(motion, rotations=rotations.make_continuous(motion.rotations))
    sources = np.stack([part.source_frames() for part in runs], axis=1)
    examples = prepared.bounds.example_of(sources)
    positions = np.concatenate(prepared.positions)
    return Synthesis(
        motion=motion,
        source_examples=examples,
        source_frames=positions[sources],
        facing=prepared.root.facing,
        root=motion.skeleton.names[prepared.root.joint],
    )


def _blend_parts(prepared: Prepared, runs: list[Runs], fades: list[Fades]) -> Channels:
    """The channels of all parts; where they overlap, they meet half-way."""
    own = [assemble(prepared.channels, part, fade) for part, fade in zip(runs, fades, strict=True)]
    root_part = prepared.root_part
    if len(own) == 1:
        return own[0]
    turning, straight = own[root_part].turning.copy(), own[root_part].straight.copy()
    owners = _straight_owners(prepared)
    for joint in range(turning.shape[1]):
        members = [index for index, plan in enumerate(prepared.parts) if joint in plan.part.joints]
        if joint in prepared.root.anchored:
            members = [root_part]
        columns = np.flatnonzero(owners == joint)
        turning[:, joint] = own[members[0]].turning[:, joint]
        straight[:, columns] = own[members[0]].straight[:, columns]
        for count, index in enumerate(members[1:], start=2):
            share = np.full(len(turning), 1.0 / count, np.float32)
            turning[:, joint] = rotations.slerp(turning[:, joint], own[index].turning[:, joint], share)
            straight[:, columns] += (own[index].straight[:, columns] - straight[:, columns]) / count
    return Channels(turning, straight, prepared.channels.rates)


def _straight_owners(prepared: Prepared) -> NDArray[np.int64]:
    """The joint of each straight column; the root's own and the scalars are nobody's, and stay with the root's part."""
    motion = prepared.motions[0]
    nobody = -1
    return np.concatenate(
        (
            np.full(3 * len(prepared.root.anchored) + 4, nobody),
            np.repeat(motion.translated, 3),
            np.repeat(motion.scaled, 3),
            np.full(len(motion.scalar_names), nobody),
        )
    )


def _to_motion(prepared: Prepared, runs: Runs, fades: Fades, channels: Channels, steps: Steps) -> Motion:
    """Channels as a motion: the root's velocities walked, and led back where the examples stay."""
    example, plan = prepared.motions[0], prepared.root
    count, frames = len(plan.anchored), len(channels.turning)
    widths = (3 * count + 4, 3 * len(example.translated), 3 * len(example.scaled), len(example.scalar_names))
    _, translations, scales, scalars = np.split(channels.straight, np.cumsum(widths)[:-1], axis=1)
    motion = replace(
        example,
        rotations=channels.turning,
        translations=translations.reshape(frames, -1, 3),
        scales=scales.reshape(frames, -1, 3),
        scalars=scalars,
    )
    start = _beginning(prepared, int(runs.sources[0]))
    track = root_track(channels.straight, channels.turning[:, plan.anchored], start, plan)
    if prepared.settings.foot_locking:
        track = footing.led_by_feet(motion, prepared, track, steps)
    if plan.facing is Facing.FREE:
        track = face_as_sources(prepared, track, runs)
    else:
        track = integrate(track, example.skeleton.up)
    if plan.in_place:
        places = np.concatenate([track.ground for track in prepared.tracks])[runs.source_frames()]
        track = anchor(track, places, runs, fades, prepared.highest_root_speed)
    return apply_root(motion, plan, track)


def _beginning(prepared: Prepared, source: int) -> RootTrack:
    """A track whose first frame says where the result begins, and which way it faces there.

    It faces as the example does at that frame, and stands where the examples begin, or where they stay.
    """
    which = int(prepared.bounds.example_of(np.array(source)))
    first, track = source - int(prepared.bounds.starts[which]), prepared.tracks[which]
    ground = track.ground[first : first + 1] if prepared.root.in_place else prepared.tracks[0].ground[:1]
    return replace(track, heading=track.heading[first : first + 1], ground=ground)

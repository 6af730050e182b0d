# SPDX-License-Identifier: GPL-3.0-or-later
"""From the segments of all parts to one motion on the skeleton, and where each of its frames came from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..constraints.displacement import displace
from ..constraints.loop import AROUND_SECONDS, Closing, cropped, segments_around
from ..constraints.spec import NOTHING, Constraints, Loop, PoseConstraint
from ..feet.leg_ik import ik_weights_beside, lock_feet, move_root
from ..library.examples import Prepared, channels_of
from ..motion import rotations
from ..motion.channels import Channels, root_track
from ..motion.motion import Motion
from ..motion.root_motion import RootTrack, apply_root, encode_root
from ..planning.crossfades import Crossfades, plan_crossfades
from ..planning.segments import Segments
from . import foot_plan
from .crossfade import assemble
from .foot_plan import Steps
from .result import Synthesis
from .root_trajectory import Walk, walk


@dataclass(frozen=True, eq=False)
class _Composition:
    """Segments and crossfades of each part, of one round or with its surroundings, and the poses held in them.

    frames: of the result; first: where it begins in what is shown.
    """

    segments: list[Segments]
    crossfades: list[Crossfades]
    poses: PoseConstraint | None
    frames: int
    first: int

    def round(self, prepared: Prepared) -> tuple[Segments, Crossfades]:
        """Segments and crossfades of the root's part, from the result's first frame to its last."""
        part = prepared.root_part
        return cropped(self.segments[part], self.crossfades[part], self.first, self.first + self.frames)


def compose(
    prepared: Prepared, segments: list[Segments], constraints: Constraints = NOTHING, notes: Sequence[str] = ()
) -> Synthesis:
    """The motion of each part's segments: channels crossfaded, parts averaged, the root led through space."""
    composition = _composition(prepared, segments, constraints)
    channels = _blend_parts(prepared, composition.segments, composition.crossfades)
    if composition.poses is not None:
        channels = _through_poses(prepared, channels, composition.poses)
    steps = foot_plan.plan_steps(prepared, composition.segments, composition.crossfades)
    motion, walked = _to_motion(prepared, composition, channels, steps, constraints)
    if prepared.settings.foot_locking:
        motion = _with_feet(prepared, composition, motion, steps, walked)
    if composition.poses is not None:
        motion = _with_exact_poses(prepared, motion, composition.poses)
    if walked.closing is not None:
        motion = _one_round(prepared, composition, motion, walked.closing, constraints.loop)
    motion = replace(motion, rotations=rotations.make_continuous(motion.rotations))
    sources = np.stack([part.source_frames() for part in segments], axis=1)
    if walked.closing is not None:
        sources = np.concatenate((sources, sources[:1]))
    return Synthesis(
        motion=motion,
        source_examples=prepared.bounds.example_of(sources),
        source_frames=np.concatenate(prepared.positions)[sources],
        facing=prepared.root.facing,
        root=motion.skeleton.names[prepared.root.joint],
        loop=walked.closing,
        notes=(*notes, *walked.notes),
    )


def _composition(prepared: Prepared, segments: list[Segments], constraints: Constraints) -> _Composition:
    frames, rate, poses = segments[0].frames, prepared.frames_per_second, constraints.poses

    def crossfades_of(part: Segments) -> Crossfades:
        return plan_crossfades(part, prepared.bounds, prepared.channels, prepared.speeds, rate)

    if constraints.loop is Loop.OFF:
        return _Composition(segments, [crossfades_of(part) for part in segments], poses, frames, 0)
    margin = max(round(AROUND_SECONDS * rate), 2)
    pieces = []
    for part in segments:
        every, begin = segments_around(part, margin)
        pieces.append(cropped(every, crossfades_of(every), begin - margin, begin + frames + margin))
    if poses is not None:
        at = (np.arange(frames + 2 * margin) - margin) % frames
        poses = PoseConstraint(poses.motion.take(at), poses.joints[at], poses.place[at])
    return _Composition([part for part, _ in pieces], [crossfades for _, crossfades in pieces], poses, frames, margin)


def _through_poses(prepared: Prepared, channels: Channels, poses: PoseConstraint) -> Channels:
    """The channels led through what is held."""
    skeleton, frames = poses.motion.skeleton, poses.frames
    posed = poses.motion.take(frames)
    there = channels_of([posed], [encode_root(posed, prepared.root)], prepared.root)
    owners = _linear_owners(prepared)
    owners[: 3 * len(prepared.root.anchored)] = np.repeat(prepared.root.anchored, 3)
    return displace(
        channels, there, frames, poses.joints, owners, prepared.speeds, skeleton.levers, prepared.frames_per_second
    )


def _blend_parts(prepared: Prepared, segments: list[Segments], crossfades: list[Crossfades]) -> Channels:
    """The channels of all parts; where they overlap, they meet half-way."""
    own = [assemble(prepared.channels, part, crossfade) for part, crossfade in zip(segments, crossfades, strict=True)]
    root_part = prepared.root_part
    if len(own) == 1:
        return own[0]
    orientations, linear = own[root_part].orientations.copy(), own[root_part].linear.copy()
    owners = _linear_owners(prepared)
    for joint in range(orientations.shape[1]):
        members = [index for index, plan in enumerate(prepared.parts) if joint in plan.part.joints]
        if joint in prepared.root.anchored:
            members = [root_part]
        columns = np.flatnonzero(owners == joint)
        orientations[:, joint] = own[members[0]].orientations[:, joint]
        linear[:, columns] = own[members[0]].linear[:, columns]
        for count, index in enumerate(members[1:], start=2):
            share = np.full(len(orientations), 1.0 / count, np.float32)
            orientations[:, joint] = rotations.slerp(orientations[:, joint], own[index].orientations[:, joint], share)
            linear[:, columns] += (own[index].linear[:, columns] - linear[:, columns]) / count
    return Channels(orientations, linear, prepared.channels.rates)


def _linear_owners(prepared: Prepared) -> NDArray[np.int64]:
    """The joint of each linear channel; the root's own and the scalars are nobody's, and stay with the root's part."""
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


def _to_motion(
    prepared: Prepared,
    composition: _Composition,
    channels: Channels,
    steps: Steps,
    constraints: Constraints,
) -> tuple[Motion, Walk]:
    """Channels as a motion, the root on its way."""
    example, plan = prepared.motions[0], prepared.root
    count, frames = len(plan.anchored), len(channels.orientations)
    widths = (3 * count + 4, 3 * len(example.translated), 3 * len(example.scaled), len(example.scalar_names))
    _, translations, scales, scalars = np.split(channels.linear, np.cumsum(widths)[:-1], axis=1)
    motion = replace(
        example,
        rotations=channels.orientations,
        translations=translations.reshape(frames, -1, 3),
        scales=scales.reshape(frames, -1, 3),
        scalars=scalars,
    )
    segments, crossfades = composition.round(prepared)
    start = _beginning(prepared, int(segments.sources[0]))
    track = root_track(channels.linear, channels.orientations[:, plan.anchored], start, plan)
    if prepared.settings.foot_locking:
        track = foot_plan.root_from_feet(motion, prepared, track, steps)
    walked = walk(prepared, track, composition.first, segments, crossfades, constraints)
    return apply_root(motion, plan, walked.track), walked


def _with_feet(prepared: Prepared, composition: _Composition, motion: Motion, steps: Steps, walked: Walk) -> Motion:
    """The motion with its feet locked, as far as what is held leaves them free."""
    root, heights = prepared.root.joint, steps.heights + walked.rise[:, None]
    ik_weights = None
    if composition.poses is not None:
        ik_weights = ik_weights_beside(composition.poses.joints, prepared.feet, root, prepared.frames_per_second)
    transitions = composition.segments[prepared.root_part].starts
    return lock_feet(motion, prepared.feet, steps.contacts, heights, transitions, root, ik_weights)


def _with_exact_poses(prepared: Prepared, motion: Motion, poses: PoseConstraint) -> Motion:
    """The motion with the very channels that are held; the anchored joints' where their place is held as well."""
    joints = poses.joints.copy()
    joints[:, prepared.root.anchored] &= poses.place[:, None]
    return replace(
        motion,
        rotations=np.where(joints[..., None], poses.motion.rotations, motion.rotations),
        translations=np.where(joints[:, motion.translated, None], poses.motion.translations, motion.translations),
        scales=np.where(joints[:, motion.scaled, None], poses.motion.scales, motion.scales),
    )


def _one_round(prepared: Prepared, composition: _Composition, motion: Motion, closing: Closing, loop: Loop) -> Motion:
    """One round of a loop, and the first frame of the next."""
    first, frames = composition.first, composition.frames
    plan, up = prepared.root, np.array(motion.skeleton.up)
    motion = motion.slice(first, first + frames)
    if loop is Loop.IN_PLACE:
        share = np.arange(frames)[:, None] / frames
        for joint in plan.anchored:
            if joint in motion.translated:
                motion = move_root(motion, int(joint), -share * closing.shift)
    beginning = motion.slice(0, 1)
    if loop is Loop.TRAVEL:
        track = encode_root(beginning, plan)
        spin = rotations.from_axis_angle(up, np.array(closing.turn)).astype(np.float32)
        heading = rotations.multiply(np.broadcast_to(spin, (1, 4)), track.heading)
        ground = rotations.rotate(np.broadcast_to(spin, (1, 4)), track.ground) + closing.shift
        beginning = apply_root(beginning, plan, replace(track, heading=heading, ground=ground.astype(np.float32)))
    channels = motion.channels()
    return motion.with_channels(
        {name: np.concatenate((channels[name], more)) for name, more in beginning.channels().items()}
    )


def _beginning(prepared: Prepared, source: int) -> RootTrack:
    """A track whose first frame says where the result begins, and which way it faces there.

    It faces as the example does at that frame, and stands where the examples begin, or where they stay.
    """
    which = int(prepared.bounds.example_of(np.array(source)))
    first, track = source - int(prepared.bounds.starts[which]), prepared.tracks[which]
    place = (
        track.ground[first : first + 1] if prepared.root.in_place else prepared.tracks[prepared.leading[0]].ground[:1]
    )
    return replace(track, heading=track.heading[first : first + 1], ground=place)

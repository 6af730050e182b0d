# SPDX-License-Identifier: GPL-3.0-or-later
"""The root's way: walked by its velocities, or led back, or through held places, along a path, round and round."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..constraints.loop import Closing, around, closing_of, stayed, steered
from ..constraints.root_path import follow, forward_of
from ..constraints.root_places import lead_through
from ..constraints.spec import Constraints, Loop
from ..library.examples import Prepared
from ..motion.root_motion import RootTrack, encode_root, integrate
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments
from ..settings import Facing
from .root_drift import anchor
from .root_heading import face_as_sources


@dataclass(frozen=True, eq=False)
class Walk:
    """The root of F frames on its way.

    rise: `(F,)` how much higher the ground is. closing: of a loop. notes: sentences on what the path does not allow.
    """

    track: RootTrack
    rise: NDArray[np.floating]
    closing: Closing | None
    notes: tuple[str, ...]


def walk(
    prepared: Prepared,
    track: RootTrack,
    first: int,
    segments: Segments,
    crossfades: Crossfades,
    constraints: Constraints,
) -> Walk:
    """The track, of a round and what lies around it, with heading and ground.

    The round begins at frame `first`; segments and crossfades: its own. Raises InputError where the path cannot be
    followed.
    """
    frames, up = segments.frames, prepared.motions[0].skeleton.up
    loops = constraints.loop is not Loop.OFF
    walked = _by_itself(prepared, _part_of(track, first, frames), segments, crossfades, loops)
    poses = constraints.poses
    if poses is not None and poses.place.any():
        walked = lead_through(
            walked, encode_root(poses.motion.take(np.flatnonzero(poses.place)), prepared.root), poses.place, up
        )
    rise: NDArray[np.floating] = np.zeros(frames)
    notes: tuple[str, ...] = ()
    if constraints.path is not None:
        forward = forward_of([prepared.tracks[number] for number in prepared.leading], up)
        size = prepared.motions[0].skeleton.size
        rate = prepared.frames_per_second
        followed = follow(walked, constraints.path, prepared.root.facing, forward, up, rate, size, lap=loops)
        walked, rise, notes = followed.track, followed.rise, followed.notes
        walked = replace(walked, offset=walked.offset + (rise[:, None] * np.array(up))[:, None].astype(np.float32))
    if not loops:
        return Walk(walked, rise, None, notes)
    stays = prepared.root.in_place or constraints.path is not None
    closing = Closing(np.zeros(3), 0.0) if stays else closing_of(walked, up)
    inside = (np.arange(len(track.velocity)) - first) % frames
    body = replace(track, offset=walked.offset[inside]) if constraints.path is not None else track
    if not closing.closes:
        degrees = abs(float(np.degrees(closing.turn)))
        notes = (*notes, f"Each round turns the character by {degrees:.0f} degrees; make the loop longer to close it.")
    return Walk(around(walked, body, closing, first, up), rise[inside], closing, notes)


def _by_itself(
    prepared: Prepared, track: RootTrack, segments: Segments, crossfades: Crossfades, loops: bool
) -> RootTrack:
    """The track walked by its velocities, facing as its sources did, and led back where the examples stay."""
    if loops:
        track = steered(track, prepared.frames_per_second)
    if prepared.root.facing is Facing.FREE:
        track = face_as_sources(prepared, track, segments, lead_back=not loops)
    else:
        track = integrate(track, prepared.motions[0].skeleton.up)
    if prepared.root.in_place:
        places = np.concatenate([one.ground for one in prepared.tracks])[segments.source_frames()]
        track = anchor(track, places, segments, crossfades, prepared.highest_root_speed)
        track = stayed(track) if loops else track
    return track


def _part_of(track: RootTrack, first: int, frames: int) -> RootTrack:
    """Some frames of a track; heading and ground, where it has only those of its beginning, stay these."""
    if len(track.velocity) == frames:
        return track
    end = first + frames
    whole = len(track.heading) == len(track.velocity)
    return RootTrack(
        heading=track.heading[first:end] if whole else track.heading,
        ground=track.ground[first:end] if whole else track.ground,
        velocity=track.velocity[first:end],
        yaw_rate=track.yaw_rate[first:end],
        body=track.body[first:end],
        offset=track.offset[first:end],
    )

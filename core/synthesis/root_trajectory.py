# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectory of the root: integrated from its velocities, anchored if the examples stay, and guided by constraints."""

from dataclasses import replace

import numpy as np

from ..constraints.constraint import Span, Task, Walk
from ..motion.root_motion import RootTrack, integrate
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments
from ..settings import Facing
from .root_drift import anchor
from .root_heading import face_as_sources
from .whole_rounds import without_seamless


def walk(task: Task, track: RootTrack, span: Span, segments: Segments, crossfades: Crossfades) -> Walk:
    """Return the track of all composed frames with heading and ground.

    segments, crossfades: of the result's frames. Raises InputError if a constraint cannot be followed.
    """
    result_track = _part_of(track, span.margin, span.frames)
    by_itself = _by_itself(task, result_track, segments, crossfades)
    walked = Walk(by_itself, np.zeros(span.frames))
    for constraint in task.constraints:
        walked = constraint.rooted(task, walked)
    if walked.track is not by_itself and not span.margin:
        walked = replace(walked, by_itself=by_itself)
    for constraint in task.constraints:
        walked = constraint.repeated(task, walked, track, span)
    return walked


def _by_itself(task: Task, track: RootTrack, segments: Segments, crossfades: Crossfades) -> RootTrack:
    """Return the track integrated from its velocities, facing as its sources, and anchored if the examples stay."""
    examples = task.prepared.examples
    for constraint in task.constraints:
        track = constraint.steered(task, track)
    if examples.root.facing is Facing.FREE:
        track = face_as_sources(examples, track, segments, lead_back=not task.cyclic)
    else:
        track = integrate(track, examples.skeleton.up)
    if examples.root.in_place:
        places = np.concatenate([example.ground for example in examples.tracks])[segments.source_frames()]
        whole = without_seamless(segments, examples)
        track = anchor(track, places, whole, crossfades, examples.highest_root_speed)
    for constraint in task.constraints:
        track = constraint.anchored(task, track)
    return track


def _part_of(track: RootTrack, first: int, frames: int) -> RootTrack:
    """Return some frames of a track; a heading and ground known only at its beginning are kept."""
    if len(track.velocity) == frames:
        return track
    end = first + frames
    integrated = len(track.heading) == len(track.velocity)
    return RootTrack(
        heading=track.heading[first:end] if integrated else track.heading,
        ground=track.ground[first:end] if integrated else track.ground,
        velocity=track.velocity[first:end],
        yaw_rate=track.yaw_rate[first:end],
        body=track.body[first:end],
        offset=track.offset[first:end],
    )

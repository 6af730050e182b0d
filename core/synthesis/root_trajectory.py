# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectory of the root: integrated from its velocities, anchored if the examples stay, and guided by constraints."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..arrays import Float32, Float64, Int64, Mask
from ..constraints.constraint import Span, Task, Walk
from ..motion import rotations
from ..motion.climbing import with_height_of
from ..motion.filters import smoothstep
from ..motion.root_motion import RootTrack, integrate
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments
from ..settings import Facing
from .root_heading import STEER_SHARE, face_as_sources
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
    if task.prepared.root.climbs:
        climbed = walked.track.ground.astype(np.float64) @ np.array(task.prepared.examples.skeleton.up)
        walked = replace(walked, rise=np.asarray(walked.rise, np.float64) + climbed)
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
        anchored = anchor(track, places, whole, crossfades, examples.highest_root_speed)
        track = with_height_of(anchored, track, examples.skeleton.up) if examples.root.climbs else anchored
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


def anchor(track: RootTrack, places: Float32, segments: Segments, crossfades: Crossfades, highest: float) -> RootTrack:
    """Return the track of a character that stays where the examples stand, and ends where it began.

    places: `(F, 3)` ground positions of the shown example frames. highest: the examples' highest speed of the root, in
    units per frame. The move from one segment's place to the next is made in the crossfade between them, in which feet
    step anyway; the rest follows slowly. Each segment stands slightly off its place, so that the last one ends where
    the first began.
    """
    ground = track.ground.astype(np.float64)
    speeds = np.append(np.linalg.norm(np.diff(ground, axis=0), axis=1), 0.0)
    slowly = np.full(segments.frames, STEER_SHARE * highest)
    quickly = np.maximum(highest - speeds, slowly)
    crossfaded = np.zeros(segments.frames, bool)
    crossfaded[crossfades.frames] = True
    drift = places[-1].astype(np.float64) - places[0]
    steps, shift = np.zeros_like(ground), np.zeros(3)
    begins, lasts = (extent[segments.starts] for extent in _extents(crossfaded))
    middles, calm_lasts = _calm_frames(crossfaded, segments)
    calm_lasts = np.where(calm_lasts < 0, lasts, calm_lasts)
    shares = np.arange(len(segments.starts)) / max(len(segments.starts) - 1, 1)
    targets = places[middles] - ground[middles] - shares[:, None] * drift
    extents = np.stack((begins, lasts, calm_lasts), axis=1).tolist()
    for (first, last, calm), target in zip(extents[1:], targets[1:], strict=True):
        shift = _shift(steps, first, last, shift, target, quickly)
        shift = _shift(steps, last, calm, shift, target, slowly)
    ground += np.cumsum(steps, axis=0)
    if len(segments.starts) > 1:
        # The remaining difference is small, and is spread invisibly over all frames.
        ground += (ground[0] - ground[-1]) * np.linspace(0.0, 1.0, segments.frames)[:, None]
    return replace(track, ground=ground.astype(np.float32))


def _shift(
    steps: Float64,
    begin: int,
    end: int,
    now: Float64,
    target: Float64,
    room: Float64,
) -> Float64:
    """Move the shift from `now` toward `target` between two frames, as far as the limits on speed allow.

    steps: `(F, 3)` growth of the shift from the frame before to each. room: `(F,)` largest growth at each frame. The
    result is the shift that is reached.
    """
    gap = target - now
    distance = rotations.length(gap)
    if end - begin < 2 or distance == 0.0:
        return now
    shares = _shares(end - begin)
    possible = float(np.min(room[begin + 1 : end] / np.maximum(shares * distance, 1e-12)))
    step = min(1.0, possible) * gap
    steps[begin + 1 : end] += shares[:, None] * step
    return np.asarray(now + step)


@lru_cache(maxsize=256)
def _shares(frames: int) -> Float64:
    """Return the shares `(frames - 1,)` of a smooth move that are made from each frame to the next."""
    return np.diff(smoothstep(np.linspace(0.0, 1.0, frames)))


def _calm_frames(crossfaded: Mask, segments: Segments) -> tuple[Int64, Int64]:
    """Return the middle and the last of each segment's `(R,)` frames outside of crossfades.

    A segment without such frames has its middle frame, and -1.
    """
    calm = np.append(np.flatnonzero(~crossfaded), -1)
    ends = np.append(segments.starts[1:], segments.frames)
    first, end = (np.searchsorted(calm[:-1], frames) for frames in (segments.starts, ends))
    has_calm = end > first
    middles = np.where(has_calm, calm[np.where(has_calm, (first + end) // 2, -1)], (segments.starts + ends) // 2)
    return middles, np.where(has_calm, calm[end - 1], -1)


def _extents(mask: Mask) -> tuple[Int64, Int64]:
    """Return the first frame and the end `(F,)` of the true stretch around each frame; the frame itself if false."""
    index = np.arange(len(mask))
    before = np.maximum.accumulate(np.where(mask, -1, index))
    after = np.minimum.accumulate(np.where(mask, len(mask), index)[::-1])[::-1]
    return np.where(mask, before + 1, index), np.where(mask, after, index)

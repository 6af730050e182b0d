# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectory of the root: integrated from its velocities, anchored if the examples stay, and guided by constraints.

If the facing is free, the heading is that of the sources, as far as invisible turns reach it.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..constraints.constraint import Span, Task, Walk
from ..examples.example_data import Examples
from ..motion import rotations
from ..motion.climbing import with_height_of
from ..motion.filters import SMOOTHSTEP_SLOPE, smoothstep, wrap_angle
from ..motion.root_motion import RootTrack, integrate
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments
from ..settings import Facing
from .whole_rounds import without_seamless

STEER_SHARE = 0.15
"""Largest speed of a turn toward the sources' heading, and of a correction of the place outside of crossfades, as a
share of the examples' highest yaw rate, or highest speed of the root."""
SEEN_WITHIN = 0.25
"""Width of the fall-off, in radians: a motion turned by about this angle counts about half as seen."""


def face_as_sources(examples: Examples, track: RootTrack, segments: Segments, *, lead_back: bool = True) -> RootTrack:
    """Return the integrated track, turned as a whole to face mostly as its sources, and turned back slowly elsewhere.

    lead_back: whether it is turned back elsewhere.
    """
    up = examples.skeleton.up
    walked = integrate(track, up)
    away = _away(examples, walked, segments)
    angle = _commonest_turn(away)
    fastest = max(float(np.abs(example.yaw_rate).max(initial=0.0)) for example in examples.tracks) if lead_back else 0.0
    steering = _steering(wrap_angle(away - angle), segments, STEER_SHARE * fastest)
    back = rotations.from_axis_angle(np.array(up), np.array(-angle)).astype(np.float32)
    steered = replace(
        track,
        heading=rotations.multiply(back, track.heading),
        yaw_rate=(track.yaw_rate + np.diff(steering, append=steering[-1:])).astype(np.float32),
    )
    return integrate(steered, up)


def _away(examples: Examples, track: RootTrack, segments: Segments) -> Array:
    """Return the angles `(F,)`, in radians, between the headings of the track and of its sources."""
    up = np.array(examples.skeleton.up, np.float32)
    sources = np.concatenate([example.heading for example in examples.tracks])[segments.source_frames()]
    turn = rotations.multiply(track.heading, rotations.inverse(sources))
    return wrap_angle(rotations.angle_about(turn, up))


def _steering(away: Array, segments: Segments, fastest: float) -> Float64:
    """Return the turn `(F,)`, in radians, that is added to reduce the angles `away`, at most `fastest` per frame."""
    steering, now = np.zeros(segments.frames), 0.0
    for start, length in zip(segments.starts, segments.lengths, strict=True):
        # Within a segment the example is followed without changes, so its middle represents all of it.
        target = -float(away[start + length // 2])
        most = fastest * (length - 1) / SMOOTHSTEP_SLOPE
        step = float(np.clip(wrap_angle(target - now), -most, most))
        share = np.linspace(0.0, 1.0, length)
        steering[start : start + length] = now + step * smoothstep(share)
        now += step
    return steering


def _commonest_turn(turned: Array) -> float:
    """Return the angle, in radians, by which most of a result is turned from its sources."""
    if not turned.any():
        return 0.0
    candidates = np.linspace(-np.pi, np.pi, 72, endpoint=False)
    # Rounding is finer than anybody sees, and most frames share a few values.
    values, counts = np.unique(np.round(turned, 3), return_counts=True)
    agreement = _same_heading(values - candidates[:, None]) @ counts
    near = _same_heading(values - candidates[int(np.argmax(agreement))]) * counts
    center = candidates[int(np.argmax(agreement))]
    away = wrap_angle(values - center)
    return float(center + np.sum(away * near) / np.sum(near))


def _same_heading(turned: Array) -> Array:
    """Return the share, 0 to 1, of a motion that counts as seen when it is shown turned by an angle."""
    return np.asarray(np.exp((np.cos(turned) - 1.0) / SEEN_WITHIN**2))


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
    """Return the track of a character that stays where the examples stand.

    places: `(F, 3)` ground positions of the shown example frames. highest: the examples' highest speed of the root, in
    units per frame. The move from one segment's place to the next is made in the crossfade between them, in which feet
    step anyway; the rest follows slowly. The root does not end where it began: in a bow it is behind its feet.
    """
    ground = track.ground.astype(np.float64)
    speeds = np.append(np.linalg.norm(np.diff(ground, axis=0), axis=1), 0.0)
    slowly = np.full(segments.frames, STEER_SHARE * highest)
    quickly = np.maximum(highest - speeds, slowly)
    crossfaded = np.zeros(segments.frames, bool)
    crossfaded[crossfades.frames] = True
    steps, shift = np.zeros_like(ground), np.zeros(3)
    begins, lasts = (extent[segments.starts] for extent in _extents(crossfaded))
    middles, calm_lasts = _calm_frames(crossfaded, segments)
    calm_lasts = np.where(calm_lasts < 0, lasts, calm_lasts)
    targets = places[middles].astype(np.float64) - ground[middles]
    extents = np.stack((begins, lasts, calm_lasts), axis=1).tolist()
    for (first, last, calm), target in zip(extents[1:], targets[1:], strict=True):
        shift = _shift(steps, first, last, shift, target, quickly)
        shift = _shift(steps, last, calm, shift, target, slowly)
    return replace(track, ground=(ground + np.cumsum(steps, axis=0)).astype(np.float32))


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

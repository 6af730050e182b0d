# SPDX-License-Identifier: GPL-3.0-or-later
"""Laying of a window of motion into a gap: it begins at the pose before, and differences at both ends are eased in.

The differences of pose and speed at an end decay smoothly from there on (motion warping: Witkin, Popovic 1995), so that
poses and speeds meet. The root's trajectory is bent over the whole gap.
"""

from collections.abc import Callable

import numpy as np

from ..arrays import Float32, Float64
from ..motion import rotations
from ..motion.climbing import encode_travel
from ..motion.gap import Gap
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, RootTrack, apply_root, place_and_heading
from .easing import SPEED_SECONDS, Ease, Side, bend, decay, ease_of

_Places = tuple[Float64, Float64]
"""Places `(F, 3)` of a root along the ground, and its headings `(F,)` in radians."""
_Guide = Callable[[Float64, _Places, _Places, _Places, Ease], _Places]
"""Function that guides the trajectory of a window: see _bridged_trajectory."""


def lay_window(window: Motion, gap: Gap, plan: RootPlan, speed_seconds: float = SPEED_SECONDS) -> Motion:
    """Return a window through a gap: `(T + 1)` frames, the first the pose before, the last the pose after.

    window: `(T + 3)` frames at the gap's rate, with one more at each end than is shown. speed_seconds: time in which a
    difference of speeds decays; longer is softer, but departs farther from the window.
    """
    rate = window.frames_per_second
    return _through(window, gap, plan, ease_of(rate, speed_seconds), _bridged_trajectory)


def meet_ends(window: Motion, gap: Gap, plan: RootPlan, seconds: float) -> Motion:
    """Return a window that keeps its own trajectory, eased into the poses at its ends; arguments as of `lay_window`.

    seconds: time in which a difference of poses and places decays; beyond it the window does not change.
    """
    rate = window.frames_per_second
    return _through(window, gap, plan, Ease(seconds * rate, SPEED_SECONDS * rate), _kept_trajectory)


def _through(window: Motion, gap: Gap, plan: RootPlan, ease: Ease, guide: _Guide) -> Motion:
    before, after = gap.before.slice(max(gap.before.frames - 2, 0), gap.before.frames), gap.after.slice(0, 2)
    inside = window.slice(1, window.frames - 1)
    channels = {
        name: _eased(name, getattr(window, name), getattr(before, name), getattr(after, name), ease)
        for name in ("rotations", "translations", "scales", "scalars")
    }
    warped = inside.with_channels(channels)
    return with_ends_of(apply_root(warped, plan, _root((window, before, after), plan, ease, guide)), before, after)


def going_on(window: Motion, *, at_start: bool, at_end: bool) -> Motion:
    """Return a window whose first frame, last frame or both are extrapolated from the movement inside.

    This is for the ends of clips: with a repeated end pose the window would seem to stand still.
    """
    channels = {name: values.copy() for name, values in window.channels().items()}
    for end, near, far, goes_on in ((0, 1, 2, at_start), (-1, -2, -3, at_end)):
        for name, values in channels.items() if goes_on else ():
            if name == "rotations":
                step = rotations.multiply(rotations.inverse(values[far]), values[near])
                values[end] = rotations.multiply(values[near], step)
            else:
                values[end] = 2 * values[near] - values[far]
    return window.with_channels(channels)


def with_ends_of(motion: Motion, before: Motion, after: Motion) -> Motion:
    """Return a motion that begins with the last pose of `before` and ends with the first one of `after`, to the bit."""
    channels = {name: values.copy() for name, values in motion.channels().items()}
    for name, values in channels.items():
        values[0], values[-1] = getattr(before, name)[-1], getattr(after, name)[0]
        if name == "rotations":
            values[:] = rotations.make_continuous(values)
    return motion.with_channels(channels)


def _eased(name: str, window: Float32, before: Float32, after: Float32, ease: Ease) -> Float32:
    """Return one channel `(T + 1, ...)` with the differences at both ends eased in."""
    turns = name == "rotations"
    sides = _sides(window.astype(np.float64), before.astype(np.float64), after.astype(np.float64), turns)
    moves = decay(sides, len(window) - 3, ease)
    inside = window[1:-1].astype(np.float64)
    if turns:
        return np.asarray(rotations.multiply(inside, rotations.from_vector(moves)), np.float32)
    return (inside + moves).astype(np.float32)


def _sides(window: Float64, before: Float64, after: Float64, turns: bool) -> tuple[Side, Side]:
    """Return the differences of a channel from the poses before and after; without a second pose, speeds have none."""

    def differences(target: Float64, start: Float64) -> Float64:
        if not turns:
            return target - start
        return np.asarray(rotations.to_vector(rotations.multiply(rotations.inverse(start), target)))

    at_start, at_end = differences(before, window[2 - len(before) : 2]), differences(after, window[-2:][: len(after)])
    if turns:
        at_start, at_end = _same_way(at_start, at_start[-1]), _same_way(at_end, at_end[0])
    start_speed = at_start[-1] - at_start[0] if len(before) > 1 else np.zeros_like(at_start[-1])
    end_speed = at_end[1] - at_end[0] if len(after) > 1 else np.zeros_like(at_end[0])
    return Side(at_start[-1], start_speed), Side(at_end[0], end_speed)


def _same_way(vectors: Float64, like: Float64) -> Float64:
    """Return rotation vectors `(F, ..., 3)`, those about the other way round exchanged for equal ones nearest `like`.

    Differences near half a turn have either sign, and would seem to change by a whole turn within a frame.
    """
    angles = rotations.lengths(vectors)[..., None]
    axes = vectors / np.maximum(angles, rotations.SMALLEST_NORM)
    rounds = np.round(((like * axes).sum(axis=-1, keepdims=True) - angles) / (2 * np.pi))
    return np.asarray(vectors + 2 * np.pi * rounds * axes)


def _root(motions: tuple[Motion, Motion, Motion], plan: RootPlan, ease: Ease, guide: _Guide) -> RootTrack:
    """Return the root's track `(T + 1)` of a window; motions: the window, and the poses before and after it."""
    up = np.array(motions[0].skeleton.up)
    tracks = [encode_travel(motion, plan) for motion in motions]
    window, before, after = (
        (track.ground.astype(np.float64), place_and_heading(motion, plan)[1])
        for track, motion in zip(tracks, motions, strict=True)
    )
    ground, heading = guide(up, window, before, after, ease)
    body, offset = (
        _eased(name, getattr(tracks[0], part), getattr(tracks[1], part), getattr(tracks[2], part), ease)
        for name, part in (("rotations", "body"), ("translations", "offset"))
    )
    return RootTrack(
        heading=rotations.from_axis_angle(up, heading).astype(np.float32),
        ground=ground.astype(np.float32),
        velocity=np.zeros((len(ground), 3), np.float32),
        yaw_rate=np.zeros(len(ground), np.float32),
        body=body,
        offset=offset,
    )


def _bridged_trajectory(up: Float64, window: _Places, before: _Places, after: _Places, ease: Ease) -> _Places:
    """Return the places `(T + 1, 3)` and headings `(T + 1,)` of a window that begins at the pose before.

    Its trajectory and turn are changed to end at the pose after.
    """
    (window_places, window_turns), (first, first_turns), (last, last_turns) = window, before, after
    turn = first_turns[-1] - window_turns[1]
    about = rotations.from_axis_angle(up, np.full(len(window_places), turn))
    places = rotations.rotate(about, window_places - window_places[1]) + first[-1]
    turns = window_turns + turn
    ground = places[1:-1] + _trajectory_moves(places, first, last, ease)
    last_heading = _nearest_turn(last_turns, turns[-2])
    turned = _trajectory_moves(turns[:, None], first_turns[:, None], last_heading[:, None], ease)
    return ground, turns[1:-1] + turned[:, 0]


def _kept_trajectory(up: Float64, window: _Places, before: _Places, after: _Places, ease: Ease) -> _Places:
    """Return the places and headings of a window that keeps its own trajectory except at its ends."""
    (places, turns), (first, first_turns), (last, last_turns) = window, before, after
    ground = places[1:-1] + decay(_sides(places, first, last, turns=False), len(places) - 3, ease)
    start, end = _nearest_turn(first_turns, turns[1]), _nearest_turn(last_turns, turns[-2])
    heading = decay(_sides(turns[:, None], start[:, None], end[:, None], turns=False), len(places) - 3, ease)
    return ground, turns[1:-1] + heading[:, 0]


def _nearest_turn(turns: Float64, target: float) -> Float64:
    """Return turns, in radians, shifted by whole rounds so that the first one is nearest to `target`."""
    return np.asarray(turns + 2 * np.pi * np.round((target - turns[0]) / (2 * np.pi)))


def _trajectory_moves(window: Float64, before: Float64, after: Float64, ease: Ease) -> Float64:
    """Return the moves `(T + 1, C)` of a trajectory that begins at the pose before; see `bend`."""
    return bend(_sides(window, before, after, turns=False), len(window) - 3, ease)

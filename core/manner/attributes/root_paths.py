# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a body's path over the ground, in length and turning, with feet that stand as before."""

import itertools
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Mask
from ...feet.contact_detection import ground_heights, label_contacts
from ...feet.footsteps import stances
from ...feet.standing_legs import FootTargets, foot_targets, with_feet_at
from ...motion import rotations
from ...motion.filters import smooth_line, smoothstep, to_next
from ...motion.ground_travel import SWAY_SECONDS
from ...motion.motion import Motion
from ...motion.root_motion import apply_root, encode_root, place_and_heading
from .body import AttributeBody


@dataclass(frozen=True, eq=False)
class RootCurve:
    """A smooth path: its places `(T, 2)`, in `rotations.ground_axes`, and headings `turns` `(T,)`, in radians."""

    places: Float64
    turns: Float64

    @property
    def speeds(self) -> Float64:
        """Return the distance `(T - 1,)` from each frame to the next, in units."""
        return np.asarray(np.linalg.norm(np.diff(self.places, axis=0), axis=1))


def path_of(motion: Motion, body: AttributeBody) -> RootCurve:
    """Return the path of a motion."""
    places, turns = place_and_heading(motion, body.plan)
    ground = places.astype(np.float64) @ rotations.ground_axes(motion.skeleton.up).T
    width = SWAY_SECONDS * motion.frames_per_second
    return RootCurve(np.asarray(smooth_line(ground, width)), np.asarray(smooth_line(turns, width)))


def contacts_of(motion: Motion, body: AttributeBody) -> Mask:
    """Return the contacts `(T, feet)` of the feet."""
    return label_contacts(motion, body.feet, ground_heights([motion], body.feet))


def with_path(motion: Motion, body: AttributeBody, scale: float, turn: float) -> Motion:
    """Return a motion whose path is `scale` times as long and turns by `turn` more, in radians from end to end.

    The turn is spread along the path. Each stance remains one place on the ground, moved as the path is in the middle
    of the stance; the legs follow.
    """
    path, up = path_of(motion, body), np.array(motion.skeleton.up)
    gone = np.concatenate(([0.0], np.cumsum(path.speeds)))
    extra = turn * gone / max(gone[-1], 1e-12)
    steps = rotations.turn_on_ground(scale * to_next(path.places), extra)
    places = path.places[0] + np.concatenate((np.zeros((1, 2)), np.cumsum(steps[:-1], axis=0)))
    change = _Change(path.places, places, extra, rotations.ground_axes(motion.skeleton.up), up)
    track = encode_root(motion, body.plan)
    frames = np.arange(motion.frames, dtype=np.float64)
    heading = rotations.multiply(change.turns(frames), track.heading.astype(np.float64))
    ground = change.moved(track.ground.astype(np.float64), frames)
    laid = apply_root(motion, body.plan, track.along(heading, ground))
    if not body.steps:
        return laid
    targets, contacts = foot_targets(motion, body.feet), contacts_of(motion, body)
    places, orientations = targets.places.copy(), targets.orientations.copy()
    for foot in range(len(body.feet)):
        moments = _stance_moments(contacts[:, foot], motion.frames_per_second)
        places[:, foot] = change.moved(places[:, foot], moments)
        orientations[:, foot] = rotations.multiply(change.turns(moments), orientations[:, foot])
    return with_feet_at(laid, body.standing, FootTargets(places, orientations))


@dataclass(frozen=True, eq=False)
class _Change:
    """A change of a path `(T, 2)` into another, turned by angles `(T,)`; axes: of the ground `(2, 3)`, up: `(3,)`."""

    before: Float64
    after: Float64
    angles: Float64
    axes: Float64
    up: Float64

    def moved(self, places: Float64, moments: Float64) -> Float64:
        """Return places `(T, 3)` after the change of the ground at moments `(T,)`, in frames."""
        before, after = (self._at(line, moments) for line in (self.before, self.after))
        seen = places @ self.axes.T - before
        height = (places @ self.up)[:, None] * self.up
        ground = after + rotations.turn_on_ground(seen, np.interp(moments, np.arange(len(self.angles)), self.angles))
        return np.asarray(ground @ self.axes + height)

    def turns(self, moments: Float64) -> Float64:
        """Return the rotations `(T, 4)` of the ground at moments `(T,)`, in frames."""
        angles = np.interp(moments, np.arange(len(self.angles)), self.angles)
        return np.asarray(rotations.from_axis_angle(self.up, angles))

    def _at(self, line: Float64, moments: Float64) -> Float64:
        frames = np.arange(len(line))
        return np.stack([np.interp(moments, frames, line[:, axis]) for axis in range(2)], axis=1)


def _stance_moments(contacts: Mask, rate: float) -> Float64:
    """Return the moment `(T,)`, in frames, whose change moves a foot at each frame.

    During a stance it is the middle of the stance; in the air it passes smoothly from one stance to the next.
    """
    frames = len(contacts)
    planted = stances(contacts, np.zeros((frames, 3)), np.zeros(0, np.int64), rate, 1.0)
    # In the air before the first stance and after the last one, a foot moves with the body's beginning and end.
    knots = [(0, 0, 0.0), *((stance.first, stance.end - 1, (stance.first + stance.end - 1) / 2) for stance in planted)]
    if knots[-1][1] < frames - 1:
        knots.append((frames - 1, frames - 1, frames - 1.0))
    moments = np.zeros(frames)
    for (_, lifts, before), (comes_down, last, after) in itertools.pairwise(knots):
        air = np.linspace(0.0, 1.0, max(comes_down - lifts + 1, 1))
        moments[lifts : lifts + len(air)] = before + smoothstep(air) * (after - before)
        moments[comes_down : last + 1] = after
    return moments

# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of frames, with the root's trajectory over the ground separated from its sway around it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ..arrays import Float64, Int64, Mask
from ..evaluation.body.flights import gravity_of_flight
from ..feet.contact_detection import Foot, foot_heights, ground_heights, label_contacts
from ..feet.footing import find_footing
from ..motion import rotations
from ..motion.filters import smooth_line, to_next
from ..motion.ground_travel import SWAY_SECONDS
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, RootTrack, encode_root, place_and_heading
from ..motion.spans import spans
from .events import Event, find_events
from .time_map import TimeMap


@dataclass(frozen=True, eq=False)
class Frames:
    """Contents of N frames, as arrays with N first.

    rotations: `(N, J, 4)`, the root's relative to its heading. translations: `(N, M, 3)`. offsets: `(N, A, 3)` of the
    anchored joints from the ground below the root, relative to the heading, less their bounces, see `_bounces`.
    pace: `(N,)` in multiples of the recorded one. trajectory: `(N, 2)` smooth places of the root, in the axes of
    `rotations.ground_axes`. turns: `(N,)` smooth headings, in radians. velocity: `(N, 2)` of the trajectory to the next
    frame, relative to the smooth heading. yaw_rate: `(N,)` radians to the next frame. sway: `(N, 2)` of the root from
    the trajectory. twist: `(N,)` of the heading from the smooth one. stands: `(N, feet)`, 0 to 1. heights: `(N, feet)`
    above the ground. drifts: `(N, feet, 3)`, see Footing.
    """

    rotations: Float64
    translations: Float64
    offsets: Float64
    bounces: Float64
    pace: Float64
    trajectory: Float64
    turns: Float64
    velocity: Float64
    yaw_rate: Float64
    sway: Float64
    twist: Float64
    stands: Float64
    heights: Float64
    drifts: Float64

    def at(self, places: Float64, rates: Float64) -> "Frames":
        """Return the frames at fractional places `(T,)`, shown at `rates` `(T,)` times their speed."""
        before = np.clip(np.floor(places).astype(np.int64), 0, len(self.turns) - 1)
        after = np.minimum(before + 1, len(self.turns) - 1)
        share = places - before
        arrays: dict[str, Float64] = {}
        for name, values in self._arrays().items():
            if name == "rotations":
                wide = np.broadcast_to(share[:, None], values[before].shape[:2])
                arrays[name] = np.asarray(rotations.slerp(values[before], values[after], wide))
            else:
                arrays[name] = values[before] + _shaped(share, values) * (values[after] - values[before])
        for name in ("pace", "velocity", "yaw_rate"):
            arrays[name] = arrays[name] * _shaped(rates, arrays[name])
        # A foot slides no faster than in the example, even if this is shown faster.
        arrays["drifts"] = arrays["drifts"] * _shaped(np.minimum(rates, 1.0), arrays["drifts"])
        return Frames(**arrays)

    def mixed(self, other: "Frames", weights: Float64) -> "Frames":
        """Return these frames mixed with others; weights: `(T,)` of the others, which above 1 exaggerate them.

        Trajectory and headings do not change: speeds are mixed, and trajectories are made from them.
        """
        arrays: dict[str, Float64] = {}
        for name, values in self._arrays().items():
            theirs = getattr(other, name)
            if name in ("trajectory", "turns"):
                arrays[name] = values
            elif name == "rotations":
                away = rotations.to_vector(rotations.multiply(rotations.inverse(values), theirs))
                turned = rotations.multiply(values, rotations.from_vector(away * weights[:, None, None]))
                arrays[name] = np.asarray(rotations.normalize(turned))
            else:
                arrays[name] = values + _shaped(weights, values) * (theirs - values)
        return Frames(**arrays)

    def _arrays(self) -> dict[str, Float64]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, eq=False)
class Described:
    """Frames of M motions, one after another.

    firsts, lasts: `(M,)` first and last frame of each. contacts: `(T, feet)` of each. events: at frames among all.
    ground: `(feet,)` height of each foot on the ground. longest_drift: of a foot during one contact, see Footing.
    """

    frames: Frames
    firsts: Int64
    lasts: Int64
    contacts: tuple[Mask, ...]
    events: tuple[Event, ...]
    ground: Float64
    longest_drift: float


def describe(motions: Sequence[Motion], plan: RootPlan, feet: Sequence[Foot]) -> Described:
    """Return the contents of motions on one skeleton; feet: the joints that stand in them."""
    ground = ground_heights(motions, feet)
    contacts = tuple(label_contacts(motion, feet, ground) for motion in motions)
    tracks = [encode_root(motion, plan) for motion in motions]
    headings = [track.heading for track in tracks]
    footing = find_footing(motions, feet, headings, np.concatenate(contacts), plan.joint)
    lengths = np.array([motion.frames for motion in motions])
    firsts = np.cumsum(lengths) - lengths
    parts = [
        _frames_of(motion, plan, track, feet, foot_heights(motion, feet) - ground, stands)
        for motion, track, stands in zip(motions, tracks, contacts, strict=True)
    ]
    together = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    events = tuple(
        event
        for stands, first, motion in zip(contacts, firsts.tolist(), motions, strict=True)
        for event in find_events(stands, first, motion.frames_per_second)
    )
    frames = Frames(**together, drifts=footing.drifts)
    return Described(frames, firsts, firsts + lengths - 1, contacts, events, ground, footing.longest_drift)


def played_by(described: Described, time_map: TimeMap) -> Frames:
    """Return the examples' frames at a time map, with both segments of a crossfade mixed."""
    first, second = (
        described.frames.at(places, rates) for places, rates in zip(time_map.places, time_map.rates, strict=True)
    )
    return first.mixed(second, time_map.weights)


def _frames_of(
    motion: Motion, plan: RootPlan, track: RootTrack, feet: Sequence[Foot], heights: Float64, stands: Mask
) -> dict[str, Float64]:
    """Return the arrays of one motion by name, except the drifts."""
    seen = motion.rotations.astype(np.float64)
    seen[:, plan.anchored] = track.body
    places, turns = place_and_heading(motion, plan)
    ground = places.astype(np.float64) @ rotations.ground_axes(motion.skeleton.up).T
    width = SWAY_SECONDS * motion.frames_per_second
    trajectory, smoothed = np.asarray(smooth_line(ground, width)), np.asarray(smooth_line(turns, width))
    travel = to_next(trajectory)
    bounces = _bounces(motion, places @ np.array(motion.skeleton.up), plan, feet, stands)
    return {
        "rotations": seen,
        "translations": motion.translations.astype(np.float64),
        "offsets": track.offset - bounces,
        "bounces": bounces,
        "pace": np.ones(motion.frames),
        "trajectory": trajectory,
        "turns": smoothed,
        "velocity": np.asarray(rotations.turn_on_ground(travel, -smoothed), np.float64),
        "yaw_rate": to_next(smoothed),
        "sway": np.asarray(rotations.turn_on_ground(ground - trajectory, -smoothed), np.float64),
        "twist": turns - smoothed,
        "stands": stands.astype(np.float64),
        "heights": heights,
    }


def _bounces(motion: Motion, height: Float64, plan: RootPlan, feet: Sequence[Foot], stands: Mask) -> Float64:
    """Return how far anchored joints `(T, A, 3)` are above the root's smooth height; 0 for feet, and without flights.

    A body that runs or jumps falls as gravity takes it, at whatever rate it is shown. One that walks is as high as its
    legs are long. height: `(T,)` of the root.
    """
    rate, size, in_air = motion.frames_per_second, motion.skeleton.size, np.asarray(~stands.any(axis=1))
    flies = any(
        first > 0 and end < motion.frames and gravity_of_flight(height[first:end], rate, size) is not None
        for first, end in spans(in_air)
    )
    if not flies:
        return np.zeros((motion.frames, len(plan.anchored), 3))
    carried = ~np.isin(plan.anchored, [foot.joint for foot in feet])
    bounce = height - smooth_line(height, SWAY_SECONDS * rate)
    return np.asarray(bounce[:, None, None] * carried[:, None] * np.array(motion.skeleton.up), np.float64)


def _shaped(weights: Float64, values: Float64) -> Float64:
    return weights.reshape((-1,) + (1,) * (values.ndim - 1))

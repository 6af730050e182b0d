# SPDX-License-Identifier: GPL-3.0-or-later
"""From runs to channels: the examples' own frames, faded into each other around the cuts.

Nothing is decoded from averaged features, so rotations cannot collapse and accelerations are the example's own.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from . import rotations
from .cuts import Bounds
from .root import RootPlan, RootTrack
from .runs import Runs

Float32 = NDArray[np.float32]

SHORTEST_FADE_SECONDS = 1 / 3
LONGEST_FADE_SECONDS = 2.0
HIGHEST_SPEED = 1.0
"""A fade is long enough to keep every joint below this share of the example's highest speed ..."""
JOLT_SHARE = 0.1
"""A fade changes a joint's speed by no more than this share of what the example does from one frame to the next."""
GOES_ON_SECONDS = 0.2
"""So long a movement goes on beyond the end of its example, under a fade, before it stands."""
NEIGHBOURS = 5
"""How many frames to each side of a cut tell how fast the joints are there."""
LEAST_ROOM = 0.25
"""... or to add no more than this share to a joint that is as fast already."""


CORRECTION_SHARE = 0.06
"""A character that stays is led back at this share of the root's highest speed at most."""


@dataclass(frozen=True, eq=False)
class Channels:
    """Everything that is faded, of T frames.

    turning: `(T, J, 4)` orientations: local ones, but the anchored joints' as seen from the heading; without flips of
    sign within an example.
    straight: `(T, C)` everything else: translations, scales, scalars, and the root's offsets and velocities, the latter
    in the columns `rates`.
    """

    turning: Float32
    straight: Float32
    rates: slice = field(default_factory=lambda: slice(0, 0))


@dataclass(frozen=True, eq=False)
class Fades:
    """Where two runs overlap: for X output frames, both sources and the weight of the later one.

    frames, before, after: `(X,)` indices; behind, ahead: `(X,)` for what lies beyond an example's end, the frame as far
    inside it as before or after should be outside, else before and after themselves; leaves, arrivals: `(X,)` the two
    sides of the cut itself; weights: `(X,)`, 0 to 1.
    """

    frames: NDArray[np.int64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    behind: NDArray[np.int64]
    ahead: NDArray[np.int64]
    leaves: NDArray[np.int64]
    arrivals: NDArray[np.int64]
    weights: Float32


@dataclass(frozen=True, eq=False)
class Speeds:
    """How fast the examples move, per frame of the full rate, and where their joints are.

    highest_turns: `(J,)` the highest angular speed of each orientation, radians; highest_jolts: `(J,)` its highest
    change from frame to frame. highest: the highest speed of a joint.
    sampled: `(M,)` ascending frames at which `poses` `(M, J, 3)` says where the joints are, seen from the root, and
    `fastest` `(M,)` how fast the fastest one is.
    """

    highest_turns: Float32
    highest_jolts: Float32
    highest: float
    sampled: NDArray[np.int64]
    poses: Float32
    fastest: Float32

    def nearest_sample(self, frame: int) -> int:
        """The index of the sample at or before a frame."""
        return max(int(np.searchsorted(self.sampled, frame, side="right")) - 1, 0)


def plan_fades(runs: Runs, bounds: Bounds, channels: Channels, speeds: Speeds, rate: float) -> Fades:
    """Lay a fade over every cut, as long as the gap between its two sides asks for and the runs allow."""
    lengths = runs.lengths
    pieces: list[tuple[NDArray[np.int64], ...]] = []
    weights: list[NDArray[np.float64]] = []
    for index in range(1, len(runs.starts)):
        start, arrive = int(runs.starts[index]), int(runs.sources[index])
        leave = int(runs.sources[index - 1] + lengths[index - 1] - 1)
        needed = _frames_needed(bounds, channels, speeds, leave, arrive)
        wanted = min(max(needed, SHORTEST_FADE_SECONDS * rate), LONGEST_FADE_SECONDS * rate)
        half = min(round(wanted / 2), int(lengths[index - 1]) // 2, int(lengths[index]) // 2)
        if half < 1:
            continue
        around = np.arange(-half, half)
        pieces.append(
            (
                start + around,
                _inside(bounds, leave, 1 + around),
                _inside(bounds, arrive, around),
                _mirrored(bounds, leave, 1 + around, rate),
                _mirrored(bounds, arrive, around, rate),
                np.full(len(around), leave),
                np.full(len(around), arrive),
            )
        )
        ramp = (around + half + 0.5) / (2 * half)
        weights.append(ramp * ramp * (3 - 2 * ramp))
    if not pieces:
        none = np.empty(0, np.int64)
        return Fades(none, none, none, none, none, none, none, np.empty(0, np.float32))
    frames, before, after, behind, ahead, leaves, arrivals = (
        np.concatenate(column) for column in zip(*pieces, strict=True)
    )
    weight = np.concatenate(weights).astype(np.float32)
    return Fades(frames, before, after, behind, ahead, leaves, arrivals, weight)


def _frames_needed(bounds: Bounds, channels: Channels, speeds: Speeds, leave: int, arrive: int) -> float:
    """How long a fade must be for no joint to turn or move faster than the highest speed."""
    around = np.arange(-NEIGHBOURS, NEIGHBOURS + 1)
    before, after = (channels.turning[_inside(bounds, frame, around)] for frame in (leave, arrive))
    own_turns = np.maximum(
        rotations.angle_between(before[1:], before[:-1]).max(axis=0),
        rotations.angle_between(after[1:], after[:-1]).max(axis=0),
    )
    turn_room = np.maximum(HIGHEST_SPEED * speeds.highest_turns - own_turns, LEAST_ROOM * speeds.highest_turns)
    # The gap is to what would have come next.
    turn_gap = rotations.angle_between(before[NEIGHBOURS + 1], after[NEIGHBOURS])
    out, into = speeds.nearest_sample(leave + 1), speeds.nearest_sample(arrive)
    gap = float(np.linalg.norm(speeds.poses[out] - speeds.poses[into], axis=1).max(initial=0.0))
    own = float(max(speeds.fastest[out], speeds.fastest[into]))
    room = max(HIGHEST_SPEED * speeds.highest - own, LEAST_ROOM * speeds.highest, 1e-9)
    # A smooth step's steepest slope is 1.5 times its mean, and its ends bend like 6 over its length squared.
    by_speed = 1.5 * max(float(np.max(turn_gap / turn_room, initial=0.0)), gap / room)
    by_jolt = float(np.sqrt(np.max(6.0 * turn_gap / (JOLT_SHARE * speeds.highest_jolts), initial=0.0)))
    return max(by_speed, by_jolt)


def assemble(channels: Channels, runs: Runs, fades: Fades) -> Channels:
    """The channels of the output: the runs' frames, faded around the cuts."""
    source = runs.source_frames()
    turning, straight = channels.turning[source], channels.straight[source]
    if len(fades.frames):
        weights = fades.weights[:, None]
        before, after = _going_on(channels, fades.before, fades.behind), _going_on(channels, fades.after, fades.ahead)
        # The short way is chosen once for each fade, at its cut: chosen anew each frame, it could change sides.
        at_cut = np.sum(channels.turning[fades.leaves] * channels.turning[fades.arrivals], axis=2, keepdims=True)
        signs = np.where(at_cut < 0, -1.0, 1.0).astype(np.float32)
        turning[fades.frames] = rotations.slerp_as_signed(before.turning, after.turning * signs, weights)
        straight[fades.frames] = before.straight * (1 - weights) + after.straight * weights
    return Channels(turning, straight, channels.rates)


def _going_on(channels: Channels, index: NDArray[np.int64], mirror: NDArray[np.int64]) -> Channels:
    """The channels at `index`; beyond an example's end, its movement turned about that end, so that it goes on.

    mirror: see Fades. Rates stay what they are at the end.
    """
    turning, straight = channels.turning[index], channels.straight[index]
    beyond = np.flatnonzero(mirror != index)
    if len(beyond):
        end, inside = turning[beyond], channels.turning[mirror[beyond]]
        turning[beyond] = rotations.multiply(rotations.multiply(end, rotations.inverse(inside)), end)
        rates = straight[beyond, channels.rates]
        straight[beyond] = 2 * straight[beyond] - channels.straight[mirror[beyond]]
        straight[beyond, channels.rates] = rates
    return Channels(turning, straight, channels.rates)


def anchor(track: RootTrack, places: Float32, runs: Runs, fades: Fades, highest: float) -> RootTrack:
    """Keep a character that stays where the examples stand, and let it end where it began.

    places: `(F, 3)` the ground positions that the shown example frames have. highest: the examples' highest speed of
    the root, units per frame. The way from one run's place to the next one's is made in the fade between them, when
    the feet step anyway; what a fade has no room for follows slowly. Each run stands a little off its place, so that
    the last one ends where the first began.
    """
    ground = track.ground.astype(np.float64)
    speeds = np.append(np.linalg.norm(np.diff(ground, axis=0), axis=1), 0.0)
    slowly = np.full(runs.frames, CORRECTION_SHARE * highest)
    quickly = np.maximum(highest - speeds, slowly)
    faded = np.zeros(runs.frames, bool)
    faded[fades.frames] = True
    astray = places[-1].astype(np.float64) - places[0]
    shifts, shift = np.zeros_like(ground), np.zeros(3)
    ends = np.append(runs.starts[1:], runs.frames)
    for index in range(1, len(runs.starts)):
        start, end = int(runs.starts[index]), int(ends[index])
        calm = start + np.flatnonzero(~faded[start:end])
        at = int(calm[len(calm) // 2]) if len(calm) else (start + end) // 2
        wanted = places[at] - ground[at] - astray * (index / (len(runs.starts) - 1))
        first, last = _extent(faded, start)
        shift = _shift(shifts, first, last, shift, wanted, quickly)
        shift = _shift(shifts, last, int(calm[-1]) if len(calm) else last, shift, wanted, slowly)
    ground += shifts
    if len(runs.starts) > 1:
        # What is left is little, and spread over all frames it is nothing.
        ground += (ground[0] - ground[-1]) * np.linspace(0.0, 1.0, runs.frames)[:, None]
    return replace(track, ground=ground.astype(np.float32))


def _shift(
    shifts: NDArray[np.float64],
    begin: int,
    end: int,
    now: NDArray[np.float64],
    wanted: NDArray[np.float64],
    room: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Lead the shift from `now` towards `wanted` between two frames, as far as the room for speed allows."""
    distance = float(np.linalg.norm(wanted - now))
    if end - begin < 2 or distance == 0.0:
        return now
    share = np.linspace(0.0, 1.0, end - begin)
    way = share * share * (3 - 2 * share)
    possible = float(np.min(room[begin + 1 : end] / np.maximum(np.diff(way) * distance, 1e-12)))
    step = min(1.0, possible) * (wanted - now)
    shifts[begin:end] += way[:, None] * step
    shifts[end:] += step
    return np.asarray(now + step)


def _extent(mask: NDArray[np.bool_], at: int) -> tuple[int, int]:
    """The first and the end of the true stretch around a frame; empty at the frame itself where it is false."""
    if not mask[at]:
        return at, at
    false = np.flatnonzero(~mask)
    before, after = false[false < at], false[false > at]
    return (int(before[-1]) + 1 if len(before) else 0), (int(after[0]) if len(after) else len(mask))


def root_columns(track: RootTrack) -> Float32:
    """The straight columns `(T, 3 A + 4)` of a root track: offsets, velocity, yaw rate."""
    frames = len(track.velocity)
    return np.concatenate((track.offset.reshape(frames, -1), track.velocity, track.yaw_rate[:, None]), axis=1).astype(
        np.float32
    )


def root_track(columns: Float32, body: Float32, start: RootTrack, plan: RootPlan) -> RootTrack:
    """The track told by root columns `(F, 3 A + 4)` and the anchored joints' orientations `(F, A, 4)`.

    start: a track whose first frame says where the character begins.
    """
    count = len(plan.anchored)
    return RootTrack(
        heading=start.heading,
        ground=start.ground,
        velocity=columns[:, 3 * count : 3 * count + 3],
        yaw_rate=columns[:, 3 * count + 3],
        body=body,
        offset=columns[:, : 3 * count].reshape(-1, count, 3),
    )


def _inside(bounds: Bounds, frame: int, around: NDArray[np.int64]) -> NDArray[np.int64]:
    """Frames around one of an example; beyond its ends it stands still."""
    example = int(bounds.example_of(np.array(frame)))
    return np.clip(frame + around, bounds.starts[example], bounds.ends[example] - 1)


def _mirrored(bounds: Bounds, frame: int, around: NDArray[np.int64], rate: float) -> NDArray[np.int64]:
    """Frames around one of an example; those beyond its ends mirrored into it, as far as GOES_ON_SECONDS."""
    example = int(bounds.example_of(np.array(frame)))
    first, last = int(bounds.starts[example]), int(bounds.ends[example]) - 1
    wanted, most = frame + around, round(GOES_ON_SECONDS * rate)
    mirrored = np.where(wanted > last, last - np.minimum(wanted - last, most), wanted)
    mirrored = np.where(wanted < first, first + np.minimum(first - wanted, most), mirrored)
    return np.clip(mirrored, first, last)

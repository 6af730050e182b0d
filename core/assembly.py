# SPDX-License-Identifier: GPL-3.0-or-later
"""From runs to channels: the examples' own frames, faded into each other around the cuts.

Nothing is decoded from averaged features, so rotations cannot collapse and accelerations are the example's own.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import rotations
from .cuts import Bounds
from .root import RootPlan, RootTrack
from .runs import Runs

Float32 = NDArray[np.float32]

SHORTEST_FADE_SECONDS = 1 / 3
LONGEST_FADE_SECONDS = 2.0
SPEED_SHARE = 0.3
"""A fade may add this share of the example's highest speed to a joint; a wider gap is faded longer."""


@dataclass(frozen=True, eq=False)
class Channels:
    """Everything that is faded, of T frames: arrays by name, rotations last of four, the rest linear.

    turning: `(T, J + A - ..., 4)` orientations as they are faded: local ones, the anchored joints' seen from the heading.
    straight: `(T, C)` everything else: translations, scales, scalars, and the root's offsets and velocities.
    """

    turning: Float32
    straight: Float32


@dataclass(frozen=True, eq=False)
class Fades:
    """Where two runs overlap: for X output frames, both sources and the weight of the later one.

    frames, before, after: `(X,)` indices; weights: `(X,)`, 0 to 1.
    """

    frames: NDArray[np.int64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    weights: Float32


def plan_fades(runs: Runs, bounds: Bounds, channels: Channels, speeds: Float32, rate: float) -> Fades:
    """Lay a fade over every cut, as long as the gap between its two sides asks for and the runs allow.

    speeds: `(J,)` the examples' highest angular speed of each orientation, radians per frame.
    """
    lengths = runs.lengths
    pieces: list[tuple[NDArray[np.int64], ...]] = []
    weights: list[NDArray[np.float64]] = []
    for index in range(1, len(runs.starts)):
        start, arrive = int(runs.starts[index]), int(runs.sources[index])
        leave = int(runs.sources[index - 1] + lengths[index - 1] - 1)
        gap = rotations.angle_between(channels.turning[leave], channels.turning[arrive])
        # A smooth step's steepest slope is 1.5 times its mean.
        needed = 1.5 * float(np.max(gap / (SPEED_SHARE * speeds), initial=0.0))
        wanted = min(max(needed, SHORTEST_FADE_SECONDS * rate), LONGEST_FADE_SECONDS * rate)
        half = min(round(wanted / 2), int(lengths[index - 1]) // 2, int(lengths[index]) // 2)
        if half < 1:
            continue
        around = np.arange(-half, half)
        pieces.append(
            (start + around, _inside(bounds, leave, 1 + around), _inside(bounds, arrive, around))
        )
        ramp = (around + half + 0.5) / (2 * half)
        weights.append(ramp * ramp * (3 - 2 * ramp))
    if not pieces:
        none = np.empty(0, np.int64)
        return Fades(none, none, none, np.empty(0, np.float32))
    frames, before, after = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return Fades(frames, before, after, np.concatenate(weights).astype(np.float32))


def assemble(channels: Channels, runs: Runs, fades: Fades) -> Channels:
    """The channels of the output: the runs' frames, faded around the cuts."""
    source = runs.source_frames()
    turning, straight = channels.turning[source], channels.straight[source]
    if len(fades.frames):
        weights = fades.weights[:, None]
        turning[fades.frames] = rotations.slerp(channels.turning[fades.before], channels.turning[fades.after], weights)
        straight[fades.frames] = (
            channels.straight[fades.before] * (1 - weights) + channels.straight[fades.after] * weights
        )
    return Channels(turning, straight)


def anchor(track: RootTrack, places: Float32, runs: Runs, size: float) -> RootTrack:
    """Lead a character that stays back to where the examples stand, and the last frame to where the first stood.

    places: `(F, 3)` the ground positions that the shown example frames have. What a cut displaced is made good
    over the whole run that follows, the more the faster the root moves, so that standing feet are left alone.
    """
    ground = track.ground.astype(np.float64)
    steps = np.linalg.norm(np.diff(ground, axis=0), axis=1)
    walked = np.concatenate((np.zeros(1), np.cumsum(steps + 1e-5 * size)))
    knots = np.unique(np.append(runs.starts, runs.frames - 1)[1:] - 1)
    knots = knots[knots > 0]
    corrected = ground.copy()
    if len(knots):
        errors = places[knots] - ground[knots]
        at = np.concatenate((np.zeros(1), walked[knots]))
        for axis in range(3):
            corrected[:, axis] += np.interp(walked, at, np.concatenate((np.zeros(1), errors[:, axis])))
    if walked[-1] > 0:
        corrected += (corrected[0] - corrected[-1]) * (walked / walked[-1])[:, None]
    return replace(track, ground=corrected.astype(np.float32))


def root_columns(track: RootTrack) -> Float32:
    """The straight columns `(T, 3 A + 4)` of a root track: offsets, velocity, yaw rate."""
    frames = len(track.velocity)
    return np.concatenate(
        (track.offset.reshape(frames, -1), track.velocity, track.yaw_rate[:, None]), axis=1
    ).astype(np.float32)


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

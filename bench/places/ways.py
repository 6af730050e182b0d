# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of waypoints, of trajectories through gaps filled from a library, and of rough stretches made natural."""

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Constraints, Facing, Motion, Settings, Waypoint, Waypoints, metrics, prepare, synthesize
from genmm_addon.core.infill import trajectories_through
from genmm_addon.core.library import IndexedMotions
from genmm_addon.core.motion import Gap, sample
from genmm_addon.core.repair import naturalize

from .common import BODY, Example, skate

FRAMES = 120
BENDS = (0.0, 0.3, -0.6, 0.9)
"""Sideways bends of a path, as shares of its length."""
GAPS = (0.5, 1.5, 2.0)
"""Lengths of the gaps, in seconds."""
ROUGH = 9
"""Interval of the remaining keys, in frames."""
BESIDE = 15
"""Known frames on each side of a gap."""


def waypoint_rows(example: Example) -> Iterator[dict[str, object]]:
    """Yield the measures of results through three waypoints, on paths with larger and larger bends."""
    ready = prepare([example.motion], settings=Settings(facing=Facing.FREE))
    length = FRAMES * ready.examples.mean_root_speed
    axes = np.linalg.svd(np.array(example.motion.skeleton.up)[None])[2][1:]
    for bend in BENDS:
        corners = np.array([(0.0, 0.0), (0.45, 0.45 * bend), (0.8, 0.0)]) * length
        points = tuple(
            Waypoint(frame, tuple((corner @ axes).tolist()))
            for frame, corner in zip((5, 60, 110), corners, strict=True)
        )
        constraints = Constraints(others=(Waypoints(points),))
        begun = time.process_time()
        made = synthesize(ready, FRAMES, constraints=constraints, seed=1).motion
        up = np.array(example.motion.skeleton.up)
        away = made.pose()[1][[5, 60, 110], ready.root.joint] - corners @ axes
        away -= (away @ up)[:, None] * up
        yield {
            "way": f"bends by {bend:g}",
            "missed": float(np.linalg.norm(away, axis=1).max()) / example.motion.skeleton.size,
            "acceleration": metrics.acceleration_ratios(made, example.motion)[1],
            "skate": skate(example, made),
            "skate_of_example": skate(example, example.motion),
            "seconds": time.process_time() - begun,
        }


def trajectory_rows(
    example: Example, library: IndexedMotions, allowed: NDArray[np.bool_]
) -> Iterator[dict[str, object]]:
    """Yield the measures of each trajectory through gaps in the middle of the clip, which the library must not use.

    Accelerations and skate are relative to the larger value of the clip and of the clip that the trajectory comes from;
    skate_beside_frames is relative to the largest of the clip, the frames shown, and those on each side of the gap.
    """
    motion, feet = example.motion, [foot.joint for foot in library.standing.feet]
    for seconds in GAPS:
        missing = round(seconds * motion.frames_per_second)
        first = (motion.frames - missing) // 2
        if first < BESIDE:
            continue
        gap = Gap(motion.slice(first - BESIDE, first), motion.slice(first + missing, first + missing + BESIDE))
        begun = time.process_time()
        ways = trajectories_through(library, gap, [missing + 1], allowed=allowed)
        taken = time.process_time() - begun
        own = _skate_of(motion, feet, motion)
        for way in ways:
            made, source = way.filling.motion, library.motions[way.filling.clip]
            skates = _skate_of(made, feet, motion)
            examples = motion, source
            filling = way.filling
            frames = source.slice(filling.first, filling.first + filling.length + 1)
            sides = [_skate_of(side, feet, motion) for side in (gap.before, gap.after)]
            yield {
                "gap": f"{seconds:g} s",
                "way": way.said,
                "acceleration": min(metrics.acceleration_ratios(made, example)[1] for example in examples),
                "skate": skates,
                "skate_ratio": skates / max(own, _skate_of(source, feet, source), 1e-9),
                "skate_beside_frames": skates / max(own, _skate_of(frames, feet, source), *sides, 1e-9),
                "seconds": taken,
            }


def _skate_of(motion: Motion, feet: list[int], grounded: Motion) -> float:
    """Return the speed of feet near the ground of another motion, in cm/s."""
    ground = metrics.ground_base(grounded, feet)
    return metrics.foot_skate(motion, feet, ground, motion.skeleton.size) * BODY / 170.0


def natural_rows(example: Example, library: IndexedMotions, allowed: NDArray[np.bool_]) -> Iterator[dict[str, object]]:
    """Yield the measures of two seconds of a clip, and of all of it, with few keys, made natural by other clips."""
    motion = example.motion
    length = round(2.0 * motion.frames_per_second)
    middle = (motion.frames - length) // 2
    if middle < 2:
        return
    for stretch, first, last in (("2 s", middle, middle + length), ("whole", 0, motion.frames - 1)):
        rough = _rough(motion, first, last)
        begun = time.process_time()
        made = naturalize(library, rough, first, last, allowed=allowed)
        taken = time.process_time() - begun
        truth = motion.pose()[1][first:last].astype(np.float64)
        errors = [np.linalg.norm(stretch.pose()[1][first:last] - truth, axis=2).mean() for stretch in (rough, made)]
        centimeter = motion.skeleton.size / BODY
        yield {
            "stretch": stretch,
            "rough": float(errors[0]) / centimeter,
            "natural": float(errors[1]) / centimeter,
            "acceleration": metrics.acceleration_ratios(made.slice(first, last), motion)[1],
            "skate_ratio": skate(example, made) / max(skate(example, motion), 1e-9),
            "seconds": taken,
        }


def _rough(motion: Motion, first: int, last: int) -> Motion:
    """Return the motion with only every ROUGH-th frame kept as a key between two of its frames."""
    kept = np.unique([*range(first, last, ROUGH), last])
    few = motion.take(kept)
    at = np.interp(np.arange(first, last + 1), kept, np.arange(len(kept)))
    between = sample(few, at, motion.frames_per_second)
    channels = {name: values.copy() for name, values in motion.channels().items()}
    for name, values in between.channels().items():
        channels[name][first : last + 1] = values
    return motion.with_channels(channels)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Agreement of results with a waveform or a click track, beside that of results that follow nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Constraints, Drive, Follow, Motion, OnBeat, Prepared, Synthesis, metrics, synthesize
from genmm_addon.core.constraints import accents
from genmm_addon.core.feet import ground_heights

from .feet_measures import knee_acceleration
from .quality_table import LEAST_SKATE

Float64 = NDArray[np.float64]

FOLLOWED = ("anything", "energy", "beats")
"""Kinds of control that follow a signal."""
CLICKS_PER_MINUTE = (70, 90, 110, 130, 160)
DEVIATION_SECONDS = 3.0 / 60.0
"""Deviation, in seconds, of the Beat Alignment Score (Li et al. 2021: 3 frames at 60 fps)."""
HIT_FRAMES = 2
SMOOTHING_FRAMES = 20
"""Deviation of the waveform's Gaussian: it rises and falls every few seconds."""


def signals_of(kind: str, frames: int, rate: float) -> list[Constraints]:
    """Return the constraints for each signal of a kind."""
    if kind == "beats":
        tracks = [np.arange(0.3 * rate, frames, 60.0 * rate / tempo) for tempo in CLICKS_PER_MINUTE]
        return [Constraints(others=(OnBeat(track),)) for track in tracks]
    return [Constraints(others=(Follow(waveform(frames)[:, None], drive=Drive(kind)),))]


def waveform(frames: int) -> Float64:
    """Return a smooth random signal `(F,)`."""
    reach = 3 * SMOOTHING_FRAMES
    bell = np.exp(-0.5 * np.square(np.arange(-reach, reach + 1) / SMOOTHING_FRAMES))
    return np.convolve(np.random.default_rng(39).standard_normal(frames + 2 * reach), bell, "valid")


def followed_rows(prepared: Prepared, frames: int, seeds: int) -> Iterator[tuple[Constraints, dict[str, Any]]]:
    """Yield the constraints for each signal of each kind, and its row, with medians over seeds."""
    rate = prepared.motions[0].frames_per_second
    free = [synthesize(prepared, frames, seed=seed) for seed in range(seeds)]
    of_free = max(_local(free, prepared), 1e-9)
    for kind in FOLLOWED:
        for number, constraints in enumerate(signals_of(kind, frames, rate)):
            results = [synthesize(prepared, frames, constraints=constraints, seed=seed) for seed in range(seeds)]
            local = _local(results, prepared)
            row: dict[str, Any] = {
                "control": kind,
                "local_of_free": round(local / of_free, 3),
                "local": round(local, 4),
                **_feet([result.motion for result in results], prepared),
            }
            [follow] = constraints.others
            if isinstance(follow, OnBeat):
                row |= _beats(follow.beats, results, free, prepared)
                row["control"] = f"beats {CLICKS_PER_MINUTE[number]}"
            else:
                row["correlation"] = _median([result.followed[0].correlation or 0.0 for result in results])
            yield constraints, row


def _local(results: Sequence[Synthesis], prepared: Prepared) -> float:
    """Return the median local distance without the root's rotations: a heading that transitions change is no fault."""
    root = prepared.root.joint
    examples = [_unturned(motion, root) for motion in prepared.motions]
    return _median(
        [min(metrics.local_distance(_unturned(result.motion, root), e) for e in examples) for result in results], 5
    )


def _unturned(motion: Motion, root: int) -> Motion:
    rotations = motion.rotations.copy()
    rotations[:, root] = (1.0, 0.0, 0.0, 0.0)
    return replace(motion, rotations=rotations)


def _feet(motions: Sequence[Motion], prepared: Prepared) -> dict[str, float]:
    """Return the median sliding of feet and acceleration of knees, as multiples of the example's; none without feet."""
    example, feet = prepared.motions[0], prepared.feet
    if not feet:
        return {}
    base, joints, size = ground_heights([example], feet), [foot.joint for foot in feet], example.skeleton.size
    own = max(metrics.foot_skate(example, joints, base, size), LEAST_SKATE)
    row = {"skate_of_own": _median([metrics.foot_skate(motion, joints, base, size) / own for motion in motions])}
    knees = [knee_acceleration(motion, example, feet) for motion in motions]
    found = [knee for knee in knees if knee is not None]
    return row | ({"knee_of_own": _median(found)} if found else {})


def _beats(
    beats: Float64, results: Sequence[Synthesis], free: Sequence[Synthesis], prepared: Prepared
) -> dict[str, float]:
    half = float(np.median(np.diff(beats))) / 2.0
    own = float(np.mean([len(accents(motion)) / motion.frames for motion in prepared.motions]))
    motions, others = [result.motion for result in results], [result.motion for result in free]
    return {
        "hit": _median([_hit(beats, motion) for motion in motions]),
        "hit_of_half": _median([max(_hit(beats[::2], motion), _hit(beats[1::2], motion)) for motion in motions]),
        "hit_shifted": _median([_hit(beats + half, motion) for motion in motions]),
        "precision": _median([_hit(accents(motion).astype(float), beats) for motion in motions]),
        "alignment": _median([_alignment(beats, motion) for motion in motions]),
        "alignment_of_free": _median([_alignment(beats, motion) for motion in others]),
        "accents_of_own": _median([len(accents(motion)) / motion.frames / own for motion in motions]),
    }


def _away(places: Float64, others: Motion | Float64) -> Float64:
    """Return the distance, in frames, of each place to the nearest of others, or to a motion's nearest accent."""
    at = accents(others) if isinstance(others, Motion) else others
    return np.abs(places[:, None] - at).min(axis=1) if len(at) else np.full(len(places), np.inf)


def _hit(places: Float64, others: Motion | Float64) -> float:
    return float((_away(places, others) <= HIT_FRAMES).mean()) if len(places) else 0.0


def _alignment(beats: Float64, motion: Motion) -> float:
    """Return the Beat Alignment Score: the mean of exp(-d^2 / (2 sigma^2)) over beats (Li et al. 2021)."""
    deviation = DEVIATION_SECONDS * motion.frames_per_second
    return float(np.exp(-0.5 * np.square(_away(beats, motion) / deviation)).mean())


def _median(values: Sequence[float], digits: int = 3) -> float:
    return round(float(np.median(values)), digits)

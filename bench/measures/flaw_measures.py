# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of spikes, jitter and lost markers that were put into captured motion, and false alarms without them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, rotations
from genmm_addon.core.feet import standing_of
from genmm_addon.core.repair import FlawKind, find_flaws

Float64 = NDArray[np.float64]

SPIKE_RADIANS = 0.4, 1.0
"""Smallest and largest error of a spike in radians, over one to three frames."""
JITTER_RADIANS = 0.05
"""Standard deviation of each number of a jittering rotation, over a second."""
LOST_SECONDS = 0.5
EDGE = 10
"""Frames without flaws at each end of a clip, about which little is known."""
WHOLE = 30
"""Fewest frames of a clip between the two ends."""


def measure_flaws(motions: Sequence[Motion], seed: int) -> dict[str, int | float]:
    """Return the numbers of flaws of each kind that were put into motions one at a time, and of those that were found.

    Further values are the alarms of each kind in the same motions without flaws; flagged: the percentage of frames and
    joints that the alarms cover.
    """
    random, rows = np.random.default_rng(seed), dict[str, int | float]()
    usable = [motion for motion in motions if motion.frames >= WHOLE + 2 * EDGE]
    for kind, put in ((FlawKind.SPIKE, _spiked), (FlawKind.JITTER, _trembling), (FlawKind.LOST, _lost)):
        found = 0
        for motion in usable:
            joint, first = _place(motion, random)
            given, last = put(motion, joint, first, random)
            flaws = find_flaws(given, standing_of(given), frozenset({kind}))
            found += any(joint in flaw.joints and flaw.first <= last and flaw.last >= first for flaw in flaws)
        rows[kind.value.lower()], rows[f"{kind.value.lower()}_found"] = len(usable), found
    alarms = [find_flaws(motion, standing_of(motion)) for motion in motions]
    for kind in FlawKind:
        rows[f"{kind.value.lower()}_alarms"] = sum(flaw.kind == kind for flaws in alarms for flaw in flaws)
    cells = sum(len(flaw.joints) * (flaw.last - flaw.first + 1) for flaws in alarms for flaw in flaws)
    frames = sum(motion.frames for motion in motions)
    rows["frames"] = frames
    rows["flagged"] = 100 * cells / sum(motion.frames * len(motion.skeleton.names) for motion in motions)
    return rows


def _place(motion: Motion, random: np.random.Generator) -> tuple[int, int]:
    """Return a joint that moves and has descendants, and a frame to begin at."""
    turned = motion.rotations.astype(np.float64)
    steps = np.asarray(rotations.angle_between(turned[:-1], turned[1:])).max(axis=0)
    joints = np.flatnonzero((steps > np.radians(1.0)) & (motion.skeleton.reaches > 0))
    return int(random.choice(joints)), int(random.integers(EDGE, motion.frames - EDGE - WHOLE + 1))


def _turned(motion: Motion, joint: int, first: int, turns: Float64) -> Motion:
    own = motion.rotations.copy()
    some = slice(first, first + len(turns))
    own[some, joint] = rotations.multiply(own[some, joint].astype(np.float64), rotations.from_vector(turns))
    return replace(motion, rotations=rotations.make_continuous(own))


def _spiked(motion: Motion, joint: int, first: int, random: np.random.Generator) -> tuple[Motion, int]:
    axis, frames = random.normal(size=3), int(random.integers(1, 4))
    turn = axis / np.linalg.norm(axis) * random.uniform(*SPIKE_RADIANS)
    return _turned(motion, joint, first, np.tile(turn, (frames, 1))), first + frames - 1


def _trembling(motion: Motion, joint: int, first: int, random: np.random.Generator) -> tuple[Motion, int]:
    frames = min(round(motion.frames_per_second), WHOLE)
    return _turned(motion, joint, first, random.normal(0.0, JITTER_RADIANS, (frames, 3))), first + frames - 1


def _lost(motion: Motion, joint: int, first: int, _random: np.random.Generator) -> tuple[Motion, int]:
    frames, own = round(LOST_SECONDS * motion.frames_per_second), motion.rotations.copy()
    own[first : first + frames, joint] = own[first - 1, joint]
    return replace(motion, rotations=rotations.make_continuous(own)), first + frames - 1

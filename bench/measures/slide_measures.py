# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides put into captured motion, then found and repaired: the feet's distance, and accelerations of the legs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion
from genmm_addon.core.feet import Foot, label_contacts, standing_of
from genmm_addon.core.motion import smoothstep
from genmm_addon.core.repair import FlawKind, find_flaws, repair

from .transfer_measures import BODY

Float64 = NDArray[np.float64]

SLIDE = 9.0
"""Centimeters, at a body height of 170 cm, by which the body is moved during a stance, so that the foot slides."""
STANCE_SECONDS = 0.4
"""Shortest stance for a slide, in seconds; in less time, the foot would not be seen to stand."""
AROUND_SECONDS = 0.4
"""Time before and after the stance in which accelerations of the leg count, in seconds."""


def measure_slides(motions: Sequence[Motion], seed: int) -> dict[str, float]:
    """Return the means over slides, one in each motion with a long stance, in cm and meters per squared second."""
    random, found, left = np.random.default_rng(seed), 0, list[tuple[float, ...]]()
    for motion in motions:
        standing = standing_of(motion)
        stances = _stances(motion, standing.feet, standing.ground)
        if not stances:
            continue
        found += 1
        foot, first, end = stances[int(random.integers(len(stances)))]
        given = _with_slide(motion, standing.plan.joint, (first, end), float(random.uniform(0.0, 2 * np.pi)))
        flaws = [
            flaw
            for flaw in find_flaws(given, standing, frozenset({FlawKind.SLIDE}))
            if foot.joint in flaw.joints and flaw.first < end and flaw.last >= first
        ]
        if flaws:
            made = repair(given, flaws, standing)
            versions = (motion, given, made)
            ways = [_way(version, foot, first, end) for version in versions]
            left.append((*ways, *(_acceleration(version, foot, first, end) for version in versions)))
    means = np.mean(left, axis=0) if left else np.full(6, np.nan)
    names = ("way_recorded", "way_sliding", "way_repaired", "most_recorded", "most_sliding", "most_repaired")
    rows = np.array(left).reshape(-1, 6)
    worst = (
        {"worst_way": float(rows[:, 2].max()), "worst_ratio": float((rows[:, 5] / rows[:, 4]).max())} if left else {}
    )
    return {"slides": found, "found": len(left), **dict(zip(names, means.tolist(), strict=True)), **worst}


def _stances(motion: Motion, feet: Sequence[Foot], ground: Float64) -> list[tuple[Foot, int, int]]:
    """Return the feet and frames of long stances that do not include the motion's first or last frame."""
    found, least = [], round(STANCE_SECONDS * motion.frames_per_second)
    contacts = label_contacts(motion, feet, ground)
    for foot, column in zip(feet, contacts.T, strict=True):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], column, [False])).astype(np.int8))).reshape(-1, 2)
        for first, end in edges.tolist():
            if end - first >= least and first > least and end < motion.frames - least:
                found.append((foot, first, end))
    return found


def _with_slide(motion: Motion, root: int, span: tuple[int, int], angle: float) -> Motion:
    """Return a motion whose body is moved during a span and stays there; angle: the direction along the ground."""
    first, end = span
    share = smoothstep(np.clip((np.arange(motion.frames) - first) / (end - first), 0.0, 1.0))
    up = np.array(motion.skeleton.up)
    level = np.roll(up, 1)
    way = np.cos(angle) * level + np.sin(angle) * np.cross(up, level)
    parent = int(motion.skeleton.parents[root])
    if parent >= 0:
        # Translations are in the parent's axes, which need not be level.
        way = np.linalg.inv(motion.pose()[0][:, parent].astype(np.float64)) @ way
    moved = motion.translations.copy()
    slot = list(motion.translated).index(root)
    moved[:, slot] += (share[:, None] * way * SLIDE * motion.skeleton.size / BODY).astype(np.float32)
    return motion.with_channels(motion.channels() | {"translations": moved})


def _way(motion: Motion, foot: Foot, first: int, end: int) -> float:
    """Return the distance of a foot along the ground in a stance, in cm."""
    up, places = np.array(motion.skeleton.up), motion.pose()[1][first:end, foot.joint].astype(np.float64)
    level = places - (places @ up)[:, None] * up
    away = np.linalg.norm(level - np.median(level, axis=0), axis=1).max()
    return float(2 * away) * BODY / motion.skeleton.size


def _acceleration(motion: Motion, foot: Foot, first: int, end: int) -> float:
    """Return the largest acceleration of a leg's joints around a stance, in meters per squared second."""
    around = round(AROUND_SECONDS * motion.frames_per_second)
    inside = slice(max(first - around, 0), end + around)
    places = motion.pose()[1][inside][:, [*foot.leg, foot.joint]].astype(np.float64)
    steps = np.diff(places, 2, axis=0) * motion.frames_per_second**2
    return float(np.linalg.norm(steps, axis=2).max()) * BODY / motion.skeleton.size / 100

# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of feet on the ground, made from formulas, with known stances and places."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
from motions import BIPED, FORWARD, RATE, SIDEWAYS, UPWARD, Array, build_skeleton, place_channels, pose_channels, turn
from numpy.typing import NDArray

from genmm_addon.core import Motion, Skeleton
from genmm_addon.core.feet.contact_detection import Foot, feet_by_name, foot_heights

Joints = dict[str, tuple[str, tuple[float, float, float]]]

TOED: Joints = {
    **BIPED,
    "toe.L": ("foot.L", (0.1, 0.15, 0.02)),
    "toe.R": ("foot.R", (-0.1, 0.15, 0.02)),
}
"""The biped, with a toe on each foot."""
TOES = ("toe.L", "toe.R")
LEG = 0.82
"""Length of the biped's leg from hip to ankle."""

HOUND: Joints = {
    "pelvis": ("", (0.0, 0.0, 0.6)),
    "chest": ("pelvis", (0.0, 0.7, 0.6)),
    "head": ("chest", (0.0, 1.0, 0.8)),
    **{
        f"{name}.{side}": (parent if parent in ("pelvis", "chest") else f"{parent}.{side}", (sign * 0.1, along, height))
        for side, sign in (("L", 1), ("R", -1))
        for name, parent, along, height in (
            ("fore_upper", "chest", 0.7, 0.55),
            ("fore_lower", "fore_upper", 0.65, 0.3),
            ("fore_paw", "fore_lower", 0.7, 0.03),
            ("hind_upper", "pelvis", 0.0, 0.55),
            ("hind_lower", "hind_upper", 0.12, 0.36),
            ("hock", "hind_lower", -0.1, 0.2),
            ("hind_paw", "hock", 0.0, 0.03),
            ("hind_toe", "hind_paw", 0.08, 0.01),
        )
    },
}
"""A quadruped whose hind legs have three bones above the paw."""

ELEPHANT: Joints = {
    **HOUND,
    "trunk": ("head", (0.0, 1.1, 0.75)),
    "trunk middle": ("trunk", (0.0, 1.2, 0.4)),
    "trunk tip": ("trunk middle", (0.0, 1.22, 0.05)),
}
"""A quadruped with a trunk that hangs down nearly to the ground, in the plane between left and right."""

CRAB: Joints = {
    "body": ("", (0.0, 0.0, 0.35)),
    **{
        f"{name} {leg}": (
            parent if parent == "body" else f"{parent} {leg}",
            (reach * float(np.cos(np.pi * (leg + 0.5) / 3)), reach * float(np.sin(np.pi * (leg + 0.5) / 3)), height),
        )
        for leg in range(6)
        for name, parent, reach, height in (
            ("coxa", "body", 0.2, 0.35),
            ("femur", "coxa", 0.45, 0.5),
            ("tip", "femur", 0.7, 0.0),
        )
    },
}
"""Six legs around a body, without names of feet."""


def with_names(motion: Motion, names: Mapping[str, str]) -> Motion:
    """Return the motion with joints renamed."""
    called = tuple(names.get(name, name) for name in motion.skeleton.names)
    return replace(motion, skeleton=replace(motion.skeleton, names=called))


def still(skeleton: Skeleton, root: str, path: Array, turns: Mapping[str, Array] | None = None) -> Motion:
    """Return one pose moved along a path `(T, 3)`."""
    frames = len(path)
    told = {name: np.broadcast_to(value, (frames, 4)) for name, value in (turns or {}).items()}
    return Motion(
        skeleton, RATE, pose_channels(skeleton, told, frames), np.array([0]), place_channels(skeleton, root, path)
    )


def carried(path: Array) -> Motion:
    """Return the biped with bent knees, moved along a path with its hips and so its feet."""
    constrained_path = {"thigh": 0.4, "shin": -0.8, "foot": 0.4}
    turns = {f"{name}.{side}": turn(SIDEWAYS, angle) for name, angle in constrained_path.items() for side in "LR"}
    return still(build_skeleton(TOED), "hips", path, turns)


def carried_hound(path: Array) -> Motion:
    """Return the standing hound moved along a path."""
    return still(build_skeleton(HOUND), "pelvis", path)


@cache
def crab(frames: int = 180, hips: float = 0.35) -> Motion:
    """Return the crab that lifts every other leg while it stands on the three between; hips: height of its hips."""
    beat = 2 * np.pi * np.arange(frames) / RATE
    turns = {}
    for leg in range(6):
        inwards = np.array([-np.sin(np.pi * (leg + 0.5) / 3), np.cos(np.pi * (leg + 0.5) / 3), 0.0])
        turns[f"coxa {leg}"] = turn(inwards, -0.5 * np.maximum(np.sin(beat + np.pi * leg), 0.0))
    low = {"body", *(f"coxa {leg}" for leg in range(6))}
    skeleton = build_skeleton(
        {name: (parent, (x, y, hips if name in low else z)) for name, (parent, (x, y, z)) in CRAB.items()}
    )
    return Motion(
        skeleton,
        RATE,
        pose_channels(skeleton, turns, frames),
        np.array([0]),
        place_channels(skeleton, "body", np.zeros((frames, 3))),
    )


@cache
def marcher(frames: int = 180) -> tuple[Motion, NDArray[np.bool_]]:
    """Return the biped marching in place, and `(T, 2)` whether the left and right foot are on the ground."""
    beat = 2 * np.pi * 0.8 * np.arange(frames) / RATE
    turns, down = {}, []
    for side, shift in (("L", 0.0), ("R", np.pi)):
        lift = np.maximum(np.sin(beat + shift), 0.0) ** 2
        turns[f"thigh.{side}"], turns[f"shin.{side}"] = turn(SIDEWAYS, 0.9 * lift), turn(SIDEWAYS, -1.3 * lift)
        turns[f"upper_arm.{side}"] = turn(FORWARD, np.full(frames, 1.3 if side == "L" else -1.3))
        down.append(lift == 0.0)
    skeleton = build_skeleton(TOED)
    motion = Motion(
        skeleton,
        RATE,
        pose_channels(skeleton, turns, frames),
        np.array([0]),
        place_channels(skeleton, "hips", np.zeros((frames, 3))),
    )
    return motion, np.stack(down, axis=1)


@cache
def compass(steps: int = 16, seed: int = 0) -> Motion:
    """Return the biped walking on straight legs over planted feet, with a changing tempo."""
    widest = 0.32
    lengths = np.random.default_rng(seed).integers(13, 20, steps)
    share = np.concatenate([(np.arange(length) + 0.5) / length for length in lengths])
    step = np.repeat(np.arange(steps), lengths)
    stance = widest * (1 - 2 * share)
    swing, bend = -widest * np.cos(np.pi * share), -0.7 * np.sin(np.pi * share) ** 2
    turns = {"chest": turn(UPWARD, 0.2 * np.sin(np.pi * (step + share)))}
    for side, own in (("L", 0), ("R", 1)):
        stands = step % 2 == own
        thigh, shin = np.where(stands, stance, swing), np.where(stands, 0.0, bend)
        turns[f"thigh.{side}"], turns[f"shin.{side}"] = turn(SIDEWAYS, thigh), turn(SIDEWAYS, shin)
        turns[f"foot.{side}"] = turn(SIDEWAYS, -thigh - shin)
    path = np.zeros((len(share), 3))
    path[:, 1] = 2 * LEG * np.sin(widest) * step - LEG * np.sin(stance)
    path[:, 2] = LEG * (np.cos(stance) - 1.0)
    skeleton = build_skeleton(TOED)
    return Motion(
        skeleton,
        RATE,
        pose_channels(skeleton, turns, len(share)),
        np.array([0]),
        place_channels(skeleton, "hips", path),
    )


def feet_of(motion: Motion, *names: str) -> tuple[Foot, ...]:
    """Return the named feet; without names, the biped's toes."""
    return feet_by_name(motion.skeleton, names or TOES)


def heights_of(motion: Motion, feet: tuple[Foot, ...]) -> Array:
    """Return the heights `(T, feet)` of the feet."""
    return np.asarray(foot_heights(motion, feet))


def places_of(motion: Motion, names: tuple[str, ...] = TOES) -> Array:
    """Return the positions `(T, feet, 3)` of joints."""
    return np.asarray(motion.pose()[1][:, [motion.skeleton.names.index(name) for name in names]], np.float64)

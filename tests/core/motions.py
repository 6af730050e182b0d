# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions made from formulas for tests: a biped that walks, one that waves, and rigs of other kinds."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion, Skeleton, rotations

Array = NDArray[np.floating]
MotionMaker = Callable[[], Motion]
Joints = Mapping[str, tuple[str, tuple[float, float, float]]]
"""Joints by name: the parent's name, and the joint's position."""

RATE = 30.0
UP = (0.0, 0.0, 1.0)
SIDEWAYS, FORWARD, UPWARD = np.eye(3)
"""The axes of the motions: the biped faces +Y, and its left is +X."""
STYLE_ENDINGS = {"neutral": "", "tired": " Tired", "proud": " Proud"}
"""Styles of the sample character's walk, and the endings of their actions' names."""

BIPED: Joints = {
    "hips": ("", (0.0, 0.0, 0.95)),
    "spine": ("hips", (0.0, 0.0, 1.10)),
    "chest": ("spine", (0.0, 0.0, 1.30)),
    "neck": ("chest", (0.0, 0.0, 1.50)),
    "head": ("neck", (0.0, 0.0, 1.62)),
    "upper_arm.L": ("chest", (0.18, 0.0, 1.42)),
    "forearm.L": ("upper_arm.L", (0.45, 0.0, 1.42)),
    "hand.L": ("forearm.L", (0.70, 0.0, 1.42)),
    "upper_arm.R": ("chest", (-0.18, 0.0, 1.42)),
    "forearm.R": ("upper_arm.R", (-0.45, 0.0, 1.42)),
    "hand.R": ("forearm.R", (-0.70, 0.0, 1.42)),
    "thigh.L": ("hips", (0.1, 0.0, 0.90)),
    "shin.L": ("thigh.L", (0.1, 0.0, 0.48)),
    "foot.L": ("shin.L", (0.1, 0.0, 0.08)),
    "thigh.R": ("hips", (-0.1, 0.0, 0.90)),
    "shin.R": ("thigh.R", (-0.1, 0.0, 0.48)),
    "foot.R": ("shin.R", (-0.1, 0.0, 0.08)),
}
"""Joints of a biped 1.7 m tall: the parent, and the joint's position."""

QUADRUPED: Joints = {
    "pelvis": ("", (0.0, 0.0, 0.6)),
    "spine": ("pelvis", (0.0, 0.35, 0.62)),
    "shoulders": ("spine", (0.0, 0.7, 0.6)),
    "neck": ("shoulders", (0.0, 0.8, 0.7)),
    "fore_upper.L": ("shoulders", (0.1, 0.7, 0.55)),
    "fore_lower.L": ("fore_upper.L", (0.1, 0.7, 0.3)),
    "fore_paw.L": ("fore_lower.L", (0.1, 0.7, 0.03)),
    "fore_upper.R": ("shoulders", (-0.1, 0.7, 0.55)),
    "fore_lower.R": ("fore_upper.R", (-0.1, 0.7, 0.3)),
    "fore_paw.R": ("fore_lower.R", (-0.1, 0.7, 0.03)),
    "hind_upper.L": ("pelvis", (0.1, 0.0, 0.55)),
    "hind_lower.L": ("hind_upper.L", (0.1, 0.0, 0.3)),
    "hind_paw.L": ("hind_lower.L", (0.1, 0.0, 0.03)),
    "hind_upper.R": ("pelvis", (-0.1, 0.0, 0.55)),
    "hind_lower.R": ("hind_upper.R", (-0.1, 0.0, 0.3)),
    "hind_paw.R": ("hind_lower.R", (-0.1, 0.0, 0.03)),
}
"""Joints of a quadruped with four legs and a minimal tail."""


def with_channel(motion: Motion, channel: str, values: Array) -> Motion:
    """Return the motion with one of its channels replaced."""
    channels = {**motion.channels(), channel: np.asarray(values, np.float32)}
    return replace(
        motion,
        rotations=channels["rotations"],
        translations=channels["translations"],
        scales=channels["scales"],
        scalars=channels["scalars"],
    )


def turn(axis: Array, angles: Array | float) -> Array:
    """Return quaternions `(..., 4)` that rotate about one axis `(3,)` by `angles` `(...)` in radians."""
    angles = np.asarray(angles, np.float64)
    return np.asarray(rotations.from_axis_angle(np.broadcast_to(axis, (*angles.shape, 3)), angles))


def build_skeleton(joints: Joints) -> Skeleton:
    """Return a skeleton with joints at given positions, each with different axes, as bones have them."""
    names = tuple(joints)
    parents = np.array([names.index(parent) if parent else -1 for parent, _ in joints.values()])
    places = np.array([place for _, place in joints.values()])
    axes = standing_axes(len(names))
    above = np.where(parents >= 0, parents, 0)
    is_root = (parents < 0)[:, None]
    back = rotations.inverse(axes[above])
    return Skeleton(
        names,
        parents,
        np.where(is_root, axes, rotations.multiply(back, axes)),
        np.where(is_root, places, rotations.rotate(back, places - places[above])),
        UP,
    )


def standing_axes(count: int) -> Array:
    """Return the orientation `(J, 4)` of each joint at rest; all differ, so that a confusion of axes shows."""
    tilt = turn(SIDEWAYS, 0.3 * np.arange(count))
    return np.asarray(rotations.multiply(turn(UPWARD, 0.7 * np.arange(count) + 0.2), tilt))


def pose_channels(skeleton: Skeleton, turns: Mapping[str, Array], frames: int) -> NDArray[np.float32]:
    """Return rotations `(T, J, 4)` of joints, given by name as rotations in the axes of the space."""
    axes = standing_axes(len(skeleton.names))
    channels = np.tile(np.array([1.0, 0, 0, 0]), (frames, len(skeleton.names), 1))
    for name, told in turns.items():
        joint = skeleton.names.index(name)
        own = np.broadcast_to(axes[joint], told.shape)
        channels[:, joint] = rotations.multiply(rotations.inverse(own), rotations.multiply(told, own))
    return rotations.make_continuous(channels).astype(np.float32)


def place_channels(skeleton: Skeleton, joint: str, path: Array) -> NDArray[np.float32]:
    """Return translations `(T, 1, 3)` that move a joint with unrotated parents by `path` `(T, 3)` from its rest."""
    axes = standing_axes(len(skeleton.names))[skeleton.names.index(joint)]
    return np.asarray(rotations.rotate(rotations.inverse(axes), path)[:, None], np.float32)


def wandering(time: Array, seed: int, mean: float = 1.0, share: float = 0.1) -> Array:
    """Return a value `(T,)` that drifts around its mean and never repeats."""
    first, second, third = np.random.default_rng(seed).uniform(0, 2 * np.pi, 3)
    drift = 0.5 * np.sin(0.9 * time + first) + 0.3 * np.sin(1.7 * time + second) + 0.2 * np.sin(0.41 * time + third)
    return np.asarray(mean * (1 + share * drift))


def gait(phase: Array, stride: Array, swing: Array) -> dict[str, Array]:
    """Return the rotations of a walking biped's joints; phase: `(T,)`, stride, swing: in radians."""
    turns = {"spine": turn(UPWARD, 0.1 * np.sin(phase)), "chest": turn(UPWARD, -0.2 * np.sin(phase))}
    for side, shift, hang in (("L", 0.0, 1.3), ("R", np.pi, -1.3)):
        beat = phase + shift
        turns[f"thigh.{side}"] = turn(SIDEWAYS, stride * np.sin(beat))
        turns[f"shin.{side}"] = turn(SIDEWAYS, -0.5 * stride * (1 + np.cos(beat)))
        turns[f"foot.{side}"] = turn(SIDEWAYS, 0.3 * stride * np.cos(beat))
        turns[f"upper_arm.{side}"] = rotations.multiply(
            turn(SIDEWAYS, -swing * np.sin(beat)), turn(FORWARD, np.full(len(phase), hang))
        )
        turns[f"forearm.{side}"] = turn(FORWARD, 0.2 * np.sign(hang) * (1 + np.sin(beat)))
    return turns


@cache
def walker(frames: int = 240, seed: int = 0, rate: float = RATE) -> Motion:
    """Return a biped that walks along a curve, with drifting cadence, strides and arm swing."""
    time = np.arange(frames) / rate
    cadence = wandering(time, 10 * seed + 1, 2 * np.pi * 0.9)
    stride, swing = wandering(time, 10 * seed + 2, 0.5), wandering(time, 10 * seed + 3, 0.45, 0.3)
    phase = np.cumsum(cadence) / rate + seed
    yaw = 0.8 * np.sin(0.5 * time + seed) + 0.05 * np.sin(phase)
    speed = 1.2 * (cadence / cadence.mean()) * (stride / stride.mean())
    return walking(phase, stride, swing, yaw, speed / rate, rate)


def walking(phase: Array, stride: Array, swing: Array, yaw: Array, steps: Array, rate: float) -> Motion:
    """Return a biped that walks where it faces; phase, stride, swing: see gait. yaw, steps: `(T,)` radians, meters."""
    skeleton, frames = build_skeleton(BIPED), len(phase)
    ahead = np.stack((-np.sin(yaw), np.cos(yaw), np.zeros(frames)), axis=1)
    path = np.cumsum(ahead * steps[:, None], axis=0)
    path[:, 2] = 0.03 * np.cos(2 * phase) - 0.05
    turns = {"hips": turn(UPWARD, yaw), **gait(phase, stride, swing)}
    return Motion(
        skeleton,
        rate,
        pose_channels(skeleton, turns, frames),
        np.array([0]),
        place_channels(skeleton, "hips", path),
    )


@cache
def styled_walks() -> Mapping[str, Motion]:
    """Return the sample character's walk in three styles, neutral, tired and proud: a small library of one skeleton."""
    motions = sample_motions(RATE)
    return {style: motions[f"GenMM Walk{ending}"] for style, ending in STYLE_ENDINGS.items()}


@cache
def waver(frames: int = 240, seed: int = 0, rate: float = RATE) -> Motion:
    """Return a biped that stays in place, shifts its weight and waves both arms together, and ends as it began."""
    skeleton, time = build_skeleton(BIPED), np.arange(frames) / rate
    beat = np.cumsum(wandering(time, 10 * seed + 4, 2 * np.pi * 0.8, 0.4)) / rate + seed
    lift = wandering(time, 10 * seed + 5, 0.6, 0.4)
    whole = 2 * np.pi * np.arange(frames) / max(frames - 1, 1)
    lean = np.round(1 + frames / 90) * whole
    path = np.stack((0.08 * np.sin(lean), 0.04 * np.sin(2 * lean), 0.02 * np.cos(2 * lean)), axis=1)
    turns = {"hips": turn(UPWARD, 0.15 * np.sin(lean)), "chest": turn(FORWARD, 0.1 * np.sin(beat / 2))}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        turns[f"upper_arm.{side}"] = turn(FORWARD, -sign * lift * (1 + 0.3 * np.sin(beat)))
        turns[f"forearm.{side}"] = turn(FORWARD, -sign * (0.6 + 0.5 * np.sin(beat)))
        turns[f"thigh.{side}"] = turn(FORWARD, 0.08 * np.sin(lean))
    return Motion(
        skeleton,
        rate,
        pose_channels(skeleton, turns, frames),
        np.array([0]),
        place_channels(skeleton, "hips", path),
    )


@cache
def under_a_static_top(frames: int = 240) -> Motion:
    """Return the walker on a rig whose top joint, keyed but still, is above the hips that travel."""
    walk = walker(frames)
    rest, tip = walk.skeleton, np.array([0.0, 0.4, 0.0])
    top = turn(UPWARD, 0.9)
    skeleton = Skeleton(
        ("top", *rest.names),
        np.concatenate((np.array([-1]), rest.parents + 1)),
        np.concatenate(
            (top[None], rotations.multiply(rotations.inverse(top), rest.rest_rotations[:1]), rest.rest_rotations[1:])
        ),
        np.concatenate(
            (
                tip[None],
                rotations.rotate(rotations.inverse(top), rest.rest_translations[:1] - tip),
                rest.rest_translations[1:],
            )
        ),
        UP,
    )
    still = np.tile(np.array([1, 0, 0, 0], np.float32), (frames, 1, 1))
    return Motion(
        skeleton,
        RATE,
        np.concatenate((still, walk.rotations), axis=1),
        np.array([0, 1]),
        np.concatenate((np.zeros((frames, 1, 3), np.float32), walk.translations), axis=1),
    )


@cache
def with_foot_controls(frames: int = 240) -> Motion:
    """Return the walker with two controls beside the hips, at its feet's places: roots that travel along."""
    walk = walker(frames)
    rest, feet = walk.skeleton, [walk.skeleton.names.index(f"foot.{side}") for side in "LR"]
    matrices, positions = walk.pose()
    axes = rotations.from_matrix(matrices[:, feet].astype(np.float64))
    skeleton = Skeleton(
        (*rest.names, "control.L", "control.R"),
        np.append(rest.parents, (-1, -1)),
        np.concatenate((rest.rest_rotations, standing_axes(2))),
        np.concatenate((rest.rest_translations, rest.rest_positions[feet])),
        UP,
    )
    back = rotations.inverse(standing_axes(2))
    controls = rotations.make_continuous(rotations.multiply(back, axes)).astype(np.float32)
    moves = rotations.rotate(back, positions[:, feet] - rest.rest_positions[feet]).astype(np.float32)
    count = len(rest.names)
    return Motion(
        skeleton,
        RATE,
        np.concatenate((walk.rotations, controls), axis=1),
        np.array([0, count, count + 1]),
        np.concatenate((walk.translations, moves), axis=1),
    )


@cache
def with_scales_and_scalars(frames: int = 240) -> Motion:
    """Return the waver with a head that grows and two custom properties that change with it."""
    wave = waver(frames)
    time = np.arange(frames) / RATE
    growth = 1 + 0.3 * np.sin(1.3 * time)[:, None, None] * np.array([1.0, 0.5, 0.2])
    values = np.stack((0.5 + 0.5 * np.sin(2.1 * time), 10 * np.cos(0.7 * time)), axis=1)
    return replace(
        wave,
        scaled=np.array([wave.skeleton.names.index("head")]),
        scales=growth.astype(np.float32),
        scalar_names=('["smile"]', '["mood"]'),
        scalars=values.astype(np.float32),
    )


@cache
def whirler(frames: int = 240) -> Motion:
    """Return the waver with a left arm that circles on, so that its quaternions return with the other sign."""
    wave = waver(frames)
    turns = 1.1 * 2 * np.pi * np.cumsum(wandering(np.arange(frames) / RATE, 7)) / RATE
    channels = wave.rotations.copy()
    arm = wave.skeleton.names.index("upper_arm.L")
    channels[:, arm] = pose_channels(wave.skeleton, {"upper_arm.L": turn(SIDEWAYS, turns)}, frames)[:, arm]
    return replace(wave, rotations=channels)


@cache
def motionless(frames: int = 60) -> Motion:
    """Return one constant pose of the walker."""
    return walker().take(np.full(frames, 40))


def turned_and_moved(motion: Motion, angle: Array | float, shift: tuple[float, float, float]) -> Motion:
    """Return the motion of a rig with all roots translated, rotated about `up` and moved as a whole.

    angle: one for each frame, or the same for all.
    """
    rig, swing = motion.skeleton, turn(UPWARD, angle)
    channels, moves = motion.rotations.astype(np.float64), motion.translations.astype(np.float64)
    for root in np.flatnonzero(rig.parents < 0):
        slot = int(np.searchsorted(motion.translated, root))
        axes, place = rig.rest_rotations[root], rig.rest_translations[root]
        back = rotations.inverse(axes)
        path = rotations.rotate(swing, rotations.rotate(axes, moves[:, slot]) + place) + np.array(shift)
        moves[:, slot] = rotations.rotate(back, path - place)
        local_swing = rotations.multiply(back, rotations.multiply(swing, axes))
        channels[:, root] = rotations.multiply(local_swing, channels[:, root])
    return replace(motion, rotations=channels.astype(np.float32), translations=moves.astype(np.float32))


def in_other_units(motion: Motion, factor: float) -> Motion:
    """Return the same rig and motion, `factor` times as large in its units."""
    skeleton = replace(motion.skeleton, rest_translations=motion.skeleton.rest_translations * factor)
    return replace(motion, skeleton=skeleton, translations=(motion.translations * factor).astype(np.float32))

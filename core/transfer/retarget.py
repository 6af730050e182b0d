# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of one skeleton on another: bones point where the source's do, the root travels as far for its size."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import find_root
from ..motion.skeleton import Skeleton
from .bone_names import meaning_of

Float64 = NDArray[np.floating]

LEG = ("shin", "foot")
"""Joints whose bones make the length of a leg: from the thigh to the knee, and on to the ankle."""
STANDS = 0.1
"""A rest pose whose lowest joint is this share of its size off the origin's height does not stand on it."""
LOWEST_PERCENT = 2
"""The ground of a motion is this percentile of how low its lowest joint is."""


def retarget(
    motion: Motion,
    target: Skeleton,
    pairs: Mapping[str, str],
    translated: NDArray[np.int64],
    ground: float | None = None,
) -> Motion:
    """Return the motion on the target skeleton, its joints turned so that each bone points as the source's does.

    pairs: names of joints there and here. translated: the joints `(M,)` that have translations in the result; of these
    the one which stands for the source's root travels. Joints without a counterpart stay at rest beside their
    parent. ground: how high the ground is here; None: where the rest pose stands, or 0 where it stands on nothing.
    Raises InputError where the root has none.

    >>> retarget(swing, skeleton, {"hips": "hips", "leg": "leg"}, np.array([0])).rotations.shape
    (60, 2, 4)
    """
    source = motion.skeleton
    matched = _matched(source, target, pairs)
    carrier = carrier_of(motion, target, pairs)
    root = matched[carrier]
    turn = _turn_between(source, target, matched)
    matrices, positions = motion.pose()
    there = rotations.from_matrix(rotations.without_scale(matrices).astype(np.float64))
    swings = _swings(source, target, matched, turn)
    local = _local_rotations(motion, source, target, matched, turn, swings, there)
    result = Motion(
        target,
        motion.frames_per_second,
        local.astype(np.float32),
        translated,
        np.zeros((motion.frames, len(translated), 3), np.float32),
    )
    scale = _scale(source, target, matched)
    places = rotations.rotate(turn, positions[:, root].astype(np.float64)) * scale
    return _on_the_ground(_put(result, carrier, places), carrier, places, ground)


def carrier_of(motion: Motion, target: Skeleton, pairs: Mapping[str, str]) -> int:
    """Return the target joint that carries the travel: the one for the source's root, or for what hangs from it.

    Raises InputError where none is called alike.

    >>> carrier_of(swing, skeleton, {"hips": "hips", "leg": "leg"})
    0
    """
    source, matched = motion.skeleton, _matched(motion.skeleton, target, pairs)
    root = find_root([motion])
    below = [joint for joint, own in matched.items() if root in source.chain(own)]
    if not below:
        raise InputError("No bone of the two characters is called alike; fill in the table of bone names.")
    return min(below, key=lambda joint: (len(source.chain(matched[joint])), joint))


def _matched(source: Skeleton, target: Skeleton, pairs: Mapping[str, str]) -> dict[int, int]:
    """Return for each target joint the source joint it follows."""
    there = {name: joint for joint, name in enumerate(source.names)}
    here = {name: joint for joint, name in enumerate(target.names)}
    found = {here[own]: there[other] for other, own in pairs.items() if other in there and own in here}
    return dict(sorted(found.items()))


def _turn_between(source: Skeleton, target: Skeleton, matched: Mapping[int, int]) -> Float64:
    """Return the rotation from the source's space to the target's: upright to upright, left to left."""
    lefts = []
    for skeleton, joints in ((source, matched.values()), (target, matched.keys())):
        sides: dict[str, list[Float64]] = {"L": [], "R": []}
        for joint, own in zip(joints, matched.keys(), strict=True):
            side = meaning_of(target.names[own]).side
            if side:
                sides[side].append(skeleton.rest_positions[joint])
        up = np.array(skeleton.up)
        left = np.mean(sides["L"], axis=0) - np.mean(sides["R"], axis=0) if sides["L"] and sides["R"] else np.zeros(3)
        lefts.append(left - (left @ up) * up)
    ups = (np.array(source.up), np.array(target.up))
    upright = _between(ups[0], ups[1])
    if min(np.linalg.norm(left) for left in lefts) < 1e-6 * min(source.size, target.size):
        return upright
    return rotations.multiply(_between(rotations.rotate(upright, lefts[0]), lefts[1]), upright)


def _swings(source: Skeleton, target: Skeleton, matched: Mapping[int, int], turn: Float64) -> dict[int, Float64]:
    """Return for each matched joint the rotation from where its bone points at rest to where the source's does."""
    swings: dict[int, Float64] = {}
    for joint, own in matched.items():
        child = _next_matched(source, target, matched, joint)
        above = int(target.parents[joint])
        while above >= 0 and above not in swings:
            above = int(target.parents[above])
        swing = swings.get(above, np.array([1.0, 0.0, 0.0, 0.0]))
        if child is not None:
            here = target.rest_positions[child] - target.rest_positions[joint]
            there = rotations.rotate(turn, source.rest_positions[matched[child]] - source.rest_positions[own])
            long_enough = min(np.linalg.norm(here) / target.size, np.linalg.norm(there) / source.size) > 1e-4
            swing = _between(here, there) if long_enough else swing
        swings[joint] = swing
    return swings


def _next_matched(source: Skeleton, target: Skeleton, matched: Mapping[int, int], joint: int) -> int | None:
    """Return the nearest matched joint below, on both skeletons, where there is one alone.

    A trunk goes on to the head.
    """
    below = [
        child
        for child in matched
        if child != joint
        and joint in target.chain(child)
        and matched[joint] in source.chain(matched[child])
        and not any(between in matched for between in target.chain(child)[target.chain(child).index(joint) + 1 : -1])
    ]
    middle = [child for child in below if not meaning_of(target.names[child]).side]
    return below[0] if len(below) == 1 else middle[0] if len(middle) == 1 else None


def _local_rotations(
    motion: Motion,
    source: Skeleton,
    target: Skeleton,
    matched: Mapping[int, int],
    turn: Float64,
    swings: Mapping[int, Float64],
    there: Float64,
) -> Float64:
    at_rest_there, at_rest = (_rest_orientations(skeleton) for skeleton in (source, target))
    frames = motion.frames
    identity = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (frames, 1))
    orientations = np.empty((frames, len(target.names), 4))
    local = np.empty_like(orientations)
    for joint, parent in enumerate(target.parents):
        above = orientations[:, parent] if parent >= 0 else identity
        base = rotations.multiply(above, np.broadcast_to(target.rest_rotations[joint], (frames, 4)))
        if joint in matched:
            own = matched[joint]
            turned = rotations.multiply(
                there[:, own], np.broadcast_to(rotations.inverse(at_rest_there[own]), (frames, 4))
            )
            delta = rotations.multiply(
                rotations.multiply(np.broadcast_to(turn, (frames, 4)), turned), rotations.inverse(turn)
            )
            rest = rotations.multiply(swings[joint], at_rest[joint])
            orientations[:, joint] = rotations.normalize(rotations.multiply(delta, rest))
        else:
            orientations[:, joint] = base
        local[:, joint] = rotations.normalize(rotations.multiply(rotations.inverse(base), orientations[:, joint]))
    return rotations.make_continuous(local)


def _scale(source: Skeleton, target: Skeleton, matched: Mapping[int, int]) -> float:
    """Return the length of the target's legs as a share of the source's; without legs, of the whole bodies."""
    lengths = [
        (_length_to(target, joint, matched.keys()), _length_to(source, own, matched.values()), joint)
        for joint, own in matched.items()
    ]
    legs = [pair for *pair, joint in lengths if meaning_of(target.names[joint]).name in LEG]
    here, there = np.sum(legs or [pair for *pair, _ in lengths], axis=0)
    return float(here / there) if min(here, there) > 0 else target.size / source.size


def _length_to(skeleton: Skeleton, joint: int, matched: Collection[int]) -> float:
    """Return the distance along the bones to a joint from the matched one above it; 0 where there is none."""
    length, above = 0.0, joint
    while above >= 0:
        if above != joint and above in matched:
            return length
        length += float(np.linalg.norm(skeleton.rest_translations[above]))
        above = int(skeleton.parents[above])
    return 0.0


def ground_of(motion: Motion) -> float:
    """Return the height of the ground that a motion stands on.

    >>> round(ground_of(swing), 3)
    0.1
    """
    heights = motion.pose()[1] @ np.array(motion.skeleton.up)
    return float(np.percentile(heights.min(axis=1), LOWEST_PERCENT))


def _on_the_ground(motion: Motion, joint: int, places: Float64, ground: float | None) -> Motion:
    """Return the motion, its root at `places`, raised or lowered as a whole until it stands on the ground."""
    up = np.array(motion.skeleton.up)
    if ground is None:
        rest = float((motion.skeleton.rest_positions @ up).min())
        ground = rest if abs(rest) < STANDS * motion.skeleton.size else 0.0
    return _put(motion, joint, places + (ground - ground_of(motion)) * up)


def _put(motion: Motion, joint: int, places: Float64) -> Motion:
    """Return the motion with a joint at the given places `(T, 3)`, where it may be moved; its parents stay."""
    slots = np.flatnonzero(motion.translated == joint)
    if not len(slots):
        return motion
    skeleton, parent = motion.skeleton, int(motion.skeleton.parents[joint])
    inside = places
    if parent >= 0:
        matrices, positions = motion.pose()
        above = rotations.without_scale(matrices[:, parent]).astype(np.float64)
        inside = np.einsum("tba,tb->ta", above, places - positions[:, parent])
    rest = np.broadcast_to(rotations.inverse(skeleton.rest_rotations[joint]), (motion.frames, 4))
    translations = motion.translations.copy()
    translations[:, slots[0]] = rotations.rotate(rest, inside - skeleton.rest_translations[joint])
    return replace(motion, translations=translations)


def _rest_orientations(skeleton: Skeleton) -> Float64:
    found = np.empty((len(skeleton.names), 4))
    for joint, parent in enumerate(skeleton.parents):
        own = skeleton.rest_rotations[joint]
        found[joint] = rotations.multiply(found[parent], own) if parent >= 0 else own
    return found


def _between(start: Float64, end: Float64) -> Float64:
    """Return the shortest rotation `(4,)` from one direction to another; half a turn where they are opposite."""
    turn = rotations.shortest_turn(start, end)
    if float(np.linalg.norm(np.cross(start, end))) > 1e-9 * float(np.linalg.norm(start) * np.linalg.norm(end)):
        return turn
    if float(start @ end) >= 0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    aside = np.cross(start, np.eye(3)[int(np.argmin(np.abs(start)))])
    return np.concatenate(([0.0], aside / np.linalg.norm(aside)))

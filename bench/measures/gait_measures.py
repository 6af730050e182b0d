# SPDX-License-Identifier: GPL-3.0-or-later
"""The gait of results whose limbs are separate parts: hands relative to feet, and one foot relative to the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, Part, Prepared, Synthesis, limb_partition, prepare, rotations, synthesize
from genmm_addon.core.motion import RootPlan, encode_root

from .quality_table import Row

GAIT = 0.5
"""Least correlation of limbs in the example for a common gait."""
KEYS = ("hand_foot_example", "hand_foot", "arms_apart", "left_right_example", "left_right", "limbs_apart")


@dataclass(frozen=True)
class Gait:
    """Joints that swing together: each hand with the foot that it follows, and pairs of feet that alternate."""

    hands: tuple[tuple[int, int], ...]
    feet: tuple[tuple[int, int], ...]


def gait_row(prepared: Prepared, seeds: int) -> Row:
    """Return the correlations of limbs in a traveling example, and in results with separate arms and separate limbs.

    hand_foot, left_right: the mean correlation over pairs and seeds. arms_apart, limbs_apart: the share of frames at
    which a part shows another moment than the root's part. Values are None if the example has no such gait.
    """
    row: Row = dict.fromkeys(KEYS)
    if prepared.root.in_place or not prepared.feet:
        return row
    example = prepared.motions[0]
    gait = find_gait(prepared)
    for joints, names, legs_apart in ((gait.hands, KEYS[:3], False), (gait.feet, KEYS[3:], True)):
        parts = limb_partition(example.skeleton, legs_apart=legs_apart)
        if not joints or len(parts) < 2:
            continue
        parted = prepare([example], parts=parts, settings=prepared.settings)
        results = [synthesize(parted, 2 * example.frames, seed=seed) for seed in range(seeds)]
        row[names[0]] = correlation(example, prepared.root, joints)
        row[names[1]] = float(np.mean([correlation(result.motion, prepared.root, joints) for result in results]))
        row[names[2]] = float(np.mean([from_another_moment(result, parted) for result in results]))
    return row


def find_gait(prepared: Prepared) -> Gait:
    """Return the limbs that swing together in the first example."""
    example = prepared.motions[0]
    ends = _ends(limb_partition(example.skeleton, legs_apart=True), example)
    feet = [foot.joint for foot in prepared.feet]
    hands = [joint for joint in ends if not any(example.skeleton.descendants(joint)[feet])]
    hands = [joint for joint in hands if not any(joint in example.skeleton.chain(foot) for foot in feet)]
    feet = [joint for joint in ends if joint not in hands]
    swings = _swings(example, prepared.root)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The root does not swing relative to itself, so its deviation is zero.
        table = np.asarray(np.nan_to_num(np.atleast_2d(np.corrcoef(swings.T))))
    pairs = [(hand, feet[int(np.argmax(table[hand, feet]))]) for hand in hands if feet]
    return Gait(
        tuple((hand, foot) for hand, foot in pairs if table[hand, foot] >= GAIT),
        tuple((one, other) for place, one in enumerate(feet) for other in feet[:place] if table[one, other] <= -GAIT),
    )


def correlation(motion: Motion, root: RootPlan, pairs: Sequence[tuple[int, int]]) -> float:
    """Return the mean correlation of the swings of pairs of joints, along the direction of travel."""
    swings = _swings(motion, root)
    return float(np.mean([np.corrcoef(swings[:, one], swings[:, other])[0, 1] for one, other in pairs]))


def from_another_moment(result: Synthesis, prepared: Prepared) -> float:
    """Return the share of frames at which parts other than the root's show another moment, averaged over the parts."""
    leader = result.source_frames[:, prepared.planning.root_part]
    others = np.delete(result.source_frames, prepared.planning.root_part, axis=1)
    return float(np.mean(np.abs(others - leader[:, None]) > 1.5))


def _ends(parts: Sequence[Part], example: Motion) -> list[int]:
    """Return the last joint of each free limb, such as a fingertip or toe."""
    skeleton = example.skeleton
    depths = np.array([len(skeleton.chain(joint)) for joint in range(len(skeleton.names))])
    ends = []
    for part in parts[1:]:
        limb = skeleton.descendants(skeleton.names.index(part.name))
        ends.append(max(np.flatnonzero(limb).tolist(), key=lambda joint: int(depths[joint])))
    return ends


def _swings(motion: Motion, root: RootPlan) -> NDArray[np.float64]:
    """Return the distance `(T, J)` of each joint in front of the root, along the mean direction of travel."""
    track = encode_root(motion, root)
    positions = motion.pose()[1]
    seen = rotations.rotate(rotations.inverse(track.heading)[:, None], positions - positions[:, root.joint, None])
    way = track.velocity.mean(axis=0)
    return np.asarray(seen @ (way / max(float(np.linalg.norm(way)), 1e-9)), np.float64)

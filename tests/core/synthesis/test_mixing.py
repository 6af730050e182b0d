# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts with independent sources, and many styles in one result."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motions import walker, waver
from numpy.typing import NDArray

from genmm_addon.core import Motion, Part, Prepared, metrics, prepare, rotations, synthesize
from genmm_addon.core.features.body_parts import limb_partition

STYLED = ("spine", "chest", "head", "upper_arm.L", "upper_arm.R", "forearm.L", "forearm.R", "thigh.L", "thigh.R")


def raised(motion: Motion, side: str) -> NDArray[np.floating]:
    """Return the height `(T,)` of a hand above its shoulder."""
    names, positions = motion.skeleton.names, motion.pose()[1]
    hand, shoulder = names.index(f"hand.{side}"), names.index(f"upper_arm.{side}")
    return np.asarray((positions[:, hand] - positions[:, shoulder])[:, 2])


def togetherness(motion: Motion) -> float:
    """Return the correlation of the two hands' heights."""
    return float(np.corrcoef(raised(motion, "L"), raised(motion, "R"))[0, 1])


def one_hand_waves(motion: Motion, example: Motion) -> float:
    """Return the share of time in which one hand is high up and the other is not (paper, figure 7)."""
    high = [raised(motion, side) > np.median(raised(example, side)) for side in "LR"]
    return float(np.mean(high[0] != high[1]))


@pytest.mark.slow
def test_hands_that_wave_together_wave_apart_when_they_are_parts() -> None:
    example = waver(300)
    assert togetherness(example) > 0.8
    whole, parts = prepare([example]), prepare([example], parts=limb_partition(example.skeleton))
    together = [synthesize(whole, 600, seed=seed).motion for seed in range(6)]
    apart = [synthesize(parts, 600, seed=seed).motion for seed in range(6)]
    assert min(togetherness(motion) for motion in together) > 0.7
    assert np.mean([togetherness(motion) for motion in apart]) < 0.35
    assert max(togetherness(motion) for motion in apart) < 0.6
    single = np.mean([one_hand_waves(motion, example) for motion in apart])
    assert single > 2 * np.mean([one_hand_waves(motion, example) for motion in together])


def styled(motion: Motion, style: int) -> Motion:
    """Return the motion in another posture: a constant rotation for each of some joints."""
    random = np.random.default_rng(100 + style)
    turned = motion.rotations.copy()
    for name in STYLED:
        joint, axis = motion.skeleton.names.index(name), random.standard_normal(3)
        turn = rotations.from_axis_angle(axis / np.linalg.norm(axis), np.array(random.uniform(-0.6, 0.6)))
        turned[:, joint] = rotations.multiply(np.broadcast_to(turn, (motion.frames, 4)), turned[:, joint])
    return replace(motion, rotations=turned.astype(np.float32))


@cache
def ten_styles(kind: str) -> tuple[Prepared, tuple[Motion, ...]]:
    make = {"walks": [walker], "gestures": [waver], "both": [walker, waver]}[kind]
    examples = tuple(styled(make[style % len(make)](120 + 6 * style, style), style) for style in range(10))
    return prepare(examples), examples


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["walks", "gestures", "both"])
@pytest.mark.parametrize("seed", range(3))
def test_of_ten_styles_none_is_left_out(kind: str, seed: int) -> None:
    prepared, examples = ten_styles(kind)
    result = synthesize(prepared, sum(example.frames for example in examples), seed=seed)
    for number, example in enumerate(examples):
        assert metrics.coverage(result.motion, example) >= 0.95
        shown = np.unique(result.source_frames[result.source_examples[:, 0] == number, 0].astype(int))
        assert len(shown) > 0.25 * example.frames


def test_the_upper_body_of_one_example_on_the_legs_of_another() -> None:
    walk, wave = walker(), waver()
    names = walk.skeleton.names
    upper = tuple(number for number, name in enumerate(names) if "arm" in name or "hand" in name or name == "chest")
    lower = tuple(number for number, name in enumerate(names) if number not in upper or name == "chest")
    parts = [Part("Lower", lower, (0,)), Part("Upper", upper, (1,))]
    result = synthesize(prepare([walk, wave], parts=parts), 300, seed=1).motion
    assert np.linalg.norm(result.pose()[1][-1, 0] - result.pose()[1][0, 0]) > 2.0
    assert raised(result, "L").max() > raised(walk, "L").max() + 0.1

# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's walks as a library: three styles of one skeleton, without Blender."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from motions import RATE, styled_walks

from genmm_addon.core import Motion, Synthesis, metrics, prepare, rotations, synthesize

ROOT = Path(__file__).resolve().parents[2]
STYLES = ("neutral", "tired", "proud")


def skate(motion: Motion, example: Motion) -> float:
    """Return the sliding of the toes in cm/s, above the example's ground."""
    toes = [joint for joint, name in enumerate(example.skeleton.names) if name.startswith("Toes")]
    return metrics.foot_skate(motion, toes, metrics.ground_base(example, toes), example.skeleton.size)


def largest_turn(motion: Motion) -> float:
    """Return the largest rotation of a joint from one frame to the next, in degrees."""
    return float(np.degrees(rotations.angle_between(motion.rotations[1:], motion.rotations[:-1])).max())


@pytest.fixture(scope="module")
def mixed() -> Synthesis:
    return synthesize(prepare(list(styled_walks().values())), 900, seed=1)


def test_the_walks_need_no_blender() -> None:
    code = (
        "import sys; sys.modules['bpy'] = None; from genmm_addon.character.sample.sample_motions import sample_motions"
    )
    subprocess.run([sys.executable, "-c", f"{code}; assert len(sample_motions(30.0)) >= 3"], cwd=ROOT, check=True)


@pytest.mark.parametrize("style", STYLES)
def test_a_result_of_one_style_shows_all_of_it_and_skates_no_more(style: str) -> None:
    walk = styled_walks()[style]
    result = synthesize(prepare([walk]), 2 * walk.frames).motion
    assert metrics.coverage(result, walk) > 0.95
    assert skate(result, walk) < 1.1 * skate(walk, walk)
    assert largest_turn(result) < 1.3 * largest_turn(walk)


@pytest.mark.parametrize("style", STYLES)
def test_no_result_is_its_example_from_end_to_end(style: str) -> None:
    prepared = prepare([styled_walks()[style]])
    frames = prepared.motions[0].frames
    for seed in range(6):
        shown = synthesize(prepared, frames, seed=seed).source_frames[:, 0]
        assert np.mean(np.abs(shown - np.arange(frames)) < 2) < 0.75


def test_a_result_of_all_styles_shows_each_of_them(mixed: Synthesis) -> None:
    shown = np.bincount(mixed.source_examples[:, 0], minlength=len(STYLES)) / mixed.motion.frames
    assert shown.min() > 0.1
    assert metrics.coverage(mixed.motion, *styled_walks().values()) > 0.95


def test_between_styles_no_joint_turns_faster_than_the_fastest_of_them(mixed: Synthesis) -> None:
    walks = styled_walks().values()
    assert mixed.motion.frames_per_second == RATE
    assert largest_turn(mixed.motion) < 1.3 * max(map(largest_turn, walks))
    assert skate(mixed.motion, styled_walks()["neutral"]) < max(skate(walk, walk) for walk in walks)

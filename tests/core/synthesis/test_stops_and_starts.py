# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops and starts: a root that brakes before it stands still, and feet that step shorter meanwhile."""

from dataclasses import replace

import numpy as np
import pytest
from legged import feet_of
from measures import root_path, root_speeds, same_sources
from motions import RATE, walker, waver

from genmm_addon.core import Constraints, Labels, LabelStretch, Motion, Prepared, Synthesis, prepare, synthesize
from genmm_addon.core.feet.contact_detection import ground_heights, label_contacts
from genmm_addon.core.motion.motion import joint_path
from genmm_addon.core.synthesis import braking

RUN = replace(walker(240, rate=RATE / 2), frames_per_second=RATE)
"""The walk, played twice as fast: 2.4 m/s."""
STAND = waver(120)


@pytest.fixture(scope="module")
def examples() -> Prepared:
    return prepare([RUN, STAND])


def run_between_stands(examples: Prepared, seed: int) -> Synthesis:
    tags = (("run",), ("stand",))
    stretches = (LabelStretch("stand", 0, 59), LabelStretch("run", 60, 139), LabelStretch("stand", 140, 199))
    return synthesize(examples, 200, constraints=Constraints(others=(Labels(tags, stretches),)), seed=seed)


def largest_change(motion: Motion) -> float:
    """Return the largest change of the body's speed within a fifth of a second, in sizes per second squared."""
    path, frames = root_path(motion)[:, :2], round(0.2 * RATE)
    speeds = np.linalg.norm(path[frames:] - path[:-frames], axis=1) / frames
    return float(np.abs(speeds[frames:] - speeds[:-frames]).max() / frames * RATE**2 / motion.skeleton.size)


def slid(motion: Motion) -> float:
    """Return the distance by which feet slide while they stand."""
    feet = feet_of(RUN, "foot.L", "foot.R")
    contacts = label_contacts(motion, feet, ground_heights([RUN, STAND], feet))
    paths = np.stack([joint_path(motion, foot.joint)[:, :2] for foot in feet], axis=1)
    return float(np.linalg.norm(np.diff(paths, axis=0), axis=2)[contacts[:-1] & contacts[1:]].sum())


@pytest.mark.parametrize("seed", range(3))
def test_a_run_slows_down_before_a_stand_and_its_feet_slide_no_more(
    examples: Prepared, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    gradual = run_between_stands(examples, seed).motion
    monkeypatch.setattr(braking, "BRAKING", np.inf)
    sudden = run_between_stands(examples, seed).motion
    assert largest_change(gradual) < 0.85 * largest_change(sudden)
    assert slid(gradual) < 1.1 * slid(sudden)
    assert root_speeds(gradual)[85:115].mean() > 0.9 * root_speeds(RUN).mean(), "it runs in between"


def test_speeds_that_the_examples_have_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare([RUN])
    braked = synthesize(prepared, 200, seed=1)
    monkeypatch.setattr(braking, "BRAKING", np.inf)
    assert same_sources(braked, synthesize(prepared, 200, seed=1)) == 1.0
    assert np.array_equal(braked.motion.translations, synthesize(prepared, 200, seed=1).motion.translations)

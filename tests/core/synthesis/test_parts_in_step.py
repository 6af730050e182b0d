# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts in step: if the examples travel, each part stays in gait phase with the part that has the root."""

from functools import cache

import numpy as np
import pytest
from motions import RATE, walker, wandering, waver
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    Loop,
    Motion,
    PoseConstraint,
    Prepared,
    Settings,
    limb_partition,
    prepare,
    synthesize,
)

SEEDS = range(4)
MANY = range(12)
"""Seeds over which means are stable; in single ones, a leg may be out of step for a stride."""


@cache
def parted(in_step: bool, legs_apart: bool) -> Prepared:
    walk = walker()
    settings = Settings(parts_in_step=in_step, foot_locking=False)
    return prepare([walk], parts=limb_partition(walk.skeleton, legs_apart=legs_apart), settings=settings)


def swings(motion: Motion, names: tuple[str, str]) -> float:
    """Return the correlation of two joints' distances before the root, in a walk along the first axis."""
    positions = motion.pose()[1]
    joints = [motion.skeleton.names.index(name) for name in names]
    way = positions[-1, 0] - positions[0, 0]
    before = (positions[:, joints] - positions[:, :1]) @ (way / np.linalg.norm(way))
    return float(np.corrcoef(before.T)[0, 1])


def mean_swings(prepared: Prepared, names: tuple[str, str]) -> float:
    return float(np.mean([swings(synthesize(prepared, 300, seed=seed).motion, names) for seed in MANY]))


FEET = ("foot.L", "foot.R")


@pytest.mark.slow
def test_legs_apart_alternate_as_in_the_example_and_do_not_where_they_are_free() -> None:
    of_example = swings(walker(), FEET)
    assert of_example < -0.7
    assert mean_swings(parted(True, True), FEET) < 0.9 * of_example
    assert mean_swings(parted(False, True), FEET) > 0.7 * of_example


@pytest.mark.slow
def test_legs_apart_alternate_in_a_loop_and_through_pins_too() -> None:
    prepared = parted(True, True)
    other = synthesize(prepared, 300, seed=77).motion
    joints = np.zeros((300, len(other.skeleton.names)), bool)
    joints[[60, 150, 240]] = True
    pins = PoseConstraint(other, joints, joints[:, 0].copy())
    for constraints in (Constraints(loop=Loop.TRAVEL), Constraints(poses=pins)):
        results = [synthesize(prepared, 300, constraints=constraints, seed=seed).motion for seed in SEEDS]
        assert np.mean([swings(motion, FEET) for motion in results]) < 0.7 * swings(walker(), FEET)


def frames_out_of_phase(prepared: Prepared, constraints: Constraints, seed: int) -> NDArray[np.float64]:
    """Return the mean number of frames, of a stride's 33, by which each part `(P,)` is ahead or behind."""
    cadence = 2 * np.pi * 0.9
    phase = np.cumsum(wandering(np.arange(walker().frames) / RATE, 1, cadence)) / RATE
    shown = phase[synthesize(prepared, 300, constraints=constraints, seed=seed).source_frames.round().astype(np.int64)]
    apart = np.angle(np.exp(1j * (shown - shown[:, prepared.planning.root_part, None])))
    return np.asarray(np.abs(apart).mean(axis=0) * RATE / cadence)


@pytest.mark.slow
@pytest.mark.parametrize("constraints", [Constraints(), Constraints(loop=Loop.TRAVEL)])
@pytest.mark.parametrize("legs_apart", [False, True])
def test_parts_keep_the_phase_to_a_frame_where_transitions_find_their_best_frames(
    legs_apart: bool, constraints: Constraints
) -> None:
    """A stage frame stands for three, and transitions move by several more, so parts were up to five frames off."""
    prepared = parted(True, legs_apart)
    off = np.array([frames_out_of_phase(prepared, constraints, seed) for seed in MANY])
    others = np.delete(off, prepared.planning.root_part, axis=1)
    assert others.mean() < 1.2
    assert others.max() < 2.5


@pytest.mark.parametrize("legs_apart", [False, True])
def test_parts_in_step_still_show_different_frames(legs_apart: bool) -> None:
    prepared = parted(True, legs_apart)
    for seed in SEEDS:
        source_frames = synthesize(prepared, 300, seed=seed).source_frames
        others = np.delete(source_frames, prepared.planning.root_part, axis=1)
        leader = source_frames[:, prepared.planning.root_part, None]
        assert np.mean(np.abs(others - leader) > 1.5) > 0.5


def test_where_the_examples_stay_in_place_parts_are_free_either_way() -> None:
    wave = waver()
    in_step, free = (
        synthesize(prepare([wave], parts=limb_partition(wave.skeleton), settings=Settings(parts_in_step=asked)), 120)
        for asked in (True, False)
    )
    assert np.array_equal(in_step.motion.rotations, free.motion.rotations)

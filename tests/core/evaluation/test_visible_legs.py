# SPDX-License-Identifier: GPL-3.0-or-later
"""Flaws of knees and feet: found where they were inserted, and nowhere else."""

import numpy as np
import pytest
from legged import carried, marcher
from numpy.typing import NDArray

from genmm_addon.core import Motion, Prepared, prepare, rotations, synthesize
from genmm_addon.core.evaluation import LegFlawKind, StandingLegs, leg_flaws
from genmm_addon.core.evaluation.visible_legs import MOST_NAMED
from genmm_addon.core.feet import ground_heights
from genmm_addon.core.feet.leg_ik import move_root

FRAMES, AT = 240, 120
SIDEWAYS, UPWARD = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def march() -> Motion:
    return marcher(FRAMES)[0]


@pytest.fixture(scope="module")
def examples(march: Motion) -> Prepared:
    prepared = prepare([march])
    assert len(prepared.feet) == 2
    return prepared


def legs_of(prepared: Prepared) -> StandingLegs:
    known, base = prepared.example_feet, ground_heights(prepared.motions, prepared.feet)
    return StandingLegs(known.feet, known.contacts, known.heights, base, known.footing, prepared.bounds.starts)


def flaws_of(motion: Motion, prepared: Prepared) -> set[tuple[LegFlawKind, int]]:
    return {(flaw.kind, flaw.frame) for flaw in leg_flaws(motion, legs_of(prepared))}


def moved(motion: Motion, frames: tuple[int, int], way: NDArray[np.float64]) -> Motion:
    """Return the motion displaced by `way` between two frames, and from then on."""
    share = np.interp(np.arange(motion.frames), frames, (0.0, 1.0))
    return move_root(motion, 0, share[:, None] * way)


def test_motion_within_the_examples_has_no_leg_flaws(march: Motion, examples: Prepared) -> None:
    assert flaws_of(march, examples) == set()


@pytest.mark.parametrize("seed", range(3))
def test_a_sound_result_has_none(examples: Prepared, seed: int) -> None:
    assert flaws_of(synthesize(examples, 300, seed=seed).motion, examples) == set()


def test_a_knee_that_pops_is_named_by_its_frame(march: Motion, examples: Prepared) -> None:
    turned, thigh = march.rotations.copy(), march.skeleton.names.index("thigh.L")
    turned[AT, thigh] = rotations.multiply(turned[AT, thigh], np.array([np.cos(0.2), np.sin(0.2), 0.0, 0.0]))
    found = flaws_of(march.with_channels(march.channels() | {"rotations": turned}), examples)
    assert (LegFlawKind.KNEE, AT) in found and all(abs(frame - AT) <= 10 for _, frame in found)


def test_a_foot_that_slides_is_named(march: Motion, examples: Prepared) -> None:
    found = flaws_of(moved(march, (AT, AT + 9), 0.4 * march.skeleton.size * SIDEWAYS), examples)
    assert any(kind is LegFlawKind.SLIDE and AT <= frame <= AT + 9 for kind, frame in found)
    assert all(abs(frame - AT) < 20 for _, frame in found)


def test_a_foot_that_is_dragged_through_a_stance_is_named() -> None:
    stands = carried(np.zeros((FRAMES, 3)))
    prepared = prepare([stands])
    found = flaws_of(moved(stands, (60, 180), 0.06 * stands.skeleton.size * SIDEWAYS), prepared)
    assert found == {(LegFlawKind.DRAG, FRAMES // 2)}


def test_a_body_that_floats_is_named(march: Motion, examples: Prepared) -> None:
    up = moved(march, (AT, AT + 15), 0.2 * march.skeleton.size * UPWARD)
    found = flaws_of(moved(up, (AT + 45, AT + 60), -0.2 * march.skeleton.size * UPWARD), examples)
    assert any(kind is LegFlawKind.AIR and AT <= frame <= AT + 60 for kind, frame in found)


def test_of_many_those_that_show_most_are_named(march: Motion, examples: Prepared) -> None:
    shaken = march.take(np.tile(np.arange(FRAMES)[::-1], 20))
    sway = np.random.default_rng(0).normal(0.0, 0.05, (shaken.frames, 3)) * march.skeleton.size
    found = leg_flaws(move_root(shaken, 0, sway), legs_of(examples))
    count = sum(flaw.kind is LegFlawKind.KNEE for flaw in found)
    assert count == MOST_NAMED and list(found) == sorted(found, key=lambda flaw: (flaw.frame, flaw.kind.value))


def test_motion_without_feet_has_no_leg_flaws(march: Motion, examples: Prepared) -> None:
    known = legs_of(examples)
    nothing = StandingLegs((), known.contacts[:, :0], known.heights[:, :0], known.base[:0], known.footing, known.starts)
    assert leg_flaws(march, nothing) == ()

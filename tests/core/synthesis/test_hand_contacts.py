# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that meet, or rest on the head, in all examples: they also do so in crossfades from one place to another."""

import numpy as np
import pytest
from motions import walker
from numpy.typing import NDArray

from genmm_addon.core import Constraints, Motion, PoseConstraint, prepare, synthesize
from genmm_addon.core.examples.example_data import Examples
from genmm_addon.core.feet.contact_detection import Foot
from genmm_addon.core.planning.crossfades import Crossfades
from genmm_addon.core.synthesis import compose
from genmm_addon.core.synthesis.hand_contacts import with_hand_contacts
from genmm_addon.core.transfer.self_contacts.arms import reach_with
from genmm_addon.core.transfer.self_contacts.bodies import TouchingBody, pose_body
from genmm_addon.core.transfer.self_contacts.crossfaded import own_body

MEETING = ((0.2, 0.25, -0.2), (-0.2, 0.25, 0.25))
"""Places at which both hands meet, from the chest, in meters: left of the belly and before the right shoulder."""
ON_HEAD = ((0.1, -0.04, 0.06), (0.02, 0.13, -0.05))
"""Places of the left hand at the head, from the head's joint."""
FRAMES = 400
SEEDS = range(4)


def body_of(motion: Motion) -> TouchingBody:
    body = own_body(motion.skeleton)
    assert body is not None
    return body.source


def brought(motion: Motion, joint: str, place: tuple[float, float, float], hands: tuple[int, ...]) -> Motion:
    """Return the motion with palms 6 cm apart around a place that turns with a joint, or one palm at it."""
    index, body = motion.skeleton.names.index(joint), body_of(motion)
    rest = Motion(
        motion.skeleton, motion.frames_per_second, np.array([[[1, 0, 0, 0]] * len(motion.skeleton.names)], np.float32)
    )
    turns = np.einsum("tab,cb->tac", motion.pose()[0][:, index], rest.pose()[0][0, index])
    for hand in hands:
        aside = np.array([0.03 if hand == 0 else -0.03, 0.0, 0.0]) * (len(hands) > 1)
        goal = motion.pose()[1][:, index] + np.einsum("tab,b->ta", turns, np.array(place) + aside)
        palms = pose_body(motion, body).palms[hand]
        motion = reach_with(motion, body.hands[hand].arm, goal - palms, np.ones(motion.frames))
    return motion


def apart(motion: Motion, joint: str | None) -> NDArray[np.float64]:
    """Return the distance `(T,)` of the palms, or of the left palm from a joint."""
    posed = pose_body(motion, body_of(motion))
    other = posed.palms[1] if joint is None else motion.pose()[1][:, motion.skeleton.names.index(joint)]
    return np.asarray(np.linalg.norm(posed.palms[0] - other, axis=1))


def unkept(examples: object, motion: Motion, crossfades: object, feet: object, undisplaced: object) -> Motion:
    return motion


@pytest.mark.parametrize(
    ("around", "places", "hands", "joint"), [("chest", MEETING, (0, 1), None), ("head", ON_HEAD, (0,), "head")]
)
def test_contact_that_both_sides_have_is_kept_in_a_crossfade(
    around: str,
    places: tuple[tuple[float, float, float], ...],
    hands: tuple[int, ...],
    joint: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    examples = [brought(walker(150, number), around, place, hands) for number, place in enumerate(places)]
    prepared = prepare(examples)
    nearest = min(apart(example, joint).min() for example in examples)
    farthest = max(apart(example, joint).max() for example in examples)
    kept = [synthesize(prepared, FRAMES, seed=seed) for seed in SEEDS]
    assert any(len(set(result.source_examples[:, 0].tolist())) > 1 for result in kept)
    for result in kept:
        assert nearest - 0.01 <= apart(result.motion, joint).min()
        assert apart(result.motion, joint).max() <= farthest + 0.01
    monkeypatch.setattr(compose, "with_hand_contacts", unkept)
    before = [synthesize(prepared, FRAMES, seed=seed) for seed in SEEDS]
    off = [
        max(apart(result.motion, joint).max() - farthest, nearest - apart(result.motion, joint).min())
        for result in before
    ]
    assert max(off) > 0.03
    arms = [name for name in examples[0].skeleton.names if name.startswith(("upper_arm", "forearm", "hand"))]
    for result, other in zip(kept, before, strict=True):
        changed = np.abs(result.motion.rotations - other.motion.rotations).max(axis=(0, 2)) > 1e-5
        assert {examples[0].skeleton.names[number] for number in np.flatnonzero(changed)} <= set(arms)
        limit = max(highest(other.motion).max(), *(highest(example).max() for example in examples))
        assert highest(result.motion).max() <= 1.1 * limit


def highest(motion: Motion) -> NDArray[np.float64]:
    """Return the largest acceleration of each joint."""
    return np.asarray(np.linalg.norm(np.diff(motion.pose()[1].astype(np.float64), 2, axis=0), axis=2).max(axis=0))


def test_arms_that_touch_nothing_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare([walker(150), walker(150, 1)])
    kept = synthesize(prepared, FRAMES, seed=1).motion
    monkeypatch.setattr(compose, "with_hand_contacts", unkept)
    assert np.array_equal(kept.rotations, synthesize(prepared, FRAMES, seed=1).motion.rotations)


def test_arms_that_a_character_stands_on_are_left_to_its_feet(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [brought(walker(150, number), "chest", place, (0, 1)) for number, place in enumerate(MEETING)]
    prepared, names = prepare(examples), examples[0].skeleton.names
    hands = [Foot(names.index(f"hand.{side}"), (), ()) for side in "LR"]

    def standing_on_hands(examples: Examples, motion: Motion, crossfades: Crossfades, *others: object) -> Motion:
        return with_hand_contacts(examples, motion, crossfades, hands)

    kept = synthesize(prepared, FRAMES, seed=1).motion
    monkeypatch.setattr(compose, "with_hand_contacts", unkept)
    before = synthesize(prepared, FRAMES, seed=1).motion
    monkeypatch.setattr(compose, "with_hand_contacts", standing_on_hands)
    assert np.array_equal(synthesize(prepared, FRAMES, seed=1).motion.rotations, before.rotations)
    assert not np.array_equal(kept.rotations, before.rotations)


@pytest.mark.parametrize("seed", SEEDS)
def test_arms_on_the_way_to_a_pinned_pose_are_not_thrown_to_a_contact(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pinned pose has its arms elsewhere; a crossfade near it has hands that meet on both sides."""
    examples = [brought(walker(150, number), "chest", place, (0, 1)) for number, place in enumerate(MEETING)]
    held = PoseConstraint.at(walker(150, 2), FRAMES, dict.fromkeys(range(20, FRAMES, 40), 70))
    prepared, constraints = prepare(examples), Constraints(poses=held)
    result = synthesize(prepared, FRAMES, constraints=constraints, seed=seed).motion
    monkeypatch.setattr(compose, "with_hand_contacts", unkept)
    before = synthesize(prepared, FRAMES, constraints=constraints, seed=seed).motion
    limit = max(highest(before).max(), *(highest(example).max() for example in examples))
    assert highest(result).max() <= 1.1 * limit


@pytest.mark.parametrize("seed", range(2))
def test_a_contact_is_kept_beside_pins_that_move_hands_only_a_little(seed: int) -> None:
    examples = [brought(walker(150, number), "head", place, (0,)) for number, place in enumerate(ON_HEAD)]
    farthest = max(apart(example, "head").max() for example in examples)
    held = PoseConstraint.at(examples[1], FRAMES, dict.fromkeys(range(20, FRAMES, 97), 70))
    result = synthesize(prepare(examples), FRAMES, constraints=Constraints(poses=held), seed=seed).motion
    assert apart(result, "head").max() <= farthest + 0.01

# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of walks: measured, and changed to values of other walks one at a time, with feet that stay planted."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motions import styled_walks, waver

from genmm_addon.core import InputError, Motion, rotations
from genmm_addon.core.feet import Foot, ground_heights, knee_of, label_contacts
from genmm_addon.core.library import index_motions
from genmm_addon.core.manner import (
    BODY_ATTRIBUTES,
    ActionExamples,
    EditedMotion,
    Means,
    Target,
    attribute_named,
    edit,
    find_examples,
    measure,
    parse_targets,
)
from genmm_addon.core.manner.attributes import editing
from genmm_addon.core.manner.attributes.measuring import measured
from genmm_addon.core.manner.attributes.warping import warp
from genmm_addon.core.motion import joint_accelerations

pytestmark = pytest.mark.filterwarnings("error")

WALKS = ("neutral", "tired", "proud")


@cache
def walks() -> ActionExamples:
    every = [styled_walks()[style] for style in WALKS]
    return find_examples(every[0].slice(0, 120), index_motions(every))


@cache
def edited(name: str, share: float) -> tuple[EditedMotion, float]:
    """Return the walk with an attribute at a share of its range, and the attribute's value there."""
    attribute = attribute_named(name)
    among = walks().range(attribute)
    target = among.lowest + share * (among.highest - among.lowest)
    return edit(walks(), [Target(attribute, target)]), target


def turned(motion: Motion) -> np.ndarray:
    """Return the mean rotation of each joint relative to the walk, in degrees."""
    angles = rotations.angle_between(motion.rotations.astype(float), walks().content.rotations.astype(float))
    return np.asarray(np.degrees(angles).mean(axis=0))


def test_motion_whose_frames_last_for_days_is_measured_in_no_more_pieces_than_frames() -> None:
    slow = replace(walks().content.slice(0, 20), frames_per_second=1e-5)
    examples = ActionExamples(slow, (slow,), np.zeros(1, np.int64), walks().body)
    assert len(examples.values(attribute_named("crouch"))[0]) <= 20


@pytest.mark.every_case
@pytest.mark.parametrize("name", [attribute.name for attribute in BODY_ATTRIBUTES])
def test_edit_reaches_the_requested_value(name: str) -> None:
    for share in (0.0, 0.3, 0.6, 1.0):
        made, target = edited(name, share)
        among = walks().range(attribute_named(name))
        assert abs(made.outcomes[0].got - target) <= 0.1 * (among.highest - among.lowest)


@pytest.mark.parametrize("name", ["speed", "step_length", "turning", "crouch"])
def test_feet_stand_where_and_when_they_did(name: str) -> None:
    made, _ = edited(name, 0.5)
    content, feet = walks().content, walks().body.feet
    before, after = (contacts(motion, feet) for motion in (content, made.motion))
    shown = before[np.round(made.positions).astype(int)]
    assert np.mean(after == shown) > 0.95
    assert slide(made.motion, feet) < 1.3 * slide(content, feet)


def contacts(motion: Motion, feet: Sequence[Foot]) -> np.ndarray:
    return label_contacts(motion, feet, ground_heights([motion], feet))


def slide(motion: Motion, feet: Sequence[Foot]) -> float:
    """Return the mean distance of planted feet along the ground in a frame."""
    places = motion.pose()[1][:, [foot.joint for foot in feet]].astype(float)
    level = places - (places @ np.array(motion.skeleton.up))[..., None] * np.array(motion.skeleton.up)
    stands = contacts(motion, feet)
    return float(np.linalg.norm(np.diff(level, axis=0), axis=2)[stands[1:] & stands[:-1]].mean())


@pytest.mark.parametrize("name", ["arm_swing", "arm_height", "swing:Head"])
def test_other_joints_stay_as_they_are(name: str) -> None:
    made, _ = edited(name, 1.0)
    moved = turned(made.motion)
    names = walks().content.skeleton.names
    own = (
        [name.partition(":")[2]]
        if ":" in name
        else [one for one in names if "arm" in one.lower() or "hand" in one.lower()]
    )
    others = [one not in own for one in names]
    assert moved[others].max() < 0.1 * moved.max()


def test_arms_that_one_angle_cannot_lower_hang_at_each_frame_without_a_jerk() -> None:
    """The walk's arms swing about straight down by 17 degrees, so that no constant rotation lowers them."""
    content, height = walks().content, attribute_named("arm_height")
    target = 0.5 * walks().own_values["arm_height"]
    made = warp(content, walks().body, height, target)
    assert measured(made.motion, walks().body, height) == pytest.approx(target, rel=0.02)
    before, after = (np.diff(motion.pose()[1].astype(float), 2, axis=0) for motion in (content, made.motion))
    assert np.linalg.norm(after, axis=2).max() < 1.2 * np.linalg.norm(before, axis=2).max()


@pytest.mark.parametrize("shaken", [False, True])
def test_frames_of_examples_are_taken_only_where_they_do_not_jerk(
    shaken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    height, lower = attribute_named("arm_height"), 0.6 * walks().own_values["arm_height"]
    taken = warp(walks().content, walks().body, height, lower).motion
    if shaken:
        turns, arm = taken.rotations.copy(), walks().body.arms[0].hip
        shake = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.full(taken.frames // 2, 0.3))
        turns[::2, arm] = rotations.multiply(turns[::2, arm], shake.astype(np.float32))
        taken = replace(taken, rotations=turns)
    monkeypatch.setattr(editing, "take_from_examples", lambda *_: taken)
    monkeypatch.setattr(editing, "_suits_examples", lambda *_: True)
    monkeypatch.setattr(editing, "_within", lambda _, target: target.value)
    (outcome,) = edit(walks(), [Target(height, lower)]).outcomes
    assert outcome.means is (Means.WARP if shaken else Means.EXAMPLES)


def test_a_walk_with_longer_steps_goes_farther_in_the_same_time() -> None:
    longer = edit(
        walks(), [Target(attribute_named("step_length"), walks().range(attribute_named("step_length")).highest)]
    )
    assert longer.motion.frames == walks().content.frames
    assert measure(longer.motion, walks().body)["speed"] >= walks().own_values["speed"]


def test_a_faster_walk_takes_less_time_and_keeps_its_steps_where_those_are_asked_for() -> None:
    slower = parse_targets("step_length=1x, speed=0.9x")
    made = edit(walks(), slower)
    assert made.motion.frames > walks().content.frames
    values = measure(made.motion, walks().body)
    assert values["step_length"] == pytest.approx(walks().own_values["step_length"], rel=0.03)
    assert values["speed"] == pytest.approx(0.9 * walks().own_values["speed"], rel=0.02)


def test_a_value_on_the_edge_of_the_range_may_be_rounded_as_sliders_are() -> None:
    among = walks().range(attribute_named("energy"))
    assert all(among.contains(float(np.float32(value))) for value in (among.lowest, among.highest))
    assert not among.contains(among.highest * 1.001)


def test_only_attributes_and_values_within_the_examples_are_accepted() -> None:
    for text, sentence in (
        ("speed=30x", "beyond the examples"),
        ("speed", "not an attribute with a value"),
        ("hurry=2", 'no attribute "hurry"'),
        ("swing:Nose=2", 'no bone "Nose"'),
        ("speed=1x, speed=2x", "twice"),
        ("", "No attribute is to be changed"),
    ):
        with pytest.raises(InputError, match=sentence):
            edit(walks(), parse_targets(text))


@pytest.mark.parametrize("name", ["speed", "step_length"])
def test_the_range_ends_where_knees_would_move_more_suddenly_than_in_any_example(name: str) -> None:
    content, attribute = walks().content, attribute_named(name)
    farther = warp(content, walks().body, attribute, 2.5 * walks().own_value(attribute)).motion
    examples = replace(walks(), motions=(farther,), body=find_examples(content, index_motions([content])).body)
    recorded, among = examples.recorded_range(attribute), examples.range(attribute)
    assert among.lowest == recorded.lowest and walks().own_value(attribute) < among.highest < 0.9 * recorded.highest
    knees = [knee_of(content, foot) for foot in examples.body.feet]
    most = [
        joint_accelerations(motion, knees).max()
        for motion in (content, edit(examples, [Target(attribute, among.highest)]).motion)
    ]
    assert most[1] <= 1.2 * most[0]
    with pytest.raises(InputError, match="move the knees of this motion more suddenly than in any example; choose"):
        edit(examples, [Target(attribute, recorded.highest)])


def test_unrelated_actions_do_not_extend_the_range_of_attributes() -> None:
    one, other = styled_walks()["neutral"], waver(120)
    with pytest.raises(InputError, match="other joints"):
        find_examples(one, index_motions([other]))
    alone = find_examples(one, index_motions([one]))
    assert alone.range(attribute_named("arm_swing")).highest < walks().range(attribute_named("arm_swing")).highest


def test_several_attributes_are_reached_together_and_measured_on_the_result() -> None:
    made = edit(walks(), parse_targets("arm_swing=1.1x, energy=1.05x, step_length=1.02x, crouch=1.05x"))
    values = measure(made.motion, walks().body)
    for outcome in made.outcomes:
        assert outcome.got == pytest.approx(values[outcome.attribute.name])
        if outcome.attribute.name != "energy":  # arms that swing farther have more energy
            assert outcome.got == pytest.approx(outcome.asked, rel=0.03)


def test_nothing_asked_for_is_nothing_changed() -> None:
    made = edit(walks(), parse_targets("speed=1x, arm_height=1x"))
    assert made.motion is walks().content and {one.means for one in made.outcomes} == {Means.WARP}

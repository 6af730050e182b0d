# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels over time: results show the requested examples, and change between them as free results do."""

from functools import cache

import numpy as np
import pytest
from motions import styled_walks
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    InputError,
    Labels,
    LabelStretch,
    Loop,
    Motion,
    Part,
    PoseConstraint,
    Prepared,
    Synthesis,
    prepare,
    synthesize,
)
from genmm_addon.core.constraints import label
from genmm_addon.core.features.body_parts import limb_partition

STYLES = ("neutral", "tired", "proud")
TAGS = tuple((f"style={style}", "action=walk") for style in STYLES)
AS_ASKED = 0.98
AT_A_BORDER = 1.15
"""Largest acceleration at a border, as a multiple of the highest in the examples."""


@cache
def walks() -> Prepared:
    return prepare([styled_walks()[style] for style in STYLES])


def labels(*stretches: tuple[str, int, int]) -> Labels:
    return Labels(TAGS, tuple(LabelStretch(f"style={style}", first, last) for style, first, last in stretches))


def made(frames: int, *stretches: tuple[str, int, int], seed: int = 0, loop: Loop = Loop.OFF) -> Synthesis:
    constraints = Constraints(loop=loop, others=(labels(*stretches),))
    return synthesize(walks(), frames, constraints=constraints, seed=seed)


def share_as_asked(result: Synthesis, *stretches: tuple[str, int, int]) -> float:
    """Return the share of the labeled frames that show the requested examples in every part."""
    right = [result.source_examples[first : last + 1] == STYLES.index(style) for style, first, last in stretches]
    return float(np.mean(np.concatenate(right).all(axis=1)))


def accelerations(motion: Motion) -> NDArray[np.floating]:
    return np.asarray(np.linalg.norm(np.diff(motion.pose()[1], 2, axis=0), axis=2))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "stretches",
    [
        (("tired", 0, 79), ("proud", 80, 159)),
        (("tired", 0, 119), ("proud", 120, 239), ("neutral", 240, 359)),
        (("proud", 100, 199),),
        (("tired", 0, 59), ("proud", 140, 199)),
    ],
    ids=["two", "three", "one in the middle", "two with a free stretch between"],
)
def test_the_labels_are_shown_at_their_frames(stretches: tuple[tuple[str, int, int], ...], seed: int) -> None:
    result = made(max(last for _, _, last in stretches) + 1 + 60 * (len(stretches) == 1), *stretches, seed=seed)
    assert share_as_asked(result, *stretches) >= AS_ASKED


@pytest.mark.parametrize("seed", range(3))
def test_one_label_passes_into_the_other_without_a_jerk(seed: int) -> None:
    result = made(160, ("tired", 0, 79), ("proud", 80, 159), seed=seed)
    usual = max(accelerations(walk).max() for walk in walks().motions)
    assert accelerations(result.motion).max() < AT_A_BORDER * usual


def test_the_same_seed_gives_the_same_motion_and_another_another() -> None:
    stretches = ("tired", 0, 79), ("proud", 80, 159)
    one, again, other = (made(160, *stretches, seed=seed).motion for seed in (1, 1, 2))
    assert np.array_equal(one.rotations, again.rotations)
    assert not np.array_equal(one.rotations, other.rotations)


@cache
def two_walks_and_a_proud_one() -> Prepared:
    neutral = styled_walks()["neutral"]
    half = neutral.frames // 2
    return prepare([neutral.slice(0, half), neutral.slice(half, neutral.frames), styled_walks()["proud"]])


def neutral_then_proud(length: int, seed: int) -> Synthesis:
    stretches = LabelStretch("neutral", 0, length - 1), LabelStretch("proud", length, length + 79)
    both = Labels((("neutral",), ("neutral",), ("proud",)), stretches)
    return synthesize(two_walks_and_a_proud_one(), length + 80, constraints=Constraints(others=(both,)), seed=seed)


@pytest.mark.parametrize("seed", range(5))
def test_a_long_stretch_shows_several_of_its_examples(seed: int) -> None:
    result = neutral_then_proud(120, seed)
    assert np.bincount(result.source_examples[:117, 0], minlength=2)[:2].min() >= 15
    usual = max(accelerations(walk).max() for walk in two_walks_and_a_proud_one().motions)
    assert accelerations(result.motion).max() < AT_A_BORDER * usual


def test_no_other_stretch_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    def results() -> list[NDArray[np.floating]]:
        one_example_of_each = made(240, ("tired", 0, 119), ("proud", 120, 239))
        several_already, short = neutral_then_proud(120, seed=0), neutral_then_proud(30, seed=1)
        return [result.motion.rotations for result in (one_example_of_each, several_already, short)]

    before = results()
    monkeypatch.setattr(label, "ONE_EXAMPLE_COST", 0.0)
    assert all(np.array_equal(one, other) for one, other in zip(before, results(), strict=True))


def test_without_a_stretch_nothing_changes() -> None:
    free = synthesize(walks(), 200, seed=3)
    assert np.array_equal(free.motion.rotations, made(200, seed=3).motion.rotations)


@pytest.mark.parametrize("loop", [Loop.TRAVEL, Loop.IN_PLACE])
def test_a_loop_shows_its_labels_too_and_begins_elsewhere_with_another_seed(loop: Loop) -> None:
    stretches = ("tired", 0, 149), ("proud", 150, 299)
    results = [made(300, *stretches, seed=seed, loop=loop) for seed in range(3)]
    assert all(share_as_asked(result, *stretches) >= AS_ASKED for result in results)
    assert len({float(result.source_frames[0, 0]) for result in results}) > 1


def test_labels_hold_beside_pins() -> None:
    stretches = ("tired", 0, 99), ("proud", 100, 199)
    given = synthesize(prepare([styled_walks()["tired"]]), 200, seed=5).motion
    joints = np.zeros((200, len(given.skeleton.names)), bool)
    joints[50] = True
    pins = PoseConstraint(given, joints, np.zeros(200, bool))
    result = synthesize(walks(), 200, constraints=Constraints(poses=pins, others=(labels(*stretches),)))
    assert share_as_asked(result, *stretches) >= AS_ASKED
    assert np.allclose(result.motion.rotations[50, 1:], given.rotations[50, 1:], atol=1e-5)


def test_every_part_shows_its_labels() -> None:
    parts = limb_partition(styled_walks()["tired"].skeleton)
    prepared = prepare([styled_walks()[style] for style in STYLES], parts=parts)
    stretches = ("tired", 0, 99), ("proud", 100, 199)
    result = synthesize(prepared, 200, constraints=Constraints(others=(labels(*stretches),)))
    assert result.source_examples.shape[1] > 1
    assert share_as_asked(result, *stretches) >= AS_ASKED


def test_examples_with_all_tags_are_shown_where_labels_overlap() -> None:
    both = Labels(TAGS, (LabelStretch("action=walk", 0, 159), LabelStretch("style=proud", 80, 159)))
    result = synthesize(walks(), 160, constraints=Constraints(others=(both,)))
    assert share_as_asked(result, ("proud", 80, 159)) >= AS_ASKED


@pytest.mark.parametrize(
    ("stretches", "message"),
    [
        ([("happy", 0, 9)], "No example has the tag style=happy; there are action=walk, style=neutral"),
        ([("tired", 9, 3)], "style=tired ends before it begins"),
        ([("tired", 100, 200)], "frames 101 to 201 of the motion, which has 160"),
        ([("tired", 0, 90), ("proud", 80, 159)], "both style=tired and style=proud, which overlap at frames 81 to 91"),
    ],
)
def test_impossible_labels_are_rejected_with_one_sentence(stretches: list[tuple[str, int, int]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(160, *stretches)


def test_a_part_that_draws_from_no_example_of_a_label_is_refused() -> None:
    parts = limb_partition(styled_walks()["tired"].skeleton)
    mixed = [Part(part.name, part.joints, (int(number > 0),)) for number, part in enumerate(parts)]
    prepared = prepare([styled_walks()[style] for style in STYLES], parts=mixed)
    with pytest.raises(InputError, match=r"draws from no example with style=proud, which frames 1 to 50"):
        synthesize(prepared, 100, constraints=Constraints(others=(labels(("proud", 0, 49)),)))

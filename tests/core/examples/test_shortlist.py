# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortlists: of hundreds of clips, those that a result is made from, connected and with the requested labels."""

from functools import cache

import numpy as np
import pytest
from dense_graph import graph_of
from measures import is_sound
from motions import walker, waver

from genmm_addon.core import Constraints, Labels, LabelStretch, Loop, PoseConstraint, Prepared, prepare, synthesize
from genmm_addon.core.examples.shortlist import FEWEST_EXAMPLES, only, shortlist
from genmm_addon.core.features.graph_size import ALL_EDGES_FRAMES

CLIPS = 72
STYLES = ("old", "angry", "proud")


@cache
def library() -> Prepared:
    """Return a library of walks and waves, with the styles in turn."""
    return prepare([(walker if seed % 2 else waver)(100, seed) for seed in range(CLIPS)])


def tags() -> tuple[tuple[str, ...], ...]:
    return tuple((f"style={STYLES[number % 3]}",) for number in range(CLIPS))


def test_a_few_examples_are_all_learned_from() -> None:
    few = prepare([walker(240, seed) for seed in range(12)])
    assert len(few.motions) < FEWEST_EXAMPLES and shortlist(few, 300, (), 0) is None
    assert shortlist(library(), 3000, (), 0) is None


def test_a_shortlist_has_clips_enough_for_the_result_and_is_the_same_again() -> None:
    bounds = library().stages[-1].bounds
    seen = set()
    for seed in range(6):
        numbers = shortlist(library(), 100, (), seed)
        assert numbers is not None and (np.diff(numbers) > 0).all()
        held = int((bounds.ends - bounds.starts)[numbers].sum())
        assert ALL_EDGES_FRAMES <= held < 0.6 * bounds.frames
        again = shortlist(library(), 100, (), seed)
        assert again is not None and np.array_equal(numbers, again)
        seen.add(tuple(numbers.tolist()))
    assert len(seen) == 6


def test_the_clips_of_a_shortlist_lead_to_each_other_more_easily_than_any_clips() -> None:
    graph = graph_of(library())

    def ease(numbers: np.ndarray) -> float:
        costs = []
        for number in numbers.tolist():
            others, least = graph.nearness.reached_from(number, CLIPS)
            costs.append(np.min(least[np.isin(others, numbers) & (others != number)], initial=1e3))
        return float(np.mean(costs))

    chosen = [shortlist(library(), 100, (), seed) for seed in range(4)]
    random = np.random.default_rng(0)
    blind = [np.sort(random.choice(CLIPS, len(one), replace=False)) for one in chosen if one is not None]
    assert np.mean([ease(one) for one in chosen if one is not None]) <= np.mean([ease(one) for one in blind])


def test_a_shortlist_has_clips_of_every_group_that_is_asked_for() -> None:
    groups = [tuple(range(style, CLIPS, 3)) for style in range(3)] + [(5,)]
    numbers = shortlist(library(), 100, groups, 1)
    assert numbers is not None and 5 in numbers
    for group in groups[:3]:
        assert np.isin(numbers, group).sum() >= 3


def test_shortlisted_examples_keep_their_features_from_the_whole_library() -> None:
    numbers = np.array([3, 10, 11, 40])
    some, whole = only(library(), numbers), library()
    assert some.frames_per_second == whole.frames_per_second and some.stages[-1].ratio == whole.stages[-1].ratio
    for place, number in enumerate(numbers.tolist()):
        here = slice(some.bounds.starts[place], some.bounds.ends[place])
        there = slice(whole.bounds.starts[number], whole.bounds.ends[number])
        assert some.motions[place] is whole.motions[number]
        assert np.array_equal(some.rows[here], whole.rows[there])
        assert np.array_equal(some.examples.channels.linear[here], whole.examples.channels.linear[there])
        assert np.array_equal(some.example_feet.contacts[here], whole.example_feet.contacts[there])
    speeds, everywhere = some.examples.speeds, whole.examples.speeds
    for frame in range(0, some.bounds.frames, 7):
        place = int(some.bounds.example_of(np.array(frame)))
        same = frame - int(some.bounds.starts[place]) + int(whole.bounds.starts[numbers[place]])
        if frame - some.bounds.starts[place] > 5:
            near, far = speeds.nearest_sample(np.array(frame)), everywhere.nearest_sample(np.array(same))
            assert np.array_equal(speeds.poses[near], everywhere.poses[far])


@pytest.mark.parametrize("constraints", [Constraints(), Constraints(loop=Loop.TRAVEL)], ids=["free", "loop"])
def test_result_from_many_clips_records_its_source_clips(constraints: Constraints) -> None:
    result = synthesize(library(), 120, constraints=constraints, seed=3)
    assert is_sound(result.motion)
    numbers = shortlist(library(), 120, (), 3)
    assert numbers is not None and np.isin(result.source_examples, numbers).all()
    example, frames = result.source_examples[:, 0], result.source_frames[:, 0]
    joint = result.motion.skeleton.names.index("hand.L")
    shown = np.stack(
        [library().motions[one].rotations[round(frame), joint] for one, frame in zip(example, frames, strict=True)]
    )
    same = np.abs(np.sum(shown * result.motion.rotations[: len(shown), joint], axis=1)) > 0.9999
    assert same.mean() > 0.4


def test_labels_are_shown_out_of_many_clips() -> None:
    stretches = tuple(LabelStretch(f"style={style}", 100 * at, 100 * at + 99) for at, style in enumerate(STYLES))
    result = synthesize(library(), 300, constraints=Constraints(others=(Labels(tags(), stretches),)), seed=2)
    asked = np.arange(300) // 100
    assert np.mean(result.source_examples[:, 0] % 3 == asked) >= 0.98


def test_pins_are_reached_with_all_of_the_clips() -> None:
    motion = walker(120, 200)
    joints = np.zeros((120, len(motion.skeleton.names)), bool)
    joints[60] = True
    result = synthesize(library(), 120, constraints=Constraints(PoseConstraint(motion, joints, np.zeros(120, bool))))
    assert is_sound(result.motion)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Treadmills: feet of a character that walks in place stand on ground that moves under it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from jumps import jumper
from legged import TOED, TOES, Joints, compass, marcher, places_of, still
from motions import SIDEWAYS, build_skeleton, turn, waver, with_channel

from genmm_addon.core import Constraints, InputError, Motion, Prepared, Settings, prepare, synthesize
from genmm_addon.core.constraints import Labels, LabelStretch, OnGround
from genmm_addon.core.environment import make_surface
from genmm_addon.core.evaluation import metrics
from genmm_addon.core.examples.cycles import Repetition
from genmm_addon.core.feet import contact_changes, find_feet, ground_heights, label_contacts, standing_of
from genmm_addon.core.planning.crossfades import plan_crossfades
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis.foot_plan import plan_steps
from genmm_addon.core.transfer import bring

FLOOR = np.array([[[-9, -9, 0], [9, -9, 0], [9, 9, 0]], [[-9, -9, 0], [9, 9, 0], [-9, 9, 0]]], np.float64)


def in_place(motion: Motion) -> Motion:
    """Return the motion with its hips above one place."""
    above = motion.translations.copy()
    above[..., :2] = 0.0
    return with_channel(motion, "translations", above)


def backward(motion: Motion) -> Motion:
    return motion.take(np.arange(motion.frames)[::-1])


@cache
def treads() -> Motion:
    return in_place(compass())


def names_of(motion: Motion, *, treadmill: bool = True) -> set[str]:
    return {motion.skeleton.names[foot.joint] for foot in find_feet([motion], treadmill=treadmill)}


def contacts_of(motion: Motion, *, treadmill: bool = True) -> np.ndarray:
    feet = find_feet([compass()])
    return label_contacts(motion, feet, ground_heights([motion], feet), treadmill=treadmill)


@pytest.mark.parametrize("motion", [treads(), backward(treads())], ids=["forward", "backward"])
def test_a_walk_in_place_has_the_feet_and_contacts_of_the_walk(motion: Motion) -> None:
    walk = compass() if motion is treads() else backward(compass())
    assert names_of(motion) == names_of(walk) == set(TOES)
    assert np.mean(contacts_of(motion) == contacts_of(walk)) > 0.9


def with_tail(motion: Motion) -> Motion:
    """Return the motion with a tail behind the hips, whose tip lies on the ground."""
    tail: Joints = {
        "tail": ("hips", (0.0, -0.3, 0.5)),
        "tail middle": ("tail", (0.0, -0.6, 0.1)),
        "tail tip": ("tail middle", (0.0, -0.9, 0.0)),
    }
    skeleton = build_skeleton({**TOED, **tail})
    at = [motion.skeleton.names.index(name) if name in motion.skeleton.names else 0 for name in skeleton.names]
    turns = motion.rotations[:, at].copy()
    turns[:, [name in tail for name in skeleton.names]] = (1.0, 0.0, 0.0, 0.0)
    return replace(motion, skeleton=skeleton, rotations=turns)


def test_a_tail_on_the_ground_does_not_make_a_walk_in_place_stand() -> None:
    assert names_of(with_tail(treads())) >= set(TOES)


def test_one_stride_shows_the_ground() -> None:
    stride = treads().slice(0, 40)
    assert names_of(stride) == set(TOES)
    assert contacts_of(stride).mean() == pytest.approx(contacts_of(compass().slice(0, 40)).mean(), abs=0.15)


def test_a_character_that_stops_stands_on_ground_at_rest() -> None:
    """The ground's velocity is that of the moment, not of the whole take."""
    walks, stands = treads(), treads().take(np.full(150, treads().frames - 1))
    both = walks.with_channels(
        {name: np.concatenate([values, stands.channels()[name]]) for name, values in walks.channels().items()}
    )
    contacts = contacts_of(both)
    assert np.mean(contacts[: walks.frames - 30] == contacts_of(walks)[:-30]) > 0.9
    low = places_of(stands)[0, :, 2] < 0.05
    assert contacts[-90:, low].all()


@pytest.mark.parametrize(
    "motion", [compass(), marcher()[0], waver(), jumper()], ids=["travels", "marches", "stands", "jumps"]
)
def test_others_stand_on_ground_at_rest(motion: Motion) -> None:
    feet = find_feet([motion])
    assert feet and names_of(motion) == names_of(motion, treadmill=False)
    base = ground_heights([motion], feet)
    at_rest, moving = (label_contacts(motion, feet, base, treadmill=treadmill) for treadmill in (False, True))
    assert at_rest.any() and np.array_equal(at_rest, moving)


def test_feet_that_slide_to_and_fro_stand_on_no_treadmill() -> None:
    """A body that is pushed comes back without a step."""
    path = np.zeros((90, 3))
    path[:, 0] = 0.5 * np.sin(np.arange(90) / 5)
    assert names_of(still(build_skeleton(TOED), "hips", path)) == set()


def test_legs_that_swing_together_walk_on_no_treadmill() -> None:
    angles = 0.5 * np.sin(np.arange(90) / 4)
    bends = -np.maximum(np.cos(np.arange(90) / 4), 0.0)
    turns = {f"{bone}.{side}": turn(SIDEWAYS, by) for side in "LR" for bone, by in (("thigh", angles), ("shin", bends))}
    assert names_of(still(build_skeleton(TOED), "hips", np.zeros((90, 3)), turns)) == set()


def test_nothing_holds_a_foot_in_place_while_the_ground_moves() -> None:
    assert not contacts_of(treads(), treadmill=False).any()
    assert names_of(treads(), treadmill=False) == set() == set(standing_of(treads()).feet)
    on_ground = Constraints(others=(OnGround(make_surface(FLOOR, (0.0, 0.0, 1.0))),))
    with pytest.raises(InputError, match="No foot with a leg stands on level ground"):
        synthesize(prepare([treads()]), 90, constraints=on_ground)


def test_skate_is_measured_relative_to_the_ground() -> None:
    feet = [foot.joint for foot in find_feet([compass()])]
    base, size = np.zeros(2), treads().skeleton.size
    slide = np.abs(np.diff(places_of(treads())[:, :, 1], axis=0)).mean() * treads().frames_per_second
    assert metrics.foot_skate(treads(), feet, base, size) < 0.25 * 170.0 / size * slide


def test_keys_stay_where_feet_land_on_a_treadmill() -> None:
    assert contact_changes(treads()).sum() >= contact_changes(compass()).sum() / 2


def test_the_ground_moves_back_as_far_as_the_walk_travels() -> None:
    walk = compass()
    grounds = prepare([treads()], repetitions=[Repetition.TAKE]).example_feet.footing.grounds
    assert np.allclose(prepare([walk]).example_feet.footing.grounds, 0.0)
    travel = float(np.diff(walk.translations[:, 0, 1]).mean())
    assert grounds.mean(axis=0) == pytest.approx([0.0, -travel, 0.0], abs=0.2 * travel)


@cache
def there_and_back() -> Prepared:
    walks = [treads().slice(0, 100), backward(treads().slice(120, 250))]
    return prepare(walks, repetitions=[Repetition.TAKE] * 2)


def test_in_a_crossfade_all_feet_stand_on_one_ground() -> None:
    ready, segments = there_and_back(), Segments(np.array([0, 60]), np.array([20, 160]), 120)
    fade = plan_crossfades(
        segments, ready.bounds, ready.examples.channels, ready.examples.speeds, ready.frames_per_second
    )
    known = ready.example_feet
    steps = plan_steps(known, ready.planning, ready.examples, [segments], [fade])
    before, after = fade.of_examples(known.footing.grounds)
    ground = before + fade.weights[:, None] * (after - before)
    stands, off = steps.contacts[fade.frames], np.linalg.norm(steps.drifts[fade.frames] - ground[:, None], axis=2)
    own = np.linalg.norm(known.footing.drifts - known.footing.grounds[:, None], axis=2)
    largest = max(own[side][known.contacts[side]].max() for side in (fade.before, fade.after))
    assert stands.any() and off[stands].max() <= largest + 1e-9


def test_locked_feet_move_along_with_the_ground() -> None:
    feet, size = [foot.joint for foot in find_feet([compass()])], treads().skeleton.size
    walks, takes = [treads().slice(0, 100), treads().slice(120, 250)], [Repetition.TAKE] * 2
    stretches = tuple(LabelStretch(tag, 60 * at + 20, 60 * at + 45) for at, tag in enumerate(("one", "two") * 2))
    labels = Constraints(others=(Labels((("one",), ("two",)), stretches),))
    skates = []
    for locks in (True, False):
        prepared = prepare(walks, repetitions=takes, settings=Settings(foot_locking=locks))
        results = [synthesize(prepared, 240, seed=seed, constraints=labels).motion for seed in range(2)]
        skates.append(np.mean([metrics.foot_skate(result, feet, np.zeros(2), size) for result in results]))
    assert skates[0] < 0.95 * skates[1]


def test_feet_on_longer_shins_stand_when_the_sources_do() -> None:
    skeleton, pairs = treads().skeleton, {name: name for name in treads().skeleton.names}
    longer = np.where([[name.startswith("foot") for name in skeleton.names]], 1.3, 1.0).T
    brought = bring(
        treads(), replace(skeleton, rest_translations=longer * skeleton.rest_translations), pairs, np.array([0])
    )
    stands = contacts_of(treads())
    heights = places_of(brought)[..., 2] - places_of(treads())[..., 2]
    assert np.ptp(heights[stands]) < 0.01

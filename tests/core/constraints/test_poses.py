# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed poses (pins, ranges, kept parts): exact at their frames, smooth nearby, and refused if they contradict."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from legged import compass
from measures import is_sound, joint_speeds
from motions import motionless, walker, waver
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    InputError,
    Loop,
    Motion,
    Part,
    PoseConstraint,
    Prepared,
    RootPath,
    Synthesis,
    prepare,
    rotations,
    synthesize,
)
from genmm_addon.core.constraints.pose_targets import FOOT_UNIT, feet_from_root, foot_places
from genmm_addon.core.features.body_parts import limb_partition

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 240
EXAMPLES = {"walker": walker, "waver": waver}
every_example = pytest.mark.parametrize("name", EXAMPLES)


@cache
def prepared_of(name: str) -> Prepared:
    return prepare([EXAMPLES[name]()])


@cache
def other_motion(name: str) -> Motion:
    """Return another motion of the same character, from which poses are taken."""
    return synthesize(prepared_of(name), FRAMES, seed=77).motion


def held_at(
    motion: Motion, frames: list[int] | NDArray[np.int64], joints: list[str] | None, place: bool
) -> PoseConstraint:
    """Return a constraint on the motion's poses at some frames, of all joints or some, with the root's place or not."""
    names = motion.skeleton.names
    mask, places = np.zeros((motion.frames, len(names)), bool), np.zeros(motion.frames, bool)
    which = [names.index(name) for name in joints] if joints else list(range(len(names)))
    mask[np.ix_(np.array(frames, np.int64), np.array(which))] = True
    places[frames] = place
    return PoseConstraint(motion, mask, places)


@cache
def through(name: str, frames: tuple[int, ...], place: bool, seed: int = 0) -> Synthesis:
    held = held_at(other_motion(name), list(frames), None, place)
    return synthesize(prepared_of(name), FRAMES, constraints=Constraints(held), seed=seed)


def apart(one: Motion, other: Motion, frames: list[int]) -> NDArray[np.floating]:
    """Return the angles `(frames, J)` between the joints' rotations, in degrees."""
    return np.degrees(rotations.angle_between(one.rotations[frames], other.rotations[frames]))


def positions(motion: Motion) -> NDArray[np.floating]:
    return motion.pose()[1]


PINS = (50, 120, 200)


@every_example
@pytest.mark.parametrize("seed", range(3))
def test_the_result_passes_through_its_pins(name: str, seed: int) -> None:
    result, wanted = through(name, PINS, True, seed).motion, other_motion(name)
    assert apart(result, wanted, list(PINS)).max() < 1.0
    off = np.linalg.norm(positions(result)[list(PINS), 0] - positions(wanted)[list(PINS), 0], axis=1)
    assert off.max() < 0.01 * wanted.skeleton.size
    assert is_sound(result)


@every_example
@pytest.mark.parametrize("seed", range(3))
def test_it_comes_and_goes_smoothly(name: str, seed: int) -> None:
    result, example = through(name, PINS, True, seed).motion, EXAMPLES[name]()
    assert joint_speeds(positions(result)).max() < 1.5 * joint_speeds(positions(example)).max()


@pytest.mark.parametrize("seed", range(5))
def test_pin_is_reached_at_its_moment_of_the_gait(seed: int) -> None:
    """In the other half of a stride, the legs would differ by 37 degrees, and the feet would have to travel."""
    example = compass()
    prepared = prepare([example])
    held = held_at(synthesize(prepared, FRAMES, seed=79).motion, list(PINS), None, True)
    result = synthesize(prepared, FRAMES, constraints=Constraints(held), seed=seed)
    legs = [example.skeleton.names.index(name) for name in ("thigh.L", "thigh.R", "shin.L", "shin.R")]
    for pin in PINS:
        shown = example.rotations[round(float(result.source_frames[pin, 0])), legs]
        assert np.degrees(rotations.angle_between(shown, held.motion.rotations[pin, legs])).max() < 25.0


def test_cost_of_frames_grows_with_the_distance_of_their_feet() -> None:
    """A foot brought from the air to the ground for a pin, or the other way, slides near the pin."""
    prepared = prepare([compass()])
    plan, speeds, size = prepared.parts[0], prepared.examples.speeds, prepared.motions[0].skeleton.size
    shown = int(speeds.sampled[len(speeds.sampled) // 2])
    held = held_at(prepared.motions[0], [shown], None, True)
    places = foot_places(held, prepared.feet, prepared.root, speeds.poses)
    costs = places.costs(shown, plan)[0]
    away = (places.examples - places.examples[np.searchsorted(speeds.sampled, shown)]).reshape(len(costs), -1)
    off = np.linalg.norm(away, axis=1) / size
    assert costs[off < FOOT_UNIT].max() == 0.0
    assert costs[off > 7 * FOOT_UNIT].min() > 2.0
    assert np.corrcoef(costs, off**2)[0, 1] > 0.9
    half_way = replace(places, posed=places.posed.copy())
    between = np.searchsorted(speeds.sampled, shown)
    half_way.posed[shown] = places.examples[between : between + 2].mean(axis=0)
    assert half_way.costs(shown, plan)[0, between : between + 2].max() == 0.0
    free = replace(places, fixed=np.zeros_like(places.fixed))
    assert not free.costs(shown, plan).any()


@pytest.mark.slow
def test_the_frames_shown_at_pins_have_their_feet_there() -> None:
    """A frame too early or too late differs little in the whole body, but by the beginning of a step in a foot.

    The feet are 0.5 % of the size away on average; if the whole body alone decides which frame is shown, 0.9 %.
    """
    prepared, off = prepare([compass()]), []
    for other in (79, 81):
        held = held_at(synthesize(prepared, FRAMES, seed=other).motion, list(PINS), None, True)
        there = foot_places(held, prepared.feet, prepared.root, prepared.examples.speeds.poses)
        for seed in range(6):
            result = synthesize(prepared, FRAMES, constraints=Constraints(held), seed=seed)
            sources = result.source_frames[list(PINS), 0].round().astype(np.int64)
            shown = feet_from_root(prepared.motions[0], prepared.examples.tracks[0], prepared.feet, sources)
            off.append(np.linalg.norm(shown - there.posed[list(PINS)], axis=2).max(axis=1))
    assert np.mean(off) < 0.006 * prepared.motions[0].skeleton.size


def test_seeds_go_through_the_same_pins_by_different_frames() -> None:
    results = [through("walker", PINS, True, seed) for seed in range(5)]
    assert mean_alike([result.source_frames[:, 0] for result in results]) < 0.3


def mean_alike(sources: list[NDArray[np.floating]]) -> float:
    """Return the mean share of frames that two of the results take from the same frame of the example."""
    return float(np.mean([np.mean(np.abs(one - other) < 1.5) for one, other in itertools.combinations(sources, 2)]))


def test_a_pose_alone_leaves_the_root_its_way() -> None:
    result, wanted = through("walker", PINS, False).motion, other_motion("walker")
    assert apart(result, wanted, list(PINS))[:, 1:].max() < 1.0
    away = positions(result)[list(PINS), 0] - positions(wanted)[list(PINS), 0]
    assert np.linalg.norm(away[:, :2], axis=1).max() > 0.1
    assert np.abs(away[:, 2]).max() < 0.01 * wanted.skeleton.size


def test_pinned_bones_alone_are_held() -> None:
    wanted = other_motion("waver")
    held = held_at(wanted, [100], ["upper_arm.L", "forearm.L"], False)
    free = synthesize(prepared_of("waver"), FRAMES, seed=5).motion
    result = synthesize(prepared_of("waver"), FRAMES, constraints=Constraints(held), seed=5).motion
    arm = [wanted.skeleton.names.index(name) for name in ("upper_arm.L", "forearm.L")]
    other = wanted.skeleton.names.index("upper_arm.R")
    off = apart(result, wanted, [100])
    assert off[0, arm].max() < 1e-3
    assert off[0, other] > 0.5 or apart(free, wanted, [100])[0, other] < 0.5


@every_example
def test_a_pinned_range_is_held_throughout(name: str) -> None:
    span = list(range(90, 130))
    held = held_at(other_motion(name), span, None, True)
    result = synthesize(prepared_of(name), FRAMES, constraints=Constraints(held), seed=2).motion
    assert apart(result, other_motion(name), span).max() < 1e-2
    assert np.allclose(positions(result)[span], positions(other_motion(name))[span], atol=1e-4)


@every_example
def test_key_poses_alone_make_a_motion(name: str) -> None:
    keys = tuple(range(10, FRAMES, 25))
    result, example = through(name, keys, True).motion, EXAMPLES[name]()
    assert apart(result, other_motion(name), list(keys)).max() < 1.0
    assert joint_speeds(positions(result)).max() < 1.5 * joint_speeds(positions(example)).max()


def test_feet_that_are_pinned_stay_where_they_are_pinned() -> None:
    wanted = other_motion("walker")
    result = through("walker", PINS, True).motion
    feet = [wanted.skeleton.names.index(f"foot.{side}") for side in "LR"]
    off = positions(result)[np.ix_(PINS, feet)] - positions(wanted)[np.ix_(PINS, feet)]
    assert np.abs(off).max() < 0.01 * wanted.skeleton.size


def test_a_pose_far_from_the_examples_is_named() -> None:
    example = waver()
    strange = example.rotations[:1].repeat(FRAMES, 0).copy()
    arm = example.skeleton.names.index("upper_arm.L")
    strange[:, arm] = [0.0, 1.0, 0.0, 0.0]
    given = example.take(np.zeros(FRAMES, np.int64))
    given = given.with_channels({**given.channels(), "rotations": strange})
    result = synthesize(
        prepared_of("waver"), FRAMES, constraints=Constraints(held_at(given, [60], ["upper_arm.L"], False))
    )
    assert any("far from all poses" in note and "61" in note for note in result.notes)
    assert not through("waver", PINS, True).notes


def test_pins_too_near_to_each_other_are_named() -> None:
    example = walker()
    frames = np.zeros(FRAMES, np.int64)
    frames[104:] = 200
    held = held_at(example.take(frames), [100, 104], None, True)
    result = synthesize(prepared_of("walker"), FRAMES, constraints=Constraints(held))
    assert any("101 and 105" in note for note in result.notes)


@every_example
@pytest.mark.parametrize("lower", [True, False])
def test_a_given_part_stays_as_it_is_and_the_rest_is_made(name: str, lower: bool) -> None:
    wanted, prepared = other_motion(name), prepared_of(name)
    names = wanted.skeleton.names
    arms = [joint for joint in names if "arm" in joint or "hand" in joint]
    joints = [joint for joint in names if joint not in arms] if lower else arms
    held = held_at(wanted, list(range(FRAMES)), joints, lower)
    result = synthesize(prepared, FRAMES, constraints=Constraints(held), seed=1).motion
    given = [names.index(joint) for joint in joints]
    assert np.array_equal(np.abs(result.rotations[:, given]), np.abs(wanted.rotations[:, given]))
    if lower:
        assert np.array_equal(result.translations, wanted.translations)
    assert is_sound(result)


def test_legs_keep_step_with_a_given_upper_body_and_seeds_differ() -> None:
    """In the other half of a stride, the legs would move against the upper body, while the arms look much the same."""
    prepared = prepare([compass()])
    other = synthesize(prepared, FRAMES, seed=79).motion
    names = [name for name in other.skeleton.names if not name.startswith(("thigh", "shin", "foot", "toe"))]
    given = Constraints(held_at(other, np.arange(FRAMES), names, True))
    results = [synthesize(prepared, FRAMES, constraints=given, seed=seed) for seed in range(6)]
    legs = [other.skeleton.names.index(name) for name in ("thigh.L", "thigh.R")]
    for result in results:
        assert (
            np.degrees(rotations.angle_between(result.motion.rotations[:, legs], other.rotations[:, legs])).max() < 20
        )
    assert mean_alike([result.source_frames[:, 0] for result in results]) < 0.7


def test_a_given_part_of_another_style_is_fitted_by_the_rest() -> None:
    """The arms are given from one motion, and the rest comes from another motion's examples."""
    given = waver(FRAMES, 3)
    names = given.skeleton.names
    arms = [joint for joint in names if "arm" in joint]
    held = held_at(given, list(range(FRAMES)), arms, False)
    result = synthesize(prepared_of("walker"), FRAMES, constraints=Constraints(held)).motion
    which = [names.index(joint) for joint in arms]
    assert np.array_equal(np.abs(result.rotations[:, which]), np.abs(given.rotations[:, which]))
    assert np.linalg.norm(positions(result)[-1, 0] - positions(result)[0, 0]) > 1.0


def test_separately_generated_parts_reach_pins_too() -> None:
    prepared = prepare([waver()], parts=limb_partition(waver().skeleton))
    held = held_at(other_motion("waver"), [80, 160], None, True)
    result = synthesize(prepared, FRAMES, constraints=Constraints(held)).motion
    assert apart(result, other_motion("waver"), [80, 160]).max() < 1.0


def test_the_same_seed_gives_the_same_and_another_one_another() -> None:
    first, again, other = (through("walker", PINS, True, seed) for seed in (0, 0, 1))
    held = held_at(other_motion("walker"), list(PINS), None, True)
    same = synthesize(prepared_of("walker"), FRAMES, constraints=Constraints(held), seed=0)
    assert first is again
    assert np.array_equal(first.motion.rotations, same.motion.rotations)
    assert not np.array_equal(first.motion.rotations, other.motion.rotations)


def test_without_constraints_nothing_changes() -> None:
    prepared = prepared_of("walker")
    nothing = held_at(other_motion("walker"), [], None, False)
    plain = synthesize(prepared, FRAMES, seed=3).motion
    assert np.array_equal(
        plain.rotations, synthesize(prepared, FRAMES, constraints=Constraints(nothing), seed=3).motion.rotations
    )


CIRCLE = np.stack([3 * np.cos(np.linspace(0, 6.2, 60)), 3 * np.sin(np.linspace(0, 6.2, 60)), np.zeros(60)], axis=1)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        (Constraints(held_at(walker(100), [3], None, True)), "100 frames"),
        (Constraints(held_at(walker(FRAMES), [3], None, True), RootPath(CIRCLE)), "pin the pose alone"),
        (Constraints(held_at(walker(FRAMES), [3, 9], None, True), loop=Loop.TRAVEL), "one frame only"),
        (Constraints(held_at(walker(FRAMES), list(range(FRAMES)), ["head"], False), loop=Loop.TRAVEL), "kept part"),
        (Constraints(path=RootPath(CIRCLE, True, np.linspace(0, 1, FRAMES)), loop=Loop.TRAVEL), "examples' speed"),
        (Constraints(path=RootPath(CIRCLE, True, np.linspace(0, 1, 7))), "7 frames"),
    ],
)
def test_contradictory_constraints_are_rejected_with_one_sentence(constraints: Constraints, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        synthesize(prepared_of("walker"), FRAMES, constraints=constraints)
    assert str(caught.value).endswith(".")


def test_held_motion_must_be_finite_and_of_the_same_character() -> None:
    broken = walker(FRAMES).rotations.copy()
    broken[3, 2] = np.nan
    wrong = walker(FRAMES).with_channels({**walker(FRAMES).channels(), "rotations": broken})
    with pytest.raises(InputError, match="finite"):
        synthesize(prepared_of("walker"), FRAMES, constraints=Constraints(held_at(wrong, [3], None, True)))
    with pytest.raises(InputError, match="same character"):
        other = motionless(FRAMES)
        names = tuple(f"other {name}" for name in other.skeleton.names)
        from dataclasses import replace

        other = replace(other, skeleton=replace(other.skeleton, names=names))
        synthesize(prepared_of("walker"), FRAMES, constraints=Constraints(held_at(other, [3], None, True)))


def test_part_is_generated_only_from_its_assigned_examples() -> None:
    walk, wave = walker(), waver()
    names = walk.skeleton.names
    arms = tuple(number for number, name in enumerate(names) if "arm" in name or "hand" in name)
    rest = tuple(number for number in range(len(names)) if number not in arms)
    parts = [Part("Legs", rest, (0,)), Part("Arms", arms, (1,))]
    result = synthesize(prepare([walk, wave], parts=parts), FRAMES)
    assert set(result.source_examples[:, 0]) == {0}
    assert set(result.source_examples[:, 1]) == {1}
    assert np.linalg.norm(positions(result.motion)[-1, 0] - positions(result.motion)[0, 0]) > 2.0


@pytest.mark.parametrize(("examples", "words"), [((), "no example"), ((4,), "does not exist")])
def test_a_part_without_its_examples_is_refused(examples: tuple[int, ...], words: str) -> None:
    every = tuple(range(len(walker().skeleton.names)))
    with pytest.raises(InputError, match=words):
        prepare([walker(), waver()], parts=[Part("All", every, examples)])

# SPDX-License-Identifier: GPL-3.0-or-later
"""A steered character, frame by frame."""

import gc
import re
import tracemalloc
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from legged import feet_of
from measures import is_sound
from motions import turned_and_moved, walker
from numpy.typing import NDArray

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Controller, InputError, Motion, Wish, metrics
from genmm_addon.core.live import LiveState, goal_trajectory
from genmm_addon.core.motion import joined

ROOT = Path(__file__).resolve().parents[3]
FORWARD, SIDEWAYS = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
RATE = 30.0


def stander() -> Motion:
    """Return the walker's first pose, for two seconds."""
    return walker(60).take(np.zeros(60, np.int64))


@cache
def motions() -> tuple[Motion, ...]:
    return (*(turned_and_moved(walker(240, seed), 0.4 * seed, (seed, 0.0, 0.0)) for seed in range(3)), stander())


@cache
def controller() -> Controller:
    return Controller.of(motions())


def random_wishes(steps: int, seed: int = 0) -> list[Wish]:
    """Return wishes for random velocities and facings, each for a while."""
    chance, wishes = np.random.default_rng(seed), list[Wish]()
    while len(wishes) < steps:
        angle, speed = chance.uniform(-np.pi, np.pi), chance.choice([0.0, 0.6, 1.2])
        velocity = speed * np.array([np.cos(angle), np.sin(angle), 0.0])
        wishes += [Wish(velocity, facing=SIDEWAYS if chance.random() < 0.2 else None)] * int(chance.integers(5, 60))
    return wishes[:steps]


def played(wishes: list[Wish], start: LiveState | None = None) -> tuple[list[LiveState], Motion]:
    """Return all states, and the motion of all frames."""
    state, states, frames = start or controller().start(), list[LiveState](), list[Motion]()
    for wish in wishes:
        state, frame = controller().step(state, wish)
        states.append(state)
        frames.append(frame)
    return states, joined(frames)


def places(states: list[LiveState]) -> NDArray[np.float64]:
    """Return the root's positions `(T, 2)`, in units of the skeleton."""
    return np.array([state.place for state in states]) @ controller().examples.axes[:, :2] * motions()[0].skeleton.size


@pytest.mark.slow
def test_random_wishes_give_sound_motion_and_no_transition_within_a_fifth_of_a_second() -> None:
    states, motion = played(random_wishes(300))
    assert is_sound(motion)
    transitions = np.flatnonzero([state.changed == 0 for state in states])
    assert len(transitions) > 5
    assert np.diff(transitions).min() >= 0.2 * RATE


def test_the_same_wishes_give_the_same_motion() -> None:
    first, second = (played(random_wishes(120, seed=3))[1] for _ in range(2))
    np.testing.assert_array_equal(first.rotations, second.rotations)
    np.testing.assert_array_equal(first.translations, second.translations)


def test_state_can_be_continued_from_repeatedly() -> None:
    states, motion = played(random_wishes(60))
    _, again = played(random_wishes(60)[30:], start=states[29])
    np.testing.assert_array_equal(again.rotations, motion.rotations[30:])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_steps() -> None:
    state = controller().start()
    sizes = []
    tracemalloc.start()
    for number, wish in enumerate(random_wishes(300, seed=1)):
        state, _ = controller().step(state, wish)
        if number in (149, 299):
            gc.collect()  # frees garbage of other tests, which would change the measurement
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[1] - sizes[0] < 10_000


def test_a_character_that_is_to_stand_stands_and_one_that_is_to_go_goes_there() -> None:
    states, _ = played([Wish(velocity=1.1 * FORWARD)] * 150 + [Wish(velocity=0 * FORWARD)] * 90)
    way = places(states)
    assert np.linalg.norm(way[149] - way[60]) / 3 == pytest.approx(1.0, abs=0.25)
    assert way[149, 1] - way[60, 1] > 0.9 * np.linalg.norm(way[149] - way[60])
    assert np.linalg.norm(way[-1] - way[-30]) < 0.1


def test_a_character_of_walks_alone_leaves_its_stand_in_any_direction() -> None:
    """Nothing among its examples begins sideways or behind it."""
    walks = Controller.of([sample_motions(30.0)["GenMM Walk"]])
    axes, speed = walks.examples.axes, walks.examples.paces[1]
    for angle in np.radians([90.0, 180.0, 270.0]) + walks.examples.forward:
        state = walks.start()
        for _ in range(20):
            state, _ = walks.step(state, Wish(velocity=np.zeros(3)))
        wish = Wish(velocity=speed * (np.cos(angle) * axes[0] + np.sin(angle) * axes[1]))
        stood = state.place
        for _ in range(60):
            state, _ = walks.step(state, wish)
        assert np.linalg.norm(state.place - stood) > 0.5


def test_a_goal_that_walks_a_wide_bow_is_followed() -> None:
    def goal(second: float) -> NDArray[np.float64]:
        return np.array([3.0 - 3.0 * np.cos(second / 3.0), 3.0 * np.sin(second / 3.0), 0.0])

    def velocity(second: float) -> NDArray[np.float64]:
        return np.array([np.sin(second / 3.0), np.cos(second / 3.0), 0.0])

    times = np.arange(300) / RATE
    states, _ = played([Wish(trajectory=goal_trajectory(goal(time), velocity(time))) for time in times])
    there = np.array([goal(time + 1 / RATE)[:2] for time in times])
    behind = np.linalg.norm(places(states) - there, axis=1)[120:]
    # At one meter per second, a delay of 0.3 s is 0.3 m.
    assert behind.max() < 0.3


@pytest.mark.slow
def test_feet_slide_hardly_more_than_in_the_examples() -> None:
    _, motion = played([Wish(velocity=1.1 * FORWARD)] * 150 + [Wish(velocity=1.0 * SIDEWAYS)] * 150)
    feet = [foot.joint for foot in feet_of(motion, "foot.L", "foot.R")]
    base = metrics.ground_base(motions()[0], feet)
    examples = np.mean([metrics.foot_skate(example, feet, base, 1.7) for example in motions()[:3]])
    assert metrics.foot_skate(motion, feet, base, 1.7) < 1.2 * examples + 1.0


@pytest.mark.slow
def test_joints_accelerate_no_more_than_in_the_examples() -> None:
    _, motion = played(random_wishes(300, seed=2))
    assert min(metrics.acceleration_ratios(motion, example)[0] for example in motions()[:3]) < 1.2


def test_only_motions_that_are_allowed_are_played() -> None:
    allowed = np.array([False, True, False, False])
    states, _ = played([Wish(FORWARD)] * 30 + [Wish(FORWARD, allowed=allowed)] * 60)
    clips = controller().examples.index.clips[[int(state.frame) for state in states]]
    assert set(clips[40:]) == {1}


def test_character_starts_at_the_given_place_and_facing() -> None:
    state = controller().start(place=np.array([3.0, -2.0, 0.0]), facing=SIDEWAYS)
    assert places([state])[0] == pytest.approx([3.0, -2.0], abs=1e-6)
    states, _ = played([Wish(velocity=SIDEWAYS)] * 60, start=state)
    assert places(states)[-1, 0] > 4.0


def test_invalid_wishes_are_rejected() -> None:
    with pytest.raises(InputError, match="velocity must be finite numbers"):
        Wish(velocity=np.array([np.nan, 0.0, 0.0]))
    with pytest.raises(InputError, match="trajectory must be finite numbers"):
        Wish(trajectory=np.zeros((1, 3)))
    with pytest.raises(InputError, match="None of the motions is allowed"):
        controller().start(allowed=np.zeros(4, bool))
    with pytest.raises(InputError, match="one for each motion"):
        controller().step(controller().start(), Wish(allowed=np.ones(2, bool)))
    with pytest.raises(InputError, match="responsiveness"):
        replace(controller(), responsiveness=1.5)


def test_the_example_of_the_document_runs() -> None:
    text = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict[str, list[Motion]] = {"motions": list(motions())}
    exec("\n".join(code), names)  # code from our own documents
    assert joined(names["frames"]).frames == 90

# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints beside the limb that they follow stay at it through cuts and pins; other joints keep their own movement."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from motions import SIDEWAYS, turn, with_foot_controls, with_scales_and_scalars
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    Motion,
    PoseConstraint,
    Prepared,
    Settings,
    Skeleton,
    prepare,
    rotations,
    synthesize,
)
from genmm_addon.core.constraints.constraint import Task
from genmm_addon.core.feet.leg_ik import move_root
from genmm_addon.core.motion.motion import joint_path
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis import compose

FRAMES, CUT, SOURCE = 120, 60, 137


def put(motion: Motion, joint: int, places: NDArray[np.float64]) -> Motion:
    """Return a motion with a joint at places `(T, 3)`."""
    return move_root(motion, joint, places - joint_path(motion, joint))


def cut(prepared: Prepared) -> Motion:
    """Return the motion that goes on elsewhere from a frame in the middle of a step."""
    segments = Segments(np.array([0, CUT]), np.array([0, SOURCE]), FRAMES)
    return compose.compose(Task(prepared, FRAMES), [segments]).motion


def away(motion: Motion) -> NDArray[np.float64]:
    """Return the largest distance `(T,)` of the controls from the feet, in sizes."""
    names, places = motion.skeleton.names, motion.pose()[1].astype(np.float64)
    distances = [
        np.linalg.norm(places[:, names.index(f"control.{side}")] - places[:, names.index(f"foot.{side}")], axis=1)
        for side in "LR"
    ]
    return np.asarray(np.max(distances, axis=0) / motion.skeleton.size)


def without_it(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Motion]) -> Motion:
    with monkeypatch.context() as patch:
        patch.setattr(compose, "with_joints_at_limbs", lambda _examples, motion, *_: motion)
        return make()


@pytest.fixture(scope="module")
def controlled() -> Prepared:
    return prepare([with_foot_controls()], settings=Settings(foot_locking=False))


def test_a_joint_at_the_end_of_a_limb_stays_there_through_a_cut(
    controlled: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert away(without_it(monkeypatch, lambda: cut(controlled))).max() > 0.01
    assert away(cut(controlled)).max() < 1e-4


def kicking() -> Motion:
    """Return a pose with a raised leg, and the control at its foot."""
    pose = with_foot_controls().take(np.array([20]))
    names, turned = pose.skeleton.names, pose.rotations.copy()
    thigh, foot = names.index("thigh.L"), names.index("foot.L")
    turned[:, thigh] = rotations.multiply(turned[:, thigh], turn(SIDEWAYS, 0.8).astype(np.float32))
    kick = replace(pose, rotations=turned)
    return put(kick, names.index("control.L"), kick.pose()[1][:, foot].astype(np.float64))


def test_it_stays_there_beside_a_pin(controlled: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    pin = PoseConstraint.at(kicking(), FRAMES, {70: 0})

    def pinned() -> Motion:
        return synthesize(controlled, FRAMES, constraints=Constraints(poses=pin), seed=1).motion

    assert away(without_it(monkeypatch, pinned)).max() > 0.01
    assert away(pinned()).max() < 1e-4
    assert np.allclose(pinned().rotations[70, 1:-2], kicking().rotations[0, 1:-2], atol=1e-5), "but for the heading"


def test_nothing_but_crossfaded_frames_of_such_joints_changes(
    controlled: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = without_it(monkeypatch, lambda: cut(controlled)), cut(controlled)
    changed = np.flatnonzero((before.translations != after.translations).any(axis=(1, 2)))
    assert np.array_equal(before.rotations, after.rotations)
    assert np.array_equal(before.translations[:, 0], after.translations[:, 0])
    assert CUT - 30 < changed.min() < CUT < changed.max() < CUT + 30


def test_a_joint_that_moves_by_itself_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = with_foot_controls()
    wandering = motion.translations.copy()
    wandering[:, 1:] += 0.3 * np.sin(np.arange(motion.frames) / 7.0)[:, None, None]
    prepared = prepare([replace(motion, translations=wandering)], settings=Settings(foot_locking=False))
    assert np.array_equal(cut(prepared).translations, without_it(monkeypatch, lambda: cut(prepared)).translations)


@pytest.mark.parametrize(("length", "follows"), [(0.9, True), (1.6, False)])
def test_a_joint_farther_away_than_a_limb_is_long_is_left_alone_even_where_it_moves_as_the_limb_does(
    monkeypatch: pytest.MonkeyPatch, length: float, follows: bool
) -> None:
    motion = with_foot_controls()
    names, (axes, places) = motion.skeleton.names, motion.pose()
    thigh, foot, control = (names.index(name) for name in ("thigh.R", "foot.R", "control.L"))
    leg = motion.skeleton.rest_positions[foot] - motion.skeleton.rest_positions[thigh]
    at = places[:, thigh] + np.einsum("tab,b->ta", axes[:, thigh], length * leg)
    prepared = prepare([put(motion, control, at)], settings=Settings(foot_locking=False))
    column = motion.translated.tolist().index(control)
    without = without_it(monkeypatch, lambda: cut(prepared)).translations[:, column]
    assert np.array_equal(cut(prepared).translations[:, column], without) != follows


def without_feet(motion: Motion) -> Motion:
    """Return a motion on a skeleton whose legs end at the knees."""
    rest = motion.skeleton
    kept = np.array([joint for joint, name in enumerate(rest.names) if not name.startswith("foot")])
    parents = np.array(
        [-1 if rest.parents[joint] < 0 else np.searchsorted(kept, rest.parents[joint]) for joint in kept]
    )
    skeleton = Skeleton(
        tuple(rest.names[joint] for joint in kept),
        parents,
        rest.rest_rotations[kept],
        rest.rest_translations[kept],
        rest.up,
    )
    translated = np.searchsorted(kept, motion.translated)
    return Motion(skeleton, motion.frames_per_second, motion.rotations[:, kept], translated, motion.translations)


def test_a_foot_is_at_a_leg_that_ends_at_a_knee_however_long_the_shin() -> None:
    rest, motion = with_foot_controls().skeleton, without_feet(with_foot_controls())
    shin = 1.4 * (rest.rest_positions[rest.names.index("foot.L")] - rest.rest_positions[rest.names.index("shin.L")])
    knee, control = (motion.skeleton.names.index(name) for name in ("shin.L", "control.L"))

    def end_of_shin(motion: Motion) -> NDArray[np.float64]:
        axes, places = motion.pose()
        return np.asarray(places[:, knee] + np.einsum("tab,b->ta", axes[:, knee], shin), np.float64)

    made = cut(prepare([put(motion, control, end_of_shin(motion))], settings=Settings(foot_locking=False)))
    assert np.abs(made.pose()[1][:, control] - end_of_shin(made)).max() < 1e-4 * motion.skeleton.size


def test_motion_whose_joints_are_all_in_limbs_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare([with_scales_and_scalars()])
    assert np.array_equal(cut(prepared).translations, without_it(monkeypatch, lambda: cut(prepared)).translations)

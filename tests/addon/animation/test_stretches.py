# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of an action replaced in place: the new poses play there, and everything outside plays as before."""

import itertools
import json
import math
from typing import Any, Literal

import bpy
import numpy as np
import pytest
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray
from rigs import key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.example_spec import Reading
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.animation.stretches.generated import (
    generated_ranges,
    move_ranges,
    remember_generated,
)
from genmm_addon.animation.stretches.key_tables import new_keys, read_keys
from genmm_addon.animation.stretches.key_times import key_times, keys_around, selected_times
from genmm_addon.animation.stretches.replaced_keys import NewKeys, write_stretches
from genmm_addon.animation.stretches.replacing import Stretch, move_following, replace_stretch
from genmm_addon.core import InputError, Motion
from genmm_addon.generation.stretches.locks import lock, locked_ranges

HandleType = Literal["FREE", "ALIGNED", "VECTOR", "AUTO", "AUTO_CLAMPED"]
HANDLES: tuple[HandleType, ...] = ("FREE", "ALIGNED", "VECTOR", "AUTO", "AUTO_CLAMPED")
BONES = ("hips", "spine", "hand")
KEYED = (1, 12, 20, 33, 47, 60, 80)
STEP = 0.125
"""Distance between the frames that are compared."""


def posed(mode: Any = "QUATERNION", turns: float = 1.0) -> tuple[Object, Action, str]:
    """Return a rig, an action with a pose about every second, and its slot: every bone turns, and the hips travel."""
    rig = make_rig(BONES)
    action, slot = actions.new_action("Blocking", rig)
    for number, bone in enumerate(BONES):
        rig.pose.bones[bone].rotation_mode = mode
        angles = [turns * math.sin(1.7 * frame + number) for frame in KEYED]
        path = f'pose.bones["{bone}"].'
        if mode == "QUATERNION":
            for index, part in enumerate((math.cos, math.sin)):
                values = [(frame, part(angle)) for frame, angle in zip(KEYED, angles, strict=True)]
                key(action, slot, path + "rotation_quaternion", index, values)
        else:
            key(action, slot, path + "rotation_euler", 1, list(zip(KEYED, angles, strict=True)))
    for index in range(3):
        key(action, slot, 'pose.bones["hips"].location', index, [(f, math.sin(f + index)) for f in KEYED])
    actions.assign(rig, action, slot)
    bpy.context.view_layer.update()
    return rig, action, slot


def shape(action: Action, handle: HandleType, interpolation: Any = "BEZIER", extrapolation: Any = "CONSTANT") -> None:
    for curve in actions.fcurves_of(action):
        curve.extrapolation = extrapolation
        for number, point in enumerate(curve.keyframe_points):
            point.interpolation = interpolation
            point.handle_left_type = point.handle_right_type = handle
            if handle in ("FREE", "ALIGNED"):
                point.handle_left = (point.co.x - 3, point.co.y - 0.3 * (number % 3))
                point.handle_right = (point.co.x + 5, point.co.y + 0.5 * (number % 3))
        curve.update()


def reading_of(rig: Object, action: Action) -> Reading:
    return read_examples(rig, [ExampleSpec(action)], scene=bpy.context.scene)


def filled(rig: Object, action: Action, slot: str, stretch: Stretch, seed: int = 1) -> Motion:
    """Replace the stretch by the action's own motion with noise, and return this motion."""
    reading = reading_of(rig, action)
    count = round(stretch.last - stretch.first) + 1
    motion = reading.motions[0].slice(int(stretch.first) - 1, int(stretch.first) - 1 + count)
    random = np.random.default_rng(seed)
    turned = motion.rotations + random.normal(0, 0.1, motion.rotations.shape).astype(np.float32)
    turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
    moved = motion.translations + random.normal(0, 0.1, motion.translations.shape).astype(np.float32)
    motion = motion.with_channels({**motion.channels(), "rotations": turned, "translations": moved})
    replace_stretch(rig, action, slot, stretch, motion, reading.keyed)
    return motion


def values(action: Action, frames: NDArray[np.float64]) -> dict[tuple[str, int], NDArray[np.float64]]:
    return {
        (curve.data_path, curve.array_index): np.array([curve.evaluate(frame) for frame in frames])
        for curve in actions.fcurves_of(action)
    }


def outside(first: float, last: float) -> NDArray[np.float64]:
    frames = np.arange(-10, 100, STEP)
    return frames[(frames <= first) | (frames >= last)]


def assert_same(one: dict[Any, NDArray[np.float64]], other: dict[Any, NDArray[np.float64]]) -> None:
    assert max(float(np.abs(one[name] - other[name]).max()) for name in one) < 1e-5


@pytest.mark.parametrize("handle", HANDLES)
@pytest.mark.parametrize(
    ("first", "last"),
    [(20, 47), (15, 41), (12, 30), (25, 60), (1, 20), (60, 80), (-5, 15), (70, 90), (36, 44), (84, 95), (-14, -2)],
)
def test_frames_outside_the_stretch_play_as_before_even_between_keys(handle: HandleType, first: int, last: int) -> None:
    for extrapolation in ("CONSTANT", "LINEAR"):
        rig, action, slot = posed()
        shape(action, handle, "BEZIER", extrapolation)
        before = values(action, outside(first, last))
        reading = reading_of(rig, action)
        motion = Motion(
            reading.motions[0].skeleton,
            24.0,
            np.tile(reading.motions[0].rotations[:1], (last - first + 1, 1, 1)),
            reading.motions[0].translated,
            np.full((last - first + 1, len(reading.motions[0].translated), 3), 7.0, np.float32),
        )
        replace_stretch(rig, action, slot, Stretch(first, last), motion, reading.keyed)
        assert_same(before, values(action, outside(first, last)))
        inside = values(action, np.arange(first + 1.0, last))['pose.bones["hips"].location', 0]
        assert np.abs(inside - 7.0).max() < 1e-5


@pytest.mark.parametrize("handle", HANDLES)
@pytest.mark.parametrize("extrapolation", ["CONSTANT", "LINEAR"])
@pytest.mark.parametrize(
    "ranges", [((1, 12), (20, 33)), ((12, 30), (30, 47), (47, 60)), ((15, 18), (36, 44)), ((-5, 8), (70, 90))]
)
def test_stretches_written_together_equal_those_written_one_by_one(
    handle: HandleType, extrapolation: str, ranges: tuple[tuple[int, int], ...]
) -> None:
    kept = []
    for together in (True, False):
        _, action, _ = posed()
        shape(action, handle, "BEZIER", extrapolation)
        new = [NewKeys(new_keys(np.linspace(*frames, 6), np.array([4.0, 9, 2, 1, 5, 3]))) for frames in ranges]
        for curve in actions.fcurves_of(action):
            for stretches in [new] if together else [[stretch] for stretch in new]:
                write_stretches(curve, read_keys(curve), stretches)
        kept.append([read_keys(curve) for curve in actions.fcurves_of(action)])
    for one, other in zip(*kept, strict=True):
        assert np.abs(one.places - other.places).max() < 1e-5
        assert (one.marks["interpolation"] == other.marks["interpolation"]).all()


@pytest.mark.parametrize("interpolation", ["CONSTANT", "LINEAR"])
def test_other_interpolations_stay_outside(interpolation: str) -> None:
    for first, last in ((15, 41), (20, 47), (-5, 90)):
        rig, action, slot = posed()
        shape(action, "AUTO", interpolation, "LINEAR")
        frames = outside(first - STEP, last + STEP)
        before = values(action, frames)
        reading = reading_of(rig, action)
        one = reading.motions[0]
        motion = one.take(np.clip(np.arange(last - first + 1), 0, one.frames - 1))
        replace_stretch(rig, action, slot, Stretch(first, last), motion, reading.keyed)
        assert_same(before, values(action, frames))


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"])
def test_the_new_poses_play_and_every_bone_keeps_its_way_to_turn(mode: str) -> None:
    rig, action, slot = posed("XYZ" if mode == "AXIS_ANGLE" else mode)
    modes = {bone.name: bone.rotation_mode for bone in rig.pose.bones}
    motion = filled(rig, action, slot, Stretch(20, 47))
    again = reading_of(rig, action).motions[0].slice(19, 47)
    dots = np.abs(np.sum(motion.rotations * again.rotations, axis=-1))[1:-1]
    assert dots.min() > 1 - 1e-5
    assert np.abs(motion.translations - again.translations)[1:-1].max() < 1e-5
    assert {bone.name: bone.rotation_mode for bone in rig.pose.bones} == modes


def test_rotations_continue_the_turns_and_signs_of_the_existing_keys() -> None:
    for mode, offset in (("XYZ", 4 * math.pi), ("QUATERNION", None)):
        rig, action, slot = posed(mode, 0.5)
        for curve in actions.fcurves_of(action):
            if "rotation" in curve.data_path:
                for point in curve.keyframe_points:
                    point.co.y = -point.co.y if offset is None else point.co.y + offset
                curve.update()
        shape(action, "AUTO")
        filled(rig, action, slot, Stretch(20, 47))
        for name, at in values(action, np.arange(15, 52, STEP)).items():
            if "rotation" in name[0] and name[1] < 2:
                assert np.abs(np.diff(at)).max() < 0.2, name


def test_a_rotation_that_arrives_in_other_numbers_never_turns_backward() -> None:
    rig, action, slot = posed("XYZ", 0.3)
    for curve in actions.fcurves_of(action):
        if "rotation" in curve.data_path:
            for point in curve.keyframe_points:
                point.co.y += 2 * math.pi * (point.co.x >= 47)
            curve.update()
    shape(action, "VECTOR")
    filled(rig, action, slot, Stretch(20, 47))
    scene = bpy.context.scene
    turned = []
    for frame in np.arange(46, 47.01, STEP):
        scene.frame_set(int(frame), subframe=float(frame) % 1)
        turned.append(np.array(rig.pose.bones["hand"].matrix_basis.to_quaternion()))
    steps = [abs(float(np.dot(one, other))) for one, other in itertools.pairwise(turned)]
    assert min(steps) > 0.95


def test_channels_without_keys_get_some_only_where_they_move() -> None:
    rig, action, slot = posed()
    wider = Stretch(20, 47)
    hand = [curve for curve in actions.fcurves_of(action) if '"hand"' in curve.data_path]
    reading = reading_of(rig, action)
    factory = actions.curve_factory(action, slot)
    for curve in hand:
        factory.fcurves.remove(curve)
    still = reading.motions[0].slice(19, 47)
    at_rest = still.rotations.copy()
    at_rest[:, 2] = np.array(rig.pose.bones["hand"].rotation_quaternion)
    replace_stretch(
        rig, action, slot, wider, still.with_channels({**still.channels(), "rotations": at_rest}), reading.keyed
    )
    assert not any('"hand"' in curve.data_path for curve in actions.fcurves_of(action))
    replace_stretch(rig, action, slot, wider, still, reading.keyed)
    new = [curve for curve in actions.fcurves_of(action) if '"hand"' in curve.data_path]
    assert len(new) == 4
    for curve in new:
        now = rig.pose.bones["hand"].rotation_quaternion[curve.array_index]
        assert all(abs(curve.evaluate(frame) - now) < 1e-6 for frame in (-5, 1, 19.5, 20, 47, 47.5, 90))


def test_open_end_continues_like_the_motion() -> None:
    rig, action, slot = posed()
    before = values(action, np.arange(1, 80.1, STEP))
    reading = reading_of(rig, action)
    motion = reading.motions[0].slice(9, 50)
    replace_stretch(rig, action, slot, Stretch(80, 120, keeps_last=False), motion, reading.keyed)
    assert_same(before, values(action, np.arange(1, 80.1, STEP)))
    at_end = values(action, np.array([120.0]))
    assert abs(float(at_end['pose.bones["hips"].location', 0][0]) - float(motion.translations[-1, 0, 0])) < 1e-5


def muted(curve: FCurve) -> None:
    curve.mute = True


def locked(curve: FCurve) -> None:
    curve.lock = True


def modified(curve: FCurve) -> None:
    curve.modifiers.new("NOISE")


def not_a_number(curve: FCurve) -> None:
    curve.keyframe_points[0].co.y = math.nan


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [(muted, "muted"), (locked, "locked"), (modified, "F-modifiers"), (not_a_number, "not a number")],
)
def test_curves_that_cannot_take_keys_are_named_and_nothing_changes(spoil: Any, sentence: str) -> None:
    rig, action, slot = posed()
    reading = reading_of(rig, action)
    curve = next(curve for curve in actions.fcurves_of(action) if '"spine"' in curve.data_path)
    spoil(curve)
    others = [one for one in actions.fcurves_of(action) if one != curve]
    before = [len(one.keyframe_points) for one in others]
    with pytest.raises(InputError, match=f'"spine" .rotation quaternion.*{sentence}'):
        replace_stretch(rig, action, slot, Stretch(20, 47), reading.motions[0].slice(0, 28), reading.keyed)
    assert [len(one.keyframe_points) for one in others] == before


def test_drivers_tweak_mode_and_tracks_below_are_named() -> None:
    rig, action, slot = posed()
    reading = reading_of(rig, action)
    motion = reading.motions[0].slice(0, 28)
    rig.driver_add('pose.bones["hand"].rotation_quaternion', 0)
    with pytest.raises(InputError, match='driver moves "hand"'):
        replace_stretch(rig, action, slot, Stretch(20, 47), motion, reading.keyed)
    rig.driver_remove('pose.bones["hand"].rotation_quaternion', 0)
    below = action.copy()
    rig.animation_data.nla_tracks.new().strips.new("Below", 1, below)
    factory = actions.curve_factory(action, slot)
    for curve in [curve for curve in actions.fcurves_of(action, slot) if '"hand"' in curve.data_path]:
        factory.fcurves.remove(curve)
    with pytest.raises(InputError, match='NLA track moves "hand"'):
        replace_stretch(rig, action, slot, Stretch(20, 47), motion, reading.keyed)


def test_keys_after_the_stretch_are_moved_without_changing_shape() -> None:
    rig, action, slot = posed()
    shape(action, "AUTO_CLAMPED")
    remember_generated(action, 47, 60)
    frames = np.arange(47, 95, STEP)
    after, before = values(action, frames), values(action, frames - 60)
    move_following(rig, action, slot, 20, 47, 7)
    assert_same(after, values(action, frames + 7))
    assert_same({name: at[frames - 60 <= 20] for name, at in before.items()},
                {name: at[frames - 60 <= 20] for name, at in values(action, frames - 60).items()})  # fmt: skip
    assert generated_ranges(action) == ((54, 67),)


def test_ranges_are_found_by_keys() -> None:
    rig, action, _ = posed()
    assert key_times(rig, action).tolist() == list(KEYED)
    for curve in actions.fcurves_of(action):
        for point in curve.keyframe_points:
            point.select_control_point = point.co.x in (20, 47)
    assert selected_times(rig, action).tolist() == [20, 47]
    assert [keys_around(key_times(rig, action), frame) for frame in (0, 1, 25, 80)] == [None, (1, 12), (20, 33), None]


@pytest.mark.parametrize("name", ["genmm_stretches", "genmm_grounded", "genmm_locked"])
def test_stored_ranges_move_with_the_keys(name: str) -> None:
    action = bpy.data.actions.new("Any")
    action[name] = "[[1, 20], [40, 50], [60, 70]]"
    move_ranges(action, 45, 5)
    assert json.loads(action[name]) == [[1, 20], [40, 55], [65, 75]]
    if name == "genmm_locked":
        lock(action, 80, 80)
        move_ranges(action, 80, -2)
        assert locked_ranges(action) == ((1, 20), (40, 55), (65, 75), (78, 78))


def test_generated_ranges_are_kept_on_the_action() -> None:
    action = bpy.data.actions.new("Any")
    assert generated_ranges(action) == ()
    for first, last in ((40, 50), (10, 20), (15, 30)):
        remember_generated(action, first, last)
    assert generated_ranges(action) == ((10, 30), (40, 50))
    move_ranges(action, 30, 5)
    assert generated_ranges(action) == ((10, 35), (45, 55))
    for text in ("[[1]]", "nonsense", "[[3, 1]]", "[[0, 1e999]]"):
        action["genmm_stretches"] = text
        assert generated_ranges(action) == ()

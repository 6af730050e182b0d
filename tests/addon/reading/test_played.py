# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of what a character plays, compared with Blender's own evaluation."""

import itertools
import math
from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Action, NlaStrip, Object
from interface import registered, results_of, select
from rigs import evaluated, key, largest_difference, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.requests.played_examples import played_examples, plays_something

BONES = ("hips", "spine", "head")
FRAMES = range(1, 41)
BLENDS = ("REPLACE", "COMBINE", "ADD", "SUBTRACT", "MULTIPLY")


@pytest.fixture(autouse=True)
def extension() -> Iterator[None]:
    with registered():
        yield


def action_on(rig: Object, name: str, bone: str, reach: float, frames: range = FRAMES) -> Action:
    """Return an action that swings a bone, and does not play yet."""
    action, slot = actions.new_action(name, rig)
    for index in range(4):
        angles = [reach * (1 + 0.3 * math.sin(0.3 * frame)) for frame in frames]
        values = [math.cos(angle) if index == 0 else (math.sin(angle) if index == 1 else 0.0) for angle in angles]
        key(action, slot, f'pose.bones["{bone}"].rotation_quaternion', index, list(zip(frames, values, strict=True)))
    return action


def add_strip(rig: Object, action: Action, blend: str, start: int = 1) -> NlaStrip:
    strip = rig.animation_data.nla_tracks.new().strips.new(action.name, start, action)
    strip.blend_type = blend  # type: ignore[assignment]
    return strip


def leaning() -> tuple[Object, NlaStrip]:
    """Return a rig that walks by its action, combined with a strip below that leans its spine."""
    rig = make_rig(BONES)
    walk, lean = action_on(rig, "Walk", "spine", 0.2), action_on(rig, "Lean", "spine", 0.6)
    actions.assign(rig, walk)
    return rig, add_strip(rig, lean, "ADD")


def poses_read(rig: Object) -> np.ndarray:
    """Return the poses `(T, B, 4, 4)` of what the character plays, as it is learned from."""
    reading = read_examples(rig, played_examples(rig), scene=bpy.context.scene)
    motion = reading.motions[0]
    matrices, places = motion.pose()
    first = len(motion.skeleton.names) - len(BONES)
    poses = np.tile(np.eye(4, dtype=np.float32), (motion.frames, len(BONES), 1, 1))
    poses[..., :3, :3], poses[..., :3, 3] = matrices[:, first:], places[:, first:]
    return poses


def plays_as_read(rig: Object) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    poses = poses_read(rig)
    seen = evaluated(rig, FRAMES)[:, 1:]
    assert len(poses) == len(seen)
    assert largest_difference(poses, seen, 1.0) < 1e-4


@pytest.mark.parametrize(("below", "own"), list(itertools.product(BLENDS, BLENDS)))
def test_strips_below_an_action_are_blended_as_blender_does(below: str, own: str) -> None:
    rig, strip = leaning()
    strip.blend_type, rig.animation_data.action_blend_type = below, own  # type: ignore[assignment]
    plays_as_read(rig)


@pytest.mark.parametrize("extrapolation", ["NOTHING", "HOLD", "HOLD_FORWARD"])
@pytest.mark.parametrize("influence", [1.0, 0.4])
def test_strips_are_extrapolated_and_weighted_as_blender_does(extrapolation: str, influence: float) -> None:
    rig, strip = leaning()
    rig.animation_data.action_blend_type = "COMBINE"
    strip.use_animated_influence, strip.influence = True, influence
    strip.extrapolation = extrapolation  # type: ignore[assignment]
    strip.action_frame_end = 20
    strip.frame_start, strip.frame_end = 10, 29
    plays_as_read(rig)


@pytest.mark.parametrize("switch", ["track muted", "strip muted", "solo", "nla off", "half the action"])
def test_tracks_that_are_switched_off_do_not_count(switch: str) -> None:
    rig, strip = leaning()
    data = rig.animation_data
    data.action_blend_type = "COMBINE"
    if switch == "track muted":
        data.nla_tracks[0].mute = True
    elif switch == "strip muted":
        strip.mute = True
    elif switch == "solo":
        data.nla_tracks[0].is_solo = True
    elif switch == "nla off":
        data.use_nla = False
    else:
        data.action_blend_type, data.action_influence = "REPLACE", 0.5
    plays_as_read(rig)


def test_a_strip_that_moves_other_bones_than_the_action_plays() -> None:
    rig, strip = leaning()
    strip.blend_type, strip.action = "REPLACE", action_on(rig, "Nod", "head", 0.5)
    plays_as_read(rig)


def test_an_action_that_replaces_all_that_lies_below_is_read_from_its_keys() -> None:
    rig, _ = leaning()
    assert [spec.action for spec in played_examples(rig)] == [rig.animation_data.action]


def test_a_result_on_the_character_itself_leans_once() -> None:
    rig, _ = leaning()
    rig.animation_data.action_blend_type = "COMBINE"
    select(rig)
    rig.genmm.frames, rig.genmm.output = 40, "NEW_ACTION"
    before = np.linalg.norm(evaluated(rig, FRAMES)[:, 2, :3, 2], axis=0)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = rig.animation_data.action
    first = int(made.frame_range[0])
    after = evaluated(rig, range(first, first + 40))[:, 2, :3, 2]
    assert np.linalg.norm(after, axis=0) == pytest.approx(before, rel=0.05)
    assert not results_of(rig)


def test_a_character_that_only_drivers_move_is_learned_from() -> None:
    rig = make_rig(BONES)
    for index in range(3):
        rig.pose.bones["spine"].driver_add("location", index).driver.expression = f"sin(frame / {3 + index})"
    assert plays_something(rig)
    plays_as_read(rig)


def test_a_character_that_a_driven_property_moves_is_learned_from() -> None:
    rig = make_rig(BONES)
    rig["swing"] = 0.0
    rig.driver_add('["swing"]').driver.expression = "sin(frame / 3)"
    driver = rig.pose.bones["spine"].driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, '["swing"]'
    driver.expression = variable.name
    plays_as_read(rig)


def test_a_character_that_only_a_constraint_moves_is_learned_from() -> None:
    rig = make_rig(BONES)
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    action, slot = actions.new_action("Circle", target)
    for index, shift in ((0, 0.0), (1, 1.6)):
        values = [(frame, math.sin(0.2 * frame + shift)) for frame in FRAMES]
        key(action, slot, "location", index, values)
    actions.assign(target, action)
    rig.pose.bones["hips"].constraints.new("COPY_LOCATION").target = target
    plays_as_read(rig)


@pytest.mark.parametrize("kind", ["GENERATOR", "FNGENERATOR"])
def test_an_action_of_modifiers_alone_is_learned_from(kind: str) -> None:
    rig = make_rig(BONES)
    action, slot = actions.new_action("Sway", rig)
    for index in range(3):
        curve = actions.curve_factory(action, slot).new('pose.bones["hips"].location', index)
        curve.modifiers.new(kind)  # type: ignore[arg-type]
    actions.assign(rig, action)
    plays_as_read(rig)


def test_modifiers_on_a_single_pose_are_learned_from() -> None:
    rig = make_rig(BONES)
    action, slot = actions.new_action("Sway", rig)
    for index in range(3):
        key(action, slot, 'pose.bones["hips"].location', index, [(1, 0.2)]).modifiers.new("NOISE")
    actions.assign(rig, action)
    plays_as_read(rig)


def test_muted_strips_alone_play_nothing() -> None:
    rig, strip = leaning()
    rig.animation_data.action = None
    strip.mute = True
    assert not plays_something(rig)


@pytest.mark.parametrize("muted", ["strip", "track", "nothing"])
def test_paths_that_only_muted_strips_animate_are_not_animated(muted: str) -> None:
    rig = make_rig()
    rig.animation_data_create()
    strip = add_strip(rig, action_on(rig, "Move", "hips", 1.0), "REPLACE")
    strip.mute, rig.animation_data.nla_tracks[0].mute = muted == "strip", muted == "track"
    assert ('pose.bones["hips"].rotation_quaternion' in actions.animated_paths(rig)) == (muted == "nothing")

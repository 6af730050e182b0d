# SPDX-License-Identifier: GPL-3.0-or-later
"""A variation under the mouse, or clicked, plays once as a ghost over the character that it was made from."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import new_character, select
from numpy.typing import NDArray

from genmm_addon.animation.actions import armature_slots, assign
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.interface.exploring import preview
from genmm_addon.interface.exploring.preview import ShownClip, place_lines, shown_clip
from genmm_addon.interface.results.operators import GENMM_OT_show_variation
from genmm_addon.interface.results.shown import shown_variations

pytestmark = pytest.mark.usefixtures("extension")

FRAMES = 40


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time that ghosts see, in seconds, which a test may change."""
    value = [100.0]
    monkeypatch.setattr(preview, "time", SimpleNamespace(monotonic=lambda: value[0]))
    return value


@pytest.fixture
def hero() -> Object:
    rig = add_sample_character(bpy.context).armature
    select(rig)
    rig.location, rig.scale = (2.0, 0.0, 0.0), (2.0, 2.0, 2.0)
    bpy.ops.genmm.add_example(action="GenMM Walk")
    return rig


def generate(hero: Object, output: str) -> None:
    hero.genmm.frames, hero.genmm.new_seed, hero.genmm.seed, hero.genmm.variations = FRAMES, False, 7, 2
    hero.genmm.output = output
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}


def point_at(number: int) -> str:
    """Do what Blender does where the mouse rests on the button of a variation, and return the tooltip."""
    return GENMM_OT_show_variation.description(bpy.context, SimpleNamespace(number=number))


def shown() -> ShownClip:
    active = bpy.context.view_layer.objects.active
    clip = shown_clip(bpy.context, active)
    assert clip is not None and clip.plays
    return clip


def strong_points(clip: ShownClip) -> NDArray[np.float32]:
    lines = place_lines(clip.laid, clip.armature, clip.frame)
    points: NDArray[np.float32] = lines.points[lines.colors[:, 3] == lines.colors[:, 3].max()]
    return points


def heads(rig: Object, frame: int) -> NDArray[np.float64]:
    bpy.context.scene.frame_set(frame)
    return np.array([rig.matrix_world @ bone.head for bone in rig.pose.bones])


@pytest.mark.parametrize("output", ["NEW_CHARACTER", "NEW_ACTION", "NLA_STRIP"])
def test_a_variation_under_the_mouse_plays_where_its_character_would_play_it(
    hero: Object, now: list[float], output: str
) -> None:
    generate(hero, output)
    scene, actions_before = bpy.context.scene, len(bpy.data.actions)
    rate = scene.render.fps / scene.render.fps_base
    scene.frame_set(5)
    ghosts = []
    for number in (1, 2):
        assert "a ghost plays it once" in point_at(number)
        clip = shown()
        assert clip.armature == hero and clip.frame == clip.laid.first and clip.laid.motion.frames == FRAMES
        now[0] += 20 / rate
        clip = shown()
        assert clip.frame == pytest.approx(clip.laid.first + 20)
        ghosts.append((strong_points(clip), round(clip.frame)))
        now[0] += (FRAMES - 19) / rate
        assert shown_clip(bpy.context, hero) is None, "it plays once"
    assert len(bpy.data.actions) == actions_before and bpy.context.view_layer.objects.active == hero
    first, second = (points for points, _ in ghosts)
    assert first.shape != second.shape or np.abs(first - second).max() > 0.01, "each row has its own motion"
    assert bpy.ops.genmm.show_variation(number=2) == {"FINISHED"}
    if output == "NEW_CHARACTER":
        assert bpy.ops.genmm.apply_variation(number=2) == {"FINISHED"}
    seen = heads(hero, ghosts[1][1])
    away = np.linalg.norm(ghosts[1][0][:, None] - seen, axis=2).min(axis=0)
    assert away.max() < 1e-3 * hero.scale.x, "every bone of the ghost is where the character then shows it"


def test_a_click_plays_the_variation_over_the_character_that_it_was_made_from(hero: Object, now: list[float]) -> None:
    generate(hero, "NEW_CHARACTER")
    assert bpy.ops.genmm.show_variation(number=2) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active != hero
    clip = shown()
    assert clip.armature == hero and clip.laid.name == shown_variations(hero, bpy.context.scene)[1].action.name
    now[0] += 0.5
    assert shown().frame > clip.frame


def test_a_variation_without_motion_or_of_another_character_shows_nothing(hero: Object) -> None:
    generate(hero, "NEW_CHARACTER")
    point_at(3)
    assert shown_clip(bpy.context, hero) is None, "there is no third variation"
    variation = shown_variations(hero, bpy.context.scene)[0]
    variation.object.animation_data.action = None
    bpy.data.actions.remove(variation.action)
    point_at(1)
    assert shown_clip(bpy.context, hero) is None
    point_at(2)
    bpy.data.objects.remove(hero)
    stranger = new_character("Stranger")
    select(stranger)
    assert shown_clip(bpy.context, stranger) is None


def test_bones_that_a_constraint_turns_or_moves_are_left_out(hero: Object) -> None:
    generate(hero, "NEW_ACTION")
    variation = shown_variations(hero, bpy.context.scene)[0]
    assert variation.action is not None
    assign(hero, variation.action, armature_slots(variation.action)[0])
    point_at(1)
    moved = shown().laid.moved
    bone = next(bone for bone in hero.pose.bones if bone.parent and bone.children and bone.name in moved)
    constrained = {bone.name, *(child.name for child in bone.children_recursive)}
    limit = bone.constraints.new("LIMIT_ROTATION")
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    limit.min_x = limit.max_x = 1.0
    bpy.context.view_layer.update()
    point_at(1)
    assert moved - shown().laid.moved == constrained & moved

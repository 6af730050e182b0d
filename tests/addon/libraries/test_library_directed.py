# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries with all ways of directing a result that work with a few examples, in the panel and by command."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from clip_libraries import walks
from commands import run, save
from interface import select

from genmm_addon.animation import actions
from genmm_addon.core.library import save_library
from genmm_addon.generation.measures import measures_of
from genmm_addon.generation.results import variations_of
from genmm_addon.generation.sources import Sources, sources_of
from genmm_addon.interface.pins.shown import shown_pins
from genmm_addon.interface.ribbon.bands import example_bands
from genmm_addon.libraries.plain_armature import add_plain_armature
from genmm_addon.state.properties import GENMM_PG_character, own_settings, scene_properties

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]
UPPER = ("Spine", "Chest", "Neck", "Head", "UpperArm.L", "Forearm.L", "Hand.L", "UpperArm.R", "Forearm.R", "Hand.R")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    save_library(tmp_path / "walks.npz", walks())
    return tmp_path / "walks.npz"


@pytest.fixture
def body() -> Object:
    """Return a character that plays nothing, so that it can learn only from the library."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 30
    armature = add_plain_armature(bpy.context, "Body", walks().skeleton)
    select(armature)
    return armature


@pytest.fixture
def settings(library: Path, body: Object) -> GENMM_PG_character:
    assert bpy.ops.genmm.add_library(filepath=str(library)) == {"FINISHED"}
    found = own_settings(body)
    found.frames, found.seed, found.new_seed, found.output = 60, 3, False, "NEW_ACTION"
    return found


def generated(body: Object) -> Sources:
    """Return the sources of a result of Generate."""
    select(body)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    found = sources_of(body.animation_data.action)
    assert found is not None and all(clip.name.startswith("walk ") for clip in found.examples)
    return found


def posed(body: Object, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return np.array([bone.matrix for bone in body.pose.bones])


def paint_upper_body(body: Object, settings: GENMM_PG_character) -> None:
    part = settings.part_list.add()
    part.name = "Upper"
    for name in set(UPPER) & set(body.data.bones.keys()):
        part.bones.add().name = name


def test_pinned_poses_are_reached_when_learning_only_from_a_library(body: Object, settings: GENMM_PG_character) -> None:
    body.pose.bones["UpperArm.L"].rotation_mode = "QUATERNION"
    body.pose.bones["UpperArm.L"].rotation_quaternion = (0.95, 0.3, 0.0, 0.1)
    bpy.context.view_layer.update()
    asked = posed(body, 20)
    assert bpy.ops.genmm.pin_pose(place=True) == {"FINISHED"}
    assert [pin.frame for pin in shown_pins(body, settings, bpy.context.scene)] == [20]
    generated(body)
    assert np.abs(posed(body, 20) - asked).max() < 1e-3
    assert np.abs(posed(body, 50) - asked).max() > 1e-2


def test_feet_are_found_in_the_clips(body: Object, settings: GENMM_PG_character) -> None:
    assert bpy.ops.genmm.find_feet() == {"FINISHED"}
    assert {row.name for row in settings.found_feet} == {"Toes.L", "Toes.R"}


def test_limbs_and_painted_parts_are_matched_separately(body: Object, settings: GENMM_PG_character) -> None:
    settings.parts = "LIMBS"
    assert len(generated(body).parts) > 1
    paint_upper_body(body, settings)
    # A choice of actions does not apply to clips.
    settings.part_list[0].use_examples = True
    settings.part_list[0].excluded.add().number = 0
    settings.examples.add().action = actions.new_action("Other", body)[0]
    settings.parts = "PAINTED"
    assert generated(body).parts[0].name == "Upper"


def test_a_part_is_kept_as_an_action_plays_it(body: Object, settings: GENMM_PG_character) -> None:
    generated(body)
    kept = body.animation_data.action
    arms = turned(body, 30)
    paint_upper_body(body, settings)
    settings.use_completion, settings.completion_part, settings.completion_action = True, "Upper", kept
    settings.seed = 8
    generated(body)
    assert body.animation_data.action != kept and np.abs(turned(body, 30) - arms).max() < 1e-3


def turned(body: Object, frame: int) -> np.ndarray:
    """Return the rotations of the left arm, each relative to the bone above."""
    bpy.context.scene.frame_set(frame)
    bones = [body.pose.bones[name] for name in ("UpperArm.L", "Forearm.L", "Hand.L")]
    return np.array([(bone.parent.matrix.inverted() @ bone.matrix).to_3x3() for bone in bones])


def test_a_curve_is_followed_and_loops_close(body: Object, settings: GENMM_PG_character) -> None:
    bpy.ops.curve.primitive_bezier_circle_add(radius=3)
    settings.use_path, settings.path_curve = True, bpy.context.object
    generated(body)
    hips = body.data.bones.find("Hips")
    away = [np.linalg.norm(posed(body, frame)[hips, :2, 3]) for frame in (1, 30, 60)]
    assert away == pytest.approx([3.0] * 3, abs=0.6)
    settings.use_path, settings.loop = False, "IN_PLACE"
    generated(body)
    assert np.abs(posed(body, 1) - posed(body, 61)).max() < 0.05


def test_labels_coverage_off_and_variations(body: Object, settings: GENMM_PG_character) -> None:
    settings.labels, settings.use_completeness, settings.variations = "style=sad 1-60", False, 2
    sources = generated(body)
    assert [clip.name for clip in sources.examples] == ["walk 3"]
    assert len(variations_of(body)) == 2


def test_ribbon_has_a_named_band_for_each_clip_shown(body: Object, settings: GENMM_PG_character) -> None:
    settings.library_search = "walk"
    sources = generated(body)
    shown = {int(row[2]) for part in sources.parts for row in part.stretches}
    assert shown == set(range(len(sources.examples))) and len(example_bands(sources)) == len(shown)
    assert measures_of(body.animation_data.action) is not None


def test_a_crowd_learns_from_the_clips(body: Object, settings: GENMM_PG_character) -> None:
    scene_properties(bpy.context.scene).crowd.agents = 4
    assert bpy.ops.genmm.make_crowd(agents=4, clips=2, layout_kind="GRID") == {"FINISHED"}
    assert len([thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]) == 5


def test_bone_names_are_guessed_for_a_library(body: Object, settings: GENMM_PG_character) -> None:
    assert bpy.ops.genmm.guess_bone_names() == {"FINISHED"}
    assert {row.name for row in settings.bone_names} == {bone.name for bone in body.data.bones}
    assert all(row.target == row.name for row in settings.bone_names)


def test_direction_options_work_with_a_library(
    library: Path, tmp_path: Path, capfd: Capture, body: Object, settings: GENMM_PG_character
) -> None:
    bpy.ops.genmm.pin_pose()
    generated(body)
    body.animation_data.action.name = "Kept"
    paint_upper_body(body, settings)
    bpy.ops.curve.primitive_bezier_circle_add(radius=3)
    bpy.context.object.name = "Way"
    select(body)
    settings.use_pins, settings.learn_from = False, "ACTIONS"
    hero = save(tmp_path, "hero")
    ways = {
        "pins": ("--pins", "GenMM Pins"),
        "limbs": ("--parts", "limbs", "--completeness", "off"),
        "painted": ("--parts", "painted"),
        "path": ("--path", "Way"),
        "loop": ("--loop", "in-place"),
        "labels": ("--labels", "style=sad 1-30, style=angry 31-60"),
        "given": ("--given-part", "Upper", "--given-action", "Kept"),
    }
    for name, words in ways.items():
        out = tmp_path / f"{name}_{{seed}}.npz"
        said = run(capfd, "generate", hero, "--library", library, "--frames", 60, "--seeds", "1,2", *words, "-o", out)
        assert said.status == 0 and (tmp_path / f"{name}_2.npz").exists(), (name, said.errors)
    crowd = ("--agents", 4, "--clips", 2, "--frames", 60)
    said = run(capfd, "crowd", hero, "--library", library, *crowd, "-o", tmp_path / "{action}.npz")
    assert said.status == 0 and (tmp_path / "library.npz").exists(), said.errors


def test_a_panel_that_learns_from_a_library_is_taken_by_the_command(
    tmp_path: Path, capfd: Capture, body: Object, settings: GENMM_PG_character
) -> None:
    assert body.animation_data is None or body.animation_data.action is None
    hero = save(tmp_path, "hero")
    said = run(capfd, "generate", hero, "-o", tmp_path / "out.npz")
    assert said.status == 0, said.errors
    with np.load(tmp_path / "out.npz") as arrays:
        assert len(arrays["rotations"]) == 60

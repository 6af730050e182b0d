# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring Action Here: an action of another skeleton becomes an ordinary action of the character."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from clip_libraries import walks
from interface import registered, select
from numpy.typing import NDArray
from other_rigs import make_mixamo_like
from rigs import key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.curves import collect_curves, key_values
from genmm_addon.animation.reading.example_spec import ExampleSpec
from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.animation.rig import read_skeleton
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.feet import find_feet, ground_heights, label_contacts, standing_of
from genmm_addon.core.library import save_library
from genmm_addon.core.motion import save_bvh, smoothstep
from genmm_addon.core.repair import FlawKind, find_flaws
from genmm_addon.interface.bringing.operators import GENMM_OT_bring_action
from genmm_addon.interface.common.choice_operator import CHOICE


@pytest.fixture
def two() -> Iterator[tuple[Object, Object]]:
    """Yield a character that plays nothing, and another one in Mixamo's form that walks."""
    bpy.context.scene.render.fps = 30
    with registered():
        hero = add_sample_character(bpy.context).armature
        other = add_sample_character(bpy.context).armature
        make_mixamo_like(other)
        hero.name, other.name = "Hero", "Other"
        actions.clear_assignment(hero)
        select(hero)
        yield hero, other


def bring(**values: Any) -> set[str]:
    return set(bpy.ops.genmm.bring_action(**values))


def walk_of(other: Object) -> str:
    playing = actions.assigned(other)
    assert playing is not None
    return str(playing[0].name)


def motion_of(armature: Object) -> Any:
    playing = actions.assigned(armature)
    assert playing is not None
    return read_examples(armature, [ExampleSpec(*playing)], scene=bpy.context.scene).motions[0]


def write_walk(folder: Path, other: Object, name: str = "Captured.bvh") -> Path:
    motion = motion_of(other)
    path = folder / name
    save_bvh(path, motion)
    return path


def test_an_action_of_another_armature_is_an_ordinary_action_that_plays(two: tuple[Object, Object]) -> None:
    hero, other = two
    name, before = walk_of(other), set(bpy.data.actions)
    assert bring(origin="ARMATURE", armature=other.name, action=name) == {"FINISHED"}
    playing = actions.assigned(hero)
    assert playing is not None
    new = set(bpy.data.actions) - before
    assert new == {playing[0]} and playing[0].name.startswith(name.split(".")[0]) and playing[0].use_fake_user
    keyed = collect_curves(hero, *playing)
    named = {joint for joints in keyed.transforms.values() for joint in joints}
    assert named <= {bone.name for bone in hero.data.bones}
    assert set(keyed.transforms["location"]) == {"Hips"}
    there, here = motion_of(other), motion_of(hero)
    assert here.frames == there.frames
    up = np.array(here.skeleton.up)
    feet = find_feet([there])
    stands = label_contacts(there, feet, ground_heights([there], feet))
    mine = [here.skeleton.names.index(f"Toes.{side}") for side in "LR"]
    scale = here.skeleton.size / there.skeleton.size
    for foot, joint, column in zip(feet, mine, range(2), strict=True):
        moving = stands[1:, column] & stands[:-1, column]
        slides = [
            np.linalg.norm(np.diff(path - (path @ axis)[:, None] * axis, axis=0), axis=1)[moving].mean()
            for path, axis in (
                (scale * joint_path(there, foot.joint), np.array(there.skeleton.up)),
                (joint_path(here, joint), up),
            )
        ]
        assert slides[1] <= 1.1 * slides[0] + 1e-4 * here.skeleton.size
    assert np.linalg.norm(np.ptp(joint_path(here, 0), axis=0)) > 0.8 * here.skeleton.size


def test_exchanged_sides_in_names_are_told_and_the_left_arm_stays_left(
    two: tuple[Object, Object], capfd: pytest.CaptureFixture[str]
) -> None:
    hero, other = two
    assert bring(origin="ARMATURE", armature=other.name, action=walk_of(other)) == {"FINISHED"}
    expected = motion_of(hero)
    bones = other.data.bones
    names = {bone.name: bone.name.replace("Left", "?").replace("Right", "Left").replace("?", "Right") for bone in bones}
    for prefix in ("new ", ""):
        for name, exchanged in names.items():
            bones[name if prefix else f"new {exchanged}"].name = f"{prefix}{exchanged}"
    capfd.readouterr()
    assert bring(origin="ARMATURE", armature=other.name, action=walk_of(other)) == {"FINISHED"}
    assert "Left and right are exchanged" in capfd.readouterr().out
    assert np.allclose(motion_of(hero).pose()[1], expected.pose()[1], atol=1e-4)


def test_several_files_are_an_action_each_and_a_bad_one_is_reported(two: tuple[Object, Object], tmp_path: Path) -> None:
    hero, other = two
    good = [write_walk(tmp_path, other, f"Take {number}.bvh") for number in (1, 2)]
    broken = tmp_path / "Broken.bvh"
    broken.write_text("HIERARCHY\n")
    objects, active = set(bpy.data.objects), bpy.context.view_layer.objects.active
    files = [{"name": path.name} for path in (good[0], broken, good[1])]
    assert bring(origin="FILES", directory=str(tmp_path), files=files) == {"FINISHED"}
    playing = actions.assigned(hero)
    assert playing is not None and playing[0].name == "Take 1" and "Take 2" in bpy.data.actions
    assert set(bpy.data.objects) == objects and bpy.context.view_layer.objects.active == active
    with pytest.raises(RuntimeError, match="Broken"):
        bring(origin="FILES", filepath=str(broken))


def test_a_body_with_a_longer_trunk_bows_in_balance(two: tuple[Object, Object], tmp_path: Path) -> None:
    hero, _ = two
    save_bvh(tmp_path / "bow.bvh", bow_of(read_skeleton(hero)))
    bpy.ops.object.mode_set(mode="EDIT")
    bones = hero.data.edit_bones
    waist = bones["Spine"].head.z
    for bone in [*bones["Spine"].children_recursive, bones["Spine"]]:
        for end in ("head", "tail"):
            getattr(bone, end).z += 0.8 * (getattr(bone, end).z - waist)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bring(origin="FILES", filepath=str(tmp_path / "bow.bvh")) == {"FINISHED"}
    bowing = motion_of(hero)
    assert np.ptp(joint_path(bowing, bowing.skeleton.names.index("Head")), axis=0).max() > 0.3 * bowing.skeleton.size
    assert find_flaws(bowing, standing_of(bowing), frozenset({FlawKind.BALANCE})) == ()


def bow_of(skeleton: Skeleton) -> Motion:
    """Return a deep bow of three seconds of the sample character, in balance."""
    weights = smoothstep(np.clip(np.minimum(np.arange(90) - 15, 75 - np.arange(90)) / 15, 0.0, 1.0))
    turns = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (90, len(skeleton.names), 1))
    spine = skeleton.names.index("Spine")
    axis = rotations.rotate(rotations.inverse(skeleton.rest_orientations[spine]), np.array([1.0, 0.0, 0.0]))
    turns[:, spine] = rotations.from_axis_angle(np.tile(axis, (90, 1)), 1.5 * weights)
    return Motion(skeleton, 30.0, turns, np.array([0]), np.zeros((90, 1, 3), np.float32))


def test_a_clip_of_a_library_is_brought_by_its_name(two: tuple[Object, Object], tmp_path: Path) -> None:
    hero, _ = two
    save_library(tmp_path / "walks.npz", walks())
    bpy.ops.genmm.add_library(filepath=str(tmp_path / "walks.npz"))
    assert bring(origin="LIBRARY", clip="walk 1") == {"FINISHED"}
    playing = actions.assigned(hero)
    assert playing is not None and playing[0].name == "walk 1"
    assert motion_of(hero).frames == walks().motion(1).frames
    with pytest.raises(RuntimeError, match="no longer has the clip"):
        bring(origin="LIBRARY", clip="walk 9")


def test_a_button_with_nothing_to_bring_is_disabled_with_the_reason(two: tuple[Object, Object], tmp_path: Path) -> None:
    hero, other = two

    def reason(origin: str) -> str:
        asked: Any = SimpleNamespace(scene=bpy.context.scene, mode="OBJECT", **{CHOICE: origin})
        return str(GENMM_OT_bring_action.why_not(asked, hero))

    assert reason("FILES") == reason("ARMATURE") == ""
    assert reason("LIBRARY") == "Add a library to learn from first"
    save_library(tmp_path / "walks.npz", walks())
    bpy.ops.genmm.add_library(filepath=str(tmp_path / "walks.npz"))
    bpy.data.objects.remove(other)
    assert reason("LIBRARY") == "" and "no other armature" in reason("ARMATURE")


def test_the_scenes_rate_is_respected(two: tuple[Object, Object], tmp_path: Path) -> None:
    hero, other = two
    path = write_walk(tmp_path, other)
    seconds = motion_of(other).frames / 30.0
    bpy.context.scene.render.fps = 60
    assert bring(origin="FILES", filepath=str(path)) == {"FINISHED"}
    assert motion_of(hero).frames == pytest.approx(60.0 * seconds, abs=3)


@pytest.mark.parametrize("option", ["in_place", "path_scale", "spacing", "root_motion"])
def test_options_change_the_action_as_they_say(two: tuple[Object, Object], option: str) -> None:
    hero, other = two
    given = {"in_place": True, "path_scale": 0.5, "spacing": "SHARED", "root_motion": True}[option]
    origin = {"origin": "ARMATURE", "armature": other.name, "action": walk_of(other)}
    bring(**origin)
    plain, before = motion_of(hero), _keys(hero)
    bring(**origin, **{option: given})
    changed = motion_of(hero)
    hips = [motion.skeleton.names.index("Hips") for motion in (plain, changed)]
    spans = [
        float(np.ptp(joint_path(m, joint)[:, :2], axis=0).max())
        for m, joint in zip((plain, changed), hips, strict=True)
    ]
    if option == "in_place":
        assert spans[1] < 0.1 * spans[0]
    elif option == "path_scale":
        assert spans[1] == pytest.approx(0.5 * spans[0], rel=0.15)
    elif option == "spacing":
        assert _keys(hero) < 0.5 * before
        assert np.abs(joint_path(plain, hips[0]) - joint_path(changed, hips[1])).max() < 0.01 * plain.skeleton.size
    else:
        root = changed.skeleton.chain(hips[1])[0]
        assert root != hips[1]
        assert np.ptp(joint_path(changed, root)[:, :2], axis=0).max() > 0.8 * spans[0]


def _keys(armature: Object) -> int:
    playing = actions.assigned(armature)
    assert playing is not None
    return sum(len(key_values(curve)) for curve in collect_curves(armature, *playing).all_curves())


def test_what_does_not_fit_is_refused_in_one_sentence_and_nothing_is_written(two: tuple[Object, Object]) -> None:
    hero, other = two
    snake = make_rig(("b0", "b1", "b2", "b3"))
    snake.name = "Snake"
    crawl, slot = actions.new_action("Crawl", snake)
    key(crawl, slot, 'pose.bones["b1"].rotation_quaternion', 1, [(1.0, 0.0), (20.0, 0.3)])
    actions.assign(snake, crawl, slot)
    actions.new_action("Empty", other)
    still, still_slot = actions.new_action("Still", other)
    hips = next(bone.name for bone in other.data.bones if "Hips" in bone.name)
    key(still, still_slot, f'pose.bones["{hips}"].location', 0, [(1.0, 0.0)])
    broken, broken_slot = actions.new_action("Broken", other)
    key(broken, broken_slot, f'pose.bones["{hips}"].location', 0, [(1.0, 0.0), (20.0, float("nan"))])
    select(hero)
    there = set(bpy.data.actions)
    for armature, action, reason in (
        ("Snake", "Crawl", "no counterpart"),
        ("Other", "Empty", "no keys"),
        ("Other", "Still", "one frame"),
        ("Other", "Broken", "not finite|not a number|NaN|finite"),
        ("Other", "Missing", "not found"),
        ("Hero", walk_of(other), "another armature"),
    ):
        with pytest.raises(RuntimeError, match=reason):
            bring(origin="ARMATURE", armature=armature, action=action)
        assert set(bpy.data.actions) == there and actions.assigned(hero) is None


def test_a_file_whose_creature_does_not_fit_is_refused_once_for_all_its_actions(
    two: tuple[Object, Object], tmp_path: Path
) -> None:
    snake = make_rig(("b0", "b1", "b2", "b3"))
    crawls = [actions.new_action(name, snake) for name in ("Crawl", "Coil")]
    for crawl, slot in crawls:
        key(crawl, slot, 'pose.bones["b1"].rotation_quaternion', 1, [(1.0, 0.0), (20.0, 0.3)])
    actions.assign(snake, *crawls[0])
    bpy.data.libraries.write(str(tmp_path / "snake.blend"), {snake, *(crawl for crawl, _ in crawls)})
    select(two[0])
    with pytest.raises(RuntimeError, match=r'"snake.blend" does not fit "Hero"') as refusal:
        bring(origin="FILES", filepath=str(tmp_path / "snake.blend"))
    assert str(refusal.value).count("does not fit") == 1


def test_notes_on_many_actions_of_a_file_are_one_with_their_number_and_the_first_names(
    two: tuple[Object, Object], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hero, other = two
    playing = actions.assigned(other)
    assert playing is not None
    takes = [playing[0].copy() for _ in range(6)]
    for number, take in enumerate(takes, 1):
        take.name = f"Take {number}"
    bpy.data.libraries.write(str(tmp_path / "pack.blend"), {other, *takes})
    select(hero)
    capfd.readouterr()
    assert bring(origin="FILES", filepath=str(tmp_path / "pack.blend")) == {"FINISHED"}
    said = [line for line in capfd.readouterr().out.splitlines() if "counterpart" in line]
    assert len(said) == 1
    assert said[0].endswith('The same holds for 6 others: "Take 1.001", "Take 2.001", "Take 3.001" and 3 more.')


def test_a_stray_key_far_away_is_left_out_and_named(two: tuple[Object, Object]) -> None:
    hero, other = two
    playing = actions.assigned(other)
    assert playing is not None
    frames = motion_of(other).frames
    curve = next(iter(actions.fcurves_of(*playing)))
    curve.keyframe_points.insert(100_000.0, 0.0)
    assert bring(origin="ARMATURE", armature=other.name, action=playing[0].name) == {"FINISHED"}
    assert motion_of(hero).frames == frames


def test_a_linked_character_is_refused(two: tuple[Object, Object], tmp_path: Path) -> None:
    hero, other = two
    saved = tmp_path / "hero.blend"
    bpy.data.libraries.write(str(saved), {hero})
    with bpy.data.libraries.load(str(saved), link=True) as (_, target):
        target.objects = [hero.name]
    linked = target.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    select(linked)
    there = set(bpy.data.actions)
    with pytest.raises(RuntimeError, match="linked"):
        bring(origin="ARMATURE", armature=other.name, action=walk_of(other))
    assert set(bpy.data.actions) == there


def test_all_brought_actions_survive_saving_and_the_last_one_plays(two: tuple[Object, Object], tmp_path: Path) -> None:
    hero, other = two
    name = walk_of(other)
    for number in (1, 2):
        bring(origin="ARMATURE", armature=other.name, action=name, in_place=number == 2)
    made = {action.name for action in bpy.data.actions if action.name.startswith(name.split(".")[0])}
    places = joint_path(motion_of(hero), 0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    hero = bpy.data.objects["Hero"]
    assert made <= {action.name for action in bpy.data.actions}
    np.testing.assert_array_equal(joint_path(motion_of(hero), 0), places)


def joint_path(motion: Motion, joint: int) -> NDArray[np.float64]:
    """Return the places `(T, 3)` of a joint."""
    return np.asarray(motion.pose()[1][:, joint], np.float64)

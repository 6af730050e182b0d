# SPDX-License-Identifier: GPL-3.0-or-later
"""Files whose bones are all in one line at rest, transferred to other skeletons: limbs keep their directions."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from interface import registered
from mathutils import Matrix, Quaternion

from genmm_addon.animation.reading.clips_on_character import clips_on_character
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.library import load_library, save_library
from genmm_addon.libraries import building
from genmm_addon.libraries.building import Plan, built_of, merged
from genmm_addon.libraries.takes import SourceFile, Take, files_in, take_of

FARTHEST = 40.0
"""Largest error of a limb's direction in degrees; with the rest pose alone it would be 170."""


@pytest.fixture
def motions() -> Iterator[dict[str, Motion]]:
    """Yield the sample's motions by name."""
    with registered():
        sample = add_sample_character(bpy.context)
        specs = [ExampleSpec(action) for action in sample.actions]
        read = read_examples(sample.armature, specs, scene=bpy.context.scene)
        yield {action.name: motion for action, motion in zip(sample.actions, read.motions, strict=True)}


def in_line(motion: Motion) -> Motion:
    """Return the same motion as in a file without rest rotations."""
    skeleton = motion.skeleton
    level = np.where((skeleton.parents < 0)[:, None], skeleton.rest_rotations, np.array([1.0, 0.0, 0.0, 0.0]))
    back = rotations.multiply(rotations.inverse(level), skeleton.rest_rotations)
    turned = rotations.multiply(back, motion.rotations.astype(np.float64))
    moved = rotations.rotate(back[motion.translated], motion.translations)
    flat = replace(skeleton, rest_rotations=level)
    told = replace(motion, skeleton=flat, rotations=turned.astype(np.float32), translations=moved.astype(np.float32))
    assert np.abs(told.pose()[1] - motion.pose()[1]).max() < 1e-4
    return told


def longer(motion: Motion) -> Skeleton:
    """Return the skeleton of a motion with every other bone a tenth longer."""
    body = motion.skeleton
    stretched = np.where(np.arange(len(body.names))[:, None] % 2, 1.1, 1.0) * body.rest_translations
    return replace(body, rest_translations=stretched)


def worst_turn(one: Motion, other: Motion) -> float:
    """Return the largest angle, in degrees, between limbs of two motions with the same frames, in any heading."""
    angles = rotations.angle_between(one.rotations.astype(np.float64), other.rotations.astype(np.float64))
    return float(np.degrees(np.median(angles, axis=0))[one.skeleton.parents >= 0].max())


def test_a_clip_with_a_rest_pose_comes_into_a_library_of_files_in_line(motions: dict[str, Motion]) -> None:
    flat = {name: in_line(motion) for name, motion in motions.items()}
    odd = next(name for name in motions if "Wave" in name)
    takes = [
        take_of(name, f"{name}.bvh", motions[name] if name == odd else flat[name], name) for name in sorted(motions)
    ]
    built = built_of(takes, Plan())
    assert built.retargeted == 1 and not built.skipped
    names = [clip.name for clip in built.library.clips]
    arrived = built.library.motion(names.index(odd))
    assert worst_turn(arrived, flat[odd]) < FARTHEST


def test_clips_converted_by_mean_poses_are_noted_as_inexact(motions: dict[str, Motion]) -> None:
    odd = next(name for name in motions if "Wave" in name)
    other = replace(motions[odd], skeleton=longer(motions[odd]))
    takes = [
        take_of(name, f"{name}.bvh", other if name == odd else in_line(motions[name]), name) for name in sorted(motions)
    ]
    built = built_of(takes, Plan())
    (note,) = built.notes
    assert note.startswith(f'The rest pose of "{odd}.bvh", or') and "build a library for each kind" in note
    assert merged([built.library]).notes == (note,)


def test_a_note_on_mean_poses_counts_the_clips_that_it_does_not_name(motions: dict[str, Motion]) -> None:
    built = built_of([take_of(name, f"{name}.bvh", motions[name], name) for name in sorted(motions)], Plan())
    clips = built.library.clips
    for count, words in ((2, " and 1 more clip, or"), (3, " and 2 more clips, or")):
        inexact = tuple(replace(clip, by_mean_pose=number < count) for number, clip in enumerate(clips))
        (note,) = replace(built, library=replace(built.library, clips=inexact)).notes
        assert note.startswith(f'The rest pose of "{clips[0].source}"{words}')


def test_clips_that_came_by_mean_poses_are_named_again_where_they_are_reused(
    motions: dict[str, Motion], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, *others = sorted(motions)
    told = {name: in_line(motions[name]) for name in others}
    told[odd] = replace(motions[odd], skeleton=longer(motions[odd]))
    for name in told:
        (tmp_path / f"{name}.bvh").write_text(name)

    def read(file: SourceFile, _data: bytes, fingerprint: str) -> Take:
        return take_of(file.path.stem, file.name, told[file.path.stem], fingerprint)

    monkeypatch.setattr(building, "bvh_take", read)
    files = files_in(tmp_path)
    first = building.build(files, Plan(mirrored=True))
    save_library(tmp_path / "kept.npz", first.library)
    again = building.build(files, Plan(mirrored=True), load_library(tmp_path / "kept.npz"))
    assert (again.read, again.reused) == (0, len(files))
    assert again.notes == first.notes and first.notes[0].startswith(f'The rest pose of "{odd}.bvh", or')
    assert again.library.fingerprint == first.library.fingerprint


def test_clips_with_the_same_rest_pose_are_noted_as_exact(motions: dict[str, Motion]) -> None:
    for told in (motions, {name: in_line(motion) for name, motion in motions.items()}):
        one, *others = (take_of(name, f"{name}.bvh", motion, name) for name, motion in sorted(told.items()))
        longer = replace(one.motion.skeleton, rest_translations=1.1 * one.motion.skeleton.rest_translations)
        built = built_of([replace(one, motion=replace(one.motion, skeleton=longer)), *others], Plan())
        assert built.retargeted and not built.notes


def character_of(motion: Motion) -> bpy.types.Object:
    """Return an armature with the motion's skeleton, which plays the motion."""
    skeleton = motion.skeleton
    character = bpy.data.objects.new("In Line", bpy.data.armatures.new("In Line"))
    bpy.context.scene.collection.objects.link(character)
    bpy.context.view_layer.objects.active = character
    bpy.ops.object.mode_set(mode="EDIT")
    made: list[bpy.types.EditBone] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        bone = character.data.edit_bones.new(skeleton.names[joint])
        bone.length = 0.1
        here = Matrix.Translation(skeleton.rest_translations[joint])
        here @= Quaternion(skeleton.rest_rotations[joint]).to_matrix().to_4x4()
        bone.matrix = here if parent < 0 else made[parent].matrix @ here
        bone.parent = made[parent] if parent >= 0 else None
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in range(0, motion.frames, 4):
        for joint, name in enumerate(skeleton.names):
            bone = character.pose.bones[name]
            bone.rotation_quaternion = motion.rotations[frame, joint]
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    return character


def test_clips_arrive_as_if_recorded_on_the_character_in_line(motions: dict[str, Motion]) -> None:
    walk, wave = (next(motion for name, motion in motions.items() if word in name) for word in ("Walk", "Wave"))
    character = character_of(in_line(walk))
    (arrived,) = clips_on_character(character, [wave], ()).motions
    assert worst_turn(arrived, in_line(wave)) < FARTHEST

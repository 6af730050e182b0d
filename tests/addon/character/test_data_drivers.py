# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that share data whose drivers read one of them: the others are evaluated without that one."""

from collections.abc import Iterator
from typing import Any, Literal

import bpy
import numpy as np
import pytest
from bpy.types import Driver, Object
from rigs import make_rig

from genmm_addon.animation.reading.evaluation import evaluated_poses, stage


def drive(armature: Object, path: str, read: Object) -> Driver:
    """Drive a value of the armature's data by a custom property of a character's first bone, as Rigify does."""
    read.pose.bones[0]["bulge"] = 0.5
    driver = armature.data.driver_add(path).driver
    variable = driver.variables.new()
    variable.name = "bulge"
    variable.targets[0].id, variable.targets[0].data_path = read, read.pose.bones[0].path_from_id() + '["bulge"]'
    driver.expression = "bulge"
    return driver


@pytest.fixture
def characters() -> tuple[Object, Object]:
    """Return a character and a copy of it that shares its data."""
    first = make_rig()
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    return first, second


@pytest.fixture
def looks(characters: tuple[Object, Object]) -> Iterator[list[int]]:
    """Yield a list that grows each time the first character is posed."""
    found = list[int]()

    def look() -> float:
        found.append(1)
        return 0.0

    bpy.app.driver_namespace["look"] = look
    characters[0].pose.bones[0].driver_add("location", 0).driver.expression = "look() + frame"
    yield found
    del bpy.app.driver_namespace["look"]


def looks_beside(armature: Object, looks: list[int]) -> int:
    """Return how often the first character is posed while three frames of another are evaluated."""
    with stage(armature, bpy.context.scene) as temporary:
        temporary.frame_set(1)
        looks.clear()
        evaluated_poses(armature, temporary, np.array([2.0, 3.0, 4.0]))
        return len(looks)


def test_bulge_driven_by_another_character_is_evaluated_without_it(
    characters: tuple[Object, Object], looks: list[int]
) -> None:
    first, second = characters
    bone = second.data.bones[0].name
    driver = drive(second, f'bones["{bone}"].bbone_easein', first)
    assert looks_beside(second, looks) == 0
    assert driver.variables[0].targets[0].id == first, "it reads the other one again"


@pytest.mark.parametrize("path", ["use_inherit_rotation", "bbone_easein"])
def test_poses_that_depend_on_another_character_are_read_together_with_it(
    characters: tuple[Object, Object], looks: list[int], path: str
) -> None:
    first, second = characters
    names = [bone.name for bone in second.data.bones]
    drive(second, f'bones["{names[0]}"].{path}', first)
    if path == "bbone_easein":
        following = second.pose.bones[names[-1]].constraints.new("COPY_TRANSFORMS")
        following.target, following.subtarget, following.use_bbone_shape = second, names[0], True
    assert looks_beside(second, looks) == 3


def test_poses_are_the_same_and_drivers_come_back_after_an_error(characters: tuple[Object, Object]) -> None:
    first, second = characters
    second.pose.bones[0].location = (1.0, 2.0, 3.0)
    frames = np.array([1.0])
    with stage(second, bpy.context.scene) as temporary:
        before = evaluated_poses(second, temporary, frames)
    driver = drive(second, f'bones["{second.data.bones[0].name}"].bbone_easein', first)
    with pytest.raises(ValueError, match="broken off"), stage(second, bpy.context.scene) as temporary:
        assert np.array_equal(evaluated_poses(second, temporary, frames), before)
        raise ValueError("broken off")
    assert driver.variables[0].targets[0].id == first


@pytest.mark.parametrize("kind", ["COPY_TRANSFORMS", "ARMATURE", None])
def test_bones_that_follow_a_bulge_are_read_as_the_scene_shows_them(
    kind: Literal["COPY_TRANSFORMS", "ARMATURE"] | None,
) -> None:
    armature = make_rig(("root", "arm", "hand"))
    bones, poses = armature.data.bones, armature.pose.bones
    with bpy.context.temp_override(object=armature, active_object=armature):
        bpy.context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        armature.data.edit_bones["hand"].parent = None
        bpy.ops.object.mode_set(mode="OBJECT")
    bones["arm"].bbone_segments = 8
    poses["arm"].bbone_curveinx, poses["arm"].bbone_curveoutx = 1.0, -0.6
    if kind is not None:
        follows: Any = poses["hand"].constraints.new(kind)
        place = follows.targets.new() if kind == "ARMATURE" else follows
        place.target, place.subtarget = armature, "arm"
        if kind == "COPY_TRANSFORMS":
            follows.use_bbone_shape, follows.head_tail = True, 0.4
    bpy.context.view_layer.update()
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    expected = np.array([bone.matrix for bone in shown.pose.bones], np.float32)
    with stage(armature, bpy.context.scene) as temporary:
        frame = float(bpy.context.scene.frame_current)
        assert np.array_equal(evaluated_poses(armature, temporary, np.array([frame]))[0], expected)
    assert bones["arm"].bbone_segments == 8

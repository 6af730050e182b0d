# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplify Keys with a number of poses: the action has no more, and the message tells how far it is off."""

import re
from typing import Literal

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from interface import play, select

from genmm_addon.animation.actions import fcurves_of
from genmm_addon.animation.keys.footing import largest_miss, motion_shown
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import Motion, rotations
from genmm_addon.core.feet import find_feet

pytestmark = pytest.mark.usefixtures("extension")
MESSAGE = re.compile(r"at (\d+) frames; bones are off by up to ([\d.]+) degrees, and feet by ([\d.]+) %")


@pytest.fixture
def hero() -> Object:
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    play(sample.armature, next(action for action in sample.actions if action.name.endswith("Walk")))
    select(sample.armature)
    return sample.armature


def walk_of(hero: Object) -> Action:
    return hero.animation_data.action


def frames_of(hero: Object) -> tuple[float, float]:
    return walk_of(hero).frame_range[0], walk_of(hero).frame_range[1]


def keyed(action: Action, first: float, last: float) -> set[int]:
    times = {round(point.co.x) for curve in fcurves_of(action) for point in curve.keyframe_points}
    return {time for time in times if first <= time <= last}


def shown(hero: Object) -> Motion:
    first, last = frames_of(hero)
    return motion_shown(hero, walk_of(hero), "", np.arange(first, last + 1.0, dtype=np.float64))


@pytest.mark.parametrize("poses", [12, 30])
def test_the_action_has_as_many_poses_and_is_off_by_as_much_as_is_told(
    hero: Object, poses: int, capfd: pytest.CaptureFixture[str]
) -> None:
    before = shown(hero)
    assert bpy.ops.genmm.simplify_keys(spacing="NUMBER", poses=poses) == {"FINISHED"}
    message = MESSAGE.search(capfd.readouterr().out)
    assert message is not None
    count = len(keyed(walk_of(hero), *frames_of(hero)))
    assert poses - 3 <= count <= poses and int(message[1]) == count
    after = shown(hero)
    turn = np.degrees(rotations.angle_between(before.rotations, after.rotations).max())
    miss = 100.0 * largest_miss(before, after, [foot.joint for foot in find_feet([before])])
    assert float(message[2]) == pytest.approx(turn, abs=0.1) and float(message[3]) == pytest.approx(miss, abs=0.1)
    assert 1.0 < turn < 30.0


@pytest.mark.parametrize("where", ["PREVIEW", "ACTION"])
def test_the_number_counts_in_the_frames_that_are_simplified(hero: Object, where: Literal["PREVIEW", "ACTION"]) -> None:
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 61, 160
    before = keyed(walk_of(hero), 1, 60)
    assert bpy.ops.genmm.simplify_keys(spacing="NUMBER", poses=10, where=where) == {"FINISHED"}
    inside = (61, 160) if where == "PREVIEW" else frames_of(hero)
    assert len(keyed(walk_of(hero), *inside)) <= 10
    assert (keyed(walk_of(hero), 1, 60) == before) == (where == "PREVIEW")


def test_a_stray_key_beyond_an_edited_range_is_a_remedy(hero: Object) -> None:
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 61, 90
    bpy.ops.genmm.make_natural()
    fcurves_of(walk_of(hero))[0].keyframe_points.insert(100_000, 1.0)
    with pytest.raises(RuntimeError, match="delete stray keys"):
        bpy.ops.genmm.simplify_keys()

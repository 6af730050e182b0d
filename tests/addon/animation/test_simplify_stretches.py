# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplify Keys in stretches of an action: fewer keys there, within the errors, and no change outside."""

import math

import bpy
import numpy as np
import pytest
from bpy.types import Action
from interface import select
from numpy.typing import NDArray

from genmm_addon.animation import actions
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.stretches.generated import generated_ranges, remember_generated
from genmm_addon.character.sample.sample_character import add_sample_character

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST = 41, 101
STEP = 0.25
DEGREES = 1.0


@pytest.fixture
def walk() -> Action:
    """Return the sample's walk, which it plays, with a key on each frame; a stretch of it is marked as generated."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    select(sample.armature)
    action = next(one for one in sample.actions if one.name.endswith("Walk")).copy()
    actions.assign(sample.armature, action)
    remember_generated(action, FIRST, LAST)
    return action


def played(action: Action, frames: NDArray[np.float64]) -> dict[tuple[str, int], NDArray[np.float64]]:
    return {
        (curve.data_path, curve.array_index): np.array([curve.evaluate(frame) for frame in frames])
        for curve in actions.fcurves_of(action)
    }


def keys_inside(action: Action) -> int:
    times = [key_values(curve)[:, 0] for curve in actions.fcurves_of(action)]
    return sum(int(np.sum((own > FIRST) & (own < LAST))) for own in times)


def keys_outside(action: Action) -> int:
    return sum(len(curve.keyframe_points) for curve in actions.fcurves_of(action)) - keys_inside(action)


def outside(action: Action) -> NDArray[np.float64]:
    frames = np.arange(action.frame_range[0] - 3, action.frame_range[1] + 3, STEP)
    return np.asarray(frames[(frames <= FIRST) | (frames >= LAST)])


def simplify(where: str, spacing: str = "SHARED") -> set[str]:
    return set(bpy.ops.genmm.simplify_keys(where=where, spacing=spacing, degrees=DEGREES, percent=1.0))


@pytest.mark.every_case
@pytest.mark.parametrize("spacing", ["SHARED", "PER_BONE"])
@pytest.mark.parametrize("where", ["GENERATED", "PREVIEW"])
def test_keys_become_few_inside_and_all_outside_plays_as_before(walk: Action, where: str, spacing: str) -> None:
    if where == "PREVIEW":
        scene = bpy.context.scene
        scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, FIRST, LAST
    frames = np.arange(FIRST, LAST + 1.0)
    beyond, within = played(walk, outside(walk)), played(walk, frames)
    inside, others = keys_inside(walk), keys_outside(walk)
    assert simplify(where, spacing) == {"FINISHED"}
    assert keys_inside(walk) < 0.4 * inside and keys_outside(walk) == others
    after = played(walk, outside(walk))
    assert max(float(np.abs(beyond[name] - after[name]).max()) for name in beyond) < 1e-5
    now = played(walk, frames)
    rotations = {path for path, _ in within if path.endswith("rotation_quaternion")}
    for path in rotations:
        before, new = (np.stack([seen[path, index] for index in range(4)]) for seen in (within, now))
        cosines = np.abs(np.sum(before * new, axis=0)) / np.linalg.norm(before, axis=0) / np.linalg.norm(new, axis=0)
        assert np.degrees(2 * np.arccos(cosines.clip(0, 1))).max() <= 1.02 * DEGREES
    assert generated_ranges(walk) == ((FIRST, LAST),)


def test_nothing_is_simplified_twice(walk: Action) -> None:
    simplify("GENERATED")
    before = keys_inside(walk)
    assert simplify("GENERATED") == {"CANCELLED"}
    assert keys_inside(walk) == before


@pytest.mark.every_case
@pytest.mark.parametrize("where", ["GENERATED", "PREVIEW", "ACTION"])
def test_a_filled_range_that_was_simplified_is_filled_again(walk: Action, where: str) -> None:
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = where == "PREVIEW", FIRST, LAST
    bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=FIRST, last_frame=FIRST + 30)
    dense = keys_inside(walk)
    simplify(where)
    assert keys_inside(walk) < dense
    assert bpy.ops.genmm.next_filling(step=1) == {"FINISHED"}
    assert math.isclose(generated_ranges(walk)[0][0], FIRST)


def test_a_filled_range_that_was_changed_by_hand_stays_so_once_simplified(walk: Action) -> None:
    bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=FIRST, last_frame=FIRST + 30)
    curve = next(curve for curve in actions.fcurves_of(walk) if curve.data_path.endswith("rotation_quaternion"))
    curve.keyframe_points.insert(FIRST + 10, 0.3)
    assert simplify("ACTION") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="changed after filling"):
        bpy.ops.genmm.next_filling(step=1)


@pytest.mark.parametrize("where", ["GENERATED", "PREVIEW"])
def test_without_such_a_stretch_a_sentence_says_so_and_nothing_changes(walk: Action, where: str) -> None:
    bpy.context.scene.use_preview_range = False
    del walk["genmm_stretches"]
    before = keys_inside(walk)
    with pytest.raises(RuntimeError, match=r"Nothing in action|no preview range"):
        simplify(where)
    assert keys_inside(walk) == before

# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that refuse: none shows a traceback, and the file is as it was before."""

import math
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import new_character, select

from bench.soaking.fingerprints import fingerprint
from genmm_addon.animation import actions
from genmm_addon.core.examples import VARIABLE

pytestmark = pytest.mark.usefixtures("extension")

IN_A_WINDOW = {"live", "steer", "paint_part", "hear_input", "edit_pins", "finish_pins"}
"""Operators that go on after they are called."""
OUTSIDE = {"open_manual", "show_help", "export_settings", "add_method_preset"}
"""Operators that open a page or write a file."""


def spoil(rig: Object, column: int, value: float) -> None:
    """Give the fifth key of each curve a frame (column 0) or a value (1) that Blender's properties would not take."""
    action, slot = actions.assigned(rig) or (None, "")
    for curve in actions.fcurves_of(action, slot):
        keys = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        keys[2 * 4 + column] = value
        curve.keyframe_points.foreach_set("co", keys)


def hero() -> Object:
    return new_character()


def with_keys_that_are_not_numbers() -> Object:
    rig = new_character()
    spoil(rig, 1, math.nan)
    return rig


def with_infinite_keys() -> Object:
    rig = new_character()
    spoil(rig, 1, math.inf)
    return rig


def with_keys_at_no_frame() -> Object:
    rig = new_character()
    spoil(rig, 0, math.nan)
    return rig


def without_an_action() -> Object:
    rig = new_character()
    actions.clear_assignment(rig)
    return rig


def nothing_selected() -> Object:
    rig = new_character()
    select(None)
    return rig


def very_fast() -> Object:
    rig = new_character()
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 32767, 1e-5
    return rig


def very_slow() -> Object:
    rig = new_character()
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 1, 1e5
    return rig


def tiny_units() -> Object:
    rig = new_character()
    bpy.context.scene.unit_settings.scale_length = 1e-9
    return rig


def far_frames() -> Object:
    rig = new_character()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.frame_current = 1_048_573, 1_048_574, 1_048_574
    scene.use_preview_range = True
    return rig


SCENES: dict[str, Callable[[], Object]] = {
    made.__name__.replace("_", " "): made
    for made in (
        hero,
        with_keys_that_are_not_numbers,
        with_infinite_keys,
        with_keys_at_no_frame,
        without_an_action,
        nothing_selected,
        very_fast,
        very_slow,
        tiny_units,
        far_frames,
    )
}


def operators() -> list[str]:
    return sorted(set(dir(bpy.ops.genmm)) - IN_A_WINDOW - OUTSIDE)


@pytest.mark.parametrize("scene", SCENES)
def test_no_operator_shows_a_traceback_and_one_that_refuses_changes_nothing(
    scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "200M")
    problems: list[str] = []
    before: dict[str, str] = {}
    is_fresh = False
    for name in operators():
        # An operator that refuses leaves the scene to the next one.
        if not is_fresh:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            SCENES[scene]()
            before = before or fingerprint()
        try:
            outcome = getattr(bpy.ops.genmm, name)()
        except RuntimeError as error:
            outcome = {"CANCELLED"}
            if "Traceback" in str(error):
                problems.append(f"{name}: {str(error).strip().splitlines()[-1]}")
        is_fresh = outcome != {"FINISHED"}
        if is_fresh:
            after = fingerprint()
            changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
            if changed:
                problems.append(f"{name} refuses and changes {', '.join(changed)}")
                is_fresh = False
        else:
            broken = [one.name for one in bpy.data.actions if name.startswith("pin") and not all_finite(one, before)]
            problems += [f"{name} writes keys that are not numbers into {one}" for one in broken]
    assert problems == []


def all_finite(action: bpy.types.Action, before: dict[str, str]) -> bool:
    """Return whether an action that is new has only keys that are numbers."""
    if f"Action {action.name_full}" in before:
        return True
    points = [point.co for curve in actions.fcurves_of(action) for point in curve.keyframe_points]
    return bool(np.isfinite(np.array(points)).all())


@pytest.mark.parametrize(("rate", "base"), [(32767, 1e-5), (32767, 1.0)])
def test_the_sample_at_a_rate_beyond_memory_is_refused_with_one_that_fits(
    rate: int, base: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "200M")
    render = bpy.context.scene.render
    render.fps, render.fps_base = rate, base
    before = fingerprint()
    with pytest.raises(RuntimeError, match=r"200 MB may be used; set a rate below [\d,]+\.") as refused:
        bpy.ops.genmm.add_sample_character()
    assert fingerprint() == before
    most = int(str(refused.value).partition("below ")[2].strip(" .\n").replace(",", ""))
    render.fps, render.fps_base = most - 1, 1.0
    assert bpy.ops.genmm.add_sample_character() == {"FINISHED"}


def test_nothing_is_left_of_a_sample_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    before = fingerprint()
    monkeypatch.setattr("genmm_addon.character.sample.sample_character.assign", fail)
    with pytest.raises(RuntimeError):
        bpy.ops.genmm.add_sample_character()
    assert fingerprint() == before


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("press", ["pin_range", "pin_from_action", "pin_pose"])
def test_a_value_that_is_not_a_number_is_not_pinned(value: float, press: str) -> None:
    rig = new_character()
    spoil(rig, 1, value)
    bpy.context.scene.frame_set(5)
    before = fingerprint()
    given: dict[str, dict[str, float]] = {
        "pin_range": {"start": 1, "end": 10},
        "pin_from_action": {"frame": 5.0},
        "pin_pose": {},
    }
    try:
        getattr(bpy.ops.genmm, press)(**given[press])
    except RuntimeError as refused:
        assert "is not a finite number at frame 5" in str(refused)
        assert fingerprint() == before
    else:
        # Blender plays such a pose as the rest pose, which has numbers.
        assert press == "pin_pose" and all_finite(rig.genmm.pins_action, {})

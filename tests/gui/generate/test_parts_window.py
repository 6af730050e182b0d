# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting of parts in a real Blender window, with a real mouse; the pictures stay in build/screenshots."""

import subprocess

import pytest
from driving import SCREENSHOTS, Facts, drive

ARM = {"UpperArm.L", "Forearm.L", "Hand.L"}


@pytest.fixture(scope="module")
def parts() -> Facts:
    return drive("generate/drive_parts.py")


def painted(step: Facts) -> list[set[str]]:
    return [set(bones) for bones in step["parts"]]


def test_the_tool_is_picked_in_the_toolbar(parts: Facts) -> None:
    assert parts["picked"] == {"painting": True, "handlers": 1}
    assert not parts["other_mode"]["painting"]


def test_a_drag_over_bones_puts_them_into_a_part(parts: Facts) -> None:
    assert painted(parts["arm"]) == [ARM]
    assert parts["arm"]["mode"] == "PAINTED"


def test_a_drag_with_ctrl_takes_them_out(parts: Facts) -> None:
    assert painted(parts["taken"]) == [{"UpperArm.L"}]


def test_one_undo_takes_back_one_stroke(parts: Facts) -> None:
    assert parts["undone"] == parts["arm"]


def test_escape_during_a_stroke_leaves_the_part_unchanged(parts: Facts) -> None:
    assert parts["escaped"] == parts["undone"]


def test_mesh_selects_the_part_when_no_bone_is_under_the_brush(parts: Facts) -> None:
    assert painted(parts["mesh"]) == [ARM, {"Thigh.L"}]


def test_the_brush_follows_the_mouse_and_escape_gives_its_radius_back(parts: Facts) -> None:
    assert [parts[step]["radius"] for step in ("mesh", "larger", "as_before", "smaller")] == [2, 42, 42, 34]


def test_disabling_removes_the_tool_and_its_keys(parts: Facts) -> None:
    assert parts["disabled"] == {"tool": "builtin.select_box", "handlers": 0, "keymaps": []}


def test_the_parts_are_drawn_with_the_tool_or_when_asked_and_never_without_overlays(parts: Facts) -> None:
    """Pictures are compared by their share of pixels in the color of the arm's part."""
    drawn = {name: blue_pixels(name) for name in ("tool", "off", "on", "no_overlays", "in_hand", "disabled")}
    shown = {name for name, pixels in drawn.items() if pixels > 500}
    assert shown == {"tool", "on", "in_hand"}
    assert all(drawn[name] < 50 for name in drawn.keys() - shown)


def blue_pixels(name: str) -> int:
    """Return the number of a picture's pixels that are nearly the first part's blue."""
    picture = str(SCREENSHOTS / f"parts_{name}.png")
    command = ["convert", picture, "-fuzz", "8%", "-fill", "red", "+opaque", "#3d96f2", "-fill", "white"]
    command += ["-opaque", "#3d96f2", "-fill", "black", "-opaque", "red", "-format", "%[fx:mean*w*h]", "info:"]
    return round(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))

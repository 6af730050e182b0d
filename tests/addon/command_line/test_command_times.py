# SPDX-License-Identifier: GPL-3.0-or-later
"""The time at which a written motion begins, for kinds of files that store times."""

import json
import struct
from pathlib import Path
from typing import Any

import bpy
import pytest
from commands import run, saved_character

from genmm_addon.animation.reading.example_spec import example_range
from genmm_addon.files.import_file import import_file

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]


def key_times(path: Path) -> list[tuple[float, float]]:
    """Return the first and last key's time of each channel of a glTF's animations."""
    data = path.read_bytes()
    (length,) = struct.unpack("<I", data[12:16])
    said: dict[str, Any] = json.loads(data[20 : 20 + length])
    inputs = {sampler["input"] for animation in said["animations"] for sampler in animation["samplers"]}
    return [(said["accessors"][number]["min"][0], said["accessors"][number]["max"][0]) for number in inputs]


@pytest.mark.parametrize("words", [(), ("--start-frame", 101), ("--loop", "travel")])
def test_a_gltf_begins_at_zero_so_that_loops_do_not_hitch(tmp_path: Path, capfd: Capture, words: Any) -> None:
    hero, _ = saved_character(tmp_path)
    said = run(capfd, "generate", hero, "--frames", 31, "--fps", 30, *words, "-o", tmp_path / "a.glb")
    assert said.status == 0
    times = key_times(tmp_path / "a.glb")
    last = 31 / 30 if "--loop" in words else 1.0
    assert min(first for first, _ in times) == 0
    assert max(end for _, end in times) == pytest.approx(last, abs=1e-4)


@pytest.mark.parametrize("ending", ["blend", "fbx"])
@pytest.mark.parametrize("start", [0, 101])
def test_start_frame_says_where_in_the_scene_a_result_begins(
    tmp_path: Path, capfd: Capture, ending: str, start: int
) -> None:
    hero, _ = saved_character(tmp_path)
    out = tmp_path / f"a.{ending}"
    said = run(capfd, "generate", hero, "--frames", 40, "--start-frame", start, "-o", out)
    assert said.status == 0, said
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    character = import_file(out, bpy.context)[0]
    ranges = [example_range(character.armature, spec, bpy.context.scene) for spec in character.examples]
    # Blender's FBX importer puts time zero on frame 1 in some versions.
    assert any(first == pytest.approx(start, abs=1.01) and end - first == 39 for first, end in ranges), ranges


def test_a_start_frame_outside_blenders_frames_is_refused(tmp_path: Path, capfd: Capture) -> None:
    hero, _ = saved_character(tmp_path)
    said = run(capfd, "generate", hero, "--start-frame", 9_999_999, "-o", tmp_path / "a.blend")
    assert said.status == 2 and said.errors == ["Start Frame must lie within 1,048,574 frames of 0."]

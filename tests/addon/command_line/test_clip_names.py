# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of the motions in files for engines: those of the input and the seed."""

import json
import struct
from pathlib import Path

import bpy
import pytest
from bvh_files import walker
from commands import run, saved_character

pytestmark = pytest.mark.usefixtures("extension")
Capture = pytest.CaptureFixture[str]


def clips_of(path: Path) -> list[str]:
    """Return the names of the motions in a .glb or .fbx, without Blender's importers, which rename them."""
    data = path.read_bytes()
    if path.suffix == ".glb":
        (length,) = struct.unpack_from("<I", data, 12)
        return [animation["name"] for animation in json.loads(data[20 : 20 + length])["animations"]]
    # The name of a take follows the letter S, for a text, and its length in four bytes.
    return [part.rpartition(b"S")[2][4:].decode() for part in data.split(b"\0\1AnimStack")[:-1]]


@pytest.mark.parametrize("ending", ["glb", "fbx"])
def test_a_clip_has_the_name_of_its_input_and_its_seed(tmp_path: Path, capfd: Capture, ending: str) -> None:
    (tmp_path / "stroll.bvh").write_text(walker())
    words = ("--frames", 40, "--seeds", "3,12", "-o", tmp_path / f"{{seed:04}}.{ending}")
    assert run(capfd, "generate", tmp_path / "stroll.bvh", *words).status == 0
    assert clips_of(tmp_path / f"0003.{ending}") == ["stroll_3"]
    assert clips_of(tmp_path / f"0012.{ending}") == ["stroll_12"]


@pytest.mark.parametrize("ending", ["glb", "fbx"])
def test_an_edited_clip_has_the_name_of_its_action(tmp_path: Path, capfd: Capture, ending: str) -> None:
    (tmp_path / "stroll.bvh").write_text(walker())
    assert run(capfd, "repair", tmp_path / "stroll.bvh", "-o", tmp_path / f"clean.{ending}").status == 0
    (name,) = clips_of(tmp_path / f"clean.{ending}")
    assert name.startswith("stroll")


def test_the_scene_keeps_its_name_in_blend_files_and_afterwards(tmp_path: Path, capfd: Capture) -> None:
    hero = saved_character(tmp_path)[0]
    for ending in ("fbx", "blend"):
        said = run(capfd, "generate", hero, "--frames", 40, "-o", tmp_path / f"out.{ending}")
        assert said.status == 0, said.errors
    with bpy.data.libraries.load(str(tmp_path / "out.blend")) as (source, _):
        assert source.scenes == ["Scene"]

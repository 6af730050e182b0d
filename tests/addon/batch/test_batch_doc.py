# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/batch.md: every command of the page works as it is written there."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from bvh_files import walker
from commands import SCRIPT, left_in, save

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.command_line.command import main
from genmm_addon.generation.recipe import read_settings

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
MADE = {
    "hero_open.npz", "hero_script.npz", "walk_module.npz", "both.npz", "loop.glb", "crowd.blend", "ring.blend",
    "field.blend", "two.blend", "crowd.npz", "walk_0009.npz", "fbx/walk_002.fbx", "all/wave_22.bvh", "dance/4.blend",
    "many/0019.npz", "json/3.npz", "farm_out/motion_000009.npz", "farm_out/motions.json",
    "hero_up.bvh", "look/gallery.html", "shot.blend", "patterns/wave.npz", "part.npz", "clean/wave.bvh",
    "tired.bvh", "blended.glb",
}  # fmt: skip

pytestmark = [
    pytest.mark.processes,
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif(os.name == "nt", reason="the stand-in for the program is a shell script"),
]

BLENDER = """#!/bin/sh
# Blender's module, called as the program is.
case "$1" in --background) shift ;; esac
case "$1" in *.blend) file=$1; shift ;; esac
case "$1" in --command) shift 2 ;; --python) shift 3 ;; esac
command=$1
shift
exec "{python}" -P "{script}" "$command" $file "$@"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder with the files that the page names."""
    sample = add_sample_character(bpy.context)
    sample.armature.genmm.frames = 60
    bpy.ops.curve.primitive_bezier_circle_add(radius=6)
    bpy.context.object.name = "Ring"
    bpy.ops.mesh.primitive_grid_add(size=30)
    bpy.context.object.name = "Field"
    bpy.context.view_layer.objects.active = sample.armature
    save(tmp_path, "hero")
    for name in ("walk", "wave"):
        (tmp_path / f"{name}.bvh").write_text(walker())
    (tmp_path / "dance.json").write_text(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0])
    (tmp_path / "batch.py").symlink_to(SCRIPT)
    (tmp_path / "farm").symlink_to(ROOT / "farm")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (
        ("blender", BLENDER.format(python=sys.executable, script=SCRIPT)),
        ("python", f'#!/bin/sh\nexec "{sys.executable}" -P "$@"\n'),
        ("openjd", f'#!/bin/sh\nexec "{sys.executable}" -m openjd "$@"\n'),
    ):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return tmp_path


def test_every_command_of_the_page_works_as_it_stands_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(COMMANDS) > 15
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}")
    for command in COMMANDS:
        program, words = shlex.split(command)[:3], shlex.split(command)[3:]
        if program == ["blender", "--command", "genmm"] and words != ["--help"]:
            # In this process: each start of Blender takes as long as the work.
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            assert main(words) == 0, command
        else:
            ended = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert made >= MADE
    assert len([name for name in left_in(folder) if ".unfinished" in name]) == 0


def test_the_settings_of_the_page_are_settings(folder: Path) -> None:
    recipe = read_settings(folder / "dance.json").recipe
    assert (recipe.frames, recipe.settings.patch_frames) == (120, 9)
    assert json.loads((folder / "dance.json").read_text())["loop"] == recipe.loop.value

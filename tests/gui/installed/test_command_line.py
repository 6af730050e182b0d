# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed extension's command in the full program, and a farm's job with that program."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from driving import BLENDER, ROOT, build_archive

CHARACTER = """
import bpy
bpy.ops.wm.read_homefile(use_empty=True)
bpy.ops.genmm.add_sample_character()
bpy.context.object.genmm.frames = 60
bpy.ops.wm.save_as_mainfile(filepath="hero.blend")
"""


@dataclass(frozen=True)
class Program:
    """Blender with the extension enabled, called in a separate folder."""

    folder: Path

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"BLENDER_USER_RESOURCES": str(self.folder / "profile")}
        command = [str(BLENDER), *words]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )


@pytest.fixture(scope="module")
def blender() -> Iterator[Program]:
    if not BLENDER.exists():
        pytest.skip("There is no full Blender here.")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        program = Program(Path(folder))
        archive = build_archive(Path(folder))
        done = program("--command", "extension", "install-file", "-r", "user_default", "-e", str(archive))
        assert done.returncode == 0, done.stdout + done.stderr
        (Path(folder) / "character.py").write_text(CHARACTER)
        program("--background", "--python", "character.py")
        yield program


@pytest.mark.parametrize("ending", ["npz", "blend", "bvh", "fbx", "glb"])
def test_the_open_file_is_generated_from(blender: Program, ending: str) -> None:
    done = blender("hero.blend", "--command", "genmm", "generate", "-o", f"open.{ending}")
    assert done.returncode == 0, done.stderr
    assert (blender.folder / f"open.{ending}").stat().st_size > 1000
    assert "1/1 " in done.stderr and "Traceback" not in done.stderr


def test_machines_read_json_and_people_sentences(blender: Program) -> None:
    done = blender("--command", "genmm", "generate", "hero.blend", "--seeds", "0-19", "--json", "-o", "m_{seed}.npz")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("00:")]
    events = [json.loads(line)["event"] for line in lines]
    assert events == [*["file"] * 20, "end"]
    done = blender("--command", "genmm", "generate", "none.bvh")
    assert done.returncode == 2
    assert 'genmm: There is no file "none.bvh"; check its name and folder.' in done.stderr.splitlines()


def test_the_script_does_as_the_command_does(blender: Program) -> None:
    (script,) = (blender.folder / "profile").rglob("genmm/batch.py")
    words = ("--background", "hero.blend", "--python", str(script), "--", "generate", "--seeds", "3", "-o")
    assert blender(*words, "script.npz").returncode == 0
    assert blender("--command", "genmm", "generate", "hero.blend", "--seeds", "3", "-o", "command.npz").returncode == 0
    one, other = ((blender.folder / f"{name}.npz").read_bytes() for name in ("script", "command"))
    assert one == other
    assert blender(*words, "script.npz").returncode == 2, "its status is Blender's"


def test_a_crowd_opens_and_plays(blender: Program) -> None:
    done = blender("--command", "genmm", "crowd", "hero.blend", "--agents", "60", "-o", "crowd.blend")
    assert done.returncode == 0, done.stderr
    count = "sum(' Agent ' in thing.name for thing in bpy.data.objects)"
    look = f"import bpy; bpy.context.scene.frame_set(30); print('AGENTS', {count})"
    assert "AGENTS 120" in blender("--background", "crowd.blend", "--python-expr", look).stdout


def test_a_farm_runs_the_whole_job_with_the_program(blender: Program) -> None:
    out = blender.folder / "out"
    values = {"Blender": BLENDER, "InputFile": blender.folder / "hero.blend", "OutputFolder": out, "Seeds": "0-5"}
    words = [word for name, value in (values | {"SeedsPerTask": 3}).items() for word in ("-p", f"{name}={value}")]
    template = shutil.copy(ROOT / "farm" / "generate.yaml", blender.folder)
    done = subprocess.run(
        [sys.executable, "-m", "openjd", "run", template, "--step", "Gather", "--run-dependencies", *words],
        cwd=blender.folder,
        env=os.environ | {"BLENDER_USER_RESOURCES": str(blender.folder / "profile")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert len(json.loads((out / "motions.json").read_text())["motions"]) == 6

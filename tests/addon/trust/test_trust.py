# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of a studio: no network, no writes except results, and no damage to users' files."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import bpy
import numpy as np
import pytest
from commands import SCRIPT, left_in, run, started
from interface import new_character, results_of

from bench.soaking.faults import faults
from bench.soaking.fuzzing import fuzz
from bench.soaking.fuzzing_files import fuzz_files
from bench.soaking.round_trips import round_trip
from bench.soaking.soak import Report, any_character, any_request, generated
from genmm_addon.core.motion import read_bvh
from genmm_addon.files.import_file import import_file

PACKAGE = SCRIPT.parent

WATCHED = """
import os, sys
package = {package!r}
sys.path.insert(0, os.path.dirname(package))
seen = []

def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")):
        seen.append((event, str(arguments)[:100]))
    if event == "open" and str(arguments[0]).startswith(package):
        writes = arguments[1] is not None and set(arguments[1]) & set("wax+")
        if writes or (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            seen.append((event, str(arguments)[:100]))
    if event in ("os.mkdir", "os.remove", "os.rename", "os.rmdir") and package in str(arguments):
        seen.append((event, str(arguments)[:100]))

import bpy
import genmm_addon
sys.addaudithook(watch)
genmm_addon.register()
bpy.ops.genmm.add_sample_character()
bpy.context.object.genmm.frames = 60
bpy.ops.genmm.generate_motion()
bpy.ops.genmm.make_crowd(agents=5, clips=2)
bpy.ops.genmm.export_settings(filepath={folder!r} + "/s.json")
bpy.ops.wm.save_as_mainfile(filepath={folder!r} + "/hero.blend")
from genmm_addon.command_line.command import main
for ending, seeds in (("npz", "0-9"), ("fbx", "0-9"), ("blend", "0"), ("bvh", "0"), ("glb", "0")):
    output = {folder!r} + "/x{{seed}}." + ending
    main(["generate", {folder!r} + "/hero.blend", "--seeds", seeds, "--quiet", "-o", output])
genmm_addon.unregister()
print("SEEN", seen, flush=True)
os._exit(0)
"""


pytestmark = pytest.mark.usefixtures("extension")


@pytest.mark.processes
def test_nothing_is_sent_or_written_into_the_folder_of_the_extension(tmp_path: Path) -> None:
    code = WATCHED.format(package=str(PACKAGE), folder=str(tmp_path))
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert "SEEN []" in done.stdout.splitlines(), done.stdout[-2000:] + done.stderr[-2000:]
    assert left_in(tmp_path) >= {"x9.npz", "x9.fbx", "x0.blend", "x0.bvh", "x0.glb"}


@pytest.mark.processes
def test_nothing_is_imported_from_the_folder_of_a_file(tmp_path: Path) -> None:
    new_character()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    for name in ("numpy", "json", "core", "genmm_addon", "argparse", "mathutils", "startup", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')\n")
    for words in (
        ("generate", "hero.blend", "--seeds", "0-9", "--jobs", "2", "-o", "{seed}.npz"),
        ("info", "hero.blend"),
    ):
        process = started(*words, cwd=tmp_path)
        process.communicate(timeout=120)
        assert process.returncode == 0
    assert "owned" not in left_in(tmp_path) and "9.npz" in left_in(tmp_path)


def test_only_files_are_asked_for() -> None:
    manifest = tomllib.loads((PACKAGE / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert list(manifest["permissions"]) == ["files"]


@pytest.mark.processes
@pytest.mark.processes
def test_two_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    new_character()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    words = ("generate", tmp_path / "hero.blend", "--frames", 60, "--seeds", "0-19", "--jobs", 2, "-o")
    both = [started(*words, tmp_path / name / "{seed}.npz") for name in ("one", "other")]
    assert [process.wait(120) for process in both] == [0, 0]
    for process in both:
        process.communicate()
    one, other = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "other"))
    assert len(one) == 20 and one == other


def test_a_file_opens_plays_and_is_saved_without_the_extension_and_comes_back_whole(tmp_path: Path) -> None:
    rig = new_character()
    settings = rig.genmm
    settings.frames, settings.new_seed, settings.seed, settings.loop = 30, False, 5, "TRAVEL"
    bpy.ops.genmm.generate_motion()
    made = results_of(rig)[0].name
    path = tmp_path / "file.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    code = (
        f"import bpy, os; bpy.ops.wm.open_mainfile(filepath={str(path)!r})\n"
        f"rig = bpy.data.objects[{made!r}]\n"
        "poses = []\n"
        "for frame in (1, 15):\n"
        "    bpy.context.scene.frame_set(frame)\n"
        "    poses.append([tuple(row) for row in rig.pose.bones[2].matrix])\n"
        "assert poses[0] != poses[1]\n"
        "assert not hasattr(bpy.types.Object, 'genmm')\n"
        f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r})\n"
        "print('FINE', flush=True); os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "FINE" in done.stdout, done.stdout + done.stderr
    bpy.ops.wm.open_mainfile(filepath=str(path))
    settings = bpy.data.objects["Hero"].genmm
    assert (settings.frames, settings.seed, settings.loop) == (30, 5, "TRAVEL")
    result = bpy.data.objects[made]
    bpy.context.view_layer.objects.active = result
    assert result.get("genmm_recipe") and result.animation_data.action["genmm_recipe"]


def test_file_of_a_newer_version_keeps_its_settings(tmp_path: Path) -> None:
    rig = new_character()
    rig.genmm.frames = 44
    rig.genmm.version = 99
    path = tmp_path / "newer.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["Hero"]
    assert rig.genmm.frames == 44 and rig.genmm.version == 99
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}


def test_a_skeleton_of_thousands_of_bones_in_a_row_is_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    depth = 1500
    lines = ["HIERARCHY"]
    for joint in range(depth):
        lines += [f"{'JOINT' if joint else 'ROOT'} j{joint}", "{", "OFFSET 0 1 0"]
        lines += ["CHANNELS 3 Zrotation Xrotation Yrotation"]
    lines += ["End Site", "{", "OFFSET 0 1 0", "}", *depth * ["}"], "MOTION", "Frames: 20", "Frame Time: 0.03"]
    lines += [" ".join([str(frame % 5)] * (3 * depth)) for frame in range(20)]
    (tmp_path / "deep.bvh").write_text("\n".join(lines))
    said = run(capfd, "generate", tmp_path / "deep.bvh", "-o", tmp_path / "deep.npz")
    assert said.status == 0 and said.errors == []


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.bvh"
    path.write_text("HIERARCHY\n")
    monkeypatch.setitem(read_bvh.__globals__, "LARGEST_FILE", 5)
    with pytest.raises(Exception, match="is larger than"):
        import_file(path, bpy.context)


# --- A sample of `python build.py soak`, of other seeds -------------------------------------------


@pytest.mark.parametrize("block", range(3))
def test_writing_back_poses_random_characters_the_same(block: int) -> None:
    outcomes = set()
    for seed in range(100_000 + 20 * block, 100_020 + 20 * block):
        outcomes.add(round_trip(any_character(seed, editable=True, most_bones=100)))
    assert outcomes <= {"channels", "visual", "said", "unsettled", "refused"} and "channels" in outcomes


@pytest.mark.parametrize("block", range(2))
def test_random_characters_give_results_or_a_sentence(block: int) -> None:
    outcomes = []
    for seed in range(200_000 + 10 * block, 200_010 + 10 * block):
        outcomes.append(generated(any_character(seed, most_bones=100), np.random.default_rng(seed)))
    assert outcomes.count("made") > 5


def test_error_at_any_step_leaves_the_file_unchanged(tmp_path: Path) -> None:
    with (tmp_path / "report").open("w") as lines:
        results = Report(lines)
        counts = faults(75, any_request, results.trying)
    assert results.failures == 0, (tmp_path / "report").read_text()
    assert sum(counts["faults"].values()) == 75


def test_broken_texts_are_refused_in_a_sentence_or_read(tmp_path: Path) -> None:
    with (tmp_path / "report").open("w") as lines:
        results = Report(lines)
        counts = fuzz(3_000, results.trying)
    assert results.failures == 0, (tmp_path / "report").read_text()
    assert len(counts["readers"]) == 13


@pytest.mark.slow
def test_damaged_and_forged_files_are_refused_in_a_sentence_or_read(tmp_path: Path) -> None:
    with (tmp_path / "report").open("w") as lines:
        results = Report(lines)
        counts = fuzz_files(60, results.trying)
    assert results.failures == 0, (tmp_path / "report").read_text()
    assert len(counts["readers"]) == 23

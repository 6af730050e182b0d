# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of a library: asset libraries, the open file, and files that crash the Blender that reads them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from bvh_files import lifting
from commands import left_in, run, save, saved_character
from interface import new_action, new_character

from genmm_addon.animation.pins.action import new_pins
from genmm_addon.core import InputError
from genmm_addon.core.library import load_library
from genmm_addon.libraries.build_process import BuildOrder, LibraryBuild, read_on, start_build
from genmm_addon.libraries.reading import reader_process
from genmm_addon.libraries.reading.blender_files import read_with_blender
from genmm_addon.libraries.takes import SourceFile, Take
from genmm_addon.state.properties import scene_properties

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]
CATALOG = "11111111-2222-3333-4444-555555555555"


def built(order: BuildOrder) -> LibraryBuild:
    """Return the build after it has ended."""
    build = start_build(order)
    while read_on(0.01):
        pass
    assert build.thread is None or build.thread.join() is None
    return build


@pytest.fixture
def assets(tmp_path: Path) -> Iterator[Path]:
    """Yield an asset library in the preferences: an action that is an asset, with a catalog, and one that is not."""
    folder = tmp_path / "assets"
    folder.mkdir()
    (folder / "blender_assets.cats.txt").write_text(f"VERSION 1\n\n{CATALOG}:Walks/Tired:Walks-Tired\n")
    (folder / "walk.bvh").write_text(lifting(0))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    save(folder, "empty")
    _, rig = saved_character(folder)
    new_action(rig, "No Asset").use_fake_user = True
    action = rig.animation_data.action
    action.asset_mark()
    action.asset_data.catalog_id = CATALOG
    action.asset_data.tags.new("style=old")
    save(folder, "hero")
    bpy.ops.preferences.asset_library_add(directory=str(folder))
    library = bpy.context.preferences.filepaths.asset_libraries[-1]
    library.name = "Our Walks"
    yield folder
    bpy.context.preferences.filepaths.asset_libraries.remove(library)


def test_an_asset_library_gives_its_action_assets_with_tags_and_catalogs(
    assets: Path, tmp_path: Path, capfd: Capture
) -> None:
    build = built(BuildOrder("", str(tmp_path / "panel.npz"), source="ASSETS", asset_library="Our Walks"))
    assert (build.clips, build.problems) == (1, [])
    (clip,) = load_library(tmp_path / "panel.npz").clips
    assert clip.name == "Hero Sway" and dict(clip.tags) == {"style": "old", "catalog": "Walks/Tired"}
    said = run(capfd, "library", "build", "Our Walks", "--assets", "-o", tmp_path / "named.npz")
    assert said.status == 0, said.errors
    assert (tmp_path / "named.npz").read_bytes() == (tmp_path / "panel.npz").read_bytes()


def test_the_actions_of_this_file_become_clips_but_for_results_and_pins(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = new_character("Hero")
    marker = new_action(rig, "walk_old", speed=0.5).pose_markers.new("mood=glad")
    marker.frame = 1
    pins = new_pins(rig)
    bpy.ops.genmm.generate_motion(frames=40, output="NEW_ACTION", seed=1)
    actions = len(bpy.data.actions)
    build = start_build(BuildOrder("", str(tmp_path / "own.npz"), "{action}_{style}", mirrored=False, source="FILE"))
    read_on(0.0)
    assert not build.done and len(bpy.data.actions) == actions, "one action after another"
    while read_on(0.01):
        pass
    assert build.thread is not None
    build.thread.join()
    library = load_library(tmp_path / "own.npz")
    assert [clip.name for clip in library.clips] == ["Hero Sway", "walk_old"] and build.clips == 2
    assert dict(library.clips[1].tags) == {"mood": "glad", "action": "walk", "style": "old"}
    assert library.clips[0].fingerprint != library.clips[1].fingerprint
    assert left_in(tmp_path) == {"own.npz"} and pins.name in bpy.data.actions


def test_library_of_this_file_is_written_to_a_new_folder_or_its_problem_reported(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    new_character("Hero")
    build = built(BuildOrder("", str(tmp_path / "new" / "own.npz"), source="FILE"))
    assert (build.clips, build.problems) == (1, [])
    (tmp_path / "taken").write_text("a file")
    build = built(BuildOrder("", str(tmp_path / "taken" / "own.npz"), source="FILE"))
    assert build.clips is None and len(build.problems) == 1
    assert build.problems[0].endswith("check its folder and the disk.") and "own.npz" in build.problems[0]


@pytest.mark.parametrize(("rate", "read"), [(60, 60.0), (30, 30.0), (12, 24.0)])
def test_gltf_files_are_read_at_the_rate_of_the_file(tmp_path: Path, rate: int, read: float) -> None:
    new_character("Hero")
    bpy.context.scene.render.fps = rate
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "hero.glb"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    (take,) = read_with_blender(SourceFile(tmp_path / "hero.glb", "hero.glb"), "")
    assert isinstance(take, Take) and take.rate == read


def test_reading_this_file_can_be_stopped_and_needs_a_character(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    empty = built(BuildOrder("", str(tmp_path / "own.npz"), source="FILE"))
    assert empty.clips is None and "No action of this file" in empty.problems[0]
    rig = new_character("Hero")
    new_action(rig, "More")
    build = start_build(BuildOrder("", str(tmp_path / "own.npz"), source="FILE"))
    assert not read_on(0.0) or not build.done
    build.stop()
    assert build.done and not read_on(1.0) and left_in(tmp_path) == set()
    (tmp_path / "mine.npz").write_text("something else")
    asked = scene_properties(bpy.context.scene).library_build
    asked.source, asked.file = "FILE", str(tmp_path / "mine.npz")
    with pytest.raises(RuntimeError, match=r"mine\.npz"):
        bpy.ops.genmm.build_library()
    assert (tmp_path / "mine.npz").read_text() == "something else"


def test_an_action_that_goes_while_others_are_read_is_named(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = new_character("Hero")
    gone = new_action(rig, "Later")
    build = start_build(BuildOrder("", str(tmp_path / "own.npz"), source="FILE"))
    assert build.reading is not None
    next(build.reading)
    bpy.data.actions.remove(gone)
    while read_on(0.01):
        pass
    assert build.thread is not None
    build.thread.join()
    assert build.clips == 1 and "removed while others were read" in build.problems[0]


def test_a_file_that_ends_blender_is_named_and_the_others_are_read(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes = tmp_path / "takes"
    takes.mkdir()
    for name in ("bad", "good", "later"):
        saved_character(takes, name)
    (takes / "walk.bvh").write_text(lifting(0))
    words = reader_process.blender_words
    # This simulates an importer's crash, in the child process, for this file only.
    crash = "import bpy, os; _load = bpy.data.libraries.load; "
    patched = (
        "from genmm_addon.libraries.reading import file_reader as _reader; _read = _reader.read_with_blender; "
        "_reader.read_with_blender = lambda file, *more, **how: "
        "os.abort() if file.name == 'bad.blend' else _read(file, *more, **how); "
    )

    def ending(binary: str, code: str) -> list[str]:
        before, call = code.rsplit(" importlib", 1)
        return words(binary, f"{before} {crash}{patched} importlib{call}")

    monkeypatch.setattr(reader_process, "blender_words", ending)
    said = run(capfd, "library", "build", takes, "-o", tmp_path / "all.npz", "--skeleton", "good.blend")
    assert said.status == 2
    assert [error for error in said.errors if "bad.blend" in error] == [
        '"bad.blend" was skipped: Blender was ended by the signal SIGABRT while it read the file; '
        "open it there and save it again."
    ]
    names = {clip.name for clip in load_library(tmp_path / "all.npz").clips}
    assert {"good Sway", "later Sway"} <= names


@pytest.mark.processes
def test_a_file_that_has_blender_read_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = reader_process.blender_words

    def endless(binary: str, code: str) -> list[str]:
        before, call = code.rsplit(" importlib", 1)
        patched = (
            "import time; from genmm_addon.libraries.reading import file_reader as _reader; "
            "_reader.read_with_blender = lambda file, *more, **how: time.sleep(600);"
        )
        return words(binary, f"{before} {patched} importlib{call}")

    monkeypatch.setattr(reader_process, "blender_words", endless)
    monkeypatch.setattr(reader_process, "MOST_SECONDS", 0.6)
    with reader_process.reader_process("") as reader, pytest.raises(InputError, match=r"not end in 0\.01 minutes"):
        reader.read(SourceFile(tmp_path / "endless.blend", "endless.blend"), "")


def test_the_panel_builds_without_a_whole_blender_where_no_file_needs_one(tmp_path: Path) -> None:
    takes = tmp_path / "takes"
    takes.mkdir()
    (takes / "walk_old.bvh").write_text(lifting(0))
    folder = Path(sys.modules["genmm_addon"].__path__[0])
    builder = folder / "command_line" / "processes" / "library_builder.py"
    code = (
        "import runpy, sys; sys.modules['bpy'] = None; "
        f"sys.argv = ['builder', *sys.argv[1:]]; runpy.run_path({str(builder)!r}, run_name='__main__')"
    )
    words = [sys.executable, "-c", code, str(takes), "-o", str(tmp_path / "all.npz"), "--pattern={action}_{style}"]
    ended = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ), check=False)
    assert ended.returncode == 0, ended.stderr
    assert dict(load_library(tmp_path / "all.npz").clips[0].tags) == {"action": "walk", "style": "old"}

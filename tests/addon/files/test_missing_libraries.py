# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that link to a missing library: refusals name it, and notes mention it if the work can be done."""

from pathlib import Path

import bpy
import pytest
from commands import left_in, run, save, saved_character
from interface import new_character

from genmm_addon.core import InputError
from genmm_addon.files.import_file import import_file

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]


def link(library: Path, objects: tuple[str, ...] = (), actions: tuple[str, ...] = ()) -> None:
    with bpy.data.libraries.load(str(library), link=True) as (_, target):
        target.objects, target.actions = list(objects), list(actions)
    for thing in target.objects:
        bpy.context.scene.collection.objects.link(thing)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path, _ = saved_character(tmp_path, "Hero")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def linked_character(tmp_path: Path, library: Path) -> Path:
    link(library, objects=("Hero",))
    return save(tmp_path, "shot")


def linked_action(tmp_path: Path, library: Path) -> Path:
    with bpy.data.libraries.load(str(library)) as (_, target):
        target.objects = ["Hero"]
    rig = target.objects[0]
    bpy.context.scene.collection.objects.link(rig)
    bpy.data.actions.remove(rig.animation_data.action)
    link(library, actions=("Hero Sway",))
    rig.animation_data.action = bpy.data.actions["Hero Sway"]
    return save(tmp_path, "shot")


@pytest.mark.parametrize("make", [linked_character, linked_action])
def test_a_missing_library_is_named_where_the_character_or_its_action_is_in_it(
    tmp_path: Path, capfd: Capture, library: Path, make: object
) -> None:
    assert callable(make)
    shot = make(tmp_path, library)
    assert run(capfd, "generate", shot, "--frames", 20, "-o", tmp_path / "there.npz").status == 0
    library.unlink()
    said = run(capfd, "generate", shot, "--frames", 20, "-o", tmp_path / "gone.npz")
    assert said.status == 2 and len(said.errors) == 1
    assert f'the library "{library}" is missing' in said.errors[0]
    assert left_in(tmp_path) == {"shot.blend", "there.npz"}


def test_importing_a_file_names_the_library_that_its_action_is_missing_from(tmp_path: Path, library: Path) -> None:
    shot = linked_action(tmp_path, library)
    library.unlink()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with pytest.raises(InputError, match="is missing"):
        import_file(shot, bpy.context)


def test_a_library_that_no_longer_holds_the_character_is_named(tmp_path: Path, capfd: Capture, library: Path) -> None:
    shot = linked_character(tmp_path, library)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    new_character("Other")
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    said = run(capfd, "generate", shot, "-o", tmp_path / "x.npz")
    assert said.status == 2 and f'the library "{library}" no longer contains "Hero"' in said.errors[0]


def test_missing_unrelated_library_is_noted_without_stopping_the_work(
    tmp_path: Path, capfd: Capture, library: Path
) -> None:
    new_character("Own")
    link(library, objects=("Hero",))
    shot = save(tmp_path, "shot")
    library.unlink()
    said = run(capfd, "generate", shot, "--armature", "Own", "--frames", 20, "-o", tmp_path / "x.npz")
    assert said.status == 0 and said.told[0].startswith(f'Note: The library "{library}" is missing')
    said = run(capfd, "info", shot)
    assert any(f'The library "{library}" is missing' in line for line in said.lines)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of the settings in a file: older settings are migrated once, when the file is opened."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from interface import new_character

from genmm_addon.state import settings_versions

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Any]]:
    """Simulate a later release that doubles lengths and switches ghosts off; return a function for what it migrated."""
    migrated: list[Any] = []

    def double(settings: Any) -> None:
        migrated.append(settings.id_data.name)
        settings.frames *= 2

    def no_ghosts(settings: Any) -> None:
        settings.show_ghosts = False

    def release() -> list[Any]:
        present = settings_versions.VERSION
        monkeypatch.setattr(settings_versions, "VERSION", present + 1)
        monkeypatch.setitem(settings_versions.CHARACTER_MIGRATIONS, present, double)
        monkeypatch.setitem(settings_versions.SCENE_MIGRATIONS, present, no_ghosts)
        return migrated

    return release


def saved_and_opened(path: Path) -> Any:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return opened(path)


def opened(path: Path) -> Any:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.objects["Hero"].genmm


def test_settings_of_an_older_version_are_migrated_once(tmp_path: Path, next_version: Callable[[], list[Any]]) -> None:
    new_character().genmm.frames = 40
    bpy.context.scene.genmm.show_parts = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    migrated = next_version()
    settings = opened(tmp_path / "old.blend")
    assert (settings.frames, settings.version, migrated) == (80, settings_versions.VERSION, ["Hero"])
    assert not bpy.context.scene.genmm.show_ghosts
    settings = saved_and_opened(tmp_path / "new.blend")
    assert (settings.frames, settings.version, migrated) == (80, settings_versions.VERSION, ["Hero"])


def test_settings_made_by_this_version_are_not_taken_for_old_ones(
    tmp_path: Path, next_version: Callable[[], list[Any]]
) -> None:
    migrated = next_version()
    new_character().genmm.frames = 40
    settings = saved_and_opened(tmp_path / "new.blend")
    assert (settings.frames, settings.version, migrated) == (40, settings_versions.VERSION, [])


def test_objects_never_set_up_are_not_migrated(tmp_path: Path, next_version: Callable[[], list[Any]]) -> None:
    new_character().genmm.frames = 40
    bpy.data.objects.new("Untouched", None).use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    migrated = next_version()
    opened(tmp_path / "old.blend")
    assert migrated == ["Hero"]
    assert not bpy.data.objects["Untouched"].is_property_set("genmm")


def test_a_newer_version_keeps_its_word(tmp_path: Path) -> None:
    new_character().genmm.version = 99
    assert saved_and_opened(tmp_path / "newer.blend").version == 99
    assert saved_and_opened(tmp_path / "again.blend").version == 99


def test_every_version_so_far_has_a_way_to_the_next() -> None:
    for migrations in (settings_versions.CHARACTER_MIGRATIONS, settings_versions.SCENE_MIGRATIONS):
        assert set(migrations) <= set(range(settings_versions.FIRST, settings_versions.VERSION))

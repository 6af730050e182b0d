# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the method: written and read back, but never run as code."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from interface import new_character, registered

from genmm_addon.core import InputError, Settings
from genmm_addon.interface.presets import operators
from genmm_addon.requests.presets import PROPERTIES, SUBFOLDER, apply_preset, read_preset, write_preset
from genmm_addon.requests.request_values import settings_of


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def shipped() -> list[Path]:
    return sorted(path for folder in bpy.utils.preset_paths(SUBFOLDER) for path in Path(folder).glob("*.py"))


def test_three_presets_come_with_the_extension_and_set_every_parameter() -> None:
    assert [path.stem for path in shipped()] == ["Closer_to_the_Example", "More_Variety", "Paper_Defaults"]
    hero = new_character()
    for path in shipped():
        assert sorted(read_preset(path)) == sorted(PROPERTIES)
        apply_preset(hero.genmm, path)
        settings_of(hero.genmm)


def test_paper_defaults_are_the_cores_defaults_and_the_panels() -> None:
    hero = new_character()
    assert settings_of(hero.genmm) == Settings()
    hero.genmm.patch_frames, hero.genmm.use_completeness, hero.genmm.facing = 30, False, "FREE"
    bpy.ops.genmm.load_method_preset(filepath=str(shipped()[-1]))
    assert settings_of(hero.genmm) == Settings()


def test_a_preset_sets_what_it_does_not_name_to_the_default(tmp_path: Path) -> None:
    path = tmp_path / "short.py"
    path.write_text("noise = 0.25\n", encoding="utf-8")
    hero = new_character()
    hero.genmm.patch_frames, hero.genmm.use_completeness, hero.genmm.parts = 30, False, "LIMBS"
    apply_preset(hero.genmm, path)
    assert settings_of(hero.genmm) == Settings(noise=0.25)
    assert hero.genmm.parts == "WHOLE_BODY"


def test_applying_a_preset_restores_the_saved_settings(tmp_path: Path) -> None:
    hero = new_character()
    hero.genmm.patch_frames, hero.genmm.noise, hero.genmm.parts = 17, 0.3, "LIMBS"
    write_preset(hero.genmm, tmp_path / "mine.py")
    other = new_character("Other")
    apply_preset(other.genmm, tmp_path / "mine.py")
    assert [getattr(other.genmm, name) for name in PROPERTIES] == [getattr(hero.genmm, name) for name in PROPERTIES]


def test_saving_through_blenders_menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hero = new_character()
    hero.genmm.patch_frames = 23
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, **__: str(tmp_path))
    bpy.ops.genmm.add_method_preset(name="My Walks")
    assert read_preset(tmp_path / "My_Walks.py")["patch_frames"] == 23


def test_presets_of_the_user_are_removed_and_those_of_the_extension_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_preset(new_character().genmm, tmp_path / "Mine.py")
    paths = [tmp_path, *(Path(folder) for folder in bpy.utils.preset_paths(SUBFOLDER))]
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda _: [str(path) for path in paths])
    bpy.ops.genmm.add_method_preset(name="Mine", remove_name=True)
    assert not (tmp_path / "Mine.py").exists()
    assert all(Path(operators.SHIPPED) in path.parents for path in shipped())
    copied = tmp_path / "extension"
    copied.mkdir()
    for path in shipped():
        write_preset(new_character().genmm, copied / path.name)
    monkeypatch.setattr(operators, "SHIPPED", str(copied))
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda _: [str(copied)])
    with pytest.raises(RuntimeError, match=r"More_Variety.* comes with GenMM"):
        bpy.ops.genmm.add_method_preset(name="More Variety", remove_name=True)
    assert (copied / "More_Variety.py").exists()


def test_a_preset_is_read_and_never_run(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    path = tmp_path / "hostile.py"
    path.write_text(f"patch_frames = __import__('pathlib').Path({str(trap)!r}).touch()\n", encoding="utf-8")
    hero = new_character()
    with pytest.raises(RuntimeError, match="cannot be read"):
        bpy.ops.genmm.load_method_preset(filepath=str(path))
    assert not trap.exists()
    assert hero.genmm.patch_frames == Settings().patch_frames


@pytest.mark.parametrize(
    "text",
    [
        "patch_frames = 'eleven'", "facing = 'UP'", "patch_frames =", "patch_frames = {[]: 1}", "patch_frames = -3",
        f"noise = 0x{'f' * 50}", f"noise = {'9' * 50}", "noise = 1e999", "noise = nan", "noise = -1", "facing = 3",
        "use_completeness = 2", "patch_frames = (1)", "noise = 1 + 1", "noise = 1j", "facing = 'AU' 'TO'",
    ],
)  # fmt: skip
def test_an_unfit_preset_is_one_sentence_and_changes_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "unfit.py"
    path.write_text(f"iterations = 2\n{text}\n", encoding="utf-8")
    hero = new_character()
    before = hero.genmm.iterations
    with pytest.raises(InputError, match="'unfit'"):
        apply_preset(hero.genmm, path)
    assert hero.genmm.iterations == before != 2


def test_other_names_in_a_preset_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "newer.py"
    path.write_text("version = 3\nroot_bone = 'x'\npatch_frames = 9\n", encoding="utf-8")
    hero = new_character()
    apply_preset(hero.genmm, path)
    assert (hero.genmm.patch_frames, hero.genmm.root_bone) == (9, "")

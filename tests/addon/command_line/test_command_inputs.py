# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs and values of the command line: negative ranges, NaN, brackets, folders, instances, newer Blenders."""

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from bvh_files import walker
from commands import run, save, saved_character

from genmm_addon.command_line.arguments.one_sentence import finite
from genmm_addon.command_line.arguments.parser import parser
from genmm_addon.command_line.inputs.opening import expanded
from genmm_addon.core import InputError, Settings
from genmm_addon.files import newer_files
from genmm_addon.files.import_file import import_file
from genmm_addon.libraries.reading.blender_files import read_with_blender
from genmm_addon.libraries.takes import SourceFile

pytestmark = pytest.mark.usefixtures("extension")
Capture = pytest.CaptureFixture[str]


def parsers_in(whole: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield each command's words with each of its options."""
    for action in whole._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from parsers_in(inner, (*words, name))
        elif action.option_strings:
            yield words, action


NUMERIC = [
    (words, option)
    for words, option in parsers_in(parser())
    if isinstance(option, argparse.Action) and option.nargs is None and option.type is float
]


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "inf", "1e999", "infinity"])
def test_numeric_options_reject_non_finite_numbers(capfd: Capture, text: str) -> None:
    assert len(NUMERIC) > 20
    for words, option in NUMERIC:
        flag = max(option.option_strings, key=len)
        said = run(capfd, *words, f"{flag}={text}")
        assert (said.status, said.errors) == (2, [f'{flag} must be a number, not "{text}".']), (words, flag)


@pytest.mark.parametrize("words", [("--completeness", "nan"), ("--weight", "Hips=nan")])
def test_structured_options_reject_nan(tmp_path: Path, capfd: Capture, words: tuple[str, ...]) -> None:
    hero = saved_character(tmp_path)[0]
    said = run(capfd, "generate", hero, "-o", tmp_path / "x.npz", *words)
    assert said.status == 2 and len(said.errors) == 1 and " must " in said.errors[0]
    with pytest.raises(InputError, match=r"Variety must"):
        Settings(noise=float("nan"))


def test_ranges_and_numbers_may_be_negative(tmp_path: Path, capfd: Capture) -> None:
    for text, expected in (("-10-20", (-10, 20)), ("-10--5", (-10, -5)), ("-2.5-3", (-2.5, 3)), ("1-80", (1, 80))):
        assert parser().parse_args(["generate", "--range", text]).example_range == expected
        assert parser().parse_args(["fill", "--range", text]).frames == expected
        assert parser().parse_args(["ground", "--range", text]).frames == expected
    for text in ("-5--10", "-", "--5", "-10", "1-" + "9" * 400):
        said = run(capfd, "fill", f"--range={text}")
        assert said.status == 2 and "is not a range of frames" in said.errors[0]
    assert parser().parse_args(["crowd", "--spacing", "-1e3"]).spacing == -1000
    assert finite("-.5") == -0.5


def test_brackets_in_names_of_folders_stand_for_themselves(tmp_path: Path) -> None:
    for folder in ("take [1]", "take 1", "[a]b[c]", "[", "[!x]"):
        (tmp_path / folder / "[in]").mkdir(parents=True)
        for place in (tmp_path / folder, tmp_path / folder / "[in]"):
            (place / "walk.bvh").write_text(walker())
        assert expanded([tmp_path / folder / "*.bvh"]) == (tmp_path / folder / "walk.bvh",)
        assert expanded([tmp_path / folder / "*" / "w*.bvh"]) == (tmp_path / folder / "[in]" / "walk.bvh",)
        assert len(expanded([tmp_path / folder / "**" / "*.bvh"])) == 2
        assert expanded([tmp_path / folder]) == (tmp_path / folder / "walk.bvh",)
    assert expanded([tmp_path / "take [12]" / "*.bvh"]) == (tmp_path / "take 1" / "walk.bvh",), "a class of characters"
    with pytest.raises(InputError, match="matches no"):
        expanded([tmp_path / "[none" / "*.bvh"])


def test_an_output_that_is_a_folder_is_refused_before_any_work(tmp_path: Path, capfd: Capture) -> None:
    hero = saved_character(tmp_path)[0]
    for name in ("out", "out.bvh", "out.npz", "out.blend"):
        folder = tmp_path / name
        folder.mkdir()
        for command in ("generate", "repair", "crowd", "asset"):
            for force in ((), ("--force",)):
                said = run(capfd, command, hero, "-o", folder, *force)
                assert said.status == 2 and "is a folder" in said.errors[0], (command, name, said.errors)
        assert not list(folder.iterdir())


@pytest.mark.parametrize("linked", [True, False])
def test_a_character_in_a_collection_instance_is_named_with_the_remedy(
    tmp_path: Path, capfd: Capture, linked: bool
) -> None:
    source, rig = saved_character(tmp_path)
    collection = bpy.data.collections.new("Hero Set")
    collection.objects.link(rig)
    collection.use_fake_user = True
    source = save(tmp_path, "source")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(source), link=linked) as (_, target):
        target.collections = ["Hero Set"]
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", target.collections[0]
    bpy.context.scene.collection.objects.link(empty)
    shot = save(tmp_path, "shot")
    said = run(capfd, "generate", shot, "-o", tmp_path / "x.npz")
    remedy = "library override" if linked else "make the instance real"
    assert said.status == 2 and remedy in said.errors[0]
    assert '"Hero Set"' in said.errors[0] and '"Instance"' in said.errors[0]
    info = run(capfd, "info", shot)
    assert info.status == 0 and any(remedy in line for line in info.lines)


def test_file_of_a_newer_blender_is_noted_by_all_readers(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    hero = saved_character(tmp_path)[0]
    other = tmp_path / "other.blend"
    shutil.copy(hero, other)
    assert not [line for line in run(capfd, "info", hero).lines if "was saved by Blender" in line]
    monkeypatch.setattr(newer_files, "OWN", (4, 1))
    now = ".".join(map(str, bpy.app.version[:2]))
    note = f'"hero.blend" was saved by Blender {now}; Blender 4.1 opens it without the features that {now} added.'
    for words in (
        ("generate", "-o", tmp_path / "x.npz"),
        ("repair", "--everything", "-o", tmp_path / "x.bvh"),
        ("info",),
    ):
        said = run(capfd, words[0], hero, *words[1:])
        assert said.status == 0 and any(note in line for line in said.told), (words, said.told)
    together = run(capfd, "generate", hero, other, "--together", "-o", tmp_path / "y.npz")
    assert any("other.blend" in line and "was saved by" in line for line in together.told), together
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert import_file(hero, bpy.context)[0].notes == (note,)
    (take, *_) = read_with_blender(SourceFile(hero, "hero.blend"), "")
    assert getattr(take, "notes", ()) == (note,)

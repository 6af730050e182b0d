# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation's pictures: one command makes them all, and pictures older than their subject are found."""

import re
import subprocess
from pathlib import Path

import pytest

from building.pictures import FILMS, FOLDER, OTHERWISE_MADE, PICTURES, Picture, older_than_their_sources

ROOT = Path(__file__).resolve().parents[1]
LARGEST_FILM, LARGEST_SUM = 150_000, 5_000_000
"""Largest size of one moving picture, and of all of them, in bytes; the extension's zip contains them."""


def test_pictures_in_the_documentation_are_registered_and_exist() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"pictures/([\w./-]+)\)", page.read_text(encoding="utf-8"))}
    known = {picture.name for picture in PICTURES + FILMS} | set(OTHERWISE_MADE)
    assert shown <= known
    assert {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*")} == known


@pytest.mark.parametrize("picture", PICTURES + FILMS, ids=lambda picture: picture.name)
def test_the_script_and_the_sources_of_a_picture_are_there(picture: Picture) -> None:
    script = ROOT / "tests" / "gui" / picture.script
    for name in picture.screenshots or (Path(picture.name).stem,):
        assert name in script.read_text(encoding="utf-8")
    assert [path for path in picture.paths if not (ROOT / path).exists()] == []


def test_pictures_that_move_are_small() -> None:
    sizes = [(FOLDER / picture.name).stat().st_size for picture in FILMS]
    assert max(sizes) < LARGEST_FILM and sum(sizes) < LARGEST_SUM


def test_a_picture_that_was_taken_before_its_panel_changed_is_named(tmp_path: Path) -> None:
    def commit(name: str, second: int) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(str(second))
        words = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        for command in (("add", "-A"), (*words, "commit", "-qm", name, "--date", f"@{second}")):
            environment = {"GIT_COMMITTER_DATE": f"@{second} +0000", "PATH": "/usr/bin:/bin:/usr/local/bin"}
            subprocess.run(["git", *command], cwd=tmp_path, check=True, env=environment)

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    panel = Picture("panel.png", "drive.py", ("genmm_addon/panel.py",))
    commit("genmm_addon/panel.py", 1_000_000_000)
    commit("docs/pictures/panel.png", 1_000_000_100)
    assert list(older_than_their_sources((panel,), tmp_path)) == []
    commit("genmm_addon/panel.py", 1_000_000_200)
    assert list(older_than_their_sources((panel,), tmp_path)) == ["panel.png"]

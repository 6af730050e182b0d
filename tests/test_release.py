# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the extension platform that a release keeps."""

import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from building.release import PLATFORM, REMAINING, broken_rules, picture_size, release_notes

ROOT = Path(__file__).resolve().parents[1]
Manifest = dict[str, Any]
FILES = {"blender_manifest.toml": b"", "__init__.py": b"import bpy\n", "LICENSE": b"GPL"}


@pytest.fixture
def manifest() -> Manifest:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


def archive_of(folder: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(folder / "genmm.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return folder / "genmm.zip"


def test_the_manifest_the_sources_and_the_pictures_keep_the_rules(manifest: Manifest, tmp_path: Path) -> None:
    addon = ROOT / "genmm_addon"
    sources = {path.relative_to(addon).as_posix(): path.read_bytes() for path in addon.rglob("*.py")}
    assert broken_rules(archive_of(tmp_path, FILES | sources), manifest, "New.") == []
    assert picture_size(PLATFORM / "icon.png") == (256, 256)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda manifest: manifest.update(tagline="Motion."), "tagline ends with a punctuation mark"),
        (lambda manifest: manifest.update(tagline="m" * 65), "tagline has 65 letters"),
        (lambda manifest: manifest.update(name="GenMM for Blender"), "The name says"),
        (lambda manifest: manifest.update(license=["SPDX:MIT"]), "The license is not"),
        (lambda manifest: manifest.pop("tags"), 'no "tags"'),
        (lambda manifest: manifest.pop("copyright"), 'no "copyright"'),
    ],
)
def test_a_manifest_that_breaks_a_rule_is_named(
    manifest: Manifest, tmp_path: Path, change: Callable[[Manifest], object], sentence: str
) -> None:
    change(manifest)
    (broken,) = broken_rules(archive_of(tmp_path, FILES), manifest, "New.")
    assert sentence in broken


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("core/__pycache__/x.pyc", b"", "does not belong"),
        ("lib/fast.so", b"", "does not belong"),
        ("page.js", b"x=1;" * 400, "as minified source has"),
        ("sending.py", b"import urllib.request\n", "reaches for the network"),
        ("listening.py", b"from http.server import HTTPServer\n", "reaches for the network"),
        ("pages/serving/asking.py", b"import http.client\n", "reaches for the network"),
    ],
)
def test_a_file_that_breaks_a_rule_is_named(
    manifest: Manifest, tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    (broken,) = broken_rules(archive_of(tmp_path, FILES | {name: content}), manifest, "New.")
    assert broken.startswith(name) and sentence in broken


def test_pictures_of_another_size_and_missing_notes_are_named(manifest: Manifest, tmp_path: Path) -> None:
    (tmp_path / "icon.png").write_bytes((PLATFORM / "featured.png").read_bytes())
    broken = " ".join(broken_rules(archive_of(tmp_path, FILES), manifest, "", tmp_path))
    for words in ("icon.png is not 256 x 256", "featured.png is missing", "description.md is missing", "no section"):
        assert words in broken


def test_a_description_without_what_reviewers_ask_for_is_named(manifest: Manifest, tmp_path: Path) -> None:
    for name in ("icon.png", "featured.png"):
        (tmp_path / name).write_bytes((PLATFORM / name).read_bytes())
    text = (PLATFORM / "description.md").read_text(encoding="utf-8")
    (tmp_path / "description.md").write_text(text.replace("127.0.0.1", "here"), encoding="utf-8")
    (broken,) = broken_rules(archive_of(tmp_path, FILES), manifest, "New.", tmp_path)
    assert '"127.0.0.1"' in broken
    assert any("Decide on the name" in step for step in REMAINING)


def test_release_notes_are_the_section_of_the_version() -> None:
    text = "# Changelog\n\n## 0.2.0\n\n- New.\n\n## 0.1.0\n\n- First.\n"
    assert release_notes(text, "0.2.0") == "- New.\n"
    assert release_notes(text, "0.1.0") == "- First.\n"
    assert release_notes(text, "0.1") == release_notes(text, "3.0.0") == ""

# SPDX-License-Identifier: GPL-3.0-or-later
"""A release for Blender's extension platform: its notes, and the platform's rules that a program can check."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .blender_modules import ROOT

PLATFORM = ROOT / "docs" / "platform"
"""Folder of the description, icon and pictures for the platform's page."""
LONGEST_LINE = 64
"""Most characters of the tagline and of a permission's reason; Blender's extension tool refuses more."""
LARGEST_CODE_LINE = 1000
"""Most characters in a line of source; longer lines are machine-made, and the platform refuses minified code."""
LARGEST_ARCHIVE = 50_000_000
"""Largest archive in bytes for reviewers and users with slow connections; the platform's own limit is higher."""
PICTURES = {"icon.png": (256, 256), "featured.png": (1920, 1080)}
"""Pictures of the platform's page, with their sizes in pixels."""
TOLD = ("processes", "127.0.0.1", "farm", "independent implementation")
"""Words of the platform's description: other processes, the local page, job templates, and the method's authors."""
SOURCES = (".py", ".js", ".css", ".html")
NETWORK = re.compile(rb"^\s*(import|from) (urllib(?!\.parse)|http|socket|requests)\b", re.MULTILINE)
CLIENTS = re.compile(rb"^\s*(import|from) (urllib\.request|http\.client|requests)\b|create_connection", re.MULTILINE)
"""Pattern of modules for network clients; the server of `genmm serve` only listens, on this machine's own address."""
SERVER = "pages/serving/"
REMAINING = (
    "Sign in at extensions.blender.org with a Blender ID, upload the zip, and paste the notes.",
    "Paste docs/platform/description.md, and upload icon.png and featured.png from there.",
    "Upload screenshots: docs/pictures has those of the README.",
    "Decide on the name: the method's authors have an add-on called GenMM too.",
    "Give a website and an address for support; the manifest names none.",
    "Try the zip once by hand in each Blender that it names: install, enable, generate, disable, remove.",
    "Answer the reviewers.",
)
"""Steps that a program cannot take."""


def release_notes(changelog: str, version: str) -> str:
    """Return the changelog's section on a version; "" without one."""
    section = re.search(
        rf"^## {re.escape(version)}(?![.\w])[^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    return "" if section is None else section[1].strip() + "\n"


def broken_rules(archive: Path, manifest: dict[str, Any], notes: str, pictures: Path = PLATFORM) -> list[str]:
    """Return a sentence for each of the platform's rules that a release breaks."""
    with zipfile.ZipFile(archive) as opened:
        files = {entry.filename: opened.read(entry) for entry in opened.infolist()}
    checks: tuple[Callable[[], Iterator[str]], ...] = (
        lambda: _of_manifest(manifest),
        lambda: _of_files(files),
        lambda: _of_pictures(pictures),
    )
    broken = [sentence for check in checks for sentence in check()]
    if not notes:
        broken.append(f"CHANGELOG.md has no section {manifest.get('version')}; write what is new.")
    if archive.stat().st_size > LARGEST_ARCHIVE:
        broken.append(f"The archive has {archive.stat().st_size:,} bytes, more than {LARGEST_ARCHIVE:,}.")
    return broken


def _of_manifest(manifest: dict[str, Any]) -> Iterator[str]:
    for key in (
        "id",
        "version",
        "name",
        "tagline",
        "maintainer",
        "license",
        "copyright",
        "blender_version_min",
        "tags",
    ):
        if not manifest.get(key):
            yield f'The manifest has no "{key}".'
    lines = {"tagline": manifest.get("tagline", "")}
    lines |= {f"permission {name}": reason for name, reason in manifest.get("permissions", {}).items()}
    for name, line in lines.items():
        if len(line) > LONGEST_LINE:
            yield f"The manifest's {name} has {len(line)} letters, more than {LONGEST_LINE}."
        if line and not line[-1].isalnum():
            yield f"The manifest's {name} ends with a punctuation mark."
    if re.search(r"blender|add-?on|extension", manifest.get("name", ""), re.IGNORECASE):
        yield "The name says that it is for Blender, or an add-on: there everything is."
    if "SPDX:GPL-3.0-or-later" not in manifest.get("license", ()):
        yield "The license is not GPL-3.0-or-later, as the platform asks of add-ons."


def _of_files(files: dict[str, bytes]) -> Iterator[str]:
    for name in ("blender_manifest.toml", "__init__.py", "LICENSE"):
        if name not in files:
            yield f"The archive has no {name}."
    for name, content in files.items():
        if re.search(r"__pycache__|\.pyc$|(^|/)\.|\.(so|pyd|dll|dylib|exe|whl)$", name):
            yield f"{name} does not belong into an archive."
        elif _is_source(name) and any(len(line) > LARGEST_CODE_LINE for line in content.splitlines()):
            yield f"{name} has lines of more than {LARGEST_CODE_LINE:,} letters, as minified source has."
        if name.endswith(".py") and (CLIENTS if name.startswith(SERVER) else NETWORK).search(content):
            yield f"{name} reaches for the network, for which the manifest asks no permission."


def _is_source(name: str) -> bool:
    """Return whether a file of the archive is source; the manual's pages are not, and have long paragraphs."""
    return name.endswith(SOURCES) and not (name.startswith("manual/") and name.endswith(".html"))


def _of_pictures(folder: Path) -> Iterator[str]:
    for name, size in PICTURES.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is missing; `python build.py release --draw` makes it."
        elif picture_size(path) != size:
            yield f"{name} is not {size[0]} x {size[1]} pixels; `python build.py release --draw` makes it anew."
    description = folder / "description.md"
    if not description.is_file():
        yield "description.md is missing."
        return
    text = description.read_text(encoding="utf-8").lower()
    for word in TOLD:
        if word not in text:
            yield f'description.md does not mention "{word}", which reviewers and users must know.'


def picture_size(path: Path) -> tuple[int, int]:
    """Return the width and height of a PNG in pixels."""
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return int(width), int(height)

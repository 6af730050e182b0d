# SPDX-License-Identifier: GPL-3.0-or-later
"""The package as it ships, and copies of it that keep what Python has compiled of unchanged files."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Mapping
from pathlib import Path

from .blender_modules import ROOT

COMPILED, MANIFEST = "__pycache__", "blender_manifest.toml"


def package_files() -> dict[str, Path]:
    """Return the files that ship, by their names in the package, sorted by name.

    `core`, the manifest and the help are taken from their own folders, not through the links in `genmm_addon`.
    """
    files = {MANIFEST: ROOT / MANIFEST, "LICENSE": ROOT / "LICENSE"}
    for folder, prefix in ((ROOT / "genmm_addon", ""), (ROOT / "core", "core/"), (ROOT / "docs" / "help", "help/")):
        for path in folder.rglob("*"):
            name = path.relative_to(folder)
            hidden = any(part.startswith((".", "__pycache__")) for part in name.parts)
            linked = not prefix and name.parts[0] in ("core", "help", "blender_manifest.toml")
            if path.is_file() and not hidden and not linked:
                files[prefix + name.as_posix()] = path
    return dict(sorted(files.items()))


def copy_changed(files: Mapping[str, Path], target: Path) -> Path:
    """Make `target` a folder of copies of these files, by their names in it, and return it.

    Copies of unchanged files stay as they are, times included, and so does Python's bytecode for them. Raises
    FileExistsError for a folder that is no earlier copy, whose files would be removed.
    """
    is_copy = any((target / name).is_file() for name in files if name.endswith(MANIFEST))
    if target.is_symlink() or (target.is_dir() and any(target.iterdir()) and not is_copy):
        raise FileExistsError(f"{target} is not a copy of the package; remove it.")
    copies = {target / name: path for name, path in files.items()}
    for place in sorted(target.rglob("*"), reverse=True):  # the content of a folder comes before the folder itself
        if place.is_dir() and all(left.name == COMPILED for left in place.iterdir()):
            shutil.rmtree(place)
        elif place.is_file() and place not in copies and place.parent.name != COMPILED:
            place.unlink()
    for place, path in copies.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        if not (place.is_file() and filecmp.cmp(path, place)):
            shutil.copy2(path, place)
    return target

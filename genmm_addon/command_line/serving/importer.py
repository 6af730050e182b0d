# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of a separate Blender that imports a dropped file and saves it as a .blend that refers to no other file.

`import_process` starts it and ends it, even while an importer waits for something forever.
"""

import json
from pathlib import Path

import bpy

from ...core import InputError
from ...core.storage import whole_file
from ...files.fbx_paths import without_paths
from ...files.gltf.document import check_stands_alone
from ...files.import_file import ImportedCharacter, import_alone


def main(path: str, saved: str, described: str) -> None:
    """Import a file, save it at `saved`, and describe its characters, or the error, in a JSON file."""
    try:
        values: dict[str, object] = {"characters": _imported(Path(path), saved)}
    except InputError as error:
        values = {"refused": str(error)}
    with whole_file(Path(described)) as unfinished:
        unfinished.write_text(json.dumps(values), encoding="utf-8")


def _imported(path: Path, saved: str) -> list[dict[str, object]]:
    ending = path.suffix.lower()
    if ending in (".gltf", ".glb"):
        check_stands_alone(path)
    elif ending == ".fbx":
        path.write_bytes(without_paths(path.read_bytes()))
    characters = [_described(character) for character in import_alone(path)]
    # A download must not contain images from other files on this computer.
    outside = [image for image in bpy.data.images if image.source == "FILE" and image.packed_file is None]
    bpy.data.batch_remove(outside)
    bpy.ops.wm.save_as_mainfile(filepath=saved, check_existing=False, compress=False)
    return characters


def _described(character: ImportedCharacter) -> dict[str, object]:
    examples = []
    for spec in character.examples:
        assert spec.action is not None
        spec.action.use_fake_user = True  # otherwise an unused action is not saved
        examples.append({"action": spec.action.name, "slot": spec.slot, "rate": spec.frames_per_second})
    return {
        "armature": character.armature.name,
        "examples": examples,
        "axes": character.file_axes.tolist(),
        "notes": list(character.notes),
    }

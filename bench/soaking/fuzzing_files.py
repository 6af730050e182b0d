# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged and forged files given to all readers of files: each is read, or refused with InputError and nothing else."""

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import genmm_addon.core.library.cache.kept as kept
from genmm_addon.command_line.commands.gather import _check_list
from genmm_addon.command_line.inputs.gallery_clips import _clips_in_arrays
from genmm_addon.command_line.inputs.picked_motions import _rows
from genmm_addon.command_line.outputs.clip_records import clips_of, recorded_clips
from genmm_addon.command_line.outputs.made_with import FileOrigin, keep_record, made_with, record_of
from genmm_addon.command_line.outputs.whole_files import is_whole
from genmm_addon.core import InputError, load_motion, save_motion
from genmm_addon.core.library import Clip, library_of, load_library, save_library
from genmm_addon.core.motion import read_bvh, read_bvh_motion
from genmm_addon.core.storage import Malformed, parse_json
from genmm_addon.files.asset_catalogs import CATALOGS, HEADER, catalogs_of, ensure_catalog
from genmm_addon.files.fbx_paths import without_paths
from genmm_addon.files.gltf.document import check_stands_alone
from genmm_addon.files.gltf.joining import _glb, joined
from genmm_addon.files.gltf.key_rate import key_rate
from genmm_addon.generation.recipe import read_settings
from genmm_addon.pages.serving.tasks import file_in, variations_in
from genmm_addon.requests.presets import read_preset

from .forging import damaged, forged_archive, forged_json
from .fuzzing import BVH, PRESET, SETTINGS, broken
from .fuzzing_kept import kept_readers, swing
from .fuzzing_records import record_reader
from .reader import Reader, json_reader

Trying = Callable[[str], AbstractContextManager[None]]
GLTF: Any = {
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 2]}],
    "nodes": [{"name": "hips", "children": [1]}, {"name": "leg"}, {"name": "arm"}, {"mesh": 0, "skin": 0}],
    "skins": [{"joints": [0, 1]}], "meshes": [{"primitives": [{"attributes": {}}]}],
    "animations": [{
        "channels": [{"sampler": 0, "target": {"node": node, "path": "rotation"}} for node in range(3)],
        "samplers": [{"input": 0, "output": 1}],
    }],
    "accessors": [
        {"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0.0], "max": [0.1]},
        {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4"},
    ],
    "bufferViews": [{"buffer": 0, "byteLength": 12}, {"buffer": 0, "byteOffset": 12, "byteLength": 48}],
    "buffers": [{"byteLength": 60, "uri": "data:application/octet-stream;base64," + "AACAPgAAAD8AAIA/" + "A" * 68}],
}  # fmt: skip
ASKED = {
    "count": 2, "seed": 3, "kind": ".bvh", "motion": 1, "action": 0, "seconds": 2.5, "loop": "off", "free": [1],
    "kept": [2],
}  # fmt: skip
FBX = (
    b"Kaydara FBX Binary  \0\x1a\0" + b"RelativeFilenameS\x05\0\0\0a.pngFilenameS\x05\0\0\0b.png"
    b'PS\x04\0\0\0PathS\x07\0\0\0KStringS\x03\0\0\0UrlS\0\0\0\0S\x05\0\0\0c.png RelativeFilename: "d.png"\n'
)
CATALOG = f"{HEADER}5d9b0a0e-3a0e-4c0c-9c3a-0d3a2f6c7b11:Walks/Tired:Walks-Tired\n"


def fuzz_files(count: int, trying: Trying) -> dict[str, Any]:
    """Give `count` damaged and `count` forged files to each reader; return how many were read or refused."""
    start = time.perf_counter()
    outcomes: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder, patch.object(kept, "LEAST_FRAMES", 1):
        for name, reader in _readers(Path(folder)).items():
            path, found = Path(folder) / reader.name, outcomes.setdefault(name, Counter())
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(reader.content)
            with trying(f"{name}, the whole file"):
                assert _outcome(reader, path) == "read", "refused"
            # The same files for a reader, whichever others there are.
            random = np.random.default_rng(0)
            for number in range(2 * count):
                content = reader.forge(random) if number % 2 else damaged(random, reader.content)
                path.write_bytes(content)
                outcome = "crashed"
                with trying(f"{name}, file {number}: {content!r:.200}"):
                    outcome = _outcome(reader, path)
                found[outcome] += 1
    counts = {name: dict(found) for name, found in outcomes.items()}
    return {"files": 2 * count, "readers": counts, "seconds": round(time.perf_counter() - start)}


def _outcome(reader: Reader, path: Path) -> str:
    try:
        outcome = reader.read(path)
    except InputError as error:
        assert str(error).endswith("."), f"no sentence: {error}"
        return "refused"
    return outcome if isinstance(outcome, str) else "read"


def _readers(folder: Path) -> dict[str, Reader]:
    motions = [swing(20), swing(20)]
    library = library_of(motions, [Clip(name, f"{name}.bvh", 0, 20, {"style": "x"}) for name in "ab"])
    save_motion(folder / "motion.npz", motions[0])
    save_library(folder / "library.npz", library)
    picked = {"genmm": "favorites", "version": 1, "motions": [{"file": "a.npz", "character": "", "seed": 3}]}
    beside = folder / "made.bvh"
    beside.write_bytes(b"HIERARCHY")
    keep_record(beside, FileOrigin(2, 2, (3,), "fingerprint"))
    clips = {"genmm": "clips", "version": 1, "sha256": _said(beside)["sha256"], "input": "Walk", "examples": "e.json"}
    clips |= {"clips": [{"seed": 1, "sources": "", "shown": [0], "measures": "{}", "figure": _figure()}]}
    texts = {
        "preset": _text(PRESET, "p.py", read_preset),
        "settings file": _text(SETTINGS, "s.json", read_settings),
        "catalogs": _text(CATALOG, CATALOGS, _catalogs),
    }
    glb = _glb(json.dumps(GLTF).encode(), b"")
    return {
        "BVH": _text(BVH, "w.bvh", _bvh),
        "glTF": json_reader(GLTF, "a.gltf", _gltf),
        "GLB": Reader(glb, lambda random: _glb(forged_json(random, GLTF), b""), "a.glb", _gltf),
        **kept_readers(folder),
        "motion": _archive(folder / "motion.npz", _used),
        "library": _archive(folder / "library.npz", lambda path: load_library(path).motion(1).pose()),
        "whole file": _archive(folder / "motion.npz", is_whole),
        "gallery": _archive(folder / "motion.npz", lambda path: list(_clips_in_arrays(path))),
        "origin": _archive(folder / "motion.npz", made_with),
        "gathered list": json_reader({"genmm": "motions", "version": 1, "motions": []}, "motions.json", _check_list),
        "page's request": json_reader(ASKED, "asked.json", _asked),
        "records": record_reader(),
        "FBX": Reader(FBX, lambda random: damaged(random, FBX), "a.fbx", lambda path: without_paths(path.read_bytes())),
        "favorites": json_reader(picked, "favorites.json", _rows),
        "record": json_reader(
            _said(beside), record_of(beside).relative_to(folder).as_posix(), lambda _: made_with(beside)
        ),
        "clips": json_reader(clips, clips_of(beside).relative_to(folder).as_posix(), lambda _: recorded_clips(beside)),
        **texts,
    }


def _said(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record_of(path).read_text())
    return found


def _figure() -> dict[str, Any]:
    from genmm_addon.pages.figures import figure_of, figure_values

    return figure_values(figure_of(swing(20)))


def _used(path: Path) -> None:
    motion = load_motion(path)
    assert np.isfinite(motion.pose()[1]).all(), "a motion that is not finite"


def _bvh(path: Path) -> None:
    read_bvh(path)
    assert np.isfinite(read_bvh_motion(path).motion.rotations).all(), "a motion that is not finite"


def _gltf(path: Path) -> None:
    key_rate(path)
    with joined(path):
        pass
    check_stands_alone(path)


def _asked(path: Path) -> None:
    try:
        values = parse_json(path.read_bytes())
    except Malformed:
        return
    for task_in in (variations_in, file_in):
        task_in(values)


def _catalogs(path: Path) -> None:
    catalogs_of(path.with_name("a.blend"))
    ensure_catalog(path.with_name("a.blend"), "Walks/Proud")


def _archive(path: Path, read: Callable[[Path], object]) -> Reader:
    with np.load(path) as file:
        arrays = dict(file)
    return Reader(path.read_bytes(), lambda random: forged_archive(random, arrays), "a.npz", read)


def _text(text: str, name: str, read: Callable[[Path], object]) -> Reader:
    return Reader(text.encode(), lambda random: broken(random, text).encode("utf-8", "replace"), name, read)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged and forged files given to all readers of files: each is read, or refused with InputError and nothing else."""

import io
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import genmm_addon.core.library.cache.kept as kept
import genmm_addon.core.library.cache.values_file as values_file
from genmm_addon.command_line.inputs.picked_motions import _rows
from genmm_addon.command_line.outputs.clip_records import clips_of, recorded_clips
from genmm_addon.command_line.outputs.made_with import FileOrigin, keep_record, made_with, record_of
from genmm_addon.command_line.outputs.whole_files import is_whole
from genmm_addon.core import InputError, Motion, Skeleton, load_motion, save_motion, synthesize
from genmm_addon.core.library import Clip, library_of, load_library, prepare_kept, save_library
from genmm_addon.files.asset_catalogs import CATALOGS, HEADER, catalogs_of, ensure_catalog
from genmm_addon.files.bvh.motion import read_bvh_motion
from genmm_addon.files.bvh.text import read_bvh
from genmm_addon.files.gltf.document import check_stands_alone
from genmm_addon.files.gltf.joining import _glb, joined
from genmm_addon.files.gltf.key_rate import key_rate
from genmm_addon.generation.settings_file import read_settings
from genmm_addon.requests.presets import read_preset

from .forging import Random, damaged, forged_archive, forged_json, forged_preparation
from .fuzzing import BVH, PRESET, SETTINGS, broken

Trying = Callable[[str], AbstractContextManager[None]]
Forge = Callable[[Random], bytes]
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
CATALOG = f"{HEADER}5d9b0a0e-3a0e-4c0c-9c3a-0d3a2f6c7b11:Walks/Tired:Walks-Tired\n"


@dataclass(frozen=True)
class Reader:
    """A reader of files: a valid content, forged ones, the file's name, and the reading itself."""

    content: bytes
    forge: Forge
    name: str
    read: Callable[[Path], object]


def fuzz_files(count: int, trying: Trying) -> dict[str, Any]:
    """Give `count` damaged and `count` forged files to each reader; return how many were read or refused."""
    random, start = np.random.default_rng(0), time.perf_counter()
    outcomes: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, reader in _readers(Path(folder)).items():
            path, found = Path(folder) / reader.name, outcomes.setdefault(name, Counter())
            path.parent.mkdir(exist_ok=True)
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
        reader.read(path)
    except InputError as error:
        assert str(error).endswith("."), f"no sentence: {error}"
        return "refused"
    return "read"


def _swing(frames: int) -> Motion:
    """Return a leg of two joints that swings."""
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    rest = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -0.9]])
    angles = 0.5 * np.sin(0.3 * np.arange(frames))[:, None] * [0.2, 1.0]
    turns = np.stack((np.cos(angles), np.sin(angles), 0 * angles, 0 * angles), axis=-1)
    moves = np.zeros((frames, 1, 3), np.float32)
    skeleton = Skeleton(("hips", "leg"), np.array([-1, 0]), identity, rest)
    return Motion(skeleton, 30.0, turns.astype(np.float32), np.array([0]), moves)


def _readers(folder: Path) -> dict[str, Reader]:
    motions = [_swing(20), _swing(20)]
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
        "glTF": _json(GLTF, "a.gltf", _gltf),
        "GLB": Reader(glb, lambda random: _glb(forged_json(random, GLTF), b""), "a.glb", _gltf),
        "preparation": _preparation(folder / "kept"),
        "motion": _archive(folder / "motion.npz", _used),
        "library": _archive(folder / "library.npz", lambda path: load_library(path).motion(1).pose()),
        "whole file": _archive(folder / "motion.npz", is_whole),
        "favorites": _json(picked, "favorites.json", _rows),
        "record": _json(_said(beside), record_of(beside).relative_to(folder).as_posix(), lambda _: made_with(beside)),
        "clips": _json(clips, clips_of(beside).relative_to(folder).as_posix(), lambda _: recorded_clips(beside)),
        **texts,
    }


def _said(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record_of(path).read_text())
    return found


def _figure() -> dict[str, Any]:
    from genmm_addon.pages.figures import figure_of, figure_values

    return figure_values(figure_of(_swing(20)))


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


def _preparation(folder: Path) -> Reader:
    """Return a reader of preparations, forged with the digest of their new content, and of results made from them."""
    examples = (_swing(80), _swing(60))
    kept.LEAST_FRAMES = 1
    prepare_kept(examples, folder)
    (path,) = folder.iterdir()
    key = f".preparation{path.stem}"
    encoded, arrays = values_file.read_values(path, key)

    def forge(random: Random) -> bytes:
        file = io.BytesIO()
        try:
            values_file.write_values(file, *forged_preparation(random, encoded, arrays), key)
        except (ValueError, TypeError):  # arrays of objects cannot be written
            return b""
        return file.getvalue()

    def read(_: Path) -> None:
        synthesize(prepare_kept(examples, folder), 30).motion.check_values("A result")

    return Reader(path.read_bytes(), forge, f"kept/{path.name}", read)


def _catalogs(path: Path) -> None:
    catalogs_of(path.with_name("a.blend"))
    ensure_catalog(path.with_name("a.blend"), "Walks/Proud")


def _archive(path: Path, read: Callable[[Path], object]) -> Reader:
    with np.load(path) as file:
        arrays = dict(file)
    return Reader(path.read_bytes(), lambda random: forged_archive(random, arrays), "a.npz", read)


def _text(text: str, name: str, read: Callable[[Path], object]) -> Reader:
    return Reader(text.encode(), lambda random: broken(random, text).encode("utf-8", "replace"), name, read)


def _json(value: Any, name: str, read: Callable[[Path], object]) -> Reader:
    return Reader(json.dumps(value).encode(), lambda random: forged_json(random, value), name, read)

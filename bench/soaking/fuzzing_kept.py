# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of values kept in a folder, forged with the signature of a stranger, and uses of what they return."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import genmm_addon.core.library.cache.kept as kept
import genmm_addon.core.library.cache.values_file as values_file
from genmm_addon.animation.channels import KeyedChannels
from genmm_addon.animation.reading.clips_on_character import CARRIED, ClipsToCarry, _Kind
from genmm_addon.animation.reading.example_spec import Reading
from genmm_addon.core import Motion, Skeleton, resample, synthesize
from genmm_addon.core.infill import fill_gap
from genmm_addon.core.library import (
    Clip,
    IndexedMotions,
    KeptFiles,
    PoseIndex,
    find_similar,
    library_of,
    prepare_kept,
    rows_of,
)
from genmm_addon.core.motion import Gap
from genmm_addon.core.transfer import moved_joints
from genmm_addon.libraries.exploring.indexes import INDEXES, kept_index
from genmm_addon.libraries.indexed_examples import INDEXED, RESAMPLED, LibraryToPrepare

from .forging import Random, forged_preparation
from .reader import Reader

RATE = 30.0
Read = Callable[[Path], Any]


def swing(frames: int) -> Motion:
    """Return a leg of two joints that swings."""
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    rest = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -0.9]])
    angles = 0.5 * np.sin(0.3 * np.arange(frames))[:, None] * [0.2, 1.0]
    turns: NDArray[np.float64] = np.stack((np.cos(angles), np.sin(angles), 0 * angles, 0 * angles), axis=-1)
    moves = np.zeros((frames, 1, 3), np.float32)
    skeleton = Skeleton(("hips", "leg"), np.array([-1, 0]), identity, rest)
    return Motion(skeleton, RATE, turns.astype(np.float32), np.array([0]), moves)


def kept_readers(folder: Path) -> dict[str, Reader]:
    """Return a reader of each kind of kept values, from a folder of its own."""
    examples = (swing(40), swing(30))
    slower = resample(examples[0], 0.8 * RATE)[0]
    gap = Gap(slower.slice(0, 8), slower.slice(20, 28))
    keyed = KeyedChannels(rotations={}, locations=())
    reading = Reading(examples, keyed, visual=False)
    pairs = {name: name for name in examples[0].skeleton.names}
    moved = moved_joints(examples[0], examples[0].skeleton, pairs)
    kind = _Kind([0, 1], list(examples), pairs, moved)
    clips = ClipsToCarry((kind,), examples[0].skeleton, np.array(moved), None, reading, checksums=(1, 2))

    library = library_of(examples, [Clip(name, f"{name}.bvh", 0, 0) for name in "ab"])

    def carried(place: Path) -> Sequence[Motion]:
        return clips.carried(folder=place)

    def indexed(place: Path) -> IndexedMotions:
        return LibraryToPrepare(clips, ("a", "b"), 0.8 * RATE, "", None, place).prepared().prepared

    def filled(indexed: IndexedMotions) -> Motion:
        return fill_gap(indexed, gap, frames=9)[0].motion

    def searched(index: PoseIndex) -> None:
        find_similar(index, rows_of(index.space, examples[1])[:10])

    return {
        "preparation": _reader(
            folder / "prepared",
            kept.PREPARATIONS,
            lambda place: prepare_kept(examples, place),
            lambda prepared: _check(synthesize(prepared, 20).motion),
        ),
        "index": _reader(
            folder / "indexed",
            INDEXED,
            indexed,
            lambda found: _check(filled(found)),
        ),
        "resampled": _reader(folder / "resampled", RESAMPLED, indexed, lambda found: list(map(_check, found.motions))),
        "poses": _reader(folder / "searched", INDEXES, lambda place: kept_index(library, place), searched),
        "carried": _reader(folder / "carried", CARRIED, carried, lambda motions: list(map(_check, motions))),
    }


def _check(motion: Motion) -> None:
    motion.check_values("A result")
    assert np.isfinite(motion.pose()[1]).all(), "a motion that is not finite"


def _reader(folder: Path, files: KeptFiles, read: Read, use: Callable[[Any], object]) -> Reader:
    """Return the reader of a file that reading makes; what is read is used where the file was not made again."""
    read(folder)
    (path,) = folder.glob(f"*{files.suffix}")
    content, key = path.read_bytes(), files.suffix + path.stem
    encoded: Any
    are_motions = files in (RESAMPLED, CARRIED)
    encoded, arrays = _motions_in(content) if are_motions else values_file.read_values(path, key)

    def forge(random: Random) -> bytes:
        file = io.BytesIO()
        try:
            write = _write_motions if are_motions else values_file.write_values
            with patch.object(values_file, "signing_key", lambda: b"of a stranger"):
                write(file, *forged_preparation(random, encoded, arrays), key)
        except (ValueError, TypeError):  # arrays of objects cannot be written
            return b""
        return file.getvalue()

    def reading(_: Path) -> str:
        given = path.read_bytes()
        value = read(folder)
        if path.read_bytes() != given:
            return "made again"
        use(value)
        return "read"

    return Reader(content, forge, f"{folder.name}/{path.name}", reading)


def _motions_in(content: bytes) -> tuple[Any, list[NDArray[Any]]]:
    """Return the places of motions in a file's content, and the array of all their values."""
    begin = len(values_file.MARK) + values_file.HEADER.size
    end = begin + values_file.HEADER.unpack(content[len(values_file.MARK) : begin])[1]
    return json.loads(content[end:]), [np.frombuffer(content[begin:end], np.float32)]


def _write_motions(file: io.BytesIO, places: Any, arrays: Sequence[NDArray[Any]], key: str) -> None:
    values, text = arrays[0].tobytes(), json.dumps(places).encode()
    signed = values_file.signature_of(key, text, len(values))
    file.write(values_file.MARK + values_file.HEADER.pack(len(text), len(values), signed) + values + text)

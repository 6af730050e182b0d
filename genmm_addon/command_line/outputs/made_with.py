# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs that a written file was made from, and their comparison with those of a command.

A `.npz` contains them. Files of other kinds stay as Blender writes them, for other programs to read; a small record in
the folder `.genmm` beside them stores the inputs, tied to the file by its checksum.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from ...core import InputError
from ...core.storage import clear_leftovers, parse_json_file, read_arrays
from .whole_files import NO_ARCHIVE, is_broken, is_whole, whole_file

FOLDER = ".genmm"
KIND = "made with"


@dataclass(frozen=True)
class FileOrigin:
    """The origin of a file. frames, joints: of its motion; fingerprint: of its inputs, "" if unknown."""

    frames: int
    joints: int
    seeds: tuple[int, ...]
    fingerprint: str = ""


class Judgment(Enum):
    """The verdicts on a file that may already exist."""

    MAKE = "MAKE"
    """The file is missing or broken."""
    KEEP = "KEEP"
    KEEP_UNSAID = "KEEP_UNSAID"
    """The file is complete, but its settings are unknown, as for files of earlier versions."""
    OTHER = "OTHER"
    """The file was generated from other inputs, or modified since."""


def judge(path: Path, expected: FileOrigin, longer: int = 0) -> Judgment:
    """Return the verdict on a file with the expected origin. longer: frames by which its motion may be longer."""
    if not is_whole(path):
        return Judgment.MAKE if is_broken(path) else Judgment.OTHER
    if path.suffix.lower() != ".npz" and not has_record(path):
        frames = _frames_of_bvh(path) if path.suffix.lower() == ".bvh" else expected.frames
        return Judgment.KEEP_UNSAID if expected.frames <= frames <= expected.frames + longer else Judgment.OTHER
    origin = made_with(path)
    if origin is None:
        return Judgment.OTHER
    if origin.fingerprint:
        same = (origin.fingerprint, origin.seeds) == (expected.fingerprint, expected.seeds)
        return Judgment.KEEP if same else Judgment.OTHER
    fits = expected.frames <= origin.frames <= expected.frames + longer
    same = fits and (origin.joints, origin.seeds) == (expected.joints, expected.seeds)
    return Judgment.KEEP_UNSAID if same else Judgment.OTHER


OTHER = (
    "was generated with other settings or inputs, or was modified since; choose another --output, or use --force to"
    " overwrite it."
)
"""The message, after the name of a file that --resume can neither keep nor replace."""


def judge_by_record(path: Path, expected: FileOrigin) -> Judgment:
    """Return the verdict on a file whose origin is known only from its record."""
    if not is_whole(path):
        return Judgment.MAKE if is_broken(path) else Judgment.OTHER
    if not has_record(path):
        return Judgment.KEEP_UNSAID
    try:
        origin = _of_record(path)
    except (OSError, KeyError, TypeError, ValueError, InputError):
        origin = None
    return Judgment.KEEP if origin is not None and origin.fingerprint == expected.fingerprint else Judgment.OTHER


def made_with(path: Path) -> FileOrigin | None:
    """Return the origin of a complete file; None if it is unknown, or the file was modified since."""
    try:
        return _of_arrays(path) if path.suffix.lower() == ".npz" else _of_record(path)
    except (OSError, KeyError, TypeError, InputError, IndexError, *NO_ARCHIVE):
        return None


def keep_record(path: Path, made: FileOrigin) -> None:
    """Write the record of an existing file. Raises Failed where it cannot be written."""
    values = {"genmm": KIND, "version": 1, "frames": made.frames, "joints": made.joints, "seeds": list(made.seeds)}
    text = json.dumps(values | {"fingerprint": made.fingerprint, "sha256": checksum(path)}) + "\n"
    with whole_file(record_of(path), through_link=False) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def clear_folder(folder: Path) -> None:
    """Remove the unfinished files that killed processes left in a folder and among its records."""
    clear_leftovers(folder)
    clear_leftovers(folder / FOLDER)


def record_of(path: Path) -> Path:
    """Return the path of a file's record, whose name is a checksum and thus never too long."""
    return path.parent / FOLDER / f"{hashlib.sha256(path.name.encode()).hexdigest()[:32]}.json"


def has_record(path: Path) -> bool:
    """Return whether a file has a record, of its present or an earlier content."""
    return record_of(path).exists()


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, as 64 hexadecimal digits. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _frames_of_bvh(path: Path) -> int:
    """Return the number of frames given in a whole BVH file; 0 without one."""
    match = re.search(rb"^\s*Frames:\s*(\d+)\s*$", path.read_bytes(), re.MULTILINE)
    return int(match[1]) if match else 0


def _of_arrays(path: Path) -> FileOrigin:
    forms = {"rotations": "f T J 4", "seed": "i", "fingerprint": "U"}
    arrays = read_arrays(path, forms, optional=("fingerprint",))
    frames, joints, _ = arrays["rotations"].shape
    return FileOrigin(frames, joints, (int(arrays["seed"]),), str(arrays.get("fingerprint", "")))


def _of_record(path: Path) -> FileOrigin | None:
    values: dict[str, Any] = parse_json_file(record_of(path), "record")
    if values["genmm"] != KIND or values["sha256"] != checksum(path):
        return None
    seeds = tuple(int(seed) for seed in values["seeds"])
    return FileOrigin(int(values["frames"]), int(values["joints"]), seeds, str(values["fingerprint"]))

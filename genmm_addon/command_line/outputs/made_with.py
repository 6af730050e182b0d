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
LARGEST_RECORD = 2**24


@dataclass(frozen=True)
class FileOrigin:
    """The origin of a file. frames, joints: of its motion; fingerprint: of its inputs, "" where it is not known."""

    frames: int
    joints: int
    seeds: tuple[int, ...]
    fingerprint: str = ""


class Judgment(Enum):
    """The verdicts on a file that may exist already."""

    MAKE = "MAKE"
    """The file is missing or broken."""
    KEEP = "KEEP"
    KEEP_UNSAID = "KEEP_UNSAID"
    """The file is whole, but its settings are not known, as for files of earlier versions."""
    OTHER = "OTHER"
    """The file was made from other inputs, or was changed since."""


def judge(path: Path, expected: FileOrigin, longer: int = 0) -> Judgment:
    """Return the verdict on a file with the expected origin. longer: frames by which its motion may be longer."""
    if not is_whole(path):
        return Judgment.MAKE if is_broken(path) else Judgment.OTHER
    if path.suffix.lower() != ".npz" and not has_record(path):
        frames = _frames_of_bvh(path) if path.suffix.lower() == ".bvh" else expected.frames
        return Judgment.KEEP_UNSAID if expected.frames <= frames <= expected.frames + longer else Judgment.OTHER
    found = made_with(path)
    if found is None:
        return Judgment.OTHER
    if found.fingerprint:
        same = (found.fingerprint, found.seeds) == (expected.fingerprint, expected.seeds)
        return Judgment.KEEP if same else Judgment.OTHER
    fits = expected.frames <= found.frames <= expected.frames + longer
    same = fits and (found.joints, found.seeds) == (expected.joints, expected.seeds)
    return Judgment.KEEP_UNSAID if same else Judgment.OTHER


OTHER = (
    "was made with other settings or from another input, or was changed since; give another --output, or --force to"
    " make it again."
)
"""The sentence, after the file's name, on a file that --resume can neither keep nor replace."""


def judge_by_record(path: Path, expected: FileOrigin) -> Judgment:
    """Return the verdict on a file of any kind whose origin is known only from its record."""
    if not is_whole(path):
        return Judgment.MAKE if is_broken(path) else Judgment.OTHER
    if not has_record(path):
        return Judgment.KEEP_UNSAID
    try:
        found = _of_record(path)
    except (OSError, KeyError, TypeError, ValueError, InputError):
        found = None
    return Judgment.KEEP if found is not None and found.fingerprint == expected.fingerprint else Judgment.OTHER


def made_with(path: Path) -> FileOrigin | None:
    """Return the origin of a whole file; None where it is not known, or the file was changed since."""
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
    """Return the path of a file's record, whose name is a checksum and so never too long."""
    return path.parent / FOLDER / f"{hashlib.sha256(path.name.encode()).hexdigest()[:32]}.json"


def has_record(path: Path) -> bool:
    """Return whether a file has a record, of its present content or of an earlier one."""
    return record_of(path).exists()


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, as 64 hexadecimal digits. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _frames_of_bvh(path: Path) -> int:
    """Return the number of frames given in a whole BVH file; 0 without one."""
    found = re.search(rb"^\s*Frames:\s*(\d+)\s*$", path.read_bytes(), re.MULTILINE)
    return int(found[1]) if found else 0


def _of_arrays(path: Path) -> FileOrigin:
    forms = {"rotations": "f T J 4", "seed": "i", "fingerprint": "U"}
    arrays = read_arrays(path, forms, optional=("fingerprint",))
    frames, joints, _ = arrays["rotations"].shape
    return FileOrigin(frames, joints, (int(arrays["seed"]),), str(arrays.get("fingerprint", "")))


def _of_record(path: Path) -> FileOrigin | None:
    values: dict[str, Any] = parse_json_file(record_of(path), "record", LARGEST_RECORD)
    if values["genmm"] != KIND or values["sha256"] != checksum(path):
        return None
    seeds = tuple(int(seed) for seed in values["seeds"])
    return FileOrigin(int(values["frames"]), int(values["joints"]), seeds, str(values["fingerprint"]))

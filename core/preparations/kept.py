# SPDX-License-Identifier: GPL-3.0-or-later
"""Preparations in a folder: found by all that they depend on, so that a stale one is never taken."""

import hashlib
import os
import platform
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from ..features.body_parts import Part
from ..library.examples import Prepared, prepare, with_noise
from ..memory.limits import memory_errors_told
from ..motion.motion import Motion
from ..settings import Settings
from .encoding import Array, Decoder, Encoder, Unknown
from .values_file import BROKEN, read_values, write_values

VARIABLE = "GENMM_PREPARATIONS"
"""Set to "off", nothing is kept on disk and nothing is read from there."""
LEAST_FRAMES = 5000
"""Examples of fewer frames are prepared in less than a second."""
MOST_KEPT = 3
"""Files that stay in a folder: those that were used last."""
SUFFIX, UNFINISHED = ".preparation", ".unfinished"
ABANDONED_SECONDS = 86_400.0
"""Age of unfinished files whose writer is gone for sure."""


@memory_errors_told()
def prepare_kept(
    examples: Sequence[Motion],
    folder: Path | None,
    *,
    frames_per_second: float | None = None,
    names: Sequence[str] | None = None,
    parts: Sequence[Part] | None = None,
    settings: Settings = Settings(),
) -> Prepared:
    """Return what `prepare` returns: read from a folder where it was made before, else made and kept there.

    folder: None, or one that cannot be written, keeps nothing; it is made where it is missing. The others: as of
    `prepare`, whose errors are raised.

    >>> prepare_kept([swing], None).rows.shape[0]
    60
    """
    path = None
    if folder is not None and sum(motion.frames for motion in examples) >= LEAST_FRAMES and _allowed():
        path = folder / f"{_key(examples, frames_per_second, parts, settings)}{SUFFIX}"
        found = _read(path, examples)
        if found is not None:
            return found if found.settings.noise == settings.noise else with_noise(found, settings.noise)
    prepared = prepare(examples, frames_per_second=frames_per_second, names=names, parts=parts, settings=settings)
    if path is not None:
        _write(path, prepared, examples)
    return prepared


def _allowed() -> bool:
    return os.environ.get(VARIABLE, "").strip().lower() not in ("off", "0", "no")


def _key(
    examples: Sequence[Motion], frames_per_second: float | None, parts: Sequence[Part] | None, settings: Settings
) -> str:
    """Return a digest of all that a preparation depends on: the examples' values, what is asked, the program and its
    machine.
    """
    encoder = Encoder(computed=False)
    # No table depends on the noise.
    asked = (tuple(examples), frames_per_second, None if parts is None else tuple(parts), replace(settings, noise=0.0))
    digest = hashlib.sha256(repr((_program(), _rounding(), encoder.encoded(asked))).encode())
    for array in encoder.arrays:
        digest.update(repr((array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()[:32]


@cache
def _program() -> str:
    """Return a digest of this package's source: another version may prepare otherwise."""
    digest, package = hashlib.sha256(), Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _rounding() -> str:
    """Return a digest of what rounds differently with another NumPy, or on another processor."""
    values = np.sin(np.arange(96 * 84, dtype=np.float32)).reshape(96, 84)
    made: list[Array] = [values @ values.T, np.exp(values), np.arctan2(values, values[::-1]), values.sum(axis=0)]
    made += list(np.linalg.eigh((values.T @ values).astype(np.float64)))
    digest = hashlib.sha256(f"{np.__version__} {platform.machine()} {sys.byteorder}".encode())
    for array in made:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _given(examples: Sequence[Motion]) -> list[Array]:
    """Return the arrays that the reader has anyway."""
    return [channel for motion in examples for channel in motion.channels().values()]


def _read(path: Path, examples: Sequence[Motion]) -> Prepared | None:
    """Return what a file holds; None where there is none, or none that is whole."""
    try:
        encoded, arrays = read_values(path)
        prepared = Decoder(arrays, _given(examples)).value(encoded)
    except BROKEN:
        return None
    if not isinstance(prepared, Prepared):
        return None
    with suppress(OSError):
        os.utime(path)
    return prepared


def _write(path: Path, prepared: Prepared, examples: Sequence[Motion]) -> None:
    """Write a file whole, and then under its name; where that cannot be, there is none."""
    unfinished = path.with_name(f".{uuid.uuid4().hex}{UNFINISHED}")
    try:
        encoder = Encoder(_given(examples))
        encoded = encoder.encoded(prepared)
        path.parent.mkdir(exist_ok=True)
        with unfinished.open("xb") as file:
            write_values(file, encoded, encoder.arrays)
        os.replace(unfinished, path)
        _tidy(path.parent)
    except (OSError, Unknown):
        _remove(unfinished)


def _tidy(folder: Path) -> None:
    """Remove all but the files that were used last, and what others left unfinished."""
    ages = {path: path.stat().st_mtime for path in folder.glob(f"*{SUFFIX}")}
    for path in sorted(ages, key=lambda path: -ages[path])[MOST_KEPT:]:
        _remove(path)
    for path in folder.glob(f".*{UNFINISHED}"):
        if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
            _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)

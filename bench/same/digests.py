# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of arrays, motions, results and keys: equal digests mean equal bytes."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from genmm_addon.core import Motion, Synthesis

Digests = dict[str, str]
Value = Motion | Synthesis | NDArray[Any]
Case = tuple[str, Sequence[Value] | str]
"""A case's name and its results, or the sentence with which it is refused."""


def digest(*values: Value) -> str:
    """Return the SHA-256 of types, shapes and bytes: of arrays, motions (their channels) and results (all arrays)."""
    hashed = hashlib.sha256()
    for value in values:
        for array in _arrays_of(value):
            hashed.update(f"{array.dtype.str} {array.shape}".encode())
            hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()


def digests_of(cases: Iterable[Case]) -> Digests:
    """Return the digest of each case, or the sentence with which it is refused."""
    return {name: results if isinstance(results, str) else digest(*results) for name, results in cases}


def _arrays_of(value: Value) -> list[NDArray[Any]]:
    if isinstance(value, Motion):
        return list(value.channels().values())
    if not isinstance(value, Synthesis):
        return [value]
    motion, loop = value.motion, value.loop
    arrays: list[NDArray[Any]] = [*motion.channels().values(), motion.translated, motion.scaled]
    arrays += [value.source_examples, value.source_frames]
    return arrays if loop is None else [*arrays, loop.shift, np.array(loop.turn)]


def key_columns_of(curve: FCurve) -> NDArray[np.float32]:
    """Return the frames and values `(2 K,)` of a curve's keys."""
    keys = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", keys)
    return keys


def differences(old: Digests, new: Digests) -> list[str]:
    """Return a line for each case that differs or that only one version has."""
    lines = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            lines.append(f"{name}: gone")
        elif name not in old:
            lines.append(f"{name}: new")
        elif old[name] != new[name]:
            lines.append(f"{name}: differs")
    return lines

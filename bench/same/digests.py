# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of arrays, motions, results and keys: equal digests mean equal bytes."""

import hashlib
from collections.abc import Iterable

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from genmm_addon.core import Motion, Synthesis

Digests = dict[str, str]
Case = tuple[str, str]


def digest(*arrays: NDArray[np.generic]) -> str:
    """Return the SHA-256 of the arrays' types, shapes and bytes."""
    hashed = hashlib.sha256()
    for array in arrays:
        hashed.update(f"{array.dtype.str} {array.shape}".encode())
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()


def digest_of(*results: Synthesis) -> str:
    """Return the digest of all arrays in results."""
    arrays: list[NDArray[np.generic]] = []
    for result in results:
        motion = result.motion
        arrays += [*motion.channels().values(), motion.translated, motion.scaled]
        arrays += [result.source_examples, result.source_frames]
        if result.loop is not None:
            arrays += [result.loop.shift, np.array(result.loop.turn)]
    return digest(*arrays)


def digest_of_motions(*motions: Motion) -> str:
    """Return the digest of all channels of motions."""
    return digest(*(values for motion in motions for values in motion.channels().values()))


def digest_of_keys(curves: Iterable[FCurve]) -> str:
    """Return the digest of the keys of F-curves, in the given order."""
    return digest(*map(key_columns_of, curves))


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

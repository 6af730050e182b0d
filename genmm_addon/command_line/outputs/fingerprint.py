# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprint of all inputs of a motion except its seed, equal in every process and on every machine."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np

from ...core import Skeleton
from ...generation.generate import SceneReading
from ...generation.recipe import recipe_from_request
from ...generation.request import Request

DECIMALS = 6
"""Decimal places used, since the last digits of sums may differ between processors."""


def fingerprint_of(request: Request, reading: SceneReading, *more: Any) -> str:
    """Return the fingerprint of the settings and of the examples' values, as 64 hexadecimal digits.

    more: further values on which the files depend, as arrays and plain values.
    """
    resolved = reading.resolved
    # A given part determines the length, instead of the request.
    frames = resolved.given_frames or request.frames
    recipe = replace(recipe_from_request(request, 0), extend_playback=False, frames=frames)
    # These fields are represented by the data read, since panel and command may write them differently.
    recipe = replace(recipe, examples=(), parts=(), pins=None, completion=None, path=None, bone_names=())
    recipe = replace(recipe, labels="", label_markers=True, library=None, keep_contacts=True)
    direction = (resolved.parts, resolved.constraints, resolved.given_frames, resolved.stands)
    return digest((recipe, reading.reading.motions, reading.frames_per_second, direction, more))


def digest(value: Any) -> str:
    """Return the SHA-256 of a value made of records, arrays and plain values.

    Fields with their defaults are ignored, so that versions with more fields agree about older settings.
    """
    checksum = hashlib.sha256()
    for piece in _pieces(value):
        checksum.update(piece)
    return checksum.hexdigest()


def _pieces(value: Any) -> Iterator[bytes]:
    """Yield the bytes of a value; different values yield different bytes."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        numbers = np.round(np.asarray(value, "<f8"), DECIMALS) + 0.0  # adding zero turns -0.0 into 0.0
        yield from (_plain(["array", *value.shape]), np.ascontiguousarray(numbers).tobytes())
    elif isinstance(value, np.ndarray):
        yield _plain(["array", list(value.shape), value.tolist()])
    elif isinstance(value, np.generic):
        yield from _pieces(value.item())
    elif isinstance(value, Enum):
        yield _plain(["choice", value.name])
    elif isinstance(value, float):
        yield _plain(round(value, DECIMALS) + 0.0)
    elif value is None or isinstance(value, bool | int | str):
        yield _plain(value)
    elif isinstance(value, Skeleton):
        yield _of_skeleton(value)
    elif is_dataclass(value):
        yield from _of_record(value)
    elif isinstance(value, Mapping):
        yield from _listed("mapping", sorted(value.items()))
    elif isinstance(value, set | frozenset):
        yield from _listed("set", sorted(value))
    elif isinstance(value, tuple | list):
        yield from _listed("list", value)
    else:
        raise TypeError(f"{type(value).__name__} has no fingerprint")


@lru_cache(1)
def _of_skeleton(skeleton: Skeleton) -> bytes:
    """Return the bytes of a skeleton, which thousands of clips share."""
    return b"".join(_of_record(skeleton))


def _of_record(record: Any) -> Iterator[bytes]:
    values = [(field.name, getattr(record, field.name)) for field in fields(record)]
    defaults = {field.name: _default(field) for field in fields(record)}
    yield from _listed("record", [pair for pair in values if not _is_same(pair[1], defaults[pair[0]])])


def _listed(kind: str, values: Any) -> Iterator[bytes]:
    yield _plain([kind, len(values)])
    for value in values:
        yield from _pieces(value)


def _plain(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True).encode() + b"\n"


def _default(field: "Field[Any]") -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and not isinstance(value, np.ndarray) and bool(value == default)

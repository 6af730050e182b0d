# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged and forged content of files, for all readers of files: bytes, archives of arrays, JSON and its values."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Random = np.random.Generator
Arrays = Mapping[str, NDArray[Any]]

NUMBERS = (
    0, -1, 1, 2, 7, 2**31, -(2**63), 2**63 - 1, 10**30, 0.5, -0.5, 1e-30, 1e30, 1e300, float("nan"), float("inf"),
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, "", "Walk", "../../x", "\0", "\ud800", "x" * 5000, [], {}, [[]], [None], {"a": 1}, *NUMBERS,
)  # fmt: skip
HEADERS = (
    "{[]: 1}", "[" * 3000, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 9999999999), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (), }",
    "{'descr': '<f4', 'fortran_order': True, 'shape': (3L,), }", "__import__('os').system('x')", "'''", "(", "\0",
    "{'descr': '<U999999999', 'fortran_order': False, 'shape': (0,), }", "{'descr': [('a', '<f4')], 'shape': (1,)}",
    "{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }", "",
)  # fmt: skip
DTYPES = ("f2", "f4", "f8", "i1", "u8", "i8", "c8", "?", "S4", "U4", "M8[s]", "O", "V4", ">f4", ">i4")


def damaged(random: Random, content: bytes) -> bytes:
    """Return content with a few pieces changed, cut out, repeated or overwritten, as by a disk or a transfer."""
    for _ in range(int(random.integers(1, 5))):
        data = bytearray(content)
        start = int(random.integers(0, len(data) + 1))
        stop = min(len(data), start + int(random.integers(1, 200)))
        kind = int(random.integers(6))
        if kind == 0:
            data = data[:start]
        elif kind == 1:
            del data[start:stop]
        elif kind == 2:
            data[start:start] = data[start:stop]
        elif kind == 3:
            data[start:stop] = bytes(stop - start)
        elif kind == 4:
            data[start:stop] = random.bytes(stop - start)
        elif data:
            data[min(start, len(data) - 1)] ^= 1 << int(random.integers(8))
        content = bytes(data)
    return content


def forged_value(random: Random, value: Any) -> Any:
    """Return a value of JSON with one of its parts, at any depth, replaced, left out or repeated."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = str(random.choice(list(value)))
        if random.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: forged_value(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.9:
        place = int(random.integers(len(value)))
        kind = random.random()
        if kind < 0.05:
            return value[:place]
        if kind < 0.1:
            return [*value, value[place]]
        return [*value[:place], forged_value(random, value[place]), *value[place + 1 :]]
    return VALUES[int(random.integers(len(VALUES)))]


def forged_json(random: Random, value: Any) -> bytes:
    """Return the JSON of a forged value, at times with texts in place of its numbers that no JSON has."""
    for _ in range(int(random.integers(1, 4))):
        value = forged_value(random, value)
    text = json.dumps(value)
    if random.random() < 0.1:
        text = text.replace("1", str(random.choice(["1e999", "9" * 500, "-0", "[" * 2000, "1" * 5000])), 1)
    return text.encode("utf-8", "surrogatepass")


def forged_archive(random: Random, arrays: Arrays) -> bytes:
    """Return an .npz with some of its arrays, headers or entries forged, and checksums that fit."""
    forged = dict(arrays)
    for _ in range(int(random.integers(1, 3))):
        name = str(random.choice(list(arrays)))
        if name == "clips" and random.random() < 0.8:
            said = forged_json(random, json.loads(arrays[name].tobytes()))
            forged[name] = np.frombuffer(said, np.uint8)
        elif random.random() < 0.05:
            forged.pop(name, None)
        else:
            forged[name] = _forged_array(random, arrays[name])
    content = io.BytesIO()
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(content, "w", methods[int(random.integers(len(methods)))]) as archive:
        for name, values in forged.items():
            archive.writestr(f"{name}.npy", _forged_entry(random, values))
    data = bytearray(content.getvalue())
    if random.random() < 0.2:
        _forge_directory(random, data)
    return bytes(data)


def forged_preparation(random: Random, encoded: Any, arrays: Sequence[NDArray[Any]]) -> tuple[Any, list[NDArray[Any]]]:
    """Return the values and arrays of a kept preparation with one or two of them forged."""
    forged = list(arrays)
    for _ in range(int(random.integers(1, 3))):
        if random.random() < 0.25:
            encoded = forged_value(random, encoded)
        else:
            place = int(random.integers(len(forged)))
            forged[place] = _forged_array(random, forged[place])
    return encoded, forged


def _forged_array(random: Random, values: NDArray[Any]) -> NDArray[Any]:
    kind = int(random.integers(7))
    if kind == 0:
        return np.zeros(random.integers(0, 4, int(random.integers(0, 5))).tolist(), values.dtype)
    if kind == 1:
        return values.reshape(-1)[: int(random.integers(values.size + 1))]
    if kind == 2:
        return np.asfortranarray(values)
    if kind == 3:
        return np.ones(values.shape, str(random.choice(DTYPES)))
    if kind == 4 and values.dtype.kind == "U":
        codes = np.full((values.size, 3), random.choice([0x110000, 0xD800, 0x7FFFFFFF, 0, 65]), np.uint32)
        return codes.view("<U3").reshape(values.shape)
    changed = values.copy()
    if changed.size and changed.dtype.kind in "iuf":
        number = NUMBERS[int(random.integers(len(NUMBERS)))]
        with np.errstate(all="ignore"):
            new = np.array([number], np.float64).astype(changed.dtype)
        changed.flat[int(random.integers(changed.size)) : None if kind == 5 else 1] = new
    return changed


def _forged_entry(random: Random, values: NDArray[Any]) -> bytes:
    """Return an array as in a .npy file, at times with another header, or something else in its place."""
    entry = io.BytesIO()
    np.save(entry, values, allow_pickle=True)
    data = entry.getvalue()
    chance = random.random()
    if chance < 0.006:
        said = str(random.choice(HEADERS)).encode()
        return data[:6] + b"\x01\x00" + struct.pack("<H", len(said)) + said + bytes(16)
    if chance < 0.008:
        nested = io.BytesIO()
        with zipfile.ZipFile(nested, "w") as archive:
            archive.writestr("rotations.npy", data)
        return nested.getvalue()
    if chance < 0.0082:
        return data + bytes(70_000_000)
    return damaged(random, data) if chance < 0.012 else data


def _forge_directory(random: Random, data: bytearray) -> None:
    """Change a number of an entry in an archive's directory: its flags, method, sizes or place."""
    place = data.find(b"PK\x01\x02", int(random.integers(len(data))))
    if place < 0:
        return
    offset, size = ((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4))[int(random.integers(8))]
    number = int(random.choice([0, 1, 8, 99, 0x41, 0xFFFF, 0xFFFFFFFF, 3_000_000_000]))
    data[place + offset : place + offset + size] = (number % 256**size).to_bytes(size, "little")

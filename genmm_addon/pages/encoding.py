# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint positions encoded in few bytes, for a page that decodes them while it is scrolled.

The bytes of a clip of T frames and J joints:

1. Positions `(T, J, 3)` are rounded to whole steps. A step is a thousandth of the skeleton's size (about 2 mm of a
   person), doubled until the clip is small enough.
2. In each of the 3 J columns, differences over time are taken twice, each time with a 0 before the first value; they
   are small, since bodies move smoothly. Two running sums restore the steps exactly.
3. A difference d is stored as 2 d if it is not negative, otherwise as -2 d - 1 (zigzag), in four bytes.
4. All lowest bytes come first, column by column, then all second bytes, and so on; most of the last three planes are 0.
5. zlib compresses them (RFC 1950), which browsers can undo (DecompressionStream), and Base64 turns them into text.

`drawn_figure/decoding.js` decodes the text.
"""

import base64
import zlib
from dataclasses import dataclass

import numpy as np

from ..core import Array, Float64

FINEST = 1 / 1000
"""Length of the first step tried, in sizes of the skeleton."""
LARGEST = 2**29
"""Largest position, in steps; positions further away are moved to it."""
CHARACTERS = 20_000 / (300 * 22)
"""Characters for each frame and joint, with all further values of the clip: 20 kB for 300 frames of 22 joints."""
LEAST = 2_000
"""Characters allowed for a clip of any length."""


@dataclass(frozen=True)
class Encoded:
    """A clip's positions as Base64, and the length of one step in sizes of the skeleton."""

    text: str
    step: float


def allowed(frames: int, joints: int) -> int:
    """Return the number of characters allowed for a clip of this size."""
    return max(LEAST, int(CHARACTERS * frames * joints))


def encoded(positions: Array, most: int | None = None) -> Encoded:
    """Return positions `(T, J, 3)`, in sizes of the skeleton, as text of at most `most` characters; None: `allowed`."""
    frames, joints = positions.shape[:2]
    limit = allowed(frames, joints) if most is None else most
    step = FINEST
    text = _text(positions, step)
    while len(text) > limit and step < 1.0:  # a step as large as a figure
        step *= 2
        text = _text(positions, step)
    return Encoded(text, step)


def decoded(text: str, step: float, frames: int, joints: int) -> Float64:
    """Return the positions `(T, J, 3)` in a text, as the page does. Raises ValueError if it does not contain them."""
    size = 4 * frames * joints * 3
    try:
        # The limit bounds the memory for a text from any source.
        planes = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size + 1)
    except (zlib.error, TypeError) as error:
        raise ValueError("the text is not an encoded motion") from error
    if len(planes) != size:
        raise ValueError("the text is a motion of another length")
    zigzag = np.ascontiguousarray(np.frombuffer(planes, np.uint8).reshape(4, -1).T).view("<u4").ravel().astype(np.int64)
    differences = np.where(zigzag & 1, -(zigzag + 1) // 2, zigzag // 2).reshape(-1, frames)
    return np.asarray(differences.cumsum(axis=1).cumsum(axis=1).T.reshape(frames, -1, 3) * step)


def _text(positions: Array, step: float) -> str:
    steps = np.clip(np.round(positions.astype(np.float64) / step), -LARGEST, LARGEST).astype(np.int64)
    columns = steps.reshape(len(steps), -1).T
    for _ in range(2):
        columns = np.diff(columns, axis=1, prepend=0)
    zigzag = np.where(columns < 0, -2 * columns - 1, 2 * columns).astype("<u4")
    planes = np.ascontiguousarray(zigzag).view(np.uint8).reshape(-1, 4).T
    return base64.b64encode(zlib.compress(np.ascontiguousarray(planes).tobytes(), 9)).decode("ascii")

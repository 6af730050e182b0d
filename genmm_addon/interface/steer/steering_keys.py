# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that steer: the direction on the screen of each, and the choices on the number keys."""

from collections.abc import Collection

import numpy as np

from ...core import Array, Float64

DIRECTIONS = {
    "W": (0.0, 1.0), "UP_ARROW": (0.0, 1.0), "S": (0.0, -1.0), "DOWN_ARROW": (0.0, -1.0),
    "A": (-1.0, 0.0), "LEFT_ARROW": (-1.0, 0.0), "D": (1.0, 0.0), "RIGHT_ARROW": (1.0, 0.0),
}  # fmt: skip
"""Directions of the keys on the screen: to the right, and away from the viewer."""
DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
"""Number keys, which choose styles, and with Shift paces."""
HELP = "WASD or Arrows: go | Mouse: go there | 0-9: style | Shift 1-3: pace | Space: pause | Enter: keep | Esc: discard"


def direction_of_keys(pressed: Collection[str]) -> Float64:
    """Return the direction `(2,)` on the screen of pressed keys, of length 1, or 0 where they cancel out.

    >>> direction_of_keys({"W"}).tolist()
    [0.0, 1.0]
    """
    total = np.sum([DIRECTIONS[key] for key in pressed if key in DIRECTIONS], axis=0, initial=0.0) + np.zeros(2)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length > 0 else total)


def world_direction(direction: Float64, view: Array) -> Float64:
    """Return the direction `(3,)` on the world's ground for one on the screen; view: the viewer's rotation `(3, 3)`.

    Seen from straight above, up on the screen counts as away from the viewer.
    """
    right, up, back = view[:, 0], view[:, 1], view[:, 2]
    ahead = -back + (1.0 if back[2] >= 0 else -1.0) * up
    flat = np.stack((right, ahead))
    flat[:, 2] = 0.0
    lengths = np.linalg.norm(flat, axis=1, keepdims=True)
    return np.asarray(direction @ (flat / np.maximum(lengths, 1e-6)))


def digit_of(key: str) -> int | None:
    """Return the digit of a key in the number row or on the number pad; None for any other key."""
    name = key.removeprefix("NUMPAD_")
    if name in DIGITS:
        return DIGITS.index(name)
    return int(name) if name.isdigit() and len(name) == 1 else None

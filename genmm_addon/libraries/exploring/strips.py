# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of poses: stick figures of a clip at evenly spaced moments, drawn without Blender as pixels or PNG files."""

import struct
import zlib

import numpy as np

from ...core import Float32, Float64, Int64, Motion, rotations
from ...core.motion import pieces

POSES = 5
"""Number of poses in a strip."""
PIXELS = 128
"""Width and height of a pose in pixels; two of them are as wide as Blender's own previews."""
LINE, THINNEST = 2.7, 0.9
"""Half the width of a line, in pixels of a pose of PIXELS, and its minimum."""
VIEW_TURN, VIEW_TILT = np.radians(35.0), np.radians(12.0)
"""Angles of the view around the vertical and above the horizontal, in radians, so that steps and arms are visible."""
MARK = b"Software\0GenMM"
"""Mark in the PNG files drawn here, which may be replaced."""
MARGIN = 0.06
"""Share of the width that stays free at each side."""
NEAR, FAR = (1.0, 0.62, 0.25), (0.35, 0.62, 0.9)
"""Colors of the first and last pose: red, green and blue, 0 to 1."""


def strip_of(motion: Motion, poses: int = POSES, pixels: int = PIXELS) -> Float32:
    """Return stick figures `(poses, pixels, pixels, 4)`: red, green, blue and alpha, 0 to 1; rows from the bottom up.

    All poses are drawn at one scale, each around its own center.
    """
    posed = motion.take(moments(motion.frames, poses)).pose()[1].astype(np.float64)
    return strip_of_lines(posed[:, _lines(motion)], motion.skeleton.up, pixels)


def moments(frames: int, poses: int) -> Int64:
    """Return the frames `(poses,)` of a strip, evenly spread over a number of frames, without its first and last.

    >>> moments(101, 4).tolist()
    [20, 40, 60, 80]
    """
    return np.round(np.linspace(0, frames - 1, poses + 2)[1:-1]).astype(np.int64)


def strip_of_lines(places: Float64, up: tuple[float, float, float], pixels: int = PIXELS) -> Float32:
    """Return the figures of `strip_of`, for L lines between the two `places` `(poses, 2, L, 3)` of each."""
    flat = _seen(places, up)
    low, high = flat.min(axis=(1, 2)), flat.max(axis=(1, 2))
    extent = float(max((high - low).max(), 1e-9))
    center = np.stack(
        (0.5 * (low + high)[:, 0], np.full(len(flat), 0.5 * (low[:, 1].min() + high[:, 1].max()))), axis=1
    )
    extent = max(extent, float(high[:, 1].max() - low[:, 1].min()))
    placed = (flat - center[:, None, None]) / extent * pixels * (1 - 2 * MARGIN) + 0.5 * pixels
    shares = np.linspace(0, 1, len(flat))[:, None]
    colors = (1 - shares) * np.array(NEAR) + shares * np.array(FAR)
    return np.stack([_drawn(ends, color, pixels) for ends, color in zip(placed, colors, strict=True)])


def side_by_side(strip: Float32) -> Float32:
    """Return the poses of a strip side by side in one picture `(pixels, poses * pixels, 4)`."""
    return np.concatenate(list(strip), axis=1)


def png_of(picture: Float32) -> bytes:
    """Return a picture `(H, W, 4)`, with rows from the bottom up, as the bytes of a PNG file."""
    values = np.round(np.clip(picture[::-1], 0, 1) * 255).astype(np.uint8)
    height, width = values.shape[:2]
    lines = np.concatenate((np.zeros((height, 1), np.uint8), values.reshape(height, -1)), axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"tEXt", MARK), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def is_png_of_ours(beginning: bytes) -> bool:
    """Return whether a file that begins with these bytes, 64 or more, was made by `png_of`."""
    return MARK in beginning[:64]


def _lines(motion: Motion) -> Int64:
    """Return the lines of a figure, pairs of joints `(2, L)`, without those to joints that have translations."""
    parents = motion.skeleton.parents
    fixed = np.ones(len(parents), bool)
    fixed[motion.translated] = False
    ends = np.flatnonzero((parents >= 0) & fixed)
    if not len(ends):
        # Some files key the location of every bone.
        ends = np.flatnonzero(parents >= 0) if len(parents) > 1 else np.array([0])
        return np.stack((np.maximum(parents[ends], 0), ends))
    return np.stack((parents[ends], ends))


def _seen(positions: Float64, upward: tuple[float, float, float]) -> Float64:
    """Return points `(N, 2, L, 3)` in the view, `(N, 2, L, 2)` to the right and up, centered on each pose."""
    up, (first, second) = np.array(upward), rotations.ground_axes(upward)
    right = np.cos(VIEW_TURN) * first + np.sin(VIEW_TURN) * second
    away = np.cos(VIEW_TURN) * second - np.sin(VIEW_TURN) * first
    tilted = np.cos(VIEW_TILT) * up + np.sin(VIEW_TILT) * away
    middle = positions.mean(axis=(1, 2), keepdims=True)
    positions = positions - (middle - (middle @ up)[..., None] * up)
    return np.stack((positions @ right, positions @ tilted), axis=-1)


def _drawn(ends: Float64, color: Float64, pixels: int) -> Float32:
    """Return one figure `(pixels, pixels, 4)` with smooth lines from `ends[0]` `(L, 2)` to `ends[1]`."""
    starts = ends[0].astype(np.float32)
    edges = (ends[1] - ends[0]).astype(np.float32)
    middle = np.arange(pixels, dtype=np.float32) + np.float32(0.5)
    grid = np.stack(np.meshgrid(middle, middle), axis=-1).reshape(-1, 1, 2)
    squares = np.maximum((edges**2).sum(axis=1), 1e-6)
    nearest = np.full(len(grid), np.inf, np.float32)
    for some in pieces(len(starts), len(grid)):
        along = np.clip(((grid - starts[some]) * edges[some]).sum(axis=2) / squares[some], 0, 1)
        away = grid - starts[some] - along[..., None] * edges[some]
        nearest = np.minimum(nearest, (away**2).sum(axis=2).min(axis=1))
    distances = np.sqrt(nearest)
    half = max(LINE * pixels / PIXELS, THINNEST)
    alpha = np.clip(half + 0.5 - distances, 0, 1).reshape(pixels, pixels, 1)
    return np.concatenate((np.broadcast_to(color, (pixels, pixels, 3)), alpha), axis=2).astype(np.float32)

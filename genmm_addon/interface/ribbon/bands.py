# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors of a ribbon (paper, figure 8): a hue for every moment of the examples, gray for what is not shown."""

import colorsys
import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...core import Float32, Float64
from ...generation.sources import Sources
from ..common.line_drawing import FRAME_NUMBERS

HUES = 0.8
"""Share of the color circle that is used, since its two ends look alike."""
SATURATIONS = (0.75, 0.4)
VALUES = (0.85, 0.95)
"""Saturations and values of successive examples, strong and pale in turn."""
UNCOVERED = (0.3, 0.3, 0.3, 1.0)
FINEST = 24
"""Number of hues on the circle at which colors are computed; between them they are interpolated."""

ROW = 12
"""Height of a row, of the legend, and of Blender's scroll bar below them, in pixels at an interface scale of 1."""
GAP = 2
"""Space between rows, and least height of a row, in pixels at an interface scale of 1."""

Color = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Band:
    """A row of colored pieces: left and right edges `(N, 2)`, colors `(N, 2, 4)` at both."""

    edges: Float64
    colors: Float32


@dataclass(frozen=True)
class RibbonEdges:
    """Lower and upper edges in pixels, of each part's row and of the legend."""

    rows: tuple[tuple[float, float], ...]
    legend: tuple[float, float] | None

    @property
    def bottom(self) -> float:
        """Return the lowest edge."""
        return self.rows[-1][0] if self.legend is None else self.legend[0]

    @property
    def top(self) -> float:
        """Return the highest edge."""
        return self.rows[0][1]


def plan_places(height: float, scale: float, parts: int) -> RibbonEdges | None:
    """Return the places of rows and legend in a region of `height` pixels: as many rows as fit, or None."""
    room, row, gap = height - FRAME_NUMBERS * scale, ROW * scale, GAP * scale
    first, count, thickness = 2 * (row + gap), parts, row
    legend: tuple[float, float] | None = (row, 2 * row)
    if first + count * (row + gap) > room:
        first, legend = gap, None
        count = min(count, int((room - first) // (2 * gap)))
        if count < 1:
            return None
        thickness = min(thickness, (room - first) / count - gap)
    lows = [first + (thickness + gap) * (count - 1 - index) for index in range(count)]
    return RibbonEdges(tuple((low, low + thickness) for low in lows), legend)


def color_of(sources: Sources, example: int, position: float) -> Color:
    """Return the color of a moment of an example; position: from 0, its start, to 1, its end."""
    lengths = np.array([clip.frames for clip in sources.examples], np.float64)
    before = lengths[:example].sum() + lengths[example] * min(max(position, 0.0), 1.0)
    odd = example % 2
    return (*colorsys.hsv_to_rgb(HUES * before / lengths.sum(), SATURATIONS[odd], VALUES[odd]), 1.0)


@lru_cache(maxsize=8)
def result_bands(sources: Sources) -> tuple[Band, ...]:
    """Return a band for each part, in frames of the result's action; pieces extend half a frame beyond their frames."""
    return tuple(_part_band(sources, index) for index in range(len(sources.parts)))


@lru_cache(maxsize=8)
def example_bands(sources: Sources) -> tuple[Band, ...]:
    """Return a band for each example, from 0 to 1, in color where the result shows it and gray elsewhere."""
    return tuple(_example_band(sources, index) for index in range(len(sources.examples)))


def _part_band(sources: Sources, part: int) -> Band:
    edges, colors = [], []
    for start, length, which, source, rate in sources.parts[part].stretches:
        example = int(which)
        clip = sources.examples[example]
        count = _pieces(sources, length * clip.step * rate)
        times = np.linspace(0, length, count + 1)
        shades = [color_of(sources, example, (source + time * clip.step * rate) / clip.frames) for time in times]
        begins = sources.frame_start + start + times - 0.5
        edges += list(itertools.pairwise(begins))
        colors += list(itertools.pairwise(shades))
    return Band(np.array(edges, np.float64), np.array(colors, np.float32))


def _example_band(sources: Sources, example: int) -> Band:
    seen = sources.covered(example)
    frames = len(seen)
    changes = np.flatnonzero(np.diff(seen)) + 1
    edges, colors = [], []
    for first, last in zip((0, *changes), (*changes, frames), strict=True):
        count = _pieces(sources, last - first) if seen[first] else 1
        places = np.linspace(first, last, count + 1) / frames
        shades = [color_of(sources, example, place) if seen[first] else UNCOVERED for place in places]
        edges += list(itertools.pairwise(places))
        colors += list(itertools.pairwise(shades))
    return Band(np.array(edges, np.float64), np.array(colors, np.float32))


def _pieces(sources: Sources, frames: float) -> int:
    total = sum(clip.frames for clip in sources.examples)
    return max(1, round(FINEST * frames / total))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawings of the engine's work, from a real run on the sample character's dance, for docs/how_it_works.md.

`python build.py docs --draw` writes them as SVG: the example's frames in a result, and the stages of the pyramid.
"""

import sys
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

import numpy as np

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Prepared, Settings, Synthesis, prepare, synthesize

ACTION = "Dance"
RATE = 30.0
FRAMES = 600
SEED = 3
WIDTH, HEIGHT, MARGIN = 640, 300, 44
"""Size and margin of a drawing, in SVG units."""
INK, MARK = "#5b6b7b", "#d0662a"
"""Colors that are visible on light and dark pages."""


def main(folder: Path) -> None:
    """Write the drawings into a folder."""
    motion = next(motion for name, motion in sample_motions(RATE).items() if ACTION in name)
    prepared = prepare([motion], settings=Settings())
    result = synthesize(prepared, FRAMES, seed=SEED)
    drawings = {
        "engine-sources.svg": draw_sources(result, motion.frames),
        "engine-pyramid.svg": draw_pyramid(prepared),
    }
    for name, text in drawings.items():
        (folder / name).write_text(text, encoding="utf-8")


def stretches(result: Synthesis) -> list[tuple[int, int]]:
    """Return the first and last frame of each segment of a result, which follows its example frame by frame."""
    steps = np.diff(result.source_frames[:, 0])
    transitions = np.flatnonzero(np.abs(steps - 1.0) > 1e-6) + 1
    bounds = [0, *transitions.tolist(), len(result.source_frames)]
    return [(start, end - 1) for start, end in pairwise(bounds)]


def draw_sources(result: Synthesis, example_frames: int) -> str:
    """Return a drawing of the example's frame that each frame of the result shows."""
    across, up = (WIDTH - 2 * MARGIN) / FRAMES, (HEIGHT - 2 * MARGIN) / example_frames
    lines = []
    for start, end in stretches(result):
        ends = [(MARGIN + across * at, HEIGHT - MARGIN - up * result.source_frames[at, 0]) for at in (start, end)]
        lines.append(_line(ends[0], ends[1], MARK, 2.5))
    return _drawing([*_axes("frame of the result", "frame of the example"), *lines], HEIGHT)


def draw_pyramid(prepared: Prepared) -> str:
    """Return a drawing of the example's length at each stage."""
    lengths = [len(stage.rows) for stage in prepared.stages]
    row, longest = (HEIGHT - MARGIN) / len(lengths), max(lengths)
    parts = []
    for stage, length in enumerate(lengths):
        width = (WIDTH - 3 * MARGIN) * length / longest
        top = MARGIN / 2 + row * stage
        parts.append(f'<rect x="{MARGIN}" y="{top:.1f}" width="{width:.1f}" height="{row * 0.7:.1f}" fill="{INK}"/>')
        parts.append(_text(MARGIN + width + 6, top + row * 0.5, f"{length} frames"))
    return _drawing(parts, HEIGHT)


def _axes(across: str, up: str) -> list[str]:
    corner = (MARGIN, HEIGHT - MARGIN)
    return [
        _line((MARGIN, MARGIN / 2), corner, INK, 1.0),
        _line(corner, (WIDTH - MARGIN, HEIGHT - MARGIN), INK, 1.0),
        _text(WIDTH / 2 - 60, HEIGHT - 14, across),
        _text(MARGIN + 6, MARGIN / 2, up),
    ]


def _line(start: tuple[float, float], end: tuple[float, float], color: str, width: float) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="13" fill="{INK}">{escape(text)}</text>'


def _drawing(parts: Sequence[str], height: float) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}">'
    return "\n".join([head, *parts, "</svg>\n"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery: one page with many moving figures, their sources and measures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .encoding import allowed, encoded
from .figures import Figure
from .standing_alone import PageFiles, page_around, safe_json
from .unlikeness import Unlikeness

FILES = PageFiles(
    Path(__file__).parent / "gallery",
    "gallery",
    ("decoding", "camera", "figure", "theme"),
    ("motions", "ribbon", "favorites", "choosing", "cards", "viewer", "page"),
)
AROUND = 250
"""Characters of a clip's diversity, of the names of its values and of the element with its motion, at most."""
OF_PAGE = 120_000
"""Characters for motions of examples; what clips leave of their own share comes on top. With the page's markup, style
and script, some 60 kB, that is below 200 kB."""
DECIMALS = 4
"""Digits of measures after the point."""


@dataclass(frozen=True)
class ClipPart:
    """A part of the body, and its rows: start, length, example (among the clip's), source start, rate where not 1."""

    name: str
    stretches: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class Example:
    """An example that clips were made from. figure: None where it is not known, or too long for a page."""

    title: str
    figure: Figure | None = None


@dataclass(frozen=True)
class Shown:
    """An example as a clip uses it, by its number in the page.

    step: its frames for each frame of the clip; frames: how many it has.
    """

    number: int
    step: float = 1.0
    frames: int = 1


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion in the gallery, beside its figure.

    file: as it is found from the gallery's folder on. character: which one in a file with several, else "". source: the
    name of the input. coverage, 0 to 1, skate in cm/s, and visible_transitions, the frames after those that may show:
    None is not measured.
    """

    name: str
    file: str
    character: str = ""
    seed: int | None = None
    source: str = ""
    examples: tuple[Shown, ...] = ()
    parts: tuple[ClipPart, ...] = ()
    coverage: float | None = None
    skate: float | None = None
    visible_transitions: tuple[int, ...] | None = None


class Gallery:
    """A page in the making: clips are encoded as they come, so that their motions need not stay in memory."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._clips: list[dict[str, Any]] = []
        self._examples: list[Example] = []
        self._skeletons: list[Any] = []
        self._texts: list[str] = []
        self._left = OF_PAGE
        self._unlikeness = Unlikeness()

    def __len__(self) -> int:
        """Return the number of clips."""
        return len(self._clips)

    def add_example(self, example: Example) -> int:
        """Add an example and return its number."""
        self._examples.append(example)
        return len(self._examples) - 1

    def add(self, clip: Clip, figure: Figure) -> None:
        """Add a clip."""
        self._unlikeness.add(figure)
        values = {
            "name": clip.name,
            "file": clip.file,
            "character": clip.character,
            "seed": clip.seed,
            "source": clip.source,
            "examples": [[shown.number, round(shown.step, 6), max(shown.frames, 1)] for shown in clip.examples],
            "parts": [[part.name, [_short(row) for row in part.stretches]] for part in clip.parts],
            "coverage": _rounded(clip.coverage),
            "skate": _rounded(clip.skate),
            "cuts": clip.visible_transitions,
        }
        most = allowed(*figure.positions.shape[:2])
        said = len(safe_json(values)) + AROUND
        motion = self._motion(figure, max(most - said, most // 2))
        self._left += max(most - said - len(self._texts[-1]), 0)
        self._clips.append(values | motion)

    def text(self) -> Iterator[str]:
        """Yield the page, piece by piece."""
        clips = [
            clip | {"diversity": _rounded(value)}
            for clip, value in zip(self._clips, self._unlikeness.of_each(), strict=True)
        ]
        examples = [self._example(example) for example in self._examples]
        data = {"title": self._title, "clips": clips, "examples": examples, "skeletons": self._skeletons}
        before, after, _ = page_around(FILES, self._title, data)
        yield before
        for number, text in enumerate(self._texts):
            # Base64 has no character that means anything in a page.
            yield f'<script type="text/plain" id="motion-{number}">{text}</script>\n'
        yield after

    def _example(self, example: Example) -> dict[str, Any]:
        """Return an example with its motion, as long as the page has room for it."""
        values: dict[str, Any] = {"title": example.title, "frames": 0}
        if example.figure is None:
            return values
        motion = self._motion(example.figure, allowed(*example.figure.positions.shape[:2]))
        if len(self._texts[-1]) > self._left:
            self._texts.pop()
            return values
        self._left -= len(self._texts[-1])
        return values | motion

    def _motion(self, figure: Figure, most: int) -> dict[str, Any]:
        """Return where the page has a figure's motion, and how it is read."""
        found = encoded(figure.positions, most)
        self._texts.append(found.text)
        return {
            "frames": figure.frames,
            "rate": round(figure.frames_per_second, 4),
            "motion": len(self._texts) - 1,
            "step": found.step,
            "skeleton": self._skeleton(figure),
        }

    def _skeleton(self, figure: Figure) -> int:
        limbs = [
            [int(above), int(below), round(float(radius), 4)]
            for (above, below), radius in zip(figure.limbs, figure.radii, strict=True)
        ]
        values = {"joints": figure.positions.shape[1], "limbs": limbs, "head": figure.head}
        if values not in self._skeletons:
            self._skeletons.append(values)
        return self._skeletons.index(values)


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(float(value), DECIMALS)


def _short(row: Sequence[float]) -> list[float]:
    """Return whole numbers without a point, others to 0.001."""
    return [int(value) if value == int(value) else round(value, 3) for value in row]

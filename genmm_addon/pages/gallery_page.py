# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery: one page with many moving figures, their sources and measures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Float32
from .encoding import allowed, encoded
from .figures import Figure
from .standing_alone import PageFiles, page_around, safe_json

FILES = PageFiles(
    Path(__file__).parent / "gallery",
    "gallery",
    ("decoding", "camera", "figure", "theme"),
    ("motions", "ribbon", "favorites", "choosing", "cards", "viewer", "page"),
)
OF_PAGE = 120_000
"""Characters for the motions of examples, in addition to those that the clips do not use. With markup, style and script
(about 60 kB), a page is then smaller than 200 kB."""
MOMENTS = 48
"""Number of poses compared of each clip, evenly spaced."""


@dataclass(frozen=True)
class ClipPart:
    """A part of the body. stretches: rows of start, length, example (of the clip), source start, and rate if not 1."""

    name: str
    stretches: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class Example:
    """An example from which clips were generated. figure: None if it is unknown."""

    title: str
    figure: Figure | None = None


@dataclass(frozen=True)
class GalleryExample:
    """An example as a clip uses it, by its number in the page.

    step: frames of the example for each frame of the clip. frames: number of its frames.
    """

    number: int
    step: float = 1.0
    frames: int = 1


@dataclass(frozen=True, eq=False)
class GalleryClip:
    """A motion in the gallery, without its figure.

    file: its path from the gallery's folder. character: its name in a file with several, otherwise "". source: the name
    of the input. coverage: 0 to 1. skate: in cm/s. visible_transitions: frames after transitions that may show. None
    means not measured. followed: how well it follows each signal, in words. frames_through_body: how many have limbs
    through the body.
    """

    name: str
    file: str
    character: str = ""
    seed: int | None = None
    source: str = ""
    examples: tuple[GalleryExample, ...] = ()
    parts: tuple[ClipPart, ...] = ()
    coverage: float | None = None
    skate: float | None = None
    visible_transitions: tuple[int, ...] | None = None
    frames_through_body: int | None = None
    followed: tuple[str, ...] = ()


class Gallery:
    """A page being built; clips are encoded when they are added, so that their motions need not stay in memory."""

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

    def add(self, clip: GalleryClip, figure: Figure) -> None:
        """Add a clip with its figure."""
        self._unlikeness.add(figure)
        values = {
            "name": clip.name,
            "file": clip.file,
            "character": clip.character,
            "seed": clip.seed,
            "source": clip.source,
            "examples": [[shown.number, round(shown.step, 6), max(shown.frames, 1)] for shown in clip.examples],
            "parts": [[part.name, [_short(row) for row in part.stretches]] for part in clip.parts],
            "coverage": _finite(clip.coverage),
            "skate": _finite(clip.skate),
            "cuts": clip.visible_transitions,
            "through": clip.frames_through_body,
            "followed": clip.followed,
        }
        most = allowed(*figure.positions.shape[:2])
        said = len(safe_json(values))
        motion = self._motion(figure, max(most - said, most // 2))
        self._left += max(most - said - len(self._texts[-1]), 0)
        self._clips.append(values | motion)

    def text(self) -> Iterator[str]:
        """Yield the page in pieces."""
        clips = [
            clip | {"diversity": _finite(value)}
            for clip, value in zip(self._clips, self._unlikeness.of_each(), strict=True)
        ]
        examples = [self._example(example) for example in self._examples]
        data = {"title": self._title, "clips": clips, "examples": examples, "skeletons": self._skeletons}
        before, after, _ = page_around(FILES, self._title, data)
        yield before
        for number, text in enumerate(self._texts):
            # Base64 has no characters with a meaning in HTML.
            yield f'<script type="text/plain" id="motion-{number}">{text}</script>\n'
        yield after

    def _example(self, example: Example) -> dict[str, Any]:
        """Return an example's values, with its motion if the page has room for it."""
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
        """Add a figure's motion to the page, in at most `most` characters, and return the values for decoding it."""
        encoding = encoded(figure.positions, most)
        self._texts.append(encoding.text)
        return {
            "frames": figure.frames,
            "rate": round(figure.frames_per_second, 4),
            "motion": len(self._texts) - 1,
            "step": encoding.step,
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


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _short(row: Sequence[float]) -> list[float]:
    """Return a row with whole numbers as integers and others rounded to 0.001."""
    return [int(value) if value == int(value) else round(value, 3) for value in row]


class Unlikeness:
    """The poses of clips, collected until all clips have been added.

    The unlikeness of a clip is the root mean square distance of its poses from the mean of all clips at the same share
    of their length, divided by the deviation of all poses. This is a clip's share of the set diversity (GenMM, section
    4.1), computed from joint positions, so that it is available for any kind of file. Positions are heights, and
    distances along the ground from the body's first joint, which do not depend on location and heading.
    """

    def __init__(self) -> None:
        self._poses: list[Float32] = []

    def add(self, figure: Figure) -> None:
        """Add a clip."""
        at = np.round(np.linspace(0, figure.frames - 1, MOMENTS)).astype(np.int64)
        positions = figure.positions[at]
        away = np.linalg.norm(positions[:, :, :2] - positions[:, :1, :2], axis=2)
        self._poses.append(np.concatenate((positions[:, :, 2], away), axis=1).astype(np.float32))

    def of_each(self) -> list[float | None]:
        """Return the unlikeness of each clip; None if no other clip has the same number of joints."""
        unlikeness: list[float | None] = [None] * len(self._poses)
        for width in {poses.shape[1] for poses in self._poses}:
            numbers = [number for number, poses in enumerate(self._poses) if poses.shape[1] == width]
            if len(numbers) < 2 or not width:
                continue
            poses = np.stack([self._poses[number] for number in numbers])
            deviation = float(np.sqrt(poses.reshape(-1, width).var(axis=0, dtype=np.float64).mean()))
            distances = np.sqrt(np.square(poses - poses.mean(axis=0)).mean(axis=(1, 2), dtype=np.float64))
            for number, distance in zip(numbers, distances.tolist(), strict=True):
                unlikeness[number] = distance / deviation if deviation > 0 else 0.0
        return unlikeness

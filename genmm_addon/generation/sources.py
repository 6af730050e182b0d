# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of every frame of a result, stored on its action as a few numbers per unbroken stretch."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from bpy.types import ID, Action, Object

from ..animation.layers.edit_layer import layer_of
from ..core import Float64, Int64, Mask, Synthesis
from ..core.infill import Replanned
from ..core.keys import ON_KEY
from ..core.storage import parse_json

PROPERTY = "genmm_sources"
MIRRORED = "mirrored"
LONGEST_TEXT = 2**24
MOST_ROWS = 2**20
LARGEST = 2.0**31

Stretches = Float64


@dataclass(frozen=True)
class SourceExample:
    """An example as it was used: its name, its first frame in its action, and its number of frames.

    step: its frames per frame of the result; not 1 where it was made for another rate. is_mirrored: its left and right
    are exchanged.
    """

    name: str
    first: float
    frames: int
    step: float = 1.0
    is_mirrored: bool = False

    @property
    def title(self) -> str:
        """Return the name for display."""
        return f"{self.name} (mirrored)" if self.is_mirrored else self.name


@dataclass(frozen=True, eq=False)
class SourcePart:
    """A part of the body, and the stretches `(S, 5)` it consists of: start, length, example, source start, rate.

    start and source start are counted from 0, in the frames of the result and of the example. rate: a share of the
    example's own speed.
    """

    name: str
    stretches: Stretches


@dataclass(frozen=True, eq=False)
class Sources:
    """The sources of a result. frame_start: its first frame in its action."""

    frame_start: float
    frames: int
    examples: tuple[SourceExample, ...]
    parts: tuple[SourcePart, ...]

    def of_frame(self, frame: float, part: int = 0) -> tuple[int, float] | None:
        """Return the example that a frame of the action came from, and the frame in its own action.

        None outside of it.
        """
        at = frame - self.frame_start
        if not 0 <= at <= self.frames - 1:
            return None
        stretches = self.parts[part].stretches
        start, _, example, source, rate = stretches[np.searchsorted(stretches[:, 0], at, side="right") - 1]
        clip = self.examples[int(example)]
        return int(example), clip.first + source + (at - start) * clip.step * rate

    def covered(self, example: int) -> Mask:
        """Return which frames of an example the result shows in any of its parts."""
        clip = self.examples[example]
        seen = np.zeros(clip.frames, bool)
        for part in self.parts:
            for _, length, which, source, rate in part.stretches:
                if which == example:
                    last = source + (length - 1) * clip.step * rate
                    seen[max(math.floor(source), 0) : math.ceil(last) + 1] = True
        return seen


def only_shown(sources: Sources) -> Sources:
    """Return the sources without examples that no frame shows, such as most clips of a library."""
    shown = sorted({int(which) for part in sources.parts for which in part.stretches[:, 2]})
    parts = []
    for part in sources.parts:
        stretches = part.stretches.copy()
        stretches[:, 2] = np.searchsorted(shown, stretches[:, 2])
        parts.append(SourcePart(part.name, stretches))
    return replace(sources, examples=tuple(sources.examples[number] for number in shown), parts=tuple(parts))


@dataclass(frozen=True, eq=False)
class PlayedResult:
    """The result that a character plays. offset: scene frame minus action frame.

    Holds a data-block: use it at once, never across operators.
    """

    action: Action
    sources: Sources
    offset: float


def sources_of_synthesis(
    synthesis: Synthesis, names: Sequence[str], examples: Sequence[SourceExample], frame_start: float
) -> Sources:
    """Return the sources of a synthesis whose parts have these names."""
    rates = np.ones(synthesis.source_frames.shape) if synthesis.source_rates is None else synthesis.source_rates
    shown = zip(names, synthesis.source_examples.T, synthesis.source_frames.T, rates.T, strict=False)
    parts = [SourcePart(name, stretches_of(which, frames, rates, examples)) for name, which, frames, rates in shown]
    return Sources(frame_start, synthesis.motion.frames, tuple(examples), tuple(parts))


def sources_with(sources: Sources, stretch: Replanned, first: int) -> Sources:
    """Return the sources of a result after the stretch from its frame `first`, counted from 0, was regenerated.

    They stay unchanged where the stretch has other parts.
    """
    if stretch.source_examples.shape[1] != len(sources.parts):
        return sources
    end, parts = first + stretch.motion.frames, []
    for index, part in enumerate(sources.parts):
        examples, frames, rates = frames_of_part(sources, part)
        examples[first:end], frames[first:end] = stretch.source_examples[:, index], stretch.source_frames[:, index]
        rates[first:end] = 1.0 if stretch.source_rates is None else stretch.source_rates[:, index]
        parts.append(SourcePart(part.name, stretches_of(examples, frames, rates, sources.examples)))
    return replace(sources, parts=tuple(parts))


def frames_of_part(sources: Sources, part: SourcePart) -> tuple[Int64, Float64, Float64]:
    """Return for each frame of a result `(T,)` the example that a part shows, the example's frame, and the rate."""
    starts, _, which, frames, rates = part.stretches.T
    at = np.arange(sources.frames)
    row = np.searchsorted(starts, at, side="right") - 1
    examples = which[row].astype(np.int64)
    steps = np.array([example.step for example in sources.examples])[examples] * rates[row]
    return examples, frames[row] + (at - starts[row]) * steps, rates[row].copy()


def stretches_of(
    which: Int64,
    frames: Float64,
    rates: Float64,
    examples: Sequence[SourceExample],
) -> Stretches:
    """Return the unbroken stretches of a part, given the example, the frame and the rate of each of its frames."""
    steps = np.array([example.step for example in examples])[which[:-1]] * rates[:-1]
    ends = breaks(which, frames, steps) | (np.diff(rates) != 0)
    starts = np.flatnonzero(np.concatenate(([True], ends)))
    lengths = np.diff(np.append(starts, len(which)))
    return np.column_stack((starts, lengths, which[starts], frames[starts], rates[starts]))


def breaks(which: Int64, frames: Float64, steps: Float64) -> Mask:
    """Return whether another stretch of the examples follows each frame but the last; steps: expected from each."""
    jumps = np.abs(np.diff(frames) - steps) >= ON_KEY * np.maximum(steps, 1.0)
    return np.asarray(jumps | (np.diff(which) != 0))


def store_sources(block: ID, sources: Sources) -> None:
    """Store the sources on an action."""
    block[PROPERTY] = sources_text(sources)


def sources_text(sources: Sources) -> str:
    """Return the sources as JSON."""
    values = {
        "frame_start": sources.frame_start,
        "frames": sources.frames,
        "examples": [_row(clip) for clip in sources.examples],
        "parts": [[part.name, [_short(row) for row in part.stretches.tolist()]] for part in sources.parts],
    }
    return json.dumps(values, separators=(",", ":"), allow_nan=False)


def sources_of(block: ID | None) -> Sources | None:
    """Return the sources stored on an action; None where it has none, or an unreadable value in their place."""
    return sources_in(None if block is None else block.get(PROPERTY))


def sources_in(text: object) -> Sources | None:
    """Return the sources in an untrusted text; None where it holds none."""
    return _parsed(text) if isinstance(text, str) else None


def played_result(character: Object | None) -> PlayedResult | None:
    """Return the generated motion that a character plays: its own action, or else the highest NLA strip with one."""
    data = None if character is None else character.animation_data
    if data is None:
        return None
    if data.action is not None:
        sources = sources_of(data.action)
        return None if sources is None else PlayedResult(data.action, sources, 0.0)
    layer = layer_of(character)
    if layer is not None:
        sources = sources_of(layer.total)
        offset = layer.base_strip.frame_start - layer.base_strip.action_frame_start
        return None if sources is None else PlayedResult(layer.total, sources, offset)
    for track in reversed(data.nla_tracks):
        for strip in track.strips:
            sources = None if track.mute or strip.mute else sources_of(strip.action)
            if sources is not None:
                return PlayedResult(strip.action, sources, strip.frame_start - strip.action_frame_start)
    return None


@lru_cache(maxsize=16)
def _parsed(text: str) -> Sources | None:
    # Called at every redraw, with an untrusted text.
    try:
        values = parse_json(text, longest=LONGEST_TEXT)
        examples = tuple(_example(row) for row in values["examples"])
        frames = int(_number(values["frames"], 1, LARGEST))
        parts = tuple(SourcePart(str(name), _stretches(rows, frames, examples)) for name, rows in values["parts"])
        start = _number(values["frame_start"], -LARGEST, LARGEST)
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    return Sources(start, frames, examples, parts) if parts and examples else None


def _example(row: Any) -> SourceExample:
    # A row of four entries is an example as it was recorded, not mirrored.
    name, first, frames, step, *mirrored = row
    if mirrored not in ([], [MIRRORED]):
        raise ValueError(f"{mirrored} says nothing of an example.")
    length = int(_number(frames, 1, MOST_ROWS))
    start, rate = _number(first, -LARGEST, LARGEST), _number(step, 1e-4, 1e4)
    return SourceExample(str(name), start, length, rate, bool(mirrored))


def _row(clip: SourceExample) -> list[Any]:
    row: list[Any] = [clip.name, clip.first, clip.frames, clip.step]
    return [*row, MIRRORED] if clip.is_mirrored else row


def _stretches(rows: Any, frames: int, examples: Sequence[SourceExample]) -> Stretches:
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_ROWS:
        raise ValueError("There are no stretches.")
    # A row of four numbers has the example's own speed.
    stretches = np.array([[*row, 1.0] if len(row) == 4 else row for row in rows], np.float64)
    if stretches.shape != (len(rows), 5) or not np.isfinite(stretches).all() or stretches[:, 4].min() <= 0:
        raise ValueError("A stretch is four numbers, or five with a rate above 0.")
    ends = np.cumsum(stretches[:, 1])
    if stretches[:, 1].min() < 1 or ends[-1] != frames or np.any(stretches[:, 0] != np.append(0, ends[:-1])):
        raise ValueError("The stretches do not make up the result.")
    if not set(stretches[:, 2]) <= set(range(len(examples))):
        raise ValueError("A stretch is of an example that is not there.")
    last = np.array([clip.frames for clip in examples])[stretches[:, 2].astype(int)]
    # A round of a cycle also holds frames that are missing at its end, fewer than it has.
    if np.any(stretches[:, 3] < 0) or np.any(stretches[:, 3] >= 2 * last):
        raise ValueError("A stretch lies outside of its example.")
    return stretches


def _number(value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{value} is not a number from {least} to {most}.")
    return float(value)


def _short(row: Sequence[float]) -> list[float]:
    """Return a row with frames rounded to 0.001 and the rate to 0.000001; a rate of 1 is left out."""
    *places, rate = row
    short = [int(value) if value == int(value) else round(value, 3) for value in places]
    return short if rate == 1 else [*short, round(rate, 6)]

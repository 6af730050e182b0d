# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of written motions for a gallery: figure, sources and measures of each, in `.genmm` beside the file.

A gallery is made from them without opening files in Blender. A record is tied to its file by a checksum. The figures of
the examples are in a separate file, shared by all motions with the same fingerprint.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...core.storage import parse_json_file
from ...generation.generate import SceneReading, source_examples
from ...generation.measures import Measures, measures_in, measures_text
from ...generation.sources import Sources, only_shown, sources_in, sources_of_synthesis, sources_text
from ...pages.figures import Figure, figure_in, figure_of, figure_values
from .exports import Scored
from .made_with import FOLDER, checksum, record_of
from .whole_files import whole_file

ENDING = ".clips.json"
CLIPS, EXAMPLES = "clips", "examples"
MOST_EXAMPLE_FRAMES = 60_000
"""Maximum total frames of stored examples, about 2 to 6 MB; the remaining examples of a large library are left out."""


@dataclass(frozen=True, eq=False)
class ClipRecord:
    """A motion in a file. input: the name of its input. shown: the numbers of its examples among all."""

    seed: int
    input: str
    figure: Figure
    sources: Sources | None
    measures: Measures | None
    examples: str
    shown: tuple[int, ...]


def keep_clips(path: Path, made: Scored, name: str, fingerprint: str) -> None:
    """Write the record of an existing file's motions; name: of the input. Raises Failed if it cannot be written."""
    examples = source_examples(made.request, made.reading, bpy.context.scene)
    kept = path.parent / FOLDER / f"{EXAMPLES}_{fingerprint[:32]}.json"
    if not kept.exists():
        _keep_examples(kept, [example.title for example in examples], made.reading)
    clips = []
    for number, (seed, synthesis) in enumerate(zip(made.seeds, made.syntheses, strict=True)):
        sources = sources_of_synthesis(synthesis, made.reading.resolved.part_names, examples, 0.0)
        clips.append(
            {
                "seed": seed,
                "sources": sources_text(only_shown(sources)),
                "shown": _shown(sources),
                "measures": measures_text(made.measures[number]) if made.measures else None,
                "figure": figure_values(figure_of(synthesis.motion)),
            }
        )
    values = {"genmm": CLIPS, "version": 1, "sha256": checksum(path), "input": name, "examples": kept.name}
    _write(clips_of(path), values | {"clips": clips})


def clips_of(path: Path) -> Path:
    """Return the path of the record of a file's motions."""
    return record_of(path).with_suffix(ENDING)


def recorded_clips(path: Path) -> tuple[ClipRecord, ...]:
    """Return the records of a file's motions; empty if there is no record, or the file was changed since."""
    try:
        values = _read(clips_of(path), CLIPS)
        if not isinstance(values, dict) or values["sha256"] != checksum(path):
            return ()
        return tuple(_clip(clip, str(values["input"]), str(values["examples"])) for clip in values["clips"])
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def recorded_examples(path: Path, name: str) -> tuple[tuple[str, Figure | None], ...]:
    """Return the titles and figures of the examples named in a file's record; empty if they are missing."""
    try:
        place = path.parent / FOLDER / Path(name).name
        rows = _read(place, EXAMPLES)["examples"]
        return tuple((str(row["title"]), figure_in(row["figure"])) for row in rows)
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def _clip(values: Any, name: str, examples: str) -> ClipRecord:
    figure = figure_in(values["figure"])
    if figure is None:
        raise ValueError("the record has no figure")
    return ClipRecord(
        seed=int(values["seed"]),
        input=name,
        figure=figure,
        sources=sources_in(values["sources"]),
        measures=measures_in(values["measures"]),
        examples=examples,
        shown=tuple(int(number) for number in values["shown"]),
    )


def _shown(sources: Sources) -> list[int]:
    """Return the numbers of the examples that a result shows, in the form of `only_shown`."""
    return sorted({int(which) for part in sources.parts for which in part.stretches[:, 2]})


def _keep_examples(path: Path, titles: Sequence[str], reading: SceneReading) -> None:
    rows, frames = [], 0
    for title, motion in zip(titles, reading.reading.motions, strict=True):
        frames += motion.frames
        figure = figure_values(figure_of(motion)) if frames <= MOST_EXAMPLE_FRAMES else None
        rows.append({"title": title, "figure": figure})
    _write(path, {"genmm": EXAMPLES, "version": 1, "examples": rows})


def _write(path: Path, values: dict[str, Any]) -> None:
    with whole_file(path, through_link=False) as unfinished:
        unfinished.write_text(json.dumps(values, separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")


def _read(path: Path, kind: str) -> Any:
    values = parse_json_file(path, "record")
    if values["genmm"] != kind:
        raise ValueError("the record is of another kind")
    return values

# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm generate`: writes new motions, one for each input and seed, or all seeds of an input in one .blend file."""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import InputError, Loop, Prepared, Synthesis, counted
from ...core.motion import save_arrays, with_root_joint
from ...core.synthesis import synthesis_arrays
from ...files.import_file import Axes
from ...generation.generate import SceneReading, check_results, prepare_reading, with_body
from ...generation.measures import Measures, as_entries, by_kind, measure, visible_flaws, visible_transitions
from ...generation.request import Output, Request
from ...generation.stretches.replay import as_asked
from ..console import Console
from ..errors import NOTHING_WRONG
from ..inputs.asked import ask_together, check_names, file_axes, open_and_ask
from ..inputs.opening import Opened, expanded
from ..outputs.clip_records import keep_clips
from ..outputs.exports import Scored, check_kind, result_of
from ..outputs.file_names import check_pattern, file_name
from ..outputs.fingerprint import fingerprint_of
from ..outputs.made_with import OTHER, FileOrigin, Judgment, clear_folder, judge, keep_record
from ..outputs.whole_files import ENDINGS, whole_file
from ..processes.exporters import File, exported, source_of
from ..processes.workers import SeedTask, cores, synthesized
from ..stopping import check_stop
from .each_input import status_of, status_of_all
from .pages.gallery import NAME, check_page, write_gallery

RESULTS = {"new-character": Output.NEW_CHARACTER, "new-action": Output.NEW_ACTION, "nla-strip": Output.NLA_STRIP}
EXPORTERS_KEPT_BUSY = 4
"""Number of exporting Blenders per synthesizing process: 100 frames take 10 to 20 ms to synthesize and 100 to 500 ms to
export."""


class Taken(Enum):
    """The measures that are computed for each motion."""

    NONE = "NONE"
    FLAWS = "FLAWS"
    """Transitions that may be visible, flaws of the legs, and limbs through the body."""
    ALL = "ALL"


@dataclass
class Tally:
    """The outcome of a command's files."""

    written: int = 0
    skipped: int = 0
    claimed: set[Path] = field(default_factory=set)
    status: int = NOTHING_WRONG


@dataclass(frozen=True, eq=False)
class ReadInput:
    """One input, ready for use. paths: by seed, in order. several: whether all seeds are written to one file.

    fingerprint: of all inputs of the files, except the seed. may_replace: whether existing files may be overwritten.
    """

    opened: Opened
    request: Request
    reading: SceneReading
    paths: dict[int, Path]
    several: bool
    axes: Axes
    fingerprint: str
    may_replace: bool


def generate(options: argparse.Namespace, console: Console) -> int:
    """Generate from all inputs and return the exit status; an error in one input does not stop the others."""
    fields = check_pattern(options.output)
    check_kind(Path(options.output), ENDINGS)
    if options.gallery:
        check_page(_gallery_of(options.output))
    files = expanded(options.inputs)
    inputs: Sequence[Path | None] = files or (None,)
    together: tuple[Path, ...] = ()
    if options.together:
        inputs, together = inputs[:1], files[1:]
    if len(inputs) > 1 and "name" not in fields and not {"character", "action"} & fields:
        raise InputError(f'The output "{options.output}" is the same file for every input; add {{name}} to it.')
    tally = Tally()
    for number, path in enumerate(inputs):
        share = _share_of(number, len(inputs))
        piece = partial(_generate_from, path, together, options, console, tally, share)
        tally.status = status_of_all((tally.status, status_of(piece, console)))
    done = f"{counted(tally.written, 'motion')} written"
    kept = f", {tally.skipped} already existed" if tally.skipped else ""
    if options.gallery and (tally.written or tally.skipped):
        tally.status = status_of_all((tally.status, _write_gallery(options.output, console)))
    console.end(f"{done}{kept}.", written=tally.written, skipped=tally.skipped, status=tally.status)
    return tally.status


def _gallery_of(pattern: str) -> Path:
    """Return the path of the page, in the folder that contains all results."""
    parts = Path(pattern).parent.parts
    fixed = next((number for number, part in enumerate(parts) if "{" in part), len(parts))
    return Path(*parts[:fixed]) / NAME


def _write_gallery(pattern: str, console: Console) -> int:
    page = _gallery_of(pattern)
    return write_gallery(page.parent, page, "", console, is_last_step=True)


def _generate_from(
    path: Path | None,
    together: tuple[Path, ...],
    options: argparse.Namespace,
    console: Console,
    tally: Tally,
    share: Callable[[float], float],
) -> int:
    job = _job(path, together, options)
    _claim(job, options, tally)
    for folder in {place.parent for place in job.paths.values()}:
        clear_folder(folder)
    console.status(f"Generating from {job.opened.name}")
    for note in job.reading.notes:
        console.note(note)
    missing = _missing(job, console) if options.resume else list(job.paths)
    tally.skipped += len(job.paths) - len(missing)
    total = len(job.paths)
    done = total - len(missing)
    for place, made in _written(job, missing, path, together, options, console):
        if place.suffix.lower() != ".npz":
            keep_record(place, _made(job, made.seeds, made.syntheses[0].motion.frames))
        if options.measure or options.gallery:
            keep_clips(place, made, job.opened.name, job.fingerprint)
        check_stop()
        tally.written += len(made.seeds)
        done += len(made.seeds)
        _tell(console, job, place, made, done, total, share(done / total))
    return NOTHING_WRONG


def _missing(job: ReadInput, console: Console) -> list[int]:
    """Return the seeds that --resume generates. Raises InputError for existing files with other content."""
    loop = int(job.request.loop is not Loop.OFF)  # a loop ends with its first frame repeated
    if job.several:
        every = tuple(job.paths)
        verdict = judge(job.paths[every[0]], _made(job, every), loop)
        judged = dict.fromkeys(every, verdict)
    else:
        judged = {seed: judge(place, _made(job, (seed,)), loop) for seed, place in job.paths.items()}
    other = sorted({job.paths[seed] for seed, judgment in judged.items() if judgment is Judgment.OTHER})
    if other:
        more = f" (and {len(other) - 1:,} more)" if len(other) > 1 else ""
        raise InputError(f'"{other[0]}"{more} {OTHER}')
    unsaid = sum(judgment is Judgment.KEEP_UNSAID for judgment in judged.values())
    if unsaid:
        console.note(
            f"{counted(unsaid, 'existing motion')} kept; written by an earlier version, so the settings are unknown."
        )
    return [seed for seed, judgment in judged.items() if judgment is Judgment.MAKE]


def _made(job: ReadInput, seeds: tuple[int, ...], frames: int | None = None) -> FileOrigin:
    asked = job.reading.resolved.given_frames or job.request.frames
    joints = len(job.reading.reading.motions[0].skeleton.names)
    return FileOrigin(asked if frames is None else frames, joints, seeds, job.fingerprint)


def _job(path: Path | None, together: Sequence[Path], options: argparse.Namespace) -> ReadInput:
    opened, request, reading = open_and_ask(options, path, alone=not together)
    request, reading = ask_together(request, reading, together, options)
    check_names(request, options)
    fields = check_pattern(options.output)
    several = "seed" not in fields and Path(options.output).suffix.lower() == ".blend"
    seeds = options.seeds or request.seeds
    paths = {seed: _path(options.output, opened, request, seed) for seed in seeds}
    if len(set(paths.values())) < len(seeds) and not several:
        raise InputError(f'The output "{options.output}" is the same file for every seed; add {{seed}} to it.')
    asked = None if options.result is None else RESULTS[options.result]
    if reading.resolved.by_controls and Path(options.output).suffix.lower() == ".npz":
        raise InputError(
            f'"{opened.armature.name}" follows its {"ground" if reading.resolved.grounds_controls else "places"} '
            "through its control bones, which a .npz does not contain; write a .blend, .bvh, .fbx or .glb file instead."
        )
    output = result_of(Path(options.output), opened.armature, asked, several and len(seeds) > 1)
    request = replace(request, seeds=seeds[:1], output=output)
    axes = file_axes(options, opened)
    fingerprint, may_replace = fingerprint_of(request, reading, axes), options.force or options.resume
    return ReadInput(opened, request, reading, paths, several, axes, fingerprint, may_replace)


def _path(pattern: str, opened: Opened, request: Request, seed: int) -> Path:
    action = request.examples[0].action if request.examples else None
    values = {
        "name": opened.name,
        "character": opened.armature.name,
        "action": action.name if action is not None else "library" if request.library else "NLA",
        "seed": seed,
    }
    return file_name(pattern, values)


def _claim(job: ReadInput, options: argparse.Namespace, tally: Tally) -> None:
    """Raise InputError if a file is also written by another input, or already exists."""
    places = {place.absolute() for place in job.paths.values()}
    twice = places & tally.claimed
    if twice:
        raise InputError(f'"{min(twice)}" would be written twice; add fields such as {{name}} to --output.')
    tally.claimed |= places
    existing = sorted(place for place in places if os.path.lexists(place))
    if existing and not (options.force or options.resume):
        more = f" (and {len(existing) - 1:,} more)" if len(existing) > 1 else ""
        raise InputError(f'"{existing[0]}"{more} already exists; use --resume to keep it or --force to overwrite it.')


def _written(
    job: ReadInput,
    seeds: Sequence[int],
    path: Path | None,
    together: Iterable[Path],
    options: argparse.Namespace,
    console: Console,
) -> Iterator[File]:
    """Write the files of the seeds, and yield each one once it is written."""
    if Path(options.output).suffix.lower() == ".npz":
        for place, made in _files(job, seeds, options.jobs, console.note, _taken(options)):
            _write_arrays(place, made, job)
            yield place, made
        return
    source = None
    # A ground imported from a file exists only in this Blender.
    if not job.several and not job.reading.resolved.by_controls:
        shared = _scored(job, (), (), ())
        source = source_of(path, job.opened.armature.name, options.fps, together, shared)
    # One synthesizing process keeps several exporting ones busy.
    jobs = max((options.jobs or cores()) // EXPORTERS_KEPT_BUSY, 1)
    files = _files(job, seeds, jobs, console.note, _taken(options))
    yield from exported(files, 1 if job.several else len(seeds), source, options.jobs, console)


def _taken(options: argparse.Namespace) -> Taken:
    """Return the measures that are needed."""
    if options.measure or options.gallery:
        return Taken.ALL
    # A .blend stores the measure with its action.
    is_read = options.json or options.old_json or Path(options.output).suffix.lower() == ".blend"
    return Taken.FLAWS if is_read else Taken.NONE


def _scored(
    job: ReadInput, seeds: tuple[int, ...], syntheses: tuple[Synthesis, ...], measures: tuple[Measures, ...]
) -> Scored:
    return Scored(job.request, job.reading, seeds, syntheses, job.axes, measures, job.may_replace, job.opened.name)


def _files(
    job: ReadInput, seeds: Sequence[int], jobs: int | None, note: Callable[[str], None], taken: Taken
) -> Iterator[File]:
    """Yield the path and content of each file, with the computed measures."""
    if not seeds:
        return
    together = replace(job.request, seeds=tuple(seeds if job.several else seeds[:1]))
    is_written = job.paths[seeds[0]].suffix.lower() != ".npz"
    check_results(job.reading, together, bpy.context.scene, written=is_written)
    prepared = prepare_reading(job.reading, job.request)
    reading = job.reading if taken is Taken.NONE else with_body(job.reading, job.request, bpy.context.scene)
    resolved = reading.resolved
    task = SeedTask(prepared, resolved.given_frames or job.request.frames, resolved.constraints, note)
    plain = synthesized(task, seeds, jobs)
    made = ((seed, as_asked(synthesis, job.request.redone, prepared, resolved)) for seed, synthesis in plain)
    if job.several:
        every = tuple(synthesis for _, synthesis in made)
        yield job.paths[seeds[0]], _scored(job, tuple(seeds), every, _measured(reading, prepared, every, taken))
        return
    for seed, synthesis in made:
        measures = _measured(reading, prepared, (synthesis,), taken)
        yield job.paths[seed], _scored(job, (seed,), (synthesis,), measures)


def _measured(
    reading: SceneReading, prepared: Prepared, syntheses: Sequence[Synthesis], taken: Taken
) -> tuple[Measures, ...]:
    if taken is Taken.ALL:
        return measure(prepared, syntheses, reading.body)
    every = syntheses if taken is Taken.FLAWS else ()
    return tuple(
        Measures(
            visible_transitions=visible_transitions(prepared, synthesis),
            leg_flaws=visible_flaws(prepared, synthesis),
            frames_through_body=None if reading.body is None else reading.body.frames_through(synthesis.motion),
        )
        for synthesis in every
    )


def _write_arrays(path: Path, made: Scored, job: ReadInput) -> None:
    synthesis = made.syntheses[0]
    if job.request.root_motion:
        name, closes = job.request.root_motion_bone, synthesis.loop is not None and synthesis.loop.closes
        synthesis = replace(synthesis, motion=with_root_joint(synthesis.motion, name=name, closes=closes))
    arrays = {**synthesis_arrays(synthesis, made.seeds[0]), "fingerprint": np.array(job.fingerprint)}
    with whole_file(path, may_replace=job.may_replace) as unfinished, unfinished.open("wb") as file:
        save_arrays(file, arrays)


def _tell(console: Console, job: ReadInput, path: Path, made: Scored, done: int, total: int, share: float) -> None:
    frames = made.syntheses[0].motion.frames
    values: dict[str, Any] = {"file": str(path), "input": job.opened.name, "seeds": list(made.seeds), "frames": frames}
    visible = [measures.visible_transitions for measures in made.measures]
    if visible and all(frames is not None for frames in visible):
        values["visible_transitions"] = [list(frames or ()) for frames in visible]
    flaws = [measures.leg_flaws for measures in made.measures]
    if flaws and all(by_leg is not None for by_leg in flaws):
        values["leg_flaws"] = [as_entries(by_kind(by_leg or ())) for by_leg in flaws]
    through = [measures.frames_through_body for measures in made.measures]
    if through and all(frames is not None for frames in through):
        values["frames_through_body"] = through
    followed = [[asdict(match) for match in synthesis.followed] for synthesis in made.syntheses]
    if any(followed):
        values["followed"] = followed
    notes = list(dict.fromkeys(note for synthesis in made.syntheses for note in synthesis.notes))
    if notes:
        values["notes"] = notes
    said = f" ({' '.join(notes)})" if notes else ""
    console.progress("file", f"{done}/{total} {path}{said}", share, **values)


def _share_of(number: int, count: int) -> Callable[[float], float]:
    """Return a function that converts the progress of one input to the overall progress."""
    return lambda share: (number + share) / count

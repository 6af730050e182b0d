# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm crowd`: writes many agents into one file."""

import argparse
import os
import zipfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.scene_time import first_frame
from ...core import Float32, Float64, InputError, Prepared, Synthesis, counted
from ...core.motion import add_arrays, skeleton_arrays, stream_array, texts
from ...crowd.arrangement import Arranged, arrange_own, arrange_shared, home_trail
from ...crowd.crowd import ComputedCrowd, read_crowd, write_crowd
from ...crowd.request import CrowdLayout, CrowdRequest
from ...generation.generate import SceneReading, check_results, prepare_reading
from ...generation.records.conversions import seeds_of
from ...generation.request import Request
from ..arguments.setting_options import said
from ..console import Console
from ..inputs.asked import check_names, open_and_ask
from ..inputs.opening import object_named
from ..outputs.exports import check_kind, save_blend
from ..outputs.file_names import check_pattern, file_name
from ..outputs.fingerprint import fingerprint_of
from ..outputs.made_with import OTHER, FileOrigin, Judgment, clear_folder, judge_by_record, keep_record
from ..outputs.whole_files import whole_file
from ..processes.workers import SeedTask, synthesized
from ..stopping import check_stop

FORMAT = "GenMM crowd 1"
AGENTS = 100


def crowd(options: argparse.Namespace, console: Console) -> int:
    """Make a crowd and return the exit status. Raises InputError and Failed."""
    if "seed" in check_pattern(options.output):
        raise InputError("A crowd is written to a single file; remove {seed} from --output.")
    check_kind(Path(options.output), (".blend", ".npz"))
    opened, request, reading = open_and_ask(options, options.inputs)
    check_names(request, options)
    action = request.examples[0].action if request.examples else None
    learned = action.name if action is not None else "library" if request.library is not None else "NLA"
    named = {"name": opened.name, "character": opened.armature.name, "action": learned}
    path = file_name(options.output, named)
    asked = _asked(options, request)
    made = _made(asked, request, reading)
    if os.path.lexists(path) and not options.force and _is_kept(path, made, options, console):
        console.end(f"{path} already exists.", written=0, skipped=1)
        return 0
    clear_folder(path.parent)
    for note in reading.notes:
        console.note(note)
    console.status(f"A crowd of {asked.agents} from {opened.name}")
    if path.suffix.lower() == ".npz":
        _write_arrays(path, asked, request, reading, options, console)
    else:
        _write_blend(path, asked, request, reading, options, console)
    keep_record(path, made)
    console.end(
        f"{counted(asked.agents, 'agent')} written to {path}.",
        written=1,
        skipped=0,
        agents=asked.agents,
        file=str(path),
    )
    return 0


def _is_kept(path: Path, made: FileOrigin, options: argparse.Namespace, console: Console) -> bool:
    """Return whether --resume keeps an existing file. Raises InputError if the file must not be overwritten."""
    if not options.resume:
        raise InputError(f'"{path}" already exists; use --resume to keep it or --force to overwrite it.')
    judgment = judge_by_record(path, made)
    if judgment is Judgment.OTHER:
        raise InputError(f'"{path}" {OTHER}')
    if judgment is Judgment.KEEP_UNSAID:
        console.note(f"{path} already exists; it was written by an earlier version, so its settings are unknown.")
    return judgment is not Judgment.MAKE


def _made(asked: CrowdRequest, request: Request, reading: SceneReading) -> FileOrigin:
    """Return the origin of the file of a crowd; curve, mesh and objects are identified by name and position."""
    targets = tuple((target.name, np.array(target.matrix_world)) for target in asked.targets)
    values = {field.name: getattr(asked, field.name) for field in fields(asked) if field.name != "targets"}
    fingerprint = fingerprint_of(request, reading, values, targets)
    joints = len(reading.reading.motions[0].skeleton.names)
    return FileOrigin(reading.resolved.given_frames or request.frames, joints, (asked.seed,), fingerprint)


def _asked(options: argparse.Namespace, request: Request) -> CrowdRequest:
    targets = tuple(object_named(name) for name in (options.along or options.surface, *options.objects) if name)
    layout = CrowdLayout.GRID
    if options.along:
        layout = CrowdLayout.CURVE
    elif options.surface:
        layout = CrowdLayout.SURFACE
    elif options.objects:
        layout = CrowdLayout.OBJECTS
    seed = request.seeds[0] if options.seed is None else options.seed
    given = {"agents": len(options.objects) or AGENTS} | said(CrowdRequest, options)
    return CrowdRequest(**given, layout=layout, targets=targets, seed=seed)


def _task(request: Request, reading: SceneReading, prepared: Prepared, console: Console) -> SeedTask:
    resolved = reading.resolved
    return SeedTask(prepared, resolved.given_frames or request.frames, resolved.constraints, console.note)


def _reported(
    made: Iterator[tuple[int, Synthesis]], count: int, what: str, console: Console, most: float
) -> Iterator[Synthesis]:
    """Yield the syntheses and report progress in about twenty steps; most: the share of the whole at the end."""
    step = max(count // 20, 1)
    for number, (_, synthesis) in enumerate(made, start=1):
        check_stop()
        yield synthesis
        if number % step == 0 or number == count:
            console.progress(what, f"{number}/{count} {what}", most * number / count, done=number)


def _may_replace(options: argparse.Namespace) -> bool:
    return bool(options.force or options.resume)


def _write_blend(
    path: Path,
    asked: CrowdRequest,
    request: Request,
    reading: SceneReading,
    options: argparse.Namespace,
    console: Console,
) -> None:
    scene = bpy.context.scene
    start = round(first_frame(request.frame_start, scene))
    scene.frame_start, scene.frame_end = start, start + request.frames - 1
    task = read_crowd(bpy.context, request, asked, reading)
    clips = task.clips
    check_results(reading, clips, scene)
    prepared = prepare_reading(reading, clips)
    made = synthesized(_task(clips, reading, prepared, console), clips.seeds, options.jobs)
    syntheses = list(_reported(made, len(clips.seeds), "clips", console, 0.5))
    arranged = arrange_shared(task.stage, reading, prepared, syntheses)
    for note in arranged.notes:
        console.note(note)
    write_crowd(bpy.context, task, ComputedCrowd(syntheses, arranged))
    with whole_file(path, may_replace=_may_replace(options)) as unfinished:
        save_blend(unfinished)


def _write_arrays(
    path: Path,
    asked: CrowdRequest,
    request: Request,
    reading: SceneReading,
    options: argparse.Namespace,
    console: Console,
) -> None:
    """Write a motion for every agent; rotations are written while they are generated."""
    stage = read_crowd(bpy.context, request, asked, reading).stage
    check_results(reading, request, bpy.context.scene, written=False)
    prepared = prepare_reading(reading, request)
    seeds = seeds_of(asked.seed, asked.agents)
    home = home_trail(stage, reading, prepared)
    syntheses = synthesized(_task(request, reading, prepared, console), seeds, options.jobs)
    made = _reported(syntheses, len(seeds), "agents", console, 1.0)
    channels: list[dict[str, NDArray[Any]]] = []
    trails = []

    def rotations() -> Iterator[Float32]:
        for synthesis in made:
            motion = synthesis.motion
            channels.append({name: getattr(motion, name) for name in ("translations", "scales", "scalars")})
            trails.append(stage.trail(motion, prepared, home.looks))
            yield motion.rotations

    begun = whole_file(path, may_replace=_may_replace(options))
    with begun as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as archive:
        stream_array(archive, "rotations", rotations(), asked.agents)
        motion = prepared.motions[0]
        arranged = arrange_own(stage, reading, home, trails)
        for note in arranged.notes:
            console.note(note)
        add_arrays(
            archive,
            {
                "format": np.array(FORMAT),
                "frames_per_second": np.array(reading.frames_per_second),
                "seeds": np.array(seeds),
                "matrices": _of_motions(arranged) @ stage.ground.space,
                **skeleton_arrays(motion.skeleton),
                "translated": motion.translated,
                "scaled": motion.scaled,
                "scalar_names": texts(motion.scalar_names),
                **{name: np.stack([arrays[name] for arrays in channels]) for name in channels[0]},
            },
        )


def _of_motions(arranged: Arranged) -> Float64:
    """Return the matrices `(N, 4, 4)` in the order of the motions, which the arrangement has permuted."""
    matrices = np.empty_like(arranged.matrices)
    matrices[arranged.casting.clips] = arranged.matrices
    return matrices

# SPDX-License-Identifier: GPL-3.0-or-later
"""The work on the page's jobs: opening, varying and writing motions."""

import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import bpy

from ...core import Cancelled, InputError, Motion, computing
from ...generation.generate import check_results, compute
from ...pages.figures import figure_of, figure_values
from ...pages.serving.jobs import JobQueue, ServedJob, State
from ...pages.serving.session_files import SessionFiles
from ...pages.serving.tasks import LONGEST, MakeVariations, OpenMotion, WriteFile
from ..console import Console
from ..errors import Failed
from ..outputs.exports import Scored, export
from ..stopping import check_stop
from .body_parts import BodyPart
from .dropped_motions import DroppedMotions, longest_action, seconds_of

FIRST_LENGTHS = (3.0, 10.0)
"""Minimum and maximum duration of the first variations, which otherwise have that of the example, in seconds."""


class Worker:
    """Worker that runs one job after another; it accesses Blender, so it belongs to the main thread."""

    def __init__(self, jobs: JobQueue, files: SessionFiles, not_written: Mapping[str, str], console: Console) -> None:
        self._jobs, self._files, self._console = jobs, files, console
        self._not_written = not_written
        self._motions = DroppedMotions(files)

    def work(self, patience: float) -> None:
        """Run the next job, if one arrives within `patience` seconds. Raises Stopped if the command should end."""
        job = self._jobs.next(patience)
        check_stop()
        if job is None:
            return
        begun = time.monotonic()
        state, error = State.DONE, ""
        try:
            with computing():
                self._do(job)
        except Cancelled:
            state = State.CANCELLED
        except (InputError, Failed) as refused:
            state, error = State.FAILED, self._files.without_places(str(refused))
        except Exception as wrong:
            traceback.print_exception(wrong)
            name = type(wrong).__name__
            state, error = State.FAILED, f"Internal error ({name}: {wrong}); please report it."
        # Blender converts a request to stop into a failure of the importer.
        check_stop()
        self._jobs.end(job, state, error)
        self._say(job, time.monotonic() - begun)

    def _do(self, job: ServedJob) -> None:
        task = job.task
        if isinstance(task, OpenMotion):
            self._open(job, task)
        elif isinstance(task, MakeVariations):
            self._make(job, task)
        else:
            self._write(job, task)

    def _open(self, job: ServedJob, task: OpenMotion) -> None:
        opened = self._motions.add(job.number, task.file, lambda: not job.is_unwanted)
        action = longest_action(opened) if task.file is not None else 0
        read = self._motions.read(job.number, action)
        shortest, longest = FIRST_LENGTHS
        job.results.append(
            {
                "motion": job.number,
                "name": opened.name,
                "bones": len(opened.armature.data.bones),
                "rate": round(read.reading.frames_per_second, 3),
                "actions": [
                    {"name": spec.action.name if spec.action else "", "seconds": round(seconds_of(opened, spec), 2)}
                    for spec in opened.examples
                ],
                "action": action,
                "seconds": round(min(max(read.seconds, shortest), longest, LONGEST), 1),
                "notes": list(dict.fromkeys((*opened.notes, *read.reading.notes))),
                **_example_values(read.reading.reading.motions[0], read.parts),
            }
        )

    def _make(self, job: ServedJob, task: MakeVariations) -> None:
        read = self._motions.read(task.choices.motion, task.choices.action)
        _, request, reading = self._motions.asked(task.choices)
        check_results(reading, replace(request, seeds=task.seeds), bpy.context.scene, written=False)
        job.results.append({"action": task.choices.action, **_example_values(reading.reading.motions[0], read.parts)})
        count = len(task.seeds)
        for done, seed in enumerate(task.seeds):
            if not job.go_on(done / count):
                raise Cancelled("Cancelled.")

            def progress(share: float, done: int = done) -> bool:
                return job.go_on((done + share) / count)

            (synthesis,) = compute(reading, replace(request, seeds=(seed,)), progress)
            values = figure_values(figure_of(_drawn(synthesis.motion)))
            seconds = (synthesis.motion.frames - 1) / synthesis.motion.frames_per_second
            job.results.append(
                {"seed": seed, "seconds": round(seconds, 2), "notes": list(synthesis.notes), "figure": values}
            )
            check_stop()
        job.go_on(1.0)

    def _write(self, job: ServedJob, task: WriteFile) -> None:
        if task.kind in self._not_written:
            raise InputError(self._not_written[task.kind])
        opened, request, reading = self._motions.asked(task.choices)
        request = replace(request, seeds=(task.seed,))
        check_results(reading, request, bpy.context.scene, written=True)
        syntheses = tuple(compute(reading, request, lambda share: job.go_on(share / 2)))
        path = self._files.place_for(f"{opened.name}_{task.seed:04}{task.kind}")
        made = Scored(request, reading, (task.seed,), syntheses, opened.file_axes, name=opened.name)
        for note in export(path, made):
            self._console.note(note)
        job.results.append({"file": self._files.keep_made(path), "name": path.name})
        job.go_on(1.0)

    def _say(self, job: ServedJob, seconds: float) -> None:
        event = {OpenMotion: "opened", MakeVariations: "made", WriteFile: "written"}[type(job.task)]
        if job.state is State.FAILED:
            self._console.note(job.error)
        elif job.state is State.DONE:
            self._console.progress(event, f"{event} in {seconds:.1f} s", 1.0, seconds=round(seconds, 3))


def not_written() -> dict[str, str]:
    """Return, by suffix, a message for each file format that this Blender cannot write."""
    exporters = {".fbx": ("FBX", "fbx"), ".glb": ("glTF", "gltf")}
    return {
        ending: f"This Blender cannot write {kind}: its {kind} exporter is disabled; enable it in the preferences."
        for ending, (kind, name) in exporters.items()
        if name not in dir(bpy.ops.export_scene)
    }


def _drawn(motion: Motion) -> Motion:
    """Return the part of a motion that is drawn: as much as a variation may have."""
    return motion.slice(0, min(motion.frames, max(int(LONGEST * motion.frames_per_second), 1)))


def _example_values(motion: Motion, parts: tuple[BodyPart, ...]) -> dict[str, Any]:
    """Return the figure of the example, and the body parts with their limbs in the figure."""
    figure = figure_of(_drawn(motion))
    names = [motion.skeleton.names[joint] for joint in figure.joints]
    rows = []
    for part in parts:
        bones = set(part.bones)
        limbs = [number for number, (_, below) in enumerate(figure.limbs) if names[below] in bones]
        rows.append(
            {"title": part.title, "first": part.bones[0] if part.bones else "", "trunk": part.is_trunk, "limbs": limbs}
        )
    return {"figure": figure_values(figure), "parts": rows}

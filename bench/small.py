# SPDX-License-Identifier: GPL-3.0-or-later
"""A short example of many joints: results of it, and a press of Generate from the click to the playing character."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, Prepared, Skeleton, Synthesis, prepare, synthesize

Figures = dict[str, Any]
FloatArray = NDArray[np.float64]

FRAMES, JOINTS = 371, 67
"""The example that results are made of."""
BONES = 65
"""Bones of the character that Generate is pressed for; a character for games with all its fingers."""
RESULTS = {1000: 9, 10_000: 3}
"""Frames of the results, and how many there are of each."""
PRESSES = 9
FINGER = 0.02
"""Length of a joint that is added, in sizes of the skeleton."""


def with_joints(motion: Motion, count: int) -> Motion:
    """Return a motion with as many joints: those that are added hang from the ends in turn, and turn as others do."""
    skeleton, own = motion.skeleton, len(motion.skeleton.names)
    ends = np.setdiff1d(np.arange(own), skeleton.parents)
    added = np.arange(max(count - own, 0))
    bones = np.concatenate((skeleton.rest_translations, np.zeros((len(added), 3))))
    bones[own:] = FINGER * skeleton.size * np.array(skeleton.up)
    rest = np.concatenate((skeleton.rest_rotations, np.tile([1.0, 0.0, 0.0, 0.0], (len(added), 1))))
    names = (*skeleton.names, *(f"added {number}" for number in added))
    parents = np.concatenate((skeleton.parents, ends[added % len(ends)]))
    longer = Skeleton(names, parents, rest, bones, skeleton.up)
    turns = np.concatenate((motion.rotations, motion.rotations[:, added % own]), axis=1)
    return replace(motion, skeleton=longer, rotations=turns)


def results_of(example: Motion) -> Figures:
    """Measure preparing an example and results of it: medians of the clock, and of the processor."""
    figures: Figures = {"joints": len(example.skeleton.names), "example_frames": example.frames}
    figures |= _medians("prepare", lambda _: prepare([example]), max(RESULTS.values()))
    prepared = prepare([example])
    for frames, times in RESULTS.items():
        synthesize(prepared, frames, seed=times)
        figures |= _medians(f"{frames}_frames", partial(_result, prepared, frames), times)
    return figures


def _result(prepared: Prepared, frames: int, seed: int) -> Synthesis:
    """Return a result."""
    return synthesize(prepared, frames, seed=seed)


def presses_of(example: Motion) -> Figures:
    """Measure presses of Generate for a character that plays the example: read, compute, write, and its first pose.

    Each result is taken back again; medians of the clock, and of the processor. `again` are presses for the same
    examples as the press before, which are prepared already.
    """
    import bpy  # the other measures need no Blender

    from genmm_addon.animation.actions import assign
    from genmm_addon.animation.reading.clips_on_character import clips_on_character
    from genmm_addon.animation.reading.examples import ExampleSpec
    from genmm_addon.animation.writing import write_action
    from genmm_addon.generation.generate import Request, check_results, compute_and_measure, read, write_for_now
    from genmm_addon.libraries.kept_preparation import forget_preparation
    from genmm_addon.libraries.plain_armature import add_plain_armature

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = round(example.frames_per_second)
    armature = add_plain_armature(bpy.context, "Character", example.skeleton)
    reading = clips_on_character(armature, [example], (), keep_contacts=False)
    written = write_action(reading.motions[0], reading.keyed, armature, name="Example")
    assign(armature, written.action, written.slot)
    asked = Request(armature, (ExampleSpec(written.action, written.slot),), frames=min(RESULTS))

    def click(seed: int) -> FloatArray:
        request = replace(asked, seeds=(seed,))
        with ExitStack() as undoing:
            moments = [_now()]
            given = read(request, scene)
            check_results(given, request, scene)
            moments.append(_now())
            computed = compute_and_measure(given, request)
            moments.append(_now())
            write_for_now(bpy.context, request, given, computed.syntheses, undoing, computed.measures)
            moments.append(_now())
            bpy.context.view_layer.update()
            moments.append(_now())
            return np.diff(moments, axis=0)

    # The first press of all also imports and looks things up.
    click(0)
    firsts, others = [], []
    for seed in range(1, PRESSES + 1):
        forget_preparation()
        firsts.append(click(seed))
        others.append(click(PRESSES + seed))
    figures: Figures = {"bones": len(example.skeleton.names), "example_frames": example.frames, "frames": min(RESULTS)}
    return figures | _of_presses(firsts, "") | _of_presses(others, "again_")


def _of_presses(rows: list[FloatArray], name: str) -> Figures:
    """Return the median seconds of the steps of presses, and of all of them together."""
    steps, total = np.median(rows, axis=0), np.median(np.sum(rows, axis=1), axis=0)
    of_steps = zip(("read", "compute", "write", "show"), steps, strict=True)
    figures = {f"{name}{step}_s": float(clock) for step, (clock, _) in of_steps}
    whole = f"{name}click_to_playing"
    return figures | {f"{whole}_s": float(total[0]), f"{whole}_processor_s": float(total[1])}


def _medians(name: str, work: Callable[[int], object], times: int) -> Figures:
    """Return the median seconds of some runs, each with a number of its own."""
    rows = []
    for number in range(times):
        start = _now()
        work(number)
        rows.append(np.subtract(_now(), start))
    clock, processor = np.median(rows, axis=0)
    return {f"{name}_s": float(clock), f"{name}_processor_s": float(processor)}


def _now() -> tuple[float, float]:
    """Return the seconds of the clock, and those that processors worked for this process."""
    return time.perf_counter(), time.process_time()

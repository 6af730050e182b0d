# SPDX-License-Identifier: GPL-3.0-or-later
"""A short example of many joints: its results, and a press of Generate from the click to the playing character."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Constraints, Follow, Motion, Prepared, Skeleton, Synthesis, prepare, synthesize

from .measures.followed_measures import waveform

Figures = dict[str, Any]
FREE = Constraints()
FloatArray = NDArray[np.float64]

FRAMES, JOINTS = 371, 67
"""Numbers of frames and joints of the example for results."""
BONES = 65
"""Number of bones of the character for presses of Generate: a character for games with all its fingers."""
RESULTS = {1000: 9, 10_000: 3}
"""Lengths of the results in frames, and the number of results of each length."""
FOLLOWING = 600
"""Length in frames of results that follow a signal."""
PRESSES = 9
FINGER = 0.02
"""Length of an added joint, in sizes of the skeleton."""


def with_joints(motion: Motion, count: int) -> Motion:
    """Return a motion with `count` joints: those added are children of the last joints in turn, and copy rotations."""
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
    """Measure the preparation of an example, and its results: medians of elapsed and of processor time."""
    figures: Figures = {"joints": len(example.skeleton.names), "example_frames": example.frames}
    figures |= _medians("prepare", lambda _: prepare([example]), max(RESULTS.values()))
    prepared = prepare([example])
    for frames, times in RESULTS.items():
        synthesize(prepared, frames, seed=times)
        figures |= _medians(f"{frames}_frames", partial(_result, prepared, frames), times)
    follow = following(FOLLOWING)
    return figures | _medians(
        "following", partial(_result, prepared, FOLLOWING, constraints=follow), max(RESULTS.values())
    )


def following(frames: int) -> Constraints:
    """Return the constraints for a result whose energy follows a smooth random signal."""
    return Constraints(others=(Follow(waveform(frames)[:, None]),))


def _result(prepared: Prepared, frames: int, seed: int, constraints: Constraints = FREE) -> Synthesis:
    """Return a result of `frames` frames."""
    return synthesize(prepared, frames, seed=seed, constraints=constraints)


def presses_of(example: Motion) -> Figures:
    """Measure presses of Generate for a character that plays the example: read, compute, write, and its first pose.

    Each result is undone again. Figures are medians of elapsed and of processor time. `again` is for presses on the
    same examples as the press before, whose preparation is kept.
    """
    import bpy  # the other measures need no Blender

    from genmm_addon.animation.actions import assign
    from genmm_addon.animation.reading.clips_on_character import clips_on_character
    from genmm_addon.animation.reading.examples import ExampleSpec
    from genmm_addon.animation.writing import write_action
    from genmm_addon.generation.generate import (
        Request,
        check_results,
        compute_and_measure,
        read,
        with_body,
        write_for_now,
    )
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
            given = with_body(given, request, scene)
            moments.append(_now())
            computed = compute_and_measure(given, request)
            moments.append(_now())
            write_for_now(bpy.context, request, given, computed.syntheses, undoing, computed.measures)
            moments.append(_now())
            bpy.context.view_layer.update()
            moments.append(_now())
            return np.diff(moments, axis=0)

    # The first press also imports modules and fills caches.
    click(0)
    firsts, others = [], []
    for seed in range(1, PRESSES + 1):
        forget_preparation()
        firsts.append(click(seed))
        others.append(click(PRESSES + seed))
    figures: Figures = {"bones": len(example.skeleton.names), "example_frames": example.frames, "frames": min(RESULTS)}
    return figures | _of_presses(firsts, "") | _of_presses(others, "again_")


def _of_presses(rows: list[FloatArray], name: str) -> Figures:
    """Return the median seconds of the steps of presses, and of whole presses."""
    steps, total = np.median(rows, axis=0), np.median(np.sum(rows, axis=1), axis=0)
    of_steps = zip(("read", "compute", "write", "show"), steps, strict=True)
    figures = {f"{name}{step}_s": float(clock) for step, (clock, _) in of_steps}
    whole = f"{name}click_to_playing"
    return figures | {f"{whole}_s": float(total[0]), f"{whole}_processor_s": float(total[1])}


def _medians(name: str, work: Callable[[int], object], times: int) -> Figures:
    """Return the median seconds of several runs, each called with its own number."""
    rows = []
    for number in range(times):
        start = _now()
        work(number)
        rows.append(np.subtract(_now(), start))
    clock, processor = np.median(rows, axis=0)
    return {f"{name}_s": float(clock), f"{name}_processor_s": float(processor)}


def _now() -> tuple[float, float]:
    """Return the elapsed seconds, and this process's processor seconds."""
    return time.perf_counter(), time.process_time()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The long tests of reliability, with counts as JSON lines, one for each part; `--quick` does a hundredth of them."""

import argparse
import gc
import json
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import bpy
import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

import genmm_addon
from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.core import InputError, Loop
from genmm_addon.generation.generate import generate
from genmm_addon.generation.request import Output, PartMode, Request
from genmm_addon.generation.results import keep_variation, variations_of
from genmm_addon.requests.played_examples import played_examples

from .faults import faults
from .fuzzing import fuzz
from .fuzzing_files import fuzz_files
from .random_rigs import MOST_BONES, Built, from_library, random_character
from .round_trips import check_sentence, round_trip

SHORT = 40
ROUND_TRIPS = "round trips"
RIGS = 11_000
"""Number of random characters; about five of a hundred have no motion that can be read."""


def empty() -> None:
    """Open an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


# --- Rigs -----------------------------------------------------------------------------------------


def any_character(seed: int, *, editable: bool = False, most_bones: int = MOST_BONES) -> Built:
    """Return the random character of this seed in an empty file; one in eight comes from a library.

    Half of these have a library override, or all if `editable`; the others are linked.
    """
    empty()
    built = random_character(seed, most_bones)
    return from_library(built, overridden=editable or seed % 16 == 3) if seed % 8 == 3 else built


def generated(built: Built, random: np.random.Generator) -> str:
    """Return the outcome of Generate for a character: "made" or "refused"."""
    try:
        request = any_request(built.armature, random)
        results = generate(bpy.context, request)
    except InputError as error:
        check_sentence(str(error))
        return "refused"
    for result in results:
        curves = actions.fcurves_of(result.action, result.slot)
        assert len(curves), "a result without keys"
        values = np.concatenate([_key_values(curve) for curve in curves])
        assert np.isfinite(values).all(), "a key that is not a number"
    return "made"


def _key_values(curve: bpy.types.FCurve) -> NDArray[np.float32]:
    values = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", values)
    return values


def any_request(armature: Object, random: np.random.Generator) -> Request:
    spec: ExampleSpec = played_examples(armature)[0]
    return Request(
        armature,
        (spec,),
        frames=int(random.integers(1, 3 * SHORT)),
        seeds=tuple(int(seed) for seed in random.integers(0, 1000, int(random.integers(1, 3)))),
        output=Output(str(random.choice([output.value for output in Output]))),
        part_mode=PartMode.LIMBS if random.random() < 0.3 else PartMode.WHOLE_BODY,
        loop=Loop(str(random.choice([loop.value for loop in Loop]))),
        tolerance=0.01 if random.random() < 0.3 else 0.0,
        visual=None if random.random() < 0.8 else True,
    )


# --- Load -----------------------------------------------------------------------------------------


def load_of_use(count: int, results: "Report") -> None:
    """Generate `count` times in one process with varied requests, remove the results, and report the memory."""
    from genmm_addon.character.sample.sample_character import add_sample_character

    empty()
    armature = add_sample_character(bpy.context).armature
    random = np.random.default_rng(0)
    memory, kinds = [], Counter[str]()
    blocks = len(bpy.data.user_map())
    for number in range(count):
        request = replace(any_request(armature, random), visual=None)
        try:
            made = generate(bpy.context, request)
        except InputError as error:
            check_sentence(str(error))
            kinds["refused"] += 1
        else:
            kinds[request.output.value] += 1
            _remove(made[0].object, request.output)
        if (number + 1) % max(count // 10, 1) == 0:
            bpy.ops.outliner.orphans_purge(do_recursive=True)
            gc.collect()
            memory.append(megabytes())
    results.add("load", calls=count, kinds=dict(kinds), megabytes=memory, blocks_more=len(bpy.data.user_map()) - blocks)


def _remove(thing: Object, output: Output) -> None:
    """Remove a batch of results, after keeping only its first."""
    variations = variations_of(thing)
    if variations:
        keep_variation(bpy.context, variations[0])
    doomed = [action for action in bpy.data.actions if action.get("genmm_result") is not None]
    if output is Output.NEW_CHARACTER:
        bpy.data.batch_remove([item for item in bpy.data.objects if item.get("genmm_result") is not None])
    else:
        data = thing.animation_data
        for track in list(data.nla_tracks):
            data.nla_tracks.remove(track)
        actions.assign(thing, bpy.data.actions["GenMM Walk"])
    bpy.data.batch_remove(doomed)


def megabytes() -> float:
    """Return the present memory of this process, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def extremes(results: "Report") -> None:
    """Test a hundred thousand frames, and five hundred bones."""
    from ..batch import character

    for name, bones, frames, length in (("frames", 22, 500, 100_000), ("bones", 500, 1000, 1000)):
        armature = character(bones, frames)
        request = Request(armature, (played_examples(armature)[0],), frames=length)
        start = time.perf_counter()
        made = generate(bpy.context, request)
        seconds = time.perf_counter() - start
        assert made[0].action.frame_range[1] - made[0].action.frame_range[0] == length - 1
        results.add(f"extreme {name}", bones=len(armature.data.bones), frames=length, seconds=round(seconds, 2))


# --- The run --------------------------------------------------------------------------------------


class Report:
    """A report that prints JSON lines and counts failures."""

    def __init__(self, lines: TextIO) -> None:
        self._lines, self.failures = lines, 0

    def add(self, part: str, **values: Any) -> None:
        """Print the line of a part that is done."""
        print(json.dumps({"part": part, **values}), file=self._lines, flush=True)

    @contextmanager
    def trying(self, what: str) -> Iterator[None]:
        """Report and count a failure in the block, with its traceback."""
        try:
            yield
        except Exception as error:
            self.failures += 1
            self.add(
                "failure", what=what, error=f"{type(error).__name__}: {error}", where=traceback.format_exc()[-1500:]
            )


def over_rigs(
    part: str, count: int, first: int, results: Report, do: Callable[[Built, np.random.Generator], str]
) -> None:
    """Call `do` for `count` random characters, and report how often each outcome occurred."""
    start, outcomes, bones = time.perf_counter(), Counter[str](), 0
    for seed in range(first, first + count):
        built = any_character(seed, editable=part == ROUND_TRIPS)
        bones += len(built.armature.data.bones)
        outcome = "failed"
        with results.trying(f"{part}, rig {seed}: {', '.join(built.traits)}"):
            outcome = do(built, np.random.default_rng((seed, 1)))
        outcomes[outcome] += 1
    results.add(part, rigs=count, bones=bones, outcomes=dict(outcomes), seconds=round(time.perf_counter() - start))


def run(options: argparse.Namespace, results: Report) -> None:
    share = 0.01 if options.quick else 1.0
    chosen = set(options.parts)

    def count(whole: int) -> int:
        return max(round(share * whole), 1)

    if "rigs" in chosen:
        over_rigs(ROUND_TRIPS, count(RIGS), options.first, results, lambda built, _: round_trip(built))
    if "generated" in chosen:
        over_rigs("generated", count(2_000), options.first + 50_000, results, generated)
    if "faults" in chosen:
        results.add("faults", **faults(count(2_000), any_request, results.trying))
    if "fuzz" in chosen:
        results.add("fuzz", **fuzz(count(100_000), results.trying))
    if "files" in chosen:
        results.add("files", **fuzz_files(count(10_000), results.trying))
    if "load" in chosen:
        load_of_use(count(2_000), results)
    if "extremes" in chosen:
        extremes(results)


PARTS = ("rigs", "generated", "faults", "fuzz", "files", "load", "extremes")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py soak", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundredth of each")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first rig (0)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args(arguments)
    genmm_addon.register()
    # Blender prints to stdout, which is reserved for the JSON lines.
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    results = Report(lines)
    run(options, results)
    results.add("end", failures=results.failures)
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures with many examples, compared with short ones: long takes, a long result, a library of clips, filled gaps.

Each JSON line comes from a separate process. Times are elapsed seconds unless they are called processor time. Peaks are
the largest resident memory of a process in megabytes, and `before` is that at the beginning of the measured work.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import genmm_addon
from genmm_addon.command_line.command import main as command
from genmm_addon.core import Constraints, Labels, LabelStretch, Motion, Prepared, metrics, prepare, resample, synthesize
from genmm_addon.core.library import ClipLibrary, library_of, load_clips, load_library, prepare_kept, save_library
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

from .small import BONES, FOLLOWING, FRAMES, JOINTS, following, presses_of, results_of, with_joints

Figures = dict[str, Any]

MEGABYTE = 1024  # in the system's unit of memory, the kilobyte
RATE = 30.0
PATCH = 11
TAKES = (20_000, 60_000)
RESULTS = (300, 1000)
LONGEST_RESULT, ITS_EXAMPLE, ITS_JOINTS = 100_000, 522, 65
STYLE = 2
"""Index of the style among the words of a clip's name, which underscores separate."""
LEFT_OUT = 20
"""Interval between the clips that are excluded from the index and searched for."""
SEEDS = 5
CHANGE = 0.2
"""Largest change of the speed of a copied clip, as a share."""
SHARDS = (1, 4, 10, 40)
"""Numbers of libraries of some 250,000 frames."""
MOST_SHARDS = 4
"""Most of them unless more are requested; 40 take 9 GB and some minutes."""


def read_library(folder: Path) -> ClipLibrary:
    """Return the library of a folder's BVH files, with each clip mirrored as well."""
    return build(files_in(folder), Plan(frames_per_second=RATE, mirrored=True)).library


def saved(folder: Path) -> ClipLibrary:
    """Return the library that `built` has saved in this folder."""
    return load_library(folder / "library.npz")


def motions_of(library: ClipLibrary) -> list[Motion]:
    """Return the motions of all clips."""
    return [library.motion(number) for number in range(len(library.clips))]


def end_to_end(library: ClipLibrary, frames: int) -> Motion:
    """Return one take of a number of frames, made of clips one after another."""
    motion = library.at(np.arange(library.frames))
    times = -(-frames // motion.frames)
    return library.at(np.tile(np.arange(library.frames), times)[:frames])


def built(motions: Path, folder: Path) -> Figures:
    """Measure reading a folder, and the library's file."""
    start = time.perf_counter()
    library = read_library(motions)
    read = time.perf_counter()
    save_library(folder / "library.npz", library)
    written = time.perf_counter()
    load_library(folder / "library.npz")
    loaded = time.perf_counter()
    # A newly written file may not be in the system's cache yet.
    load_library(folder / "library.npz")
    return {
        "clips": len(library.clips),
        "frames": library.frames,
        "read_s": read - start,
        "save_s": written - read,
        "load_s": loaded - written,
        "load_again_s": time.perf_counter() - loaded,
        "file_megabytes": (folder / "library.npz").stat().st_size / 1e6,
    }


def take(frames: int) -> Callable[[Path], Figures]:
    """Return the function that measures one take of a number of frames."""

    def measured(folder: Path) -> Figures:
        motion = end_to_end(saved(folder), frames)
        before, start = _peak(), time.perf_counter()
        prepared = prepare([motion])
        ready = time.perf_counter()
        synthesize(prepared, RESULTS[0], seed=1)
        return {"before": before, "prepare_s": ready - start, "300_frames_s": time.perf_counter() - ready}

    return measured


def long_result(folder: Path) -> Figures:
    """Measure a long result from a single short example."""
    prepared = prepare([with_joints(end_to_end(saved(folder), ITS_EXAMPLE), ITS_JOINTS)])
    before, start = _peak(), time.perf_counter()
    synthesize(prepared, LONGEST_RESULT, seed=1)
    return {"before": before, "100000_frames_s": time.perf_counter() - start}


def small(folder: Path) -> Figures:
    """Measure results of a short example of many joints."""
    return results_of(with_joints(end_to_end(saved(folder), FRAMES), JOINTS))


def generate(folder: Path) -> Figures:
    """Measure presses of Generate for a character of many bones."""
    return presses_of(with_joints(end_to_end(saved(folder), FRAMES), BONES))


def whole(folder: Path) -> Figures:
    """Measure preparing all clips, storing and reading the preparation, and results from it."""
    library, kept = saved(folder), folder / "preparations"
    before, start = _peak(), time.perf_counter()
    prepare_kept(motions_of(library), kept)
    figures: Figures = {"clips": len(library.clips), "frames": library.frames, "before": before}
    figures["prepare_and_keep_s"], figures["prepare_peak"] = time.perf_counter() - start, _peak()
    figures["kept_megabytes"] = sum(path.stat().st_size for path in kept.iterdir()) / 1e6 if kept.exists() else 0.0
    start = time.perf_counter()
    prepared = prepare_kept(motions_of(library), kept)
    figures["read_again_s"] = time.perf_counter() - start
    for frames in RESULTS:
        spent = []
        for seed in range(SEEDS):
            start = time.perf_counter()
            synthesize(prepared, frames, seed=seed)
            spent.append(time.perf_counter() - start)
        figures[f"{frames}_frames_s"] = float(np.median(spent))
    spent = []
    for seed in range(SEEDS):
        start = time.perf_counter()
        synthesize(prepared, FOLLOWING, constraints=following(FOLLOWING), seed=seed)
        spent.append(time.perf_counter() - start)
    figures["following_s"], figures["following_peak"] = float(np.median(spent)), _peak()
    return {**figures, **_of_labels(prepared, library)}


def _of_labels(prepared: Prepared, library: ClipLibrary) -> Figures:
    """Measure labels of the three most common styles, each for a third of the result."""
    words = [clip.name.split("_") for clip in library.clips]
    styles = [own[STYLE] if len(own) > STYLE else "" for own in words]
    common = [style for style, _ in Counter(style for style in styles if style).most_common(3)]
    if len(common) < 3:
        return {}
    each = RESULTS[0] // 3
    stretches = tuple(LabelStretch(style, each * at, each * (at + 1) - 1) for at, style in enumerate(common))
    labels = Labels(tuple((style,) for style in styles), stretches)
    asked = np.repeat(common, each)
    shares, clips, highest, spent = [], [], [], []
    of_style = np.array(styles)
    for seed in range(SEEDS):
        start = time.perf_counter()
        result = synthesize(prepared, RESULTS[0], constraints=Constraints(others=(labels,)), seed=seed)
        spent.append(time.perf_counter() - start)
        sources = result.source_examples[:, 0]
        shares.append(float(np.mean(of_style[sources] == asked)))
        clips.append(min(len(np.unique(sources[asked == style])) for style in common))
        highest.append(_acceleration(prepared, result.motion))
    return {
        "labels": common,
        "labels_as_asked": float(np.mean(shares)),
        "fewest_clips_of_a_label": min(clips),
        "labels_acceleration": max(highest),
        "labels_s": float(np.median(spent)),
    }


def _acceleration(prepared: Prepared, result: Motion) -> float:
    """Return the largest acceleration of a result's joints, divided by the largest in a hundred of the clips."""
    some = prepared.motions[:: max(1, len(prepared.motions) // 100)]
    return min(metrics.acceleration_ratios(result, example)[1] for example in some if example.frames > 2)


def shards(folder: Path, count: int) -> list[Path]:
    """Return the library of a folder and copies of it, `count` files in all, made where they are missing."""
    paths = [folder / "library.npz", *(folder / f"copy_{number}.npz" for number in range(1, count))]
    for number, path in enumerate(paths):
        if not path.exists():
            words = [sys.executable, "-P", "-m", "bench.start", "bench.library", str(folder), "--case", "copied"]
            # In a process of its own, so that peaks are those of what is measured.
            subprocess.run([*words, "--scratch", str(folder), "--number", str(number)], check=True, env=os.environ)
    return paths


def searching(count: int) -> Callable[[Path], Figures]:
    """Return the function that measures searches through `count` libraries; the first makes missing indexes."""

    def measured(folder: Path) -> Figures:
        paths = shards(folder, count)
        clip = load_clips(paths[0])[LEFT_OUT].name
        words = ["library", "search", *map(str, paths), "--motion", clip, "--others", "--count", "1", "--json"]
        return _commands(paths, {"search": words, "search_again": words})

    return measured


def generating(count: int) -> Callable[[Path], Figures]:
    """Return the function that measures results of some clips of `count` libraries; the first prepares these."""

    def measured(folder: Path) -> Figures:
        genmm_addon.register()
        paths = shards(folder, count)
        # Fewer libraries may have given the same clips, which must not be prepared yet.
        shutil.rmtree(paths[0].with_suffix(".preparations"), ignore_errors=True)
        libraries = [word for path in paths for word in ("--library", str(path))]
        with tempfile.TemporaryDirectory() as results:
            words = ["generate", *libraries, "--frames", str(RESULTS[0]), "--output"]
            names = ("generate", "generate_again")
            return _commands(paths, {name: [*words, str(Path(results) / f"{name}.bvh")] for name in names})

    return measured


def _commands(paths: Sequence[Path], commands: dict[str, list[str]]) -> Figures:
    """Return elapsed and processor time of commands, and the memory that is not the system's cache of files."""
    frames = sum(clip.frames for path in paths for clip in load_clips(path))
    figures: Figures = {"frames": frames, "before": _peak(), "anonymous_before": _anonymous()}
    for name, words in commands.items():
        elapsed, processor = time.perf_counter(), time.process_time()
        if command(words):
            raise RuntimeError(f"The command failed: {' '.join(words[:2])}")  # its times would be those of no work
        figures[f"{name}_s"] = time.perf_counter() - elapsed
        figures[f"{name}_processor_s"] = time.process_time() - processor
    return {**figures, "anonymous": _anonymous()}


def copied(folder: Path, number: int) -> Figures:
    """Save a copy of the library whose clips have other speeds and other poses, each by a random amount."""
    library, generator, motions = saved(folder), np.random.default_rng(number), list[Motion]()
    for motion in motions_of(library):
        slower = resample(motion, RATE * generator.uniform(1 - CHANGE, 1 + CHANGE))[0]
        turns = generator.normal(scale=CHANGE / 10, size=(1, *slower.rotations.shape[1:]))
        changed = slower.rotations + turns.astype(np.float32)
        changed /= np.linalg.norm(changed, axis=-1, keepdims=True)
        motions.append(replace(slower, frames_per_second=RATE, rotations=changed))
    save_library(folder / f"copy_{number}.npz", library_of(motions, library.clips, like=library))
    return {"frames": sum(motion.frames for motion in motions)}


CASES: dict[str, Callable[[Path], Figures]] = {
    **{f"one take of {frames:,} frames": take(frames) for frames in TAKES},
    f"{LONGEST_RESULT:,} frames out of {ITS_EXAMPLE} x {ITS_JOINTS}": long_result,
    f"results of {FRAMES} x {JOINTS}": small,
    f"Generate for {BONES} bones": generate,
    "library": whole,
    **{f"search in {count} libraries": searching(count) for count in SHARDS},
    **{f"generate from {count} libraries": generating(count) for count in SHARDS},
}


def _peak() -> int:
    """Return the largest memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // MEGABYTE


def _anonymous() -> int:
    """Return the memory of this process without files that the system may drop, in megabytes; 0 where unknown."""
    rollup = Path("/proc/self/smaps_rollup")
    lines = rollup.read_text().splitlines() if rollup.exists() else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) // MEGABYTE


def _say(case: str, figures: Figures) -> None:
    rounded = {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}
    print(
        json.dumps({"case": case, **rounded, "processor_s": round(time.process_time(), 1), "peak": _peak()}), flush=True
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --library", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--case", choices=("built", "copied", *CASES), help="this one, in this process")
    parser.add_argument("--scratch", type=Path, help="the folder with the library's file")
    parser.add_argument("--shards", type=int, default=MOST_SHARDS, help="most libraries to search and to learn from")
    parser.add_argument("--number", type=int, default=1, help="the copy to make")
    options = parser.parse_args(arguments)
    if options.case == "built":
        _say("built", built(options.folder, options.scratch))
        return 0
    if options.case == "copied":
        _say("copied", copied(options.scratch, options.number))
        return 0
    if options.case:
        _say(options.case, CASES[options.case](options.scratch))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        kinds = ("search in", "generate from")
        too_many = {f"{kind} {count} libraries" for kind in kinds for count in SHARDS if count > options.shards}
        for case in (case for case in ("built", *CASES) if case not in too_many):
            words = [sys.executable, "-P", "-m", "bench.start", "bench.library", str(options.folder)]
            subprocess.run([*words, "--case", case, "--scratch", scratch], check=False, env=os.environ)
    words = [sys.executable, "-P", "-m", "bench.start", "bench.filling", str(options.folder)]
    subprocess.run(words, check=False, env=os.environ)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

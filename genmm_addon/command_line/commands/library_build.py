# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library build`, in Blender or on the Python beside it; needs Blender only for files that it has to read."""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ...core import InputError, computing, counted
from ...core.library import ClipLibrary, save_library
from ...core.storage import clear_leftovers, remove_unfinished
from ...libraries.building import Built, Plan, build
from ...libraries.reading.reader_process import reader_process
from ...libraries.replacing import library_to_replace
from ...libraries.takes import asset_files_in, file_of, files_in
from ..arguments.library import add_build
from ..arguments.one_sentence import OneSentenceParser
from ..console import Console, Voice, own_console
from ..ending import status_of
from ..errors import NOTHING_WRONG, REFUSED
from ..outputs.whole_files import check_place, failures_named
from ..stopping import check_stop, interruptible, last_step

ENDING = ".npz"


def main(arguments: Sequence[str]) -> int:
    """Build a library, report in JSON and return the exit status; see `library_builder` for use without Blender."""
    parser = OneSentenceParser(prog="genmm library build")
    add_build(parser)
    parser.add_argument("--blender", default="", help="the program that reads all files but BVH")
    with own_console(Voice.JSON) as console, interruptible(), last_step(remove_unfinished):
        try:
            options = parser.parse_args(list(arguments))
            with computing():
                return build_library(options, console, options.blender)
        except BaseException as error:
            return status_of(error, console, stopped="", remedy="Please report it.")
        finally:
            remove_unfinished()


def build_library(options: argparse.Namespace, console: Console, binary: str) -> int:
    """Build a library and return the exit status. Raises InputError and Failed.

    binary: the Blender program that reads all files but BVH; "" is the module bpy.
    """
    check_output(options.output)
    whole = asset_files_in(options.folder) if options.assets else files_in(options.folder)
    files = options.shard.of(whole) if options.shard else whole
    earlier = library_to_replace(options.output)
    console.status(f"Reading {counted(len(files), 'file')}")
    plan = Plan(tuple(options.pattern), _rate(options.fps), options.skeleton, *ending_of(options))
    with reader_process(binary, options.assets) as reader:
        built = build(files, plan, earlier, reader.read, _progress_of(console), whole=whole)
    if options.shard is not None:
        built = replace(built, library=replace(built.library, shard=(options.shard.number, options.shard.count)))
    if built.untagged:
        console.note(f"{counted(built.untagged, 'clip')} without tags from file names, since no pattern matches.")
    status = REFUSED if built.skipped and options.tolerate is None else NOTHING_WRONG
    return finish(options, built, len(files), status, console)


def ending_of(options: argparse.Namespace) -> tuple[bool, bool]:
    """Return whether near-duplicates are left out, and whether mirrored clips are added."""
    return options.copies == "prune", options.sides == "both"


def finish(options: argparse.Namespace, built: Built, files: int, status: int, console: Console) -> int:
    """Report what was left out of so many files, write the library and return the exit status.

    status: without a tolerance in the options. Raises InputError, and writes nothing, if more files are left out than
    are tolerated.
    """
    tolerance, count = options.tolerate, len({file_of(left.name) for left in built.skipped})
    is_wrong = tolerance is not None and not tolerance.allows(count, files)
    for left in built.skipped:
        said = f'"{left.name}" was skipped: {left.reason}'
        console.error(said) if is_wrong or status == REFUSED else console.note(said)
    if is_wrong:
        raise InputError(
            f"{count:,} of {counted(files, 'file')} cannot be used, and --tolerate allows {tolerance}; "
            "repair or remove them. No library was written."
        )
    for note in (*built.notes, *filter(None, [built.decided])):
        console.note(note)
    write_library(options.output, built.library)
    tell_end(options.output, built, status, console)
    return status


def check_output(path: Path) -> None:
    """Raise InputError unless the path is valid for a library, and Failed if it cannot be written."""
    if path.suffix.lower() != ENDING:
        raise InputError(f'The output "{path}" does not end with {ENDING}; a library is a {ENDING} file.')
    check_place(path)


def write_library(path: Path, library: ClipLibrary) -> None:
    """Write a library atomically; only another library is replaced.

    Raises Failed if it cannot be written, and InputError for any other file, which may have appeared meanwhile.
    """
    clear_leftovers(path.parent)
    library_to_replace(path)
    with failures_named(path):
        save_library(path, library)


def tell_end(path: Path, built: Built, status: int, console: Console) -> None:
    """Report the library that was built."""
    library = built.library
    frames = f"{counted(len(library.clips), 'clip')}, {library.frames:,} frames, {library.seconds / 60:.1f} minutes"
    more = [
        f"{count:,} {what}"
        for count, what in (
            (built.reused, "unchanged"),
            (built.retargeted, "retargeted to the common skeleton"),
            (built.pruned, "left out as near-duplicates"),
            (built.repeated, "left out as copies"),
            (len(built.skipped), "left out as unusable"),
        )
        if count
    ]
    said = f" ({', '.join(more)})" if more else ""
    console.end(
        f"{path}: {frames}{said}.",
        file=str(path),
        clips=len(library.clips),
        frames=library.frames,
        read=built.read,
        reused=built.reused,
        retargeted=built.retargeted,
        pruned=built.pruned,
        skipped=len(built.skipped),
        fingerprint=library.fingerprint,
        status=status,
    )


def _rate(rate: float | None) -> float | None:
    if rate is not None and not (math.isfinite(rate) and 0.01 <= rate <= 10_000):
        raise InputError("--fps must lie between 0.01 and 10,000.")
    return rate


def _progress_of(console: Console) -> Callable[[int, int, str], None]:
    def progress(done: int, count: int, name: str) -> None:
        check_stop()
        console.progress("file", f"{done}/{count} {name}", done / count, file=name)

    return progress

# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm gather --picked`: copies or converts the favorites of a gallery into files of their own."""

import argparse
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from ....core import InputError, counted, save_motion
from ...console import Console
from ...inputs.picked_motions import Picked, motion_of, open_picked, read_picked
from ...outputs.exports import check_kind, write_played
from ...outputs.file_names import check_pattern, file_name
from ...outputs.whole_files import ENDINGS, whole_file
from ...stopping import check_stop


def gather_picked(options: argparse.Namespace, console: Console) -> int:
    """Write each favorite to its own file, and return the exit status.

    Raises InputError, with nothing written, for an invalid list, missing motions, and two favorites with the same
    output.
    """
    folder = options.folder or options.picked.parent
    pattern = str(options.output or "")
    if not pattern:
        raise InputError('--picked needs --output, the names of the files to write: --output "best/{name}.fbx".')
    fields = check_pattern(pattern)
    if fields - {"name", "seed"}:
        raise InputError(f'The output "{pattern}" may have {{name}} and {{seed}}; leave the others out.')
    check_kind(Path(pattern), ENDINGS)
    picked = read_picked(options.picked, folder)
    places = _places(picked, pattern, fields)
    for number, (one, place) in enumerate(zip(picked, places, strict=True), start=1):
        check_stop()
        _write(one, place)
        if place.suffix.lower() == ".blend" and one.is_one_of_several:
            console.note(f'"{place}" has all characters of "{one.file.name}", of which you picked one.')
        console.progress("file", f"{number}/{len(picked)} {place}", number / len(picked), file=str(place))
    console.end(f"{counted(len(picked), 'favorite')} written.", written=len(picked))
    return 0


def _places(picked: Sequence[Picked], pattern: str, fields: frozenset[str]) -> list[Path]:
    """Return the path for each favorite. Raises InputError for two with the same path, and for existing files."""
    if "seed" in fields and any(one.seed is None for one in picked):
        raise InputError(f'The output "{pattern}" has {{seed}}, and not every favorite says its seed; use {{name}}.')
    places = [file_name(pattern, {"name": one.file.stem, "seed": one.seed}) for one in picked]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise InputError(
                f'The output "{pattern}" gives "{place}" for two favorites; put {{name}} and {{seed}} into it.'
            )
        if os.path.lexists(place):
            raise InputError(f'"{place}" is there already; give another --output.')
    return places


def _write(one: Picked, place: Path) -> None:
    with whole_file(place, may_replace=False) as unfinished:
        if one.file.suffix.lower() == place.suffix.lower():
            shutil.copyfile(one.file, unfinished)
        elif place.suffix.lower() == ".npz":
            save_motion(unfinished, motion_of(one))
        else:
            opened = open_picked(one)
            write_played(unfinished, opened.armature, opened.frames, opened.file_axes)

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
        raise InputError(
            '--picked needs --output, a pattern for the files to write, such as --output "best/{name}.fbx".'
        )
    fields = check_pattern(pattern)
    if fields - {"name", "seed"}:
        raise InputError(f'The output "{pattern}" may contain only {{name}} and {{seed}}; remove the other fields.')
    check_kind(Path(pattern), ENDINGS)
    picked = read_picked(options.picked, folder)
    places = _places(picked, pattern, fields)
    for number, (favorite, place) in enumerate(zip(picked, places, strict=True), start=1):
        check_stop()
        _write(favorite, place)
        if place.suffix.lower() == ".blend" and favorite.is_one_of_several:
            console.note(f'"{place}" contains all characters of "{favorite.file.name}", of which one is a favorite.')
        console.progress("file", f"{number}/{len(picked)} {place}", number / len(picked), file=str(place))
    console.end(f"{counted(len(picked), 'favorite')} written.", written=len(picked))
    return 0


def _places(picked: Sequence[Picked], pattern: str, fields: frozenset[str]) -> list[Path]:
    """Return a path for each favorite. Raises InputError for two with the same path, and for existing files."""
    if "seed" in fields and any(favorite.seed is None for favorite in picked):
        raise InputError(f'The output "{pattern}" contains {{seed}}, but some favorites have no seed; use {{name}}.')
    places = [file_name(pattern, {"name": favorite.file.stem, "seed": favorite.seed}) for favorite in picked]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise InputError(
                f'The output "{pattern}" yields "{place}" for two favorites; add {{name}} and {{seed}} to it.'
            )
        if os.path.lexists(place):
            raise InputError(f'"{place}" already exists; choose another --output.')
    return places


def _write(favorite: Picked, place: Path) -> None:
    with whole_file(place, may_replace=False) as unfinished:
        if favorite.file.suffix.lower() == place.suffix.lower():
            shutil.copyfile(favorite.file, unfinished)
        elif place.suffix.lower() == ".npz":
            save_motion(unfinished, motion_of(favorite))
        else:
            opened = open_picked(favorite)
            write_played(unfinished, opened.armature, opened.frames, opened.file_axes, place.stem)

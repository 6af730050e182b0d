# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm gallery`: writes one page with all motions of a folder, for viewing and choosing."""

import argparse
import os
from pathlib import Path

from ....core import InputError, counted
from ....core.storage import clear_leftovers
from ....pages.gallery_page import Gallery
from ...console import Console
from ...errors import NOTHING_WRONG, REFUSED
from ...inputs.gallery_clips import GalleryReader, motion_files
from ...outputs.whole_files import BEGINNING, whole_file
from ...stopping import check_stop

NAME = "gallery.html"
MARK = '<meta name="generator" content="GenMM gallery">'
"""Marker of pages written by this command, which may be replaced."""


def gallery(options: argparse.Namespace, console: Console) -> int:
    """Write the page and return the exit status. Raises InputError, and Failed if it cannot be written."""
    return write_gallery(options.folder, options.output or options.folder / NAME, options.title, console)


def check_page(path: Path) -> None:
    """Raise InputError for a name without .html, and for an existing file that is not a gallery."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f'"{path.name}" is not the name of a page; use the ending .html.')
    if not os.path.lexists(path):
        return
    try:
        is_own = path.is_file()
        if is_own:  # reading a pipe would never end
            with path.open("rb") as file:
                is_own = MARK.encode() in file.read(BEGINNING)
    except OSError as error:
        raise InputError(f'"{path}" already exists and cannot be read: {error.strerror}.') from error
    if not is_own:
        raise InputError(f'"{path}" already exists and is not a gallery; choose another --output.')


def write_gallery(folder: Path, output: Path, title: str, console: Console, *, is_last_step: bool = False) -> int:
    """Write the page of a folder's motions and return the exit status, 2 if unreadable files were left out.

    is_last_step: whether this is the last step of another command, which reports its own progress. Raises as `gallery`
    does, and InputError if no motion can be read.
    """
    check_page(output)
    files = motion_files(folder)
    made = Gallery(title or folder.resolve().name or "Motions")
    reader = GalleryReader(made, folder)
    left_out = 0
    console.status("Reading the motions")
    for number, path in enumerate(files, start=1):
        try:
            reader.add(path)
        except InputError as error:
            check_stop()  # an importer may have treated the request to stop as a failure
            left_out += 1
            console.error(f"{error} The file was skipped.")
        except OSError as error:
            left_out += 1
            console.error(f'"{path}" cannot be read ({error.strerror}); it was skipped.')
        check_stop()
        if not is_last_step:
            console.progress("read", f"{number}/{len(files)} {path}", number / len(files), file=str(path))
    if not len(made):
        raise InputError(f'No file in "{folder}" contains a motion that can be shown; choose another folder.')
    clear_leftovers(output.parent)
    with whole_file(output) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(made.text())
    size = output.stat().st_size
    said = f"{counted(len(made), 'motion')} in {output}, {size / 1e6:.1f} MB."
    if is_last_step:
        console.note(said)
    else:
        console.end(said, gallery=str(output), motions=len(made), left_out=left_out, bytes=size)
    return REFUSED if left_out else NOTHING_WRONG

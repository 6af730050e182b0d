# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of a separate Blender that reads motion files; a crash by a broken file affects nothing else.

`reader_process` starts it and is the only one to communicate with it, in pickles over its standard input and output.
Blender's own output goes to the standard error.
"""

from pathlib import Path

from ...core import InputError
from ...core.library import LeftOut
from ...files.import_file import empty_file
from ..takes import SourceFile
from .blender_files import read_with_blender
from .pipes import ParentPipes
from .reader_process import Read, sendable


def serve() -> None:
    """Read the requested files until the input ends; the process then ends, even during a file."""
    pipes = ParentPipes()
    empty_file()
    while True:
        path, name, fingerprint, assets = pipes.next()
        pipes.answer(_read(SourceFile(Path(path), name), fingerprint, assets))


def _read(file: SourceFile, fingerprint: str, assets: bool) -> Read:
    try:
        takes = read_with_blender(file, fingerprint, assets=assets)
    except InputError as error:
        return Read(refused=str(error))
    except Exception as error:
        return Read(refused=f"{type(error).__name__} while it was read: {error}")
    return Read(
        takes=tuple(sendable(take) for take in takes if not isinstance(take, LeftOut)),
        skipped=tuple(skip for skip in takes if isinstance(skip, LeftOut)),
    )

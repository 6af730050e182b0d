# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a session: what was dropped and what was made of it, in one folder that goes when the session ends."""

import re
import shutil
import threading
from io import BufferedIOBase
from pathlib import Path

from ...core import InputError
from ...files.fitting_names import fit_name

ENDINGS = (".bvh", ".fbx", ".glb", ".gltf")
"""The kinds of files that can be dropped."""
KINDS_SAID = "BVH, FBX, glTF or glb"
MOST_FILES = 20
"""Dropped files that are kept, and files made of them; the oldest goes when another comes."""
PIECE = 2**16
"""Bytes that are received at a time."""


class SessionFiles:
    """The folder's files, by numbers; each lies in a folder of its own, so that it can keep its name."""

    def __init__(self, folder: Path, size_limit: int) -> None:
        self.folder, self.size_limit = folder, size_limit
        self._lock = threading.Lock()
        self._last = 0
        self._dropped: dict[int, Path] = {}
        self._made: dict[int, Path] = {}

    def check(self, name: str, size: int) -> None:
        """Raise InputError for a file of another kind, one that is too big, and one that is empty."""
        shown = _short(name)
        if Path(name).suffix.lower() not in ENDINGS:
            raise InputError(f'"{shown}" is no motion file; drop a {KINDS_SAID} file.')
        if size > self.size_limit:
            raise InputError(
                f'"{shown}" has {size / 2**20:,.0f} MB, more than the {self.size_limit / 2**20:,.0f} MB that are '
                "taken; cut it, or start again with a larger --size-limit."
            )
        if size <= 0:
            raise InputError(f'"{shown}" is empty; save or download it again.')

    def receive(self, name: str, size: int, stream: BufferedIOBase) -> int:
        """Keep a file of so many bytes; return its number.

        Raises InputError as `check`, and where bytes are missing.
        """
        self.check(name, size)
        path = self._new_place("dropped", fit_name(Path(name).stem) + Path(name).suffix.lower())
        try:
            with path.open("xb") as file:
                left = size
                while left:
                    piece = stream.read(min(left, PIECE))
                    if not piece:
                        raise InputError(f'"{_short(name)}" did not arrive whole; drop it again.')
                    file.write(piece)
                    left -= len(piece)
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return self._keep(self._dropped, path)

    def place_for(self, name: str) -> Path:
        """Return where a file of this name can be written, for `keep_made`."""
        return self._new_place("made", fit_name(Path(name).stem) + Path(name).suffix)

    def keep_made(self, path: Path) -> int:
        """Keep a file that was written; return its number."""
        return self._keep(self._made, path)

    def dropped(self, number: int) -> Path | None:
        """Return a file that was dropped; None where it is not there, or no longer."""
        with self._lock:
            return self._dropped.get(number)

    def made(self, number: int) -> Path | None:
        """Return a file that was made; None as above."""
        with self._lock:
            return self._made.get(number)

    def without_places(self, text: str) -> str:
        """Return a sentence with the names of files alone, where Blender has put their folders before them."""
        return re.sub(rf"{re.escape(str(self.folder))}[/\\](dropped|made)-\d+[/\\]", "", text)

    def _new_place(self, kind: str, name: str) -> Path:
        with self._lock:
            self._last += 1
            folder = self.folder / f"{kind}-{self._last}"
        folder.mkdir(mode=0o700)
        return folder / name

    def _keep(self, files: dict[int, Path], path: Path) -> int:
        number = int(path.parent.name.rpartition("-")[2])
        with self._lock:
            files[number] = path
            oldest = next(iter(files)) if len(files) > MOST_FILES else None
            gone = None if oldest is None else files.pop(oldest)
        if gone is not None:
            shutil.rmtree(gone.parent, ignore_errors=True)
        return number


def _short(name: str) -> str:
    """Return a name as it fits into a sentence."""
    return name if len(name) <= 80 else f"{name[:77]}..."

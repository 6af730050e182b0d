# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a session, dropped or made from these, in one folder that is removed when the session ends."""

import re
import shutil
import threading
from io import BufferedIOBase
from pathlib import Path

from ...core import InputError
from ...files.fitting_names import fit_name

ENDINGS = (".bvh", ".fbx", ".glb", ".gltf")
"""Suffixes of files that can be dropped."""
KINDS_SAID = "BVH, FBX, glTF or glb"
MOST_FILES = 20
"""Maximum number of dropped files, and of generated files, that are kept; another one replaces the oldest."""
PIECE = 2**16
"""Number of bytes received at a time."""


class SessionFiles:
    """The files of a session by number; each is in a separate folder, so that it keeps its name."""

    def __init__(self, folder: Path, size_limit: int) -> None:
        self.folder, self.size_limit = folder, size_limit
        self._lock = threading.Lock()
        self._last = 0
        self._dropped: dict[int, Path] = {}
        self._made: dict[int, Path] = {}

    def check(self, name: str, size: int) -> None:
        """Raise InputError for a file in another format, and for one that is too large or empty."""
        shown = _short(name)
        if Path(name).suffix.lower() not in ENDINGS:
            raise InputError(f'"{shown}" is not a motion file; drop a {KINDS_SAID} file.')
        if size > self.size_limit:
            raise InputError(
                f'"{shown}" has {size / 2**20:,.0f} MB, more than the limit of {self.size_limit / 2**20:,.0f} MB; '
                "cut it, or restart with a larger --size-limit."
            )
        if size <= 0:
            raise InputError(f'"{shown}" is empty; save or download it again.')

    def receive(self, name: str, size: int, stream: BufferedIOBase) -> int:
        """Store a file of `size` bytes from a stream, and return its number.

        Raises InputError as `check` does, and if bytes are missing.
        """
        self.check(name, size)
        path = self._new_place("dropped", fit_name(Path(name).stem) + Path(name).suffix.lower())
        try:
            with path.open("xb") as file:
                left = size
                while left:
                    piece = stream.read(min(left, PIECE))
                    if not piece:
                        raise InputError(f'"{_short(name)}" was not transferred completely; drop it again.')
                    file.write(piece)
                    left -= len(piece)
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return self._keep(self._dropped, path)

    def place_for(self, name: str) -> Path:
        """Return a new path for a file with this name, to pass to `keep_made` once it is written."""
        return self._new_place("made", fit_name(Path(name).stem) + Path(name).suffix)

    def keep_made(self, path: Path) -> int:
        """Keep a file that was written, and return its number."""
        return self._keep(self._made, path)

    def dropped(self, number: int) -> Path | None:
        """Return a dropped file; None if it is unknown or removed."""
        with self._lock:
            return self._dropped.get(number)

    def made(self, number: int) -> Path | None:
        """Return a generated file; None if it is unknown or removed."""
        with self._lock:
            return self._made.get(number)

    def without_places(self, text: str) -> str:
        """Return a message without the folders of the session's files, which Blender's messages contain."""
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
    """Return a name shortened for a message."""
    return name if len(name) <= 80 else f"{name[:77]}..."

# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of images and caches in FBX files, blanked so that no importer opens another file."""

import re
import struct

NAMES = rb"RelativeFilename|RelativeFileName|Filename|FileName|UseMipMapFile"
PROPERTIES = rb"Path|RelPath|OriginalFilename|OriginalFileName"
LENGTH = struct.calcsize("<BI")
"""Bytes before a string in a binary file: its type, and its length as 32 bits."""
BLANK = b"_"
"""Character of blanked paths: a name without folders, which exists nowhere beside a dropped file."""
_BINARY = re.compile(rb"(?<!Original)(?:" + NAMES + rb")[SR]....", re.DOTALL)
_BINARY_PROPERTY = re.compile(rb"S....(?:" + PROPERTIES + rb")(?=[SR])", re.DOTALL)
"""A property's name; its type, a label, flags and the path follow as strings, each with its length."""
_TEXT = re.compile(
    rb"(?:\b(?:" + NAMES + rb')\s*:\s*|"(?:' + PROPERTIES + rb')"(?:\s*,\s*"[^"\n]*"){3}\s*,\s*)"([^"\n]*)"'
)


def without_paths(data: bytes) -> bytes:
    """Return an FBX file, binary or text, whose paths to other files are blanked; the length is unchanged.

    >>> without_paths(b'Texture: 1 {\\n RelativeFilename: "/etc/passwd"\\n}')
    b'Texture: 1 {\\n RelativeFilename: "___________"\\n}'
    """
    blanked = bytearray(data)
    for match in _TEXT.finditer(data):
        blanked[match.start(1) : match.end(1)] = BLANK * (match.end(1) - match.start(1))
    strings = [_string(data, match.end() - LENGTH) for match in _BINARY.finditer(data)]
    strings += [_path_of_property(data, match.end()) for match in _BINARY_PROPERTY.finditer(data)]
    for start, end in strings:
        blanked[start:end] = BLANK * (end - start)
    return bytes(blanked)


def _path_of_property(data: bytes, at: int) -> tuple[int, int]:
    for _ in range(3):
        _, at = _string(data, at)
    return _string(data, at)


def _string(data: bytes, at: int) -> tuple[int, int]:
    """Return the begin and end of the string whose type is stored at a byte; an empty range for another type."""
    start = at + LENGTH
    if data[at : at + 1] not in (b"S", b"R") or start > len(data):
        return at, at
    (length,) = struct.unpack_from("<I", data, at + 1)
    return start, min(start + length, len(data))

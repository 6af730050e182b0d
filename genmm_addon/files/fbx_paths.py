# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of images and caches in FBX files, blanked so that no importer opens another file."""

import re
import struct

NAMES = rb"RelativeFilename|RelativeFileName|Filename|FileName|UseMipMapFile"
PROPERTIES = rb"Path|RelPath|OriginalFilename|OriginalFileName"
BLANK = b"_"
"""Character of blanked paths: a name without folders, which exists nowhere beside a dropped file."""
_BINARY = re.compile(rb"(?:" + NAMES + rb")[SR](....)", re.DOTALL)
_TYPED = rb"S....(?:" + PROPERTIES + rb")"
_BINARY_PROPERTY = re.compile(_TYPED + rb"S....[A-Za-z ]*S....[A-Za-z ]*S....[A-Za-z+ ]*[SR](....)", re.DOTALL)
_TEXT = re.compile(
    rb"(?:\b(?:" + NAMES + rb')\s*:\s*|"(?:' + PROPERTIES + rb')"(?:\s*,\s*"[^"\n]*"){3}\s*,\s*)"([^"\n]*)"'
)


def without_paths(data: bytes) -> bytes:
    """Return an FBX file, binary or text, whose paths to other files are blanked; the length is unchanged.

    >>> without_paths(b'Texture: 1 {\\n RelativeFilename: "/etc/passwd"\\n}')
    b'Texture: 1 {\\n RelativeFilename: "___________"\\n}'
    """
    blanked = bytearray(data)
    for found in _TEXT.finditer(data):
        blanked[found.start(1) : found.end(1)] = BLANK * (found.end(1) - found.start(1))
    for pattern in (_BINARY, _BINARY_PROPERTY):
        for found in pattern.finditer(data):
            (length,) = struct.unpack("<I", found[1])
            length = min(length, len(data) - found.end())
            blanked[found.end() : found.end() + length] = BLANK * length
    return bytes(blanked)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of clips: many motions on one skeleton in one file, each with tags that describe it."""

from .clip import Clip
from .clip_library import ClipLibrary, library_of
from .duplicates import near_duplicates, same_sources
from .library_file import load_library, save_library
from .tags import TagPattern, parse_choice, tags_of

__all__ = [
    "Clip",
    "ClipLibrary",
    "TagPattern",
    "library_of",
    "load_library",
    "near_duplicates",
    "parse_choice",
    "same_sources",
    "save_library",
    "tags_of",
]

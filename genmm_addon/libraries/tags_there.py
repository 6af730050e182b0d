# SPDX-License-Identifier: GPL-3.0-or-later
"""The tags that clips of libraries have: completions while tags are typed, and the message if no clip fits."""

from collections.abc import Sequence

from ..core import MOST_OFFERED, InputError, listed
from ..core.library import ClipLibrary, parse_choice


def tags_to_ask(libraries: Sequence[ClipLibrary], text: str) -> list[str]:
    """Return texts that extend a choice by one tag, or complete its last word.

    Each selects at least one clip. Tags with new keys, which narrow the choice, come first; then others, which extend
    it. In values, characters that a choice cannot contain are replaced by "*".
    """
    before, comma, begun = text.rpartition(",")
    known = {_word(*tag) for library in libraries for clip in library.clips for tag in clip.tags.items()}
    if begun.strip() in known:
        before, comma, begun = text, ",", ""
    try:
        asked = parse_choice(before)
    except InputError:
        return []
    words = set[tuple[bool, str]]()
    for library in libraries:
        fitting = {key: set(library.chosen({key: values}).tolist()) for key, values in asked.items()}
        for number, clip in enumerate(library.clips):
            missed = {key for key, numbers in fitting.items() if number not in numbers}
            words |= {(key in asked, _word(key, value)) for key, value in clip.tags.items() if missed <= {key}}
    given = {word.strip() for word in before.split(",")}
    head = f"{before.strip()}, " if comma else ""
    return [head + word for _, word in sorted(words) if word not in given and begun.strip().lower() in word.lower()]


def why_none_fits(libraries: Sequence[ClipLibrary], tags: str, search: str) -> str:
    """Return the sentence for a choice that no clip fits. Raises InputError for tags that cannot be read."""
    for key, values in parse_choice(tags).items():
        known = sorted({clip.tags[key] for library in libraries for clip in library.clips if key in clip.tags})
        if not known:
            keys = sorted({key for library in libraries for clip in library.clips for key in clip.tags})
            others = f"there are {', '.join(keys)}" if keys else "they have no tags"
            return f'No clip of the library has the tag "{key}"; {others}.'
        if not any(library.chosen({key: values}).size for library in libraries):
            available = listed(known, "", MOST_OFFERED)
            return f"No clip of the library has {key}={' or '.join(values)}; there is {available}."
    asked = ", ".join(filter(None, (tags, f'"{search}"' if search else "")))
    return f"No clip of the library fits {asked or 'the choice'}; ask for less."


def _word(key: str, value: str) -> str:
    """Return the word that asks for a tag."""
    return f"{key}={value.replace(',', '*').replace('=', '*')}" if value else key

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of clips, from their names by a pattern and from text, and choices of clips by tags."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import InputError

NAME = re.compile(r"[^\s{}=,*]+")
"""Pattern of a tag's key."""
_FIELD = re.compile(r"\{([^{}]*)\}")
_ENDING = re.compile(r"\.(?:bvh|fbx|glb|gltf|blend)\b", re.IGNORECASE)
_IN_FILE = re.compile(r"\.(?P<ending>fbx|glb|gltf|blend):", re.IGNORECASE)
"""Pattern of a file's ending in a clip's source that continues with one of its actions."""


@dataclass(frozen=True)
class TagPattern:
    """A pattern for names, such as "{subject}/dataset-1_{action}_{style}_{take}": each field in braces is a tag's key.

    A field stands for characters without "_" if possible, and never for a "/". `*` stands for any characters except
    "/", and a field without a name for characters that are not a tag. A pattern of several folders is compared with as
    many of the last folders of a clip's source, without the ending. If the source is an action in a file, both are
    compared separately, in a .blend the action first, else the file; a pattern with ":" is compared with both together.

    >>> dict(TagPattern("{action}_{style}_{}").tags("takes/walk_angry_001.bvh"))
    {'action': 'walk', 'style': 'angry'}
    >>> dict(TagPattern("{action}_{style}").tags("takes/walk_old.fbx:Armature|Take_001"))
    {'action': 'walk', 'style': 'old'}
    """

    text: str

    def __post_init__(self) -> None:
        keys = _FIELD.findall(self.text)
        for key in keys:
            if key and not NAME.fullmatch(key):
                raise InputError(
                    f'The pattern "{self.text}" has the field "{{{key}}}", which is not the name of a tag.'
                )
        named = [key for key in keys if key]
        if len(set(named)) < len(named):
            raise InputError(f'The pattern "{self.text}" has a field twice; give each a name of its own.')
        if "{" in _FIELD.sub("", self.text) or "}" in _FIELD.sub("", self.text):
            raise InputError(f'The pattern "{self.text}" has a brace without its other one; write fields as {{style}}.')
        if not named:
            raise InputError(f'The pattern "{self.text}" has no field; write one in braces, as {{style}}.')

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of its fields."""
        return tuple(key for key in _FIELD.findall(self.text) if key)

    def tags(self, source: str) -> dict[str, str] | None:
        """Return the tags of a clip's source by the pattern; None if it does not fit."""
        for name in self._compared(source):
            for character in ("[^/_]*?", "[^/]*?"):
                match = re.fullmatch(self._expression(character), name)
                if match is not None:
                    values = zip(self.keys, (value for value in match.groups() if value is not None), strict=True)
                    return {key: value for key, value in values if value}
        return None

    def _compared(self, source: str) -> list[str]:
        """Return the names that the pattern is compared with, in order."""
        inside = _IN_FILE.search(source)
        file, action = (source, "") if inside is None else (source[: inside.end() - 1], source[inside.end() :])
        folders = file.replace("\\", "/").split("/")[-(self.text.count("/") + 1) :]
        folders[-1] = _ENDING.sub("", folders[-1], count=1)
        name = "/".join(folders)
        if inside is None:
            return [name]
        if ":" in self.text:
            return [f"{name}:{action}"]
        beside = "/".join((*folders[:-1], action))
        return [beside, name] if inside["ending"].lower() == "blend" else [name, beside]

    def _expression(self, field: str) -> str:
        pieces = re.split(r"(\{[^{}]*\}|\*)", self.text)
        return "".join(
            f"({field})" if piece[:1] == "{" and piece[1:-1] else field if piece == "{}" else "[^/]*?" if piece == "*"
            else re.escape(piece)
            for piece in pieces
        )  # fmt: skip


def tags_of(words: Iterable[str]) -> dict[str, str]:
    """Return the tags in words: "style=angry" has a value, "walk" has none.

    >>> tags_of(["style=angry", "walk"])
    {'style': 'angry', 'walk': ''}
    """
    pairs = (word.partition("=")[::2] for word in words if word.strip())
    return {key.strip(): value.strip() for key, value in pairs if key.strip()}


def parse_choice(text: str) -> dict[str, tuple[str, ...]]:
    """Return the requested values by key: "style=angry, style=old, action=walk" is angry or old, and walks.

    Raises InputError for a text of another form.

    >>> parse_choice("style=angry, style=old, action=walk")
    {'style': ('angry', 'old'), 'action': ('walk',)}
    """
    choice: dict[str, tuple[str, ...]] = {}
    for word in text.split(","):
        key, equals, value = (piece.strip() for piece in word.partition("="))
        if not word.strip():
            continue
        if not NAME.fullmatch(key) or "=" in value or (equals and not value):
            raise InputError(f'"{word.strip()}" asks for no tag; write it as style=angry, several with commas.')
        choice[key] = (*choice.get(key, ()), value if equals else "*")
    return choice

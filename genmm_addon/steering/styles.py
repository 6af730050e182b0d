# SPDX-License-Identifier: GPL-3.0-or-later
"""Styles for steering: tags of a library's clips, or the actions that the character learns from."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ..core import Mask
from ..libraries.choosing import choose_clips
from ..libraries.indexed_examples import ExampleChoice, all_of

MOST_STYLES = 9
"""Most styles, one for each number key; the key 0 stands for all motions."""
KEYS = ("style", "action")
"""Keys of tags that name styles; the first one with several values is used."""


@dataclass(frozen=True, eq=False)
class Style:
    """Motions to play from: `allowed` `(M,)`, None for all. travels: whether any of them travels."""

    name: str
    allowed: Mask | None
    travels: bool = True

    @property
    def said(self) -> str:
        """Return the style's text for the status bar."""
        return self.name if self.travels else f"{self.name} (stays in place)"


EVERY = Style("All", None)


def styles_of(choice: ExampleChoice, names: tuple[str, ...]) -> tuple[Style, ...]:
    """Return the styles of motions with these names; the first style is all motions."""
    return (EVERY, *_by_name(_names_of_styles(choice, names)))


def names_of_styles(styles: tuple[Style, ...], count: int) -> list[str]:
    """Return the style of each of `count` motions, "" for none."""
    styles_of_motions = [""] * count
    for style in styles:
        for number in np.flatnonzero(style.allowed).tolist() if style.allowed is not None else ():
            styles_of_motions[number] = style.name
    return styles_of_motions


def with_travel(styles: tuple[Style, ...], travels: Mask) -> tuple[Style, ...]:
    """Return the styles with their `travels` set; travels: `(M,)` whether each motion travels."""
    return tuple(
        replace(style, travels=bool(travels[... if style.allowed is None else style.allowed].any())) for style in styles
    )


def _names_of_styles(choice: ExampleChoice, names: tuple[str, ...]) -> list[str]:
    """Return the style of each motion."""
    if choice.library is None:
        return list(names)
    clips = choose_clips(all_of(choice.library)).clips
    for key in KEYS:
        values = [clip.tags.get(key, "") for clip in clips]
        if len({value for value in values if value}) > 1:
            return values
    return [""] * len(names)


def _by_name(of_motions: list[str]) -> list[Style]:
    counts = Counter(name for name in of_motions if name)
    if len(counts) < 2:
        return []
    called = np.array(of_motions)
    return [Style(name, called == name) for name, _ in counts.most_common(MOST_STYLES)]

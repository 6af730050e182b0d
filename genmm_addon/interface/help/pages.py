# SPDX-License-Identifier: GPL-3.0-or-later
"""The help pages that ship with the extension, found by name and broken into lines for a popup.

A page is Markdown of the plainest kind: one title, paragraphs, lists, bold words and links to other pages.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from ...core import InputError

FOLDER = Path(__file__).parents[2] / "help"
MANUAL = Path(__file__).parents[2] / "manual"
"""The manual's pages for a browser, which are made together with the extension's zip."""
_FEATURE = re.compile(r"\]\(\.\./(features[a-z_/]*)\.md\)")
_MARKS = re.compile(r"\*\*|`|\[([^]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Line:
    """A line of a page as shown; `starts` is True where a paragraph or a list item begins."""

    text: str
    starts: bool
    is_item: bool = False


@dataclass(frozen=True)
class Page:
    """A title and the lines below it."""

    title: str
    lines: tuple[Line, ...]


def page_path(name: str) -> Path:
    """Return the file of a page. Raises InputError where it is missing."""
    path = FOLDER / f"{name}.md"
    if not re.fullmatch(r"[a-z_]+", name) or not path.is_file():
        raise InputError(f'Help page "{name}" was not found; reinstall the extension if others are missing too.')
    return path


def manual_page(name: str) -> Path | None:
    """Return the manual's page for a help page, or the manual's first page; None where no manual is installed.

    It is the page of the first feature that the help page links to.
    """
    if not re.fullmatch(r"[a-z_]*", name):
        return None
    pages = (*_feature_pages(name), MANUAL / "help" / f"{name}.html", MANUAL / "index.html")
    return next((page for page in pages if page.is_file()), None)


def _feature_pages(name: str) -> list[Path]:
    """Return the manual's pages of the features that a help page links to."""
    path = FOLDER / f"{name}.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return [MANUAL / f"{place}.html" for place in _FEATURE.findall(text)]


def read_page(name: str, letters: int) -> Page:
    """Return the page of a name in lines of at most `letters` letters. Raises InputError where it is missing."""
    try:
        text = page_path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"The help page {name!r} cannot be read: {error.strerror}.") from error
    return set_page(text, letters)


def set_page(text: str, letters: int) -> Page:
    """Return Markdown `text` as a title and lines of at most `letters` letters."""
    title, lines = "", []
    for block in re.split(r"\n\s*\n|\n(?=- )", text.strip()):
        plain = _MARKS.sub(lambda match: match[1] or "", " ".join(block.split()))
        if plain.startswith("# "):
            title = plain[2:]
            continue
        is_item = plain.startswith("- ")
        wrapped = textwrap.wrap(plain.removeprefix("- "), letters)
        lines += [Line(piece, starts=number == 0, is_item=is_item) for number, piece in enumerate(wrapped)]
    return Page(title, tuple(lines))

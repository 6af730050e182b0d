# SPDX-License-Identifier: GPL-3.0-or-later
"""The help of panels: its pages, and the operators that show them.

A page is Markdown of the plainest kind: one title, paragraphs, lists, bold words and links to other pages.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Operator, UILayout

from ...core import InputError

FOLDER = Path(__file__).parents[2] / "help"
MANUAL = Path(__file__).parents[2] / "manual"
"""The manual's pages for a browser, which are made together with the extension's zip."""
_FEATURE = re.compile(r"\]\(\.\./(features[a-z_/]*)\.md\)")
_MARKS = re.compile(r"\*\*|`|\[([^]]*)\]\([^)]*\)")
LETTERS = 72
"""Letters per line of a page."""


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


class GENMM_OT_show_help(Operator):
    bl_idname = "genmm.show_help"
    bl_label = "Help"
    bl_description = "Show what this panel is for and how to use it"
    bl_options = {"INTERNAL"}

    page: StringProperty(name="Page", description="The page of the help to show", options={"SKIP_SAVE"})

    def execute(self, context: Context) -> set[str]:  # type: ignore[override]  # `common`, which has the type, is above
        """Open the page, which a click, Esc or moving the mouse away closes."""
        page = self.page
        try:
            page_path(page)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        # A popup menu is drawn once, while an operator's dialog would keep the operator running.
        context.window_manager.popup_menu(lambda popup, _context: draw_page(popup.layout, page))
        return {"FINISHED"}


class GENMM_OT_open_manual(Operator):
    bl_idname = "genmm.open_manual"
    bl_label = "Open Manual"
    bl_description = "Open the extension's manual, which is stored on this computer, in the web browser"
    bl_options = {"INTERNAL"}

    page: StringProperty(name="Page", description="The page of the help to begin with", options={"SKIP_SAVE"})

    def execute(self, _context: Context) -> set[str]:  # type: ignore[override]  # `common`, which has the type, is above
        """Open the page; it needs no network."""
        path = manual_page(self.page)
        if path is None:
            self.report({"ERROR"}, "The manual is not part of this installation; install the extension from its zip.")
            return {"CANCELLED"}
        bpy.ops.wm.url_open(url=path.as_uri())
        return {"FINISHED"}


def draw_page(layout: UILayout, name: str) -> None:
    """Draw the page of a name, or the reason why it cannot be shown."""
    try:
        page = read_page(name, LETTERS)
    except InputError as error:
        layout.label(text=str(error), icon="ERROR", translate=False)
        return
    layout.label(text=page.title, icon="HELP", translate=False)
    column = layout.column(align=True)
    for line in page.lines:
        if line.starts and not line.is_item:
            column.separator()
        if not line.is_item:
            column.label(text=line.text, translate=False)
        else:
            column.label(text=line.text, icon="DOT" if line.starts else "BLANK1", translate=False)
    column.separator()
    if manual_page(name) is not None:
        layout.operator("genmm.open_manual", icon="URL").page = name


def draw_help(layout: UILayout, page: str) -> None:
    """Draw the button that opens a page."""
    layout.operator("genmm.show_help", text="", icon="HELP", emboss=False).page = page

# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages made from other sources: the README's sections, the command line, the Python API.

No text is written twice: the README and the parsers remain the only source of theirs.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FIRST = ("Install",)
"""Sections of the README that stay on the first page."""
_LINK = re.compile(r"(\]\()((?!https?:|#|mailto:)[^)\s]+)(\))")


@dataclass(frozen=True)
class Page:
    """A page of the site: its path below the site's folder, and its Markdown."""

    place: str
    text: str


def readme_pages(readme: str) -> list[Page]:
    """Return the README as a first page, and a page for each further section."""
    head, *sections = re.split(r"^## ", readme, flags=re.MULTILINE)
    pages, first = [], [head]
    for section in sections:
        title, _, text = section.partition("\n")
        if title in FIRST:
            first.append(f"## {title}\n{text}")
        else:
            pages.append(Page(readme_place(title), f"# {title}\n{_raised(text)}"))
    return [Page("index.md", "".join(first)), *pages]


def readme_place(title: str) -> str:
    """Return the path of a section's page, such as start/in_batch.md for "In batch"."""
    return f"start/{'_'.join(re.findall(r'[a-z0-9]+', title.lower()))}.md"


def _raised(text: str) -> str:
    """Return the text of a section with its headings one level higher, without changes to code."""
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    return "".join(
        part if part.startswith("```") else re.sub(r"^##(#+) ", r"#\1 ", part, flags=re.MULTILINE) for part in parts
    )


def from_root(page: Page) -> Page:
    """Return a page whose links, relative to the repository's root, are changed to pages and pictures of the site."""
    up = "../" * page.place.count("/")

    def moved(match: re.Match[str]) -> str:
        place = match[2].removeprefix("docs/")
        return f"{match[1]}{up}{place}{match[3]}"

    return Page(page.place, _LINK.sub(moved, page.text))


def command_pages(told: str) -> list[Page]:
    """Return the page on the command line; told: the help of its commands, as JSON pairs of name and text."""
    commands = json.loads(told)
    lines = ["# The command line", "", "What `blender --command genmm COMMAND --help` says of each command.", ""]
    for name, text in commands:
        lines += [f"## {name}", "", "```text", text.rstrip(), "```", ""]
    return [Page("command_line.md", "\n".join(lines))]


def panels_page(folder: Path) -> Page:
    """Return the page that lists the help of all panels by title."""
    titles = {path.name: path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ") for path in folder.glob("*.md")}
    lines = [f"- [{title}](help/{name})" for name, title in sorted(titles.items(), key=lambda item: item[1].lower())]
    head = "# The panels\n\nWhat the question mark in the header of each panel shows.\n\n"
    return Page("panels.md", head + "\n".join(lines) + "\n")


def with_pictures(markdown: str, docs: Path) -> str:
    """Return the index of features with the picture of each, which its page begins with, before its line."""

    def pictured(line: re.Match[str]) -> str:
        text = (docs / line[2]).read_text(encoding="utf-8")
        picture = re.search(r"!\[([^]]+)\]\((?:\.\./)*([^)]+)\)", text)
        if picture is None:
            return line[0]
        return f'- <img src="{picture[2]}" alt="{picture[1]}" width="220" loading="lazy"><br>{line[1]}'

    return re.sub(r"^- (\[[^]]+\]\((features/[\w/]+\.md)\).*)$", pictured, markdown, flags=re.MULTILINE)


def api_pages(core: Path) -> list[Page]:
    """Return a page for `core` and for each of its packages with public names, made from their docstrings."""
    packages = sorted(path.parent for path in core.glob("*/__init__.py"))
    pages = [_api_page("core", "The names of `core` itself.", offered_names(core / "__init__.py"))]
    for package in packages:
        names = offered_names(package / "__init__.py")
        if names:
            pages.append(_api_page(f"core.{package.name}", "", names))
    links = [f"- [`{page.place.split('/')[1][:-3]}`]({page.place.split('/')[1]})" for page in pages]
    head = (core / "README.md").read_text(encoding="utf-8") + (
        "\n## All names\n\nThe packages and what they offer; `core` is `genmm` where it is installed.\n\n"
    )
    return [Page("python/index.md", head + "\n".join(links) + "\n"), *pages]


def _api_page(module: str, text: str, names: Sequence[str]) -> Page:
    blocks = [
        f"# {module}\n",
        text,
        f"::: {module}\n    options:\n      members: false\n      show_root_heading: false\n",
    ]
    blocks += [f"::: {module}.{name}\n" for name in names]
    return Page(f"python/{module}.md", "\n".join(blocks))


def offered_names(path: Path) -> list[str]:
    """Return the names in a package's `__all__`, sorted without regard to case."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sorted(_offered(tree), key=str.lower)


def _offered(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == "__all__" for to in node.targets):
            yield from ast.literal_eval(node.value)


def with_fences(docstring: str) -> str:
    """Return a docstring whose examples, lines of >>> and their output, are formatted as code."""
    lines: list[str] = []
    inside = False
    for line in docstring.splitlines():
        begins = line.lstrip().startswith(">>>")
        if begins and not inside:
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)

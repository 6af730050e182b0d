# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks of MkDocs, which add pages and tables made from other sources to the pages of `docs`."""

import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # MkDocs loads this file by its path

from mkdocs.structure.files import File, Files  # noqa: E402

from building.site.pages import (  # noqa: E402
    Page,
    api_pages,
    command_pages,
    from_root,
    panels_page,
    readme_pages,
    with_pictures,
)
from building.site.tables import with_tables  # noqa: E402

COMMANDS = "GENMM_COMMANDS"
"""Environment variable with the file that contains the help of all commands."""
OF_DEVELOPERS = ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")


PYTHON = "python/index.md"


def on_config(config: Any) -> Any:
    """Remove Python's pages from the list of pages, unless the configuration asks for them."""
    if not config["extra"]["python"]:
        config["nav"] = [_without(entry, PYTHON) for entry in config["nav"]]
    return config


def _without(entry: dict[str, Any], place: str) -> dict[str, Any]:
    ((title, below),) = entry.items()
    return (
        {title: [_without(page, place) for page in below if place not in page.values()]}
        if isinstance(below, list)
        else entry
    )


def on_files(files: Files, config: Any) -> Files:
    """Add the pages made from the README, the parsers and the docstrings, as the configuration asks for them."""
    for page in _pages(config["extra"]["python"]):
        files.append(File.generated(config, page.place, content=page.text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Add the tables of CSV files to a page, and the features' pictures to their index."""
    docs = ROOT / "docs"
    return with_pictures(markdown, docs) if page.file.src_uri == "features.md" else with_tables(markdown, docs)


def _pages(with_python: bool) -> list[Page]:
    pages = [from_root(page) for page in readme_pages((ROOT / "README.md").read_text(encoding="utf-8"))]
    for name in OF_DEVELOPERS:
        pages.append(from_root(Page(f"{name}.md", (ROOT / f"{name}.md").read_text(encoding="utf-8"))))
    pages.append(panels_page(ROOT / "docs" / "help"))
    pages += command_pages(Path(os.environ[COMMANDS]).read_text(encoding="utf-8"))
    return pages + (api_pages(ROOT / "core") if with_python else [])

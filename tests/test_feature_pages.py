# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of features: one for each, all in the same form, listed, and linked from the README and the panels."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "features").rglob("*.md"))
LISTS = (DOCS / "features.md", ROOT / "building" / "site" / "site.yml")
LINK = re.compile(r"\]\((?!https?:)([^)\s#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_a_title_a_picture_three_sentences_the_steps_and_where_it_fails(page: Path) -> None:
    title, picture, about, *rest = page.read_text(encoding="utf-8").split("\n\n")
    assert re.fullmatch(r"# [A-Z][\w ]+", title)
    assert re.fullmatch(r"!\[[^]]+\]\(\.\./\.\./pictures/[\w./-]+\)", picture)
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(about.split()))
    assert len(re.findall(r"[.!?](?= [A-Z*]|$)", words)) == 3
    headings = [block for block in "\n\n".join(rest).splitlines() if block.startswith("#")]
    assert headings[:2] == ["## Steps", "## Where it fails"]
    assert headings[2:] in ([], ["## By script and command"])
    steps, fails = (re.split(r"^## .*$", "\n\n".join(rest), flags=re.MULTILINE)[at] for at in (1, 2))
    assert re.search(r"^1\. ", steps, re.MULTILINE) and re.search(r"^- ", fails, re.MULTILINE)


@pytest.mark.parametrize("place", LISTS, ids=lambda place: place.name)
def test_each_page_is_listed_once(place: Path) -> None:
    listed = re.findall(r"features/[a-z_]+/[a-z_]+\.md", place.read_text(encoding="utf-8"))
    assert sorted(listed) == [page.relative_to(DOCS).as_posix() for page in PAGES]


def test_a_folder_holds_one_subject() -> None:
    assert max(len(list(folder.iterdir())) for folder in (DOCS / "features").iterdir()) <= 15


def test_links_lead_to_files() -> None:
    made = ("command_line.md", "ARCHITECTURE.md")  # put beside the others by MkDocs
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        missing = [to for to in LINK.findall(text) if not to.endswith(made) and not (page.parent / to).exists()]
        assert missing == [], page.name

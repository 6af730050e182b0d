# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the documentation that are made from other sources."""

import re
from pathlib import Path

import pytest

from building.site.pages import (
    Page,
    api_pages,
    command_pages,
    from_root,
    offered_names,
    panels_page,
    readme_pages,
    readme_place,
    with_fences,
    with_pictures,
)
from building.site.tables import with_tables

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_each_section_of_the_readme_is_on_one_page() -> None:
    pages = readme_pages(README)
    assert len({page.place for page in pages}) == len(pages)
    for line in README.splitlines():
        if line and not line.startswith("#"):
            assert any(line in page.text.splitlines() for page in pages), line


def test_headings_go_up_by_one_but_not_in_code() -> None:
    text = "# T\n\nhead\n\n## One\n\n### Deep\n\n```sh\n### a comment\n```\n"
    assert readme_pages(text)[1] == Page("start/one.md", "# One\n\n## Deep\n\n```sh\n### a comment\n```\n")


def test_a_title_makes_a_plain_place() -> None:
    assert readme_place("In the action in front of you") == "start/in_the_action_in_front_of_you.md"


@pytest.mark.parametrize(
    ("place", "link", "moved"),
    [
        ("index.md", "docs/places.md", "places.md"),
        ("start/feet.md", "docs/pictures/pins.png", "../pictures/pins.png"),
        ("start/feet.md", "ARCHITECTURE.md", "../ARCHITECTURE.md"),
        ("start/feet.md", "https://example.org/docs/x", "https://example.org/docs/x"),
        ("start/feet.md", "#below", "#below"),
    ],
)
def test_links_from_the_repository_lead_to_the_sites_pages(place: str, link: str, moved: str) -> None:
    assert from_root(Page(place, f"see [it]({link}).")).text == f"see [it]({moved})."


def test_examples_of_a_docstring_are_code_and_the_rest_is_not() -> None:
    text = with_fences("Add numbers.\n\n>>> 1 + 1\n2\n\nThat was all.")
    assert text == "Add numbers.\n\n\n```pycon\n>>> 1 + 1\n2\n```\n\nThat was all."
    assert with_fences("No example.") == "No example."
    assert with_fences(">>> 1\n1").endswith("1\n```")


def test_the_api_has_a_page_for_each_name_that_is_offered() -> None:
    pages = {page.place: page.text for page in api_pages(ROOT / "core")}
    for name in offered_names(ROOT / "core" / "__init__.py"):
        assert f"::: core.{name}\n" in pages["python/core.md"]
    for package in (ROOT / "core").glob("*/__init__.py"):
        for name in offered_names(package):
            assert f"::: core.{package.parent.name}.{name}\n" in pages[f"python/core.{package.parent.name}.md"]


def test_the_help_of_commands_stays_as_it_is() -> None:
    page = command_pages('[["genmm fill", "usage: <b> * x\\n"]]')[0]
    assert "## genmm fill\n\n```text\nusage: <b> * x\n```" in page.text


def test_a_line_that_links_to_a_csv_file_shows_its_table(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "walks.csv").write_text('clip,skate\n"walk, old",\nrun,1.2!\n', encoding="utf-8")
    link = "[Every walk](data/walks.csv)"
    table = "| clip | skate |\n| --- | --- |\n| walk, old | - |\n| run | 1.2! |"
    assert with_tables(f"Before.\n\n{link}\n\nAfter.", tmp_path) == f"Before.\n\n{link}\n\n{table}\n\nAfter."
    assert with_tables(f"See {link}.", tmp_path) == f"See {link}."


def test_every_csv_file_is_shown_on_a_page() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    shown = re.findall(r"^\[[^\]]+\]\(data/(\w+\.csv)\)$", pages, re.MULTILINE)
    assert sorted(shown) == sorted(path.name for path in (ROOT / "docs" / "data").iterdir())


def test_all_panels_are_listed() -> None:
    listed = re.findall(r"\(help/([a-z_]+\.md)\)", panels_page(ROOT / "docs" / "help").text)
    assert sorted(listed) == sorted(path.name for path in (ROOT / "docs" / "help").glob("*.md"))


def test_every_document_is_in_the_list_of_pages() -> None:
    listed = (ROOT / "building" / "site" / "site.yml").read_text(encoding="utf-8")
    assert [path.name for path in (ROOT / "docs").glob("*.md") if f": {path.name}" not in listed] == []


def test_the_index_of_features_shows_a_picture_of_each() -> None:
    docs = ROOT / "docs"
    index = with_pictures((docs / "features.md").read_text(encoding="utf-8"), docs)
    shown = re.findall(r'<img src="([^"]+)"', index)
    assert len(shown) == len(list((docs / "features").rglob("*.md")))
    assert [picture for picture in shown if not (docs / picture).is_file()] == []


def test_the_navigation_has_features_in_one_place() -> None:
    text = (ROOT / "building" / "site" / "site.yml").read_text(encoding="utf-8")
    pages = re.findall(r": ([\w/]+\.md)", text)
    assert len(pages) == len(set(pages))
    assert re.findall(r"^  - (\w[\w ]*):", text, re.MULTILINE)[-4:] == [
        "Start",
        "Features",
        "How it works",
        "Developers",
    ]

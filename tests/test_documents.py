# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents for developers: each file that they name exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_each_file_that_a_document_names_is_there(document: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL)
    named = [word for word in re.findall(r"`([\w./-]+)`", text) if "/" in word]
    assert named
    places = (ROOT, ROOT / "genmm_addon")
    assert [word for word in named if not any((place / word).exists() for place in places)] == []

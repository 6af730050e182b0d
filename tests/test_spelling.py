# SPDX-License-Identifier: GPL-3.0-or-later
"""American spelling in code, docs and texts, as in Blender."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("core", "genmm_addon", "bench", "docs", "farm", "tests")
ENDINGS = {".py", ".md", ".yaml", ".html"}
TEXTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")))
    if path.suffix in ENDINGS and path != Path(__file__).resolve()
)
BRITISH = re.compile(
    r"colour|neighbour|behaviour|favour|licence|labell|travell|modell|cancelling|\bgrey"
    r"|(?<![a-z])centre|(?:\b|centi|milli|micro)metre|synthesis(?:e|ing)|normalis|\bsummaris|recognis|organis|minimis|optimis",
    re.IGNORECASE,
)


def test_words_are_spelled_the_american_way() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in TEXTS}
    found = {name: {match.group().lower() for match in BRITISH.finditer(text)} for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-contained pages: markup, style, scripts and data in one file, which loads and runs nothing else."""

import base64
import hashlib
import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy: allows only the script and style of the page, by their checksums."""
FIGURE = Path(__file__).parent / "drawn_figure"
"""Folder with the scripts and style of the moving figure, shared by all pages."""
_ESCAPED = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029\x7f"}


def safe_json(values: Any) -> str:
    """Return values as JSON for a script element; none of its characters ends the element or opens a comment.

    >>> safe_json("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return "".join(_ESCAPED.get(character, character) for character in text)


@dataclass(frozen=True)
class PageFiles:
    """The files of a page, as names without suffix.

    folder: of its template `name.html`, its style `name.css`, and its own scripts. shared: scripts of FIGURE, which
    come before these; each script may use those before it.
    """

    folder: Path
    name: str
    shared: tuple[str, ...]
    scripts: tuple[str, ...]


def page_around(files: PageFiles, title: str, data: Any, policy: str = POLICY) -> tuple[str, str, str]:
    """Return the text before and after the place of the clips' bytes, and the filled policy.

    data: the values that the script reads from the element `page-data`. policy: with placeholders for two checksums.
    """
    style = _read(FIGURE / "looks.css") + _read(files.folder / f"{files.name}.css")
    places = [*(FIGURE / name for name in files.shared), *(files.folder / name for name in files.scripts)]
    script = '"use strict";\n' + "\n".join(_read(place.with_suffix(".js")) for place in places)
    filled_policy = policy.format(script=_checksum(script), style=_checksum(style))
    values = {
        "policy": html.escape(filled_policy, quote=False),
        "title": html.escape(title),
        "style": style,
        "data": safe_json(data),
        "script": script,
    }
    before, after = _read(files.folder / f"{files.name}.html").split("{{clips}}")
    return _filled(before, values), _filled(after, values), filled_policy


def _filled(text: str, values: dict[str, str]) -> str:
    """Return a text with each `{{name}}` replaced by its value; the values are not searched for names."""
    pieces = text.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, text_after = piece.split("}}", 1)
        filled += [values[name], text_after]
    return "".join(filled)


def _read(path: Path) -> str:
    # Browsers compute checksums with \n as line ends.
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


def _checksum(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages that stand alone: markup, style, scripts and data in one file, which fetches nothing and runs nothing else."""

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy: the page's own script and style by their checksums, and nothing from anywhere."""
_ESCAPED = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029\x7f"}


def safe_json(values: Any) -> str:
    """Return values as JSON that can stand in a script element: no character of it ends the element or opens a comment.

    >>> safe_json("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return "".join(_ESCAPED.get(character, character) for character in text)


def page_around(folder: Path, name: str, scripts: Sequence[str], title: str, data: Any) -> tuple[str, str]:
    """Return the page before and after what may follow the script: the clips' bytes.

    folder: its template `name.html`, its style `name.css` and its scripts, in whose order they are put together.
    data: what the script reads from the element `page-data`.
    """
    style = _read(folder / f"{name}.css")
    script = '"use strict";\n' + "\n".join(_read(folder / f"{one}.js") for one in scripts)
    policy = POLICY.format(script=_checksum(script), style=_checksum(style))
    values = {
        "policy": html.escape(policy, quote=False),
        "title": html.escape(title),
        "style": style,
        "data": safe_json(data),
        "script": script,
    }
    before, after = _read(folder / f"{name}.html").split("{{clips}}")
    return _filled(before, values), _filled(after, values)


def _filled(text: str, values: dict[str, str]) -> str:
    """Return a text with each `{{name}}` replaced, what is put in left as it is."""
    pieces = text.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, rest = piece.split("}}", 1)
        filled += [values[name], rest]
    return "".join(filled)


def _read(path: Path) -> str:
    # Browsers compute checksums with line ends as \n.
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


def _checksum(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

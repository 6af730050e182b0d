# SPDX-License-Identifier: GPL-3.0-or-later
"""Python literals in untrusted files: single numbers, texts and truth values, never evaluated."""

import math
import re

from .json_text import Malformed

_LITERAL = re.compile(
    r"(?:(?P<flag>True|False)|(?P<whole>[-+]?\d{1,19})|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?)"
    r"""|'(?P<single>[^'\\]*)'|"(?P<double>[^"\\]*)")\s*(?:#.*)?""",
    re.ASCII,
)


def parse_literal(text: str) -> bool | int | float | str:
    """Return the value of a literal; a comment may follow it. Raises Malformed for any other text.

    >>> parse_literal("0.25"), parse_literal("'AUTO'  # as the character walks")
    (0.25, 'AUTO')
    """
    match = _LITERAL.fullmatch(text.strip())
    if match is None:
        raise Malformed(f"{text[:20]!r} is not a number, a text or True or False")
    kind, literal = match.lastgroup, match[match.lastgroup or 0]
    if kind == "flag":
        return literal == "True"
    if kind == "whole":
        return int(literal)
    if kind == "number":
        value = float(literal)
        if not math.isfinite(value):
            raise Malformed(f"{text[:20]!r} is too large a number")
        return value
    return literal

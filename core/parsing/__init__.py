# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounded readers of untrusted values: JSON texts, typed values in them, and arrays in archives."""

from .archives import Arrays, read_arrays
from .json_text import LONGEST_TEXT, Malformed, parse_json, parse_json_file, read_bounded
from .literals import parse_literal
from .typed_json import parse_object, plain, read_record, read_value, stored

__all__ = [
    "LONGEST_TEXT",
    "Arrays",
    "Malformed",
    "parse_json",
    "parse_json_file",
    "parse_literal",
    "parse_object",
    "plain",
    "read_arrays",
    "read_bounded",
    "read_record",
    "read_value",
    "stored",
]

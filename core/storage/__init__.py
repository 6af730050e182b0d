# SPDX-License-Identifier: GPL-3.0-or-later
"""Files written as a whole or not at all, folders of our own, and bounded readers of JSON and arrays."""

from .archives import Arrays, read_arrays
from .array_in_file import PIECE, ArrayInFile, checksums_of
from .json_text import LONGEST_TEXT, Malformed, parse_json, parse_json_file, read_bounded
from .literals import parse_literal
from .own_folder import OwnFolder, new_folder, new_folder_if_possible
from .typed_json import LARGEST_INTEGER, LARGEST_NUMBER, parse_object, plain, read_record, read_value, stored
from .unfinished import begin_unfinished, clear_leftovers, end_unfinished, remove_unfinished, this_host
from .whole_file import final_path, whole_file

__all__ = [
    "LARGEST_INTEGER",
    "LARGEST_NUMBER",
    "LONGEST_TEXT",
    "PIECE",
    "ArrayInFile",
    "Arrays",
    "Malformed",
    "OwnFolder",
    "begin_unfinished",
    "checksums_of",
    "clear_leftovers",
    "end_unfinished",
    "final_path",
    "new_folder",
    "new_folder_if_possible",
    "parse_json",
    "parse_json_file",
    "parse_literal",
    "parse_object",
    "plain",
    "read_arrays",
    "read_bounded",
    "read_record",
    "read_value",
    "remove_unfinished",
    "stored",
    "this_host",
    "whole_file",
]

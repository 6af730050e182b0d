# SPDX-License-Identifier: GPL-3.0-or-later
"""Files written as a whole or not at all, and temporary folders that only the process that made them removes."""

from .own_folder import OwnFolder, new_folder, new_folder_if_possible
from .unfinished import (
    begin_unfinished,
    clear_leftovers,
    end_unfinished,
    remove_unfinished,
    this_host,
)
from .whole_file import final_path, whole_file

__all__ = [
    "OwnFolder",
    "begin_unfinished",
    "clear_leftovers",
    "end_unfinished",
    "final_path",
    "new_folder",
    "new_folder_if_possible",
    "remove_unfinished",
    "this_host",
    "whole_file",
]

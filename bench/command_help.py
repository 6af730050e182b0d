# SPDX-License-Identifier: GPL-3.0-or-later
"""The help of every command of `genmm` as JSON, pairs of name and text, for the documentation."""

import argparse
import json
import os
import sys
from collections.abc import Iterator

from genmm_addon.command_line.arguments.parser import parser

COLUMNS = "100"
"""Characters in a line of help, which otherwise depend on the terminal."""


def commands_of(asked: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Yield the names and the help of a parser and of all commands below it, in their order."""
    yield asked.prog, asked.format_help()
    for action in asked._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from commands_of(below)


if __name__ == "__main__":
    os.environ["COLUMNS"] = COLUMNS
    with open(sys.argv[1], "w", encoding="utf-8") as target:
        json.dump(list(commands_of(parser())), target)

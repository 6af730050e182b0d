# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of measurements of `build.py bench`, and their options."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

SPEED = "speed"
"""The default kind."""


@dataclass(frozen=True)
class Kind:
    """A kind of measurement, made by the module of its name in `bench`. metavar: of its value, if it takes one."""

    name: str
    help: str
    metavar: str | None = None


@dataclass(frozen=True)
class Option:
    """An option of measurements: the kinds that take it, and its form.

    metavar: of its value, None for a switch. choices: its possible values. several: whether it takes one value or more.
    path: whether its value is a file or a folder.
    """

    name: str
    kinds: tuple[str, ...]
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    several: bool = False
    path: bool = False

    @property
    def key(self) -> str:
        """Return the option's name as an attribute of parsed arguments."""
        return self.name.replace("-", "_")


KINDS = (
    Kind("quality", "instead of times, a table of how good the results are"),
    Kind("control", "instead, what pins, loops and paths cost, JSON lines"),
    Kind("batch", "instead, what the command line takes, JSON lines"),
    Kind("memory", "instead, the memory of large presses, JSON lines"),
    Kind("short", "instead, results of examples cut short, JSON lines"),
    Kind("library", "instead, a folder of clips and long takes, JSON lines", "DIR"),
    Kind("filling", "instead, gaps filled out of a folder of clips, JSON lines", "DIR"),
    Kind("repair", "instead, noise taken off clips of a folder, JSON lines", "DIR"),
    Kind("places", "instead, ground, hands and ways on clips, JSON lines", "DIR"),
    Kind("live", "instead, steering through a library file, JSON lines", "LIBRARY"),
    Kind("same", "instead, digests of results as JSON", "OUT"),
    Kind("constants", "instead, effects of constants on results, JSON lines", "PATTERN"),
)
MEASURED = (SPEED, "quality", "control", "short", "same", "constants")
"""Kinds that measure the sample character's actions, and the motion files of a folder."""
OPTIONS = (
    Option("motions", MEASURED, "motion files to measure beside the sample character", "FOLDER", path=True),
    Option("save", (SPEED,), "save the examples and their variations as .npz", "FOLDER", path=True),
    Option("against", ("same",), "with --same, list what differs from an earlier OUT", "OLD", path=True),
    Option("json", ("quality",), "the table of --quality as JSON lines"),
    Option(
        "list",
        ("quality", "places"),
        "with --quality and --places: which clips",
        choices=("all", "chosen", "aside", "others"),
    ),
    Option("clips", ("quality", "places"), "with --quality files, with --places tables", "PATTERN", several=True),
    Option("long", ("quality",), "with --quality, also a result of so many frames", "FRAMES"),
    Option("onto", ("transfer",), "with --transfer, walks and runs brought to characters", "DIR", path=True),
    Option("shards", ("library",), "with --library, searched in up to so many copies (4)", "COUNT"),
    Option("mirrored", ("quality",), "with --quality, also learned from both ways"),
    Option("fixed", ("quality",), "with --quality, feet beside pins, or a given part", "WAY", several=True),
    Option("pin-sets", ("quality",), "with --fixed pins, so many sets of pins (1)", "COUNT"),
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the kinds and options of measurements to a command."""
    kinds = command.add_mutually_exclusive_group()
    for kind in KINDS:
        _add(kinds, kind.name, kind.help, kind.metavar)
    _add(command, "transfer", "with --library, styles and blends of its clips", None)
    for option in OPTIONS:
        _add(command, option.name, option.help, option.metavar, option.choices, option.several)
    command.add_argument("--seeds", type=int, default=20, help="variations of each example (20)")


def kind_of(options: argparse.Namespace) -> str:
    """Return the requested kind in parsed arguments."""
    if options.transfer:
        return "transfer"
    return next((kind.name for kind in KINDS if getattr(options, kind.name)), SPEED)


def fault_of(options: argparse.Namespace) -> str | None:
    """Return the sentence on parsed arguments that exclude each other; None if there are none."""
    if options.transfer and not options.library:
        return "--transfer needs the folder of clips: --library DIR"
    asked = kind_of(options)
    for option in OPTIONS:
        if getattr(options, option.key) and asked not in option.kinds:
            return f"--{option.name} goes with {' or '.join(option.kinds)}, not with {asked}"
    return None


def arguments_of(options: argparse.Namespace) -> list[str]:
    """Return the arguments for the module that measures, with absolute paths."""
    asked = kind_of(options)
    given = getattr(options, "library" if asked == "transfer" else asked, None)
    arguments = ["--seeds", str(options.seeds)]
    if isinstance(given, str):
        arguments = [given if asked == "constants" else _absolute(given)]
    for option in OPTIONS:
        if value := getattr(options, option.key):
            values = value if isinstance(value, list) else [value] if isinstance(value, str) else []
            arguments += [f"--{option.name}", *(map(_absolute, values) if option.path else values)]
    return arguments


class _Once(argparse.Action):
    """An action for a value that may be given once; argparse would silently ignore the first of two."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, flag: str | None = None
    ) -> None:
        """Store the value, or end the command if there is one already."""
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{flag} is given twice; give it once{', with all its values' if self.nargs else ''}")
        setattr(namespace, self.dest, values)


def _add(
    target: argparse._ActionsContainer,
    name: str,
    says: str,
    metavar: str | None,
    choices: tuple[str, ...] | None = None,
    several: bool = False,
) -> None:
    """Add an option that takes a value if it has a metavar or choices, and is a switch otherwise."""
    if metavar or choices:
        nargs = "+" if several else None
        target.add_argument(f"--{name}", metavar=metavar, choices=choices, nargs=nargs, action=_Once, help=says)
    else:
        target.add_argument(f"--{name}", action="store_true", help=says)


def _absolute(path: str) -> str:
    return str(Path(path).resolve())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Preset files of the method's parameters, written from a character's settings and applied to them."""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

from ..core import InputError
from ..core.fields import preset_names
from ..core.files import whole_file
from ..generation.request import RECORDS
from ..state.properties import GENMM_PG_character

SUBFOLDER = "genmm/method"
SHIPPED = str(Path(__file__).parents[1] / "interface")
"""The folder that holds the extension's own `presets`; Blender keeps those from being removed."""
LONGEST_FILE = 2**16
LONGEST_VALUE = 60
NAMES = preset_names(*RECORDS)
"""Names in presets; settings that name bones (root, feet, weights) are left out, since they fit one character only."""


def write_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Write the method's parameters, one `name = value` per line, as a whole or not at all. Raises OSError."""
    lines = [f"{name} = {_rounded(getattr(settings, name))!r}\n" for name in NAMES]
    with whole_file(path) as unfinished:
        unfinished.write_text("".join(lines), encoding="utf-8")


def _rounded(value: object) -> object:
    # Blender stores single precision: 0.01 would be written as 0.009999999776482582.
    return float(f"{value:.6g}") if isinstance(value, float) else value


def read_preset(path: Path) -> dict[str, object]:
    """Return the values in a preset file, which is parsed and never run. Raises InputError for any other file."""
    try:
        if path.stat().st_size > LONGEST_FILE:
            raise ValueError
        lines = path.read_text(encoding="utf-8").splitlines()
        with warnings.catch_warnings():
            # Python's parser also warns about broken text on the console; the error below is enough.
            warnings.simplefilter("ignore")
            values = {name: ast.literal_eval(value) for name, value in _assignments(lines)}
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(f"The preset {path.stem!r} cannot be read; save it again.") from error
    return values


def _assignments(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line `name = value` with one of our names. Raises ValueError for a value longer than any of ours."""
    for line in lines:
        name, _, value = (piece.strip() for piece in line.partition("="))
        if name in NAMES:
            # Deeply nested text can crash Python's parser.
            if len(value) > LONGEST_VALUE:
                raise ValueError
            yield name, value


def apply_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Set the method's parameters from a preset file. Raises InputError where a value does not fit."""
    for name, value in read_preset(path).items():
        try:
            setattr(settings, name, value)
        except TypeError as error:
            raise InputError(f"The preset {path.stem!r} has no valid value for {name}; save it again.") from error

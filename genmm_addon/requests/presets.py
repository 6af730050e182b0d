# SPDX-License-Identifier: GPL-3.0-or-later
"""Preset files of the method's parameters, written from a character's settings and applied to them."""

from collections.abc import Iterator
from pathlib import Path

from ..core import InputError
from ..core.fields import preset_properties
from ..core.storage import LONGEST_TEXT, Malformed, parse_literal, read_bounded, whole_file
from ..generation.request import RECORDS
from ..state.properties import GENMM_PG_character

SUBFOLDER = "genmm/method"
SHIPPED = str(Path(__file__).parents[1] / "interface")
"""The folder that holds the extension's own `presets`; Blender keeps those from being removed."""
PROPERTIES = preset_properties(*RECORDS)
"""Properties in presets, by name; settings that name bones (root, feet, weights) are left out, since they fit one
character only."""


def write_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Write the method's parameters, one `name = value` per line, as a whole or not at all. Raises OSError."""
    lines = [f"{name} = {_rounded(getattr(settings, name))!r}\n" for name in PROPERTIES]
    with whole_file(path) as unfinished:
        unfinished.write_text("".join(lines), encoding="utf-8")


def _rounded(value: object) -> object:
    # Blender stores single precision: 0.01 would be written as 0.009999999776482582.
    return float(f"{value:.6g}") if isinstance(value, float) else value


def read_preset(path: Path) -> dict[str, object]:
    """Return the values of all PROPERTIES for a preset file, which is parsed and never run.

    What a file does not name has its default, so that a preset always means the same. Raises InputError for any other
    file.
    """
    try:
        lines = read_bounded(path, LONGEST_TEXT).decode("utf-8-sig").splitlines()
        written = {name: parse_literal(value) for name, value in _assignments(lines)}
    except (OSError, UnicodeDecodeError, Malformed) as error:
        raise InputError(f"The preset {path.stem!r} cannot be read; save it again.") from error
    try:
        named = {name: PROPERTIES[name].taken(value) for name, value in written.items()}
    except InputError as error:
        raise InputError(f"The preset {path.stem!r} has an invalid value: {error}") from error
    return {name: shown.default for name, shown in PROPERTIES.items()} | named


def _assignments(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line `name = value` with one of our names."""
    for line in lines:
        name, _, value = (piece.strip() for piece in line.partition("="))
        if name in PROPERTIES:
            yield name, value


def apply_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Set the method's parameters from a preset file. Raises InputError, with nothing set, if a value does not fit."""
    for name, value in read_preset(path).items():
        setattr(settings, name, value)

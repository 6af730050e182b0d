# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm gather`: checks that all motions of a job exist and are whole, and lists them; the last step on a farm."""

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core import InputError, counted, listed
from ...core.storage import clear_leftovers, parse_json_file
from ..console import Console
from ..outputs.file_names import check_pattern, file_name
from ..outputs.made_with import FileOrigin, checksum, has_record, made_with
from ..outputs.whole_files import is_whole, whole_file
from .pages.picked import gather_picked

LIST = "motions.json"
KIND = "motions"
"""Marker of lists written by this command, which may be replaced."""


def gather(options: argparse.Namespace, console: Console) -> int:
    """Write the list, or the picked motions, and return the exit status. Raises InputError for an invalid pattern."""
    if options.picked is not None:
        if options.pattern or options.seeds or options.name:
            raise InputError("--picked already determines the motions; leave out --pattern, --name and --seeds.")
        return gather_picked(options, console)
    if options.folder is None or not options.pattern or not options.seeds:
        raise InputError("gather needs a folder, --pattern and --seeds, or --picked with the favorites of a gallery.")
    fields = check_pattern(options.pattern)
    if "seed" not in fields or fields - {"seed", "name"}:
        raise InputError(f'The pattern "{options.pattern}" must contain {{seed}}, and no other field except {{name}}.')
    if "name" in fields and not options.name:
        raise InputError("The pattern contains {name}; set its value with --name.")
    target = Path(options.output) if options.output else options.folder / LIST
    _check_list(target)
    entries: list[dict[str, Any]] = []
    missing: list[str] = []
    others: list[str] = []
    first: FileOrigin | None = None
    for number, seed in enumerate(options.seeds, start=1):
        place = options.folder / file_name(options.pattern, {"name": options.name, "seed": seed})
        made = made_with(place) if is_whole(place) else None
        if not is_whole(place):
            missing.append(place.name)
        elif _is_other(place, seed, made, first):
            others.append(place.name)
        else:
            first = first or made
            entries.append(_entry(place, options.folder, seed))
        console.progress(
            "checked", f"{number}/{len(options.seeds)} {place}", number / len(options.seeds), file=str(place)
        )
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        asked = counted(len(options.seeds), "motion")
        console.error(f"{len(missing)} of {asked} {verb} missing or broken: {listed(missing, '')}.")
        return 1
    if others:
        named = listed(others, "")
        console.error(f"Generated from different inputs than the other motions, or modified since: {named}.")
        return 1
    clear_leftovers(target.parent)
    with whole_file(target) as unfinished:
        unfinished.write_text(json.dumps({"genmm": KIND, "version": 1, "motions": entries}, indent=1) + "\n")
    present = "The motion is" if len(entries) == 1 else f"All {len(entries)} motions are"
    console.end(f"{present} present and listed in {target}.", motions=len(entries), list=str(target))
    return 0


def _check_list(path: Path) -> None:
    """Raise InputError if a file of this name exists and is not a list of motions."""
    if not os.path.lexists(path):
        return
    try:
        is_own = parse_json_file(path)["genmm"] == KIND
    except (OSError, ValueError, TypeError, KeyError):
        is_own = False
    if not is_own:
        raise InputError(f'"{path}" already exists and is not a list of motions; choose another --output.')


def _is_other(path: Path, seed: int, made: FileOrigin | None, first: FileOrigin | None) -> bool:
    """Return whether a complete file has a different seed from its name, or a different origin from the first one."""
    if made is None:
        return has_record(path)
    if made.seeds != (seed,):
        return True
    return first is not None and replace(made, seeds=first.seeds) != first


def _entry(path: Path, folder: Path, seed: int) -> dict[str, Any]:
    name = path.relative_to(folder).as_posix()
    return {"seed": seed, "file": name, "bytes": path.stat().st_size, "sha256": checksum(path)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm gather`: whether all motions of a job are there and whole, and a list of them: the last step on a farm."""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from ..core import InputError
from ..core.counted import counted
from .console import Console
from .file_names import check_pattern, file_name
from .unfinished import clear_leftovers
from .whole_files import is_whole, whole_file

LIST = "motions.json"
MOST_NAMED = 5


def gather(options: argparse.Namespace, console: Console) -> int:
    """Write the list; the exit status. Raises InputError for what is no pattern."""
    fields = check_pattern(options.pattern)
    if "seed" not in fields or fields - {"seed", "name"}:
        raise InputError(f'The pattern "{options.pattern}" must have {{seed}}, and beside it {{name}} at most.')
    if "name" in fields and not options.name:
        raise InputError("The pattern has {name}; say with --name what it stands for.")
    entries: list[dict[str, Any]] = []
    missing = []
    for number, seed in enumerate(options.seeds, start=1):
        place = options.folder / file_name(options.pattern, {"name": options.name, "seed": seed})
        if is_whole(place):
            entries.append(_entry(place, options.folder, seed))
        else:
            missing.append(place.name)
        console.progress(
            "checked", f"{number}/{len(options.seeds)} {place}", number / len(options.seeds), file=str(place)
        )
    if missing:
        named = ", ".join(missing[:MOST_NAMED]) + (
            f" and {len(missing) - MOST_NAMED} more" if missing[MOST_NAMED:] else ""
        )
        verb = "is" if len(missing) == 1 else "are"
        asked = counted(len(options.seeds), "motion")
        console.error(f"{len(missing)} of {asked} {verb} missing or broken: {named}.")
        return 1
    target = options.output or options.folder / LIST
    clear_leftovers(target.parent)
    with whole_file(target) as unfinished:
        unfinished.write_text(json.dumps({"genmm": "motions", "version": 1, "motions": entries}, indent=1) + "\n")
    whole = "The motion is there; it is" if len(entries) == 1 else f"All {len(entries)} motions are there; they are"
    console.end(f"{whole} listed in {target}.", motions=len(entries), list=str(target))
    return 0


def _entry(path: Path, folder: Path, seed: int) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"seed": seed, "file": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size, "sha256": digest}

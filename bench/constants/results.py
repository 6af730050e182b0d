# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests and measures of the cases of `bench --same`, with one constant at another value, as a JSON object."""

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from .inventory import Constant, use_other_value

PACKAGE = "genmm_addon.core"
EXAMPLES = 2
"""Number of a library's clips of which plain results, and those by parts, are made."""


def main(arguments: list[str]) -> int:
    """Write the digest and measures of each case; arguments: a library file, and the constant as a JSON list."""
    library, constant = Path(arguments[0]), Constant(*json.loads(arguments[1]))
    use_other_value(PACKAGE, constant)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    json.dump(_results(library), answers)
    answers.close()
    return 0


def _results(path: Path) -> dict[str, dict[str, float | str]]:
    from genmm_addon.core import InputError, Motion, metrics  # after the constant is at its other value
    from genmm_addon.core.feet import find_feet
    from genmm_addon.core.library import load_library

    from ..same.digests import Value, digest
    from ..same.edits import edit_cases
    from ..same.results import part_cases, path_case, plain_cases

    library = load_library(path)
    motions = [library.motion(number) for number in range(len(library.clips))]

    def measures(made: list[Motion], example: Motion) -> dict[str, float | str]:
        """Return the worst of each measure; empty if there is no motion, or one of another skeleton."""
        if not made or made[0].skeleton.names != example.skeleton.names:
            return {}
        feet = [foot.joint for foot in find_feet([example])]
        base, size = metrics.ground_base(example, feet), example.skeleton.size
        return {
            "local": max(metrics.local_distance(motion, example) for motion in made),
            "complete": max(metrics.completeness(motion, example) for motion in made),
            "jerk": max(metrics.acceleration_ratios(motion, example)[1] for motion in made),
            "skate": max(metrics.foot_skate(motion, feet, base, size) for motion in made) if feet else 0.0,
        }

    def cases() -> Iterator[tuple[str, Sequence[Value] | str, Motion]]:
        for number, motion in enumerate(motions[:EXAMPLES]):
            for group in (plain_cases, path_case, part_cases):
                try:
                    for name, results in group(motion):
                        yield f"{number}: {name}", results, motion
                except InputError as error:
                    yield f"{number}: {group.__name__}", str(error), motion
        for name, results in edit_cases(library):
            yield f"edit: {name}", results, motions[0]

    measured: dict[str, dict[str, float | str]] = {}
    start = time.process_time()
    for name, results, example in cases():
        row: dict[str, float | str] = {"digest": results if isinstance(results, str) else digest(*results)}
        row["time"] = time.process_time() - start
        made = [] if isinstance(results, str) else [getattr(value, "motion", value) for value in results]
        measured[name] = row | measures([value for value in made if isinstance(value, Motion)], example)
        start = time.process_time()
    return measured


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

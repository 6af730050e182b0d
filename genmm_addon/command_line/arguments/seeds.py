# SPDX-License-Identifier: GPL-3.0-or-later
"""Parser of seeds on the command line: `7`, `0-99`, `0-9,20,30-39`, `0-99:10`."""

import re

from ...core import InputError
from ...generation.request import LARGEST_SEED
from ...requests.request_values import SEEDS_TO_DRAW

_PIECE = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")


def parse_seeds(text: str) -> tuple[int, ...]:
    """Return the seeds in order, without repetitions. Raises InputError for an invalid text."""
    seeds: dict[int, None] = {}
    for piece in text.split(","):
        match = _PIECE.fullmatch(piece.strip())
        if match is None:
            raise InputError(f'"{piece[:40]}" is not a seed or range of seeds; write it as 7, 0-99 or 0-9,20,30-39.')
        first, last, step = (int(number) if number else None for number in match.groups())
        assert first is not None
        last = first if last is None else last
        if max(first, last) > LARGEST_SEED:
            raise InputError(f"A seed must lie between 0 and {LARGEST_SEED:,}.")
        if last < first or step == 0:
            raise InputError(
                f'"{piece[:40]}" is not a range: its end must not be below its start, and its step must be above 0.'
            )
        if (last - first) // (step or 1) + 1 + len(seeds) > SEEDS_TO_DRAW:
            raise InputError(f"More than {SEEDS_TO_DRAW:,} seeds are requested; split them into several runs.")
        seeds.update(dict.fromkeys(range(first, last + 1, step or 1)))
    return tuple(seeds)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of the values of options. All but `number` raise ArgumentTypeError for a text that is no such value."""

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...animation.labels import parse_tags
from ...animation.reading.example_spec import MIRRORED_CHOICES, REPETITION_CHOICES
from ...core import InputError
from ...core.fields import Choice
from ...core.library import parse_choice
from ...generation.request import LARGEST_SEED
from ...requests.request_values import SEEDS_TO_DRAW

_PIECE = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")


def path_or_none(text: str) -> Path | None:
    """Return a path; None for one that is not set, which render farms pass as an empty string or "."."""
    return None if text in ("", ".") else Path(text)


def frame_range(text: str) -> tuple[float, float]:
    """Return the first and the last frame of a range such as 1-80."""
    frame = r"(-?\d+(?:\.\d+)?)"
    match = re.fullmatch(f"{frame}-{frame}", text.replace(",", ""))
    start, end = (float(match[1]), float(match[2])) if match is not None else (1.0, 0.0)
    if not start <= end < math.inf:
        raise argparse.ArgumentTypeError(f'"{text}" is not a range of frames; write it as 1-80')
    return start, end


def number(text: str) -> float:
    """Return a finite number; NaN, which fails every comparison, for a text that is none."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def tags_of_action(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the pattern of names of actions and their tags; tags of a library's clips have no name."""
    name, colon, tags = text.partition(":")
    try:
        if not colon and parse_choice(text):
            return "", (text,)  # tags that choose clips of a library
        pairs = parse_tags(tags)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not colon or not name.strip() or not pairs:
        raise argparse.ArgumentTypeError(f'"{text}" is not an action with tags; write it as "walk: style=angry"')
    return name.strip(), pairs


def mirrored(text: str) -> tuple[str, Any]:
    """Return the pattern of names of actions, and how they are mirrored."""
    return _of_action(text, MIRRORED_CHOICES, "mirroring")


def repetition(text: str) -> tuple[str, Any]:
    """Return the pattern of names of actions, and how they repeat."""
    return _of_action(text, REPETITION_CHOICES, "repetition")


def _of_action(text: str, choices: Sequence[Choice], noun: str) -> tuple[str, Any]:
    """Return a pattern of names of actions and the value of a choice for them; noun: of the choices."""
    name, colon, word = text.rpartition(":")
    words = {choice.word: choice.value for choice in choices}
    if word.strip() not in words or (colon and not name.strip()):
        known = " or ".join((", ".join(list(words)[:-1]), list(words)[-1]))
        example = f"walk: {list(words)[-1]}"
        raise argparse.ArgumentTypeError(f'"{text}" is not a choice of {noun}; write {known}, or "{example}"')
    return name.strip() or "*", words[word.strip()]


def seeds(text: str) -> tuple[int, ...]:
    """Return the seeds of a list such as 0-9,20."""
    try:
        return parse_seeds(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def processes(text: str) -> int:
    """Return a number of processes."""
    try:
        count = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f'"{text}" is not a whole number') from error
    if count < 1:
        raise argparse.ArgumentTypeError(
            "the number of processes must be 1 or more; leave the option out for one per core"
        )
    return count


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

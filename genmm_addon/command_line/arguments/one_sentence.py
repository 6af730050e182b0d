# SPDX-License-Identifier: GPL-3.0-or-later
"""A parser of arguments that reports errors in one sentence, without the usage before it."""

import argparse
import math
import re
from contextlib import suppress
from typing import Any, NoReturn

_ARGUMENT = re.compile(r"argument (\S+?)(?:/\S+)*: (.*)", re.DOTALL)
_SENTENCES = (
    (re.compile(r"invalid int value: '(.*)'", re.DOTALL), '{name} takes a whole number, not "{0}".'),
    (re.compile(r"invalid float value: '(.*)'", re.DOTALL), '{name} takes a number, not "{0}".'),
    (
        re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)", re.DOTALL),
        'There is no command "{0}"; there is {1}.',
    ),
    (re.compile(r"not allowed with argument (\S+?)(?:/\S+)*"), "{name} and {0} exclude each other; give one of them."),
    (re.compile(r"expected (?:one|at least one) argument"), "{name} needs a value."),
    (re.compile(r"ignored explicit argument '(.*)'", re.DOTALL), '{name} takes no value, and "{0}" is one.'),
)
_WHOLE = (
    (
        re.compile(r"unrecognized arguments: ([^-].*)", re.DOTALL),
        '"{0}" is one word too many; {program} --help says which there are.',
    ),
    (re.compile(r"unrecognized arguments: (.*)", re.DOTALL), 'There is no option "{0}"; {program} --help lists all.'),
    (
        re.compile(r"the following arguments are required: (.*)", re.DOTALL),
        "{0} is missing; {program} --help says more.",
    ),
    (re.compile(r"ambiguous option: (\S+) could match (.*)", re.DOTALL), '"{0}" may be {1}; write it in full.'),
)
LONGEST = 200
"""Most characters of the input that a sentence repeats."""


NEGATIVE = re.compile(r"-\.?\d")
"""Beginning of negative numbers, ranges and lists: values, since no option begins with a digit."""


def finite(text: str) -> float:
    """Return the number in a text. Raises ValueError for any other text, NaN and infinity included."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


class OneSentenceParser(argparse.ArgumentParser):
    """A parser that exits with status 2 and one sentence where the arguments cannot be understood.

    A value may begin with a minus and a digit, and a number is finite.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._negative_number_matcher = NEGATIVE
        self.register("type", float, finite)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Return the parsed arguments; exit for unknown ones here, so that the message names the command's own help."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a message, if it can be written."""
        with suppress(OSError):
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """Print the sentence and exit."""
        self.exit(2, f"genmm: {sentence_of(message, self.prog)}\n")


def sentence_of(message: str, program: str) -> str:
    """Return a message of argparse as one sentence; program: the command whose --help it names."""
    match = _ARGUMENT.fullmatch(message)
    if match is None:
        return _in_words(message, _WHOLE, program=program) or _ended(message)
    name, said = match.groups()
    return _in_words(said, _SENTENCES, name=name) or _ended(f"{name}: {said}")


def _in_words(message: str, sentences: tuple[tuple[re.Pattern[str], str], ...], **values: str) -> str | None:
    for pattern, sentence in sentences:
        match = pattern.fullmatch(message)
        if match is not None:
            return sentence.format(*(" ".join(group.split())[:LONGEST] for group in match.groups()), **values)
    return None


def _ended(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith(".") else text + "."

# SPDX-License-Identifier: GPL-3.0-or-later
"""A parser of arguments whose errors are one sentence, without the usage before it."""

import argparse
import math
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from ...core import InputError

_ARGUMENT = re.compile(r"argument (\S+?)(?:/\S+)*: (.*)", re.DOTALL)
_SENTENCES = (
    (re.compile(r"invalid int value: '(.*)'", re.DOTALL), '{name} must be a whole number, not "{0}".'),
    (re.compile(r"invalid float value: '(.*)'", re.DOTALL), '{name} must be a number, not "{0}".'),
    (re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)", re.DOTALL), 'Unknown command "{0}"; choose from {1}.'),
    (re.compile(r"not allowed with argument (\S+?)(?:/\S+)*"), "{name} and {0} cannot be combined; use one of them."),
    (re.compile(r"expected (?:one|at least one) argument"), "{name} needs a value; see {program} --help."),
    (re.compile(r"ignored explicit argument '(.*)'", re.DOTALL), '{name} does not accept a value; remove "{0}".'),
)
_WHOLE = (
    (re.compile(r"unrecognized arguments: ([^-].*)", re.DOTALL), 'Unexpected argument "{0}"; see {program} --help.'),
    (re.compile(r"unrecognized arguments: (.*)", re.DOTALL), 'Unknown option "{0}"; see {program} --help.'),
    (re.compile(r"the following arguments are required: (.*)", re.DOTALL), "{0} is required; see {program} --help."),
    (re.compile(r"one of the arguments (\S+) (\S+) is required"), "{0} or {1} is required; see {program} --help."),
    (
        re.compile(r"one of the arguments (\S+) (\S+) (\S+) is required"),
        "{0}, {1} or {2} is required; see {program} --help.",
    ),
    (
        re.compile(r"ambiguous option: (\S+) could match (.*)", re.DOTALL),
        '"{0}" could be {1}; write the option in full.',
    ),
)
LONGEST = 200
"""Maximum number of characters of the input quoted in a message."""


UNSET_AS_POINT = ("--settings", "--library", "--style")
"""Options for files that some render farms pass as "." if they are unset."""
EVERYTHING = "all"
"""Word after --help for the help on all options."""
NEGATIVE = re.compile(r"-\.?\d")
"""Beginning of negative numbers, ranges and lists, which are values, since no option begins with a digit."""


def finite(text: str) -> float:
    """Return the number in a text. Raises ValueError for any other text, including NaN and infinity."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


class _Help(argparse.Action):
    """The option for help: the main options of a command, or all of them."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        assert isinstance(parser, OneSentenceParser)
        parser._print_message(parser.format_help() if values == EVERYTHING else parser.format_brief_help(), sys.stdout)
        parser.exit()


class OneSentenceParser(argparse.ArgumentParser):
    """A parser that raises InputError with one sentence for invalid arguments.

    A value may begin with a minus and a digit, and a number is finite. main: the options that `--help` explains, if it
    is not to explain all.
    """

    def __init__(self, *args: Any, main: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*args, **{**options, "add_help": False})
        self._main = main
        self._negative_number_matcher = NEGATIVE
        self.register("type", float, finite)
        what = "show the main options, or all of them" if main else "show this help"
        self.add_argument(
            "-h", "--help", action=_Help, nargs="?" if main else 0, metavar=EVERYTHING, help=f"{what}, and exit"
        )

    def format_brief_help(self) -> str:
        """Return the help with the main options only."""
        if not self._main:
            return self.format_help()
        formatter = self._get_formatter()
        inputs = [action for action in self._actions if not action.option_strings]
        named = " ".join(formatter._format_args(action, action.dest.upper()) for action in inputs)
        formatter.add_usage(f"%(prog)s {named} [OPTION ...]", [], [])
        formatter.add_text(self.description)
        options = [self._option_string_actions[name] for name in ("--help", *self._main)]
        for title, actions in (("input", inputs), ("main options", options)):
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        rest = len({id(action) for action in self._actions}) - len(inputs) - len(options)
        formatter.add_text(f"{self.prog} --help {EVERYTHING} explains {rest} more.")
        return formatter.format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Return the parsed arguments; exit here for unknown ones, so the message refers to the help of the command."""
        words = sys.argv[1:] if args is None else list(args)
        for word in words:
            self._warn_of_abbreviation(word)
        parsed, unknown = super().parse_known_args(self._given(words), namespace)
        several = [action for action in self._actions if not action.option_strings and action.nargs in ("*", "+")]
        if unknown and several and not any(word.startswith("-") for word in unknown):
            # argparse ends a list of inputs at the next option, although users write some of them after it.
            getattr(parsed, several[0].dest).extend(self._get_values(several[0], unknown))
            unknown = []
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown

    def _warn_of_abbreviation(self, word: str) -> None:
        """Print a warning for an abbreviated option; the next version will accept whole ones only."""
        name = word.partition("=")[0]
        whole = [option for option in self._option_string_actions if option.startswith(name)]
        if name.startswith("--") and len(name) > 2 and len(whole) == 1 and whole[0] != name:
            text = f"genmm: {name} is short for {whole[0]}; write it in full, since the next version requires that.\n"
            self._print_message(text, sys.stderr)

    def _given(self, words: Sequence[str]) -> list[str]:
        """Return the words without options whose value is empty, which job templates pass where nothing is chosen."""
        given: list[str] = []
        for word in words:
            option = self._option_string_actions.get(given[-1]) if given else None
            takes_one = option is not None and option.nargs is None
            if takes_one and (word == "" or (word == "." and given[-1] in UNSET_AS_POINT)):
                given.pop()
            else:
                given.append(word)
        return given

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a message, if it can be written."""
        with suppress(OSError):
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """Raise InputError with the sentence."""
        raise InputError(sentence_of(message, self.prog))


def sentence_of(message: str, program: str) -> str:
    """Return a message of argparse as one sentence; program: the command whose --help it refers to."""
    match = _ARGUMENT.fullmatch(message)
    if match is None:
        return _in_words(message, _WHOLE, program=program) or _ended(message)
    name, said = match.groups()
    return _in_words(said, _SENTENCES, name=name, program=program) or _ended(f"{name}: {said}")


def _in_words(message: str, sentences: tuple[tuple[re.Pattern[str], str], ...], **values: str) -> str | None:
    for pattern, sentence in sentences:
        match = pattern.fullmatch(message)
        if match is not None:
            return sentence.format(*(" ".join(group.split())[:LONGEST] for group in match.groups()), **values)
    return None


def _ended(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith(".") else text + "."

# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the command line for settings, and their given values."""

import argparse
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args, get_type_hints

from ...core.fields import Setting, settings_in
from ...generation.request import RECORDS

SEVERAL: dict[str, dict[str, Any]] = {"each": {"nargs": "*"}, "again": {"action": "append"}}


def add_options(group: argparse._ActionsContainer, heading: str) -> None:
    """Add the options of all settings under a heading, in the order of the fields."""
    for kind in RECORDS:
        for name, setting in settings_in(kind).items():
            if setting.option is not None and setting.option.group == heading:
                add_option(group, kind, name)


def add_option(group: argparse._ActionsContainer, kind: type, name: str, **shape: Any) -> None:
    """Add the option of one setting, a field of the record class `kind`; shape: what differs from its description."""
    setting = settings_in(kind)[name]
    described = {"default": None, "help": setting.option.help, **_shape(setting, get_type_hints(kind)[name])}
    group.add_argument(setting.option.flag, dest=setting.option.destination, **described | shape)


def said(kind: type, options: argparse.Namespace, fields: Collection[str] | None = None) -> dict[str, Any]:
    """Return the values of the given options by field of the record class `kind`. Raises InputError.

    fields: those whose options the command has; None for all.
    """
    given = {}
    for name, setting in settings_in(kind).items():
        is_option = setting.option is not None and (fields is None or name in fields)
        written = getattr(options, setting.option.destination) if is_option else None
        if written is not None:
            given[name] = _value(setting, written)
    return given


def choice(*words: str) -> Callable[[str], str]:
    """Return a reader of one of the words, which ignores case."""

    def chosen(text: str) -> str:
        if text.lower() not in words:
            raise argparse.ArgumentTypeError(f'"{text}" is not one of {", ".join(words)}')
        return text.lower()

    return chosen


def _shape(setting: Setting, annotation: Any) -> dict[str, Any]:
    """Return the arguments of `add_argument` for a setting's type and choices."""
    option, words = setting.option, _words(setting)
    if annotation is bool and not words:
        return {"action": "store_true"}
    if words:
        kind: Any = choice(*words)
    elif option.read is not None:
        kind = str
    else:
        kind = option.kind or (get_args(annotation) or (annotation,))[0]
    return {"type": kind, "metavar": option.metavar, **SEVERAL.get(option.several, {})}


def _value(setting: Setting, written: Any) -> Any:
    option, words = setting.option, _words(setting)
    if option.read is not None:
        return option.read(written, option.flag)
    if words:
        return words[written]
    return not setting.properties[0].default if written is True else written


def _words(setting: Setting) -> Mapping[str, Any]:
    """Return a setting's words with their values; none if it takes any text."""
    choices = setting.properties[0].choices
    return dict(setting.option.words) or {entry.word: entry.value for entry in choices if entry.word}

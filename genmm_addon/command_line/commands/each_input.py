# SPDX-License-Identifier: GPL-3.0-or-later
"""Repetition of a command for each of several inputs."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial, wraps
from itertools import islice
from pathlib import Path

from ...core import InputError, counted
from ...files.import_file import import_alone
from ..console import Console
from ..errors import FAILED, NOTHING_WRONG, REFUSED, Failed, WrongOption
from ..inputs.opening import expanded
from ..outputs.exports import check_kind
from ..outputs.file_names import check_pattern, file_name
from ..stopping import check_stop

KINDS = (".blend", ".bvh", ".fbx", ".glb")
Command = Callable[[argparse.Namespace, Console], int]


def status_of(piece: Callable[[], int], console: Console, *, is_note: bool = False) -> int:
    """Run one of several pieces and return its status; errors are reported, so the other pieces can still run.

    is_note: whether the refusal of an input is reported as a note. An option that is wrong for all of them is raised.
    """
    try:
        return piece()
    except InputError as error:
        check_stop()  # an importer may have treated the request to stop as a failure
        if is_note and isinstance(error, WrongOption):
            raise
        (console.note if is_note else console.error)(str(error))
        return REFUSED
    except Failed as error:
        check_stop()
        console.error(str(error))
        return FAILED


def status_of_all(statuses: Iterable[int]) -> int:
    """Return the combined status of all pieces; failures take precedence over refusals."""
    distinct = set(statuses)
    return FAILED if FAILED in distinct else max(distinct, default=NOTHING_WRONG)


def _always(_options: argparse.Namespace) -> bool:
    return True


def for_each_input(writes: Callable[[argparse.Namespace], bool] = _always) -> Callable[[Command], Command]:
    """Return a decorator that runs a command for each input in the options; None is the open file.

    The options passed to the command have its `input` and `output`. writes: returns whether it writes files.
    Raises InputError for an output that cannot be written and, unless such inputs are tolerated, for two with the same.
    """

    def decorated(work: Command) -> Command:
        @wraps(work)
        def command(options: argparse.Namespace, console: Console) -> int:
            inputs: Sequence[Path | None] = expanded(options.inputs) or (None,)
            shard = options.shard
            pieces = [_piece(options, path) for path in (shard.of(inputs) if shard else inputs)]
            if not pieces:
                console.end(f"Nothing to do: {counted(len(inputs), 'input')} in {shard.count} shards.", done=0)
                return NOTHING_WRONG
            doubles = frozenset[Path | None]()
            if writes(options):
                check_kind(pieces[0].output, KINDS)
                doubles = _doubles(options.output, inputs)
            else:
                for piece in pieces:
                    piece.force = True  # No file is written, so none can be overwritten.
            if options.tolerate is None:
                for piece in pieces:
                    _check_single(piece, doubles)
                if len(inputs) == 1:
                    return work(pieces[0], console)

            def once(piece: argparse.Namespace, part: Console) -> int:
                _check_single(piece, doubles)
                return work(piece, part)

            return _all_done(once, pieces, doubles, console)

        return command

    return decorated


def _all_done(
    work: Command, pieces: Sequence[argparse.Namespace], doubles: frozenset[Path | None], console: Console
) -> int:
    statuses = []
    for number, piece in enumerate(pieces):
        name = "open file" if piece.input is None else piece.input.name
        part = console.of_one(name, number, len(pieces))
        part.status(f"At {name}")
        statuses.append(status_of(partial(work, piece, part), part, is_note=piece.tolerate is not None))
        check_stop()
    done, status = statuses.count(NOTHING_WRONG), status_of_all(statuses)
    tolerance, refused = pieces[0].tolerate, statuses.count(REFUSED)
    if tolerance is not None and status == REFUSED:
        own = (piece.input for piece in pieces if piece.input not in doubles)
        # If several files are whole, but none can be used, an option is wrong rather than each of them.
        if not done and len(list(islice(filter(_is_readable, own), 2))) > 1:
            console.error(f"None of {counted(len(pieces), 'input')} can be used; the notes say why.")
        elif tolerance.allows(refused, len(pieces)):
            status = NOTHING_WRONG
        else:
            console.error(
                f"{refused:,} of {counted(len(pieces), 'input')} cannot be edited, and --tolerate allows {tolerance}; "
                "repair or remove them."
            )
    console.end(f"{done} of {len(pieces)} inputs done.", done=done, status=status)
    return status


def _is_readable(path: Path | None) -> bool:
    """Return whether an input contains characters; a file replaces the open one."""
    try:
        return path is None or bool(import_alone(path))
    except InputError:
        return False


def _piece(options: argparse.Namespace, path: Path | None) -> argparse.Namespace:
    piece = copy(options)
    piece.input, piece.output = path, _output(options.output, path)
    return piece


def _output(pattern: str, path: Path | None) -> Path:
    """Return the path of an input's result. Raises InputError for a pattern with other fields than the name."""
    others = sorted(check_pattern(pattern) - {"name"})
    if others:
        raise InputError(
            f'The output "{pattern}" has {{{others[0]}}}; only {{name}}, the name of the input, is available here.'
        )
    return file_name(pattern, {"name": "open" if path is None else path.stem})


def _doubles(pattern: str, inputs: Sequence[Path | None]) -> frozenset[Path | None]:
    """Return the inputs whose results have the place of an earlier one's, which may be in another shard.

    Raises InputError if all inputs have the same output.
    """
    if len(inputs) > 1 and "name" not in check_pattern(pattern):
        raise InputError(f'The output "{pattern}" is the same file for every input; add {{name}} to it.')
    first = dict[Path, Path | None]()
    return frozenset(path for path in inputs if first.setdefault(_output(pattern, path).absolute(), path) != path)


def _check_single(piece: argparse.Namespace, doubles: frozenset[Path | None]) -> None:
    """Raise InputError for an input that is one of the doubles."""
    if piece.input in doubles:
        raise InputError(
            f'"{piece.output}" would be written twice, for inputs with the same name; process these in separate '
            "commands."
        )

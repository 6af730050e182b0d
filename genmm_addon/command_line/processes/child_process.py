# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that work for a command: communication in pickles over their pipes, and their end."""

import pickle
import subprocess
from collections.abc import Iterable
from typing import Any

from ...libraries.reading.pipes import ending_of
from ..errors import Failed


def tell(child: "subprocess.Popen[bytes]", text: bytes, work: str) -> None:
    """Send a pickle to a process; work: the process's work, for messages. Raises Failed if it has ended."""
    assert child.stdin is not None
    try:
        child.stdin.write(text)
        child.stdin.flush()
    except OSError as error:
        raise Failed(lost(child, work)) from error


def heard(child: "subprocess.Popen[bytes]", work: str) -> Any:
    """Return the next answer of a process. Raises Failed if it has ended."""
    assert child.stdout is not None
    try:
        return pickle.load(child.stdout)
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        raise Failed(lost(child, work)) from error


def lost(child: "subprocess.Popen[bytes]", work: str) -> str:
    """Return the message for a process that has ended unexpectedly."""
    return f"A process that {work} {ending_of(child)}, possibly out of memory; use fewer with --jobs."


def kill(children: "Iterable[subprocess.Popen[bytes]]") -> None:
    """End processes at once."""
    for child in children:
        child.kill()


def bury(children: "Iterable[subprocess.Popen[bytes]]") -> None:
    """End processes at once, and wait until they have ended."""
    kill(children)
    for child in children:
        child.communicate()

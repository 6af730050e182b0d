# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that work for a command: communication in pickles over their pipes, and their end."""

import pickle
import signal
import subprocess
from collections.abc import Iterable
from typing import Any

from ..errors import Failed

ENDING = 5.0
"""Maximum time between closing the pipe of a process and its end, in seconds."""


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


def ending_of(child: "subprocess.Popen[bytes]") -> str:
    """Return a description of how a process ended, which may take a moment after its pipe has closed."""
    try:
        status = child.wait(timeout=ENDING)
    except subprocess.TimeoutExpired:
        return "has stopped answering"
    if status >= 0:
        return f"ended (status {status})"
    try:
        return f"was ended by the signal {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by the signal {-status}"


def kill(children: "Iterable[subprocess.Popen[bytes]]") -> None:
    """End processes at once."""
    for child in children:
        child.kill()


def bury(children: "Iterable[subprocess.Popen[bytes]]") -> None:
    """End processes at once, and wait until they have ended."""
    kill(children)
    for child in children:
        child.communicate()

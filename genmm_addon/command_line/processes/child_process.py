# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that work for a command: speaking with them in pickles over their pipes, and how they end."""

import pickle
import signal
import subprocess
from collections.abc import Iterable
from typing import Any

from ..errors import Failed

ENDING = 5.0
"""Seconds that a process may take from closing its pipe to its end."""


def tell(child: "subprocess.Popen[bytes]", text: bytes, work: str) -> None:
    """Send a pickle. work: what the process does, as its end is said. Raises Failed where it has ended."""
    assert child.stdin is not None
    try:
        child.stdin.write(text)
        child.stdin.flush()
    except OSError as error:
        raise Failed(lost(child, work)) from error


def heard(child: "subprocess.Popen[bytes]", work: str) -> Any:
    """Return the next answer. Raises Failed where the process ends instead."""
    assert child.stdout is not None
    try:
        return pickle.load(child.stdout)
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        raise Failed(lost(child, work)) from error


def lost(child: "subprocess.Popen[bytes]", work: str) -> str:
    """Return the sentence on a process that has ended on its own."""
    return f"A process that {work} {ending_of(child)}, out of memory maybe; try fewer with --jobs."


def ending_of(child: "subprocess.Popen[bytes]") -> str:
    """Return in words how a process ended whose pipe has ended: its end may take a moment longer to be seen."""
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

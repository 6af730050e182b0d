# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of the file with a new action, and its report."""

import argparse

from ....core import Progress
from ....editing.transforming.writing import Transformed
from ...console import Console
from ...inputs.opening import Opened
from ..edited_file import write_edited

STEPS = 10
"""Maximum number of progress lines."""


def progress_said(console: Console, event: str) -> Progress:
    """Return a progress callback that prints lines such as "30 % restyled"."""
    last = 0

    def progress(share: float) -> None:
        nonlocal last
        step = int(STEPS * share + 1e-9)
        if step > last:
            last = step
            console.progress(event, f"{step / STEPS:.0%} {event}", step / STEPS)

    return progress


def write_transformed(options: argparse.Namespace, opened: Opened, made: Transformed, console: Console) -> int:
    """Write the file with a new action, report it and return the exit status. Raises Failed if it cannot be written."""
    for note in made.notes:
        console.note(note)
    write_edited(options, opened, made.action)
    console.end(f"{made.said} Written to {options.output}.", file=str(options.output))
    return 0

# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of processes that fit into memory: each has a copy of the preparation, and makes a result."""

from ...core import Constraints, Prepared
from ...core.examples import as_text, body_size, fits, preparation_needs, purpose_of, synthesis_needs

PROCESS_BYTES = 60e6
"""Memory of an idle Python process with NumPy, in bytes."""


def processes_that_fit(
    prepared: Prepared, frames: int, constraints: Constraints, requested: int, waiting: int
) -> tuple[int, str]:
    """Return the number of requested processes that fit into memory, at least 1, and a note if there are fewer.

    waiting: maximum number of results per process that wait to be written.
    """
    if requested <= 1:
        return requested, ""
    body, purpose = body_size(prepared.motions[0]), purpose_of(prepared)
    lengths = (prepared.bounds.ends - prepared.bounds.starts).tolist()
    kept = preparation_needs(lengths, body, purpose).kept
    feet, added = len(prepared.feet), [constraint.memory for constraint in constraints]
    result = synthesis_needs(frames, lengths, body, purpose, feet=feet, constraints=added)
    each = PROCESS_BYTES + kept + result.peak + waiting * result.kept
    # The preparation is sent to each process as one message, which stays in memory here meanwhile.
    count = requested
    while count > 1 and not fits(kept + count * each):
        count -= 1
    if count == requested:
        return requested, ""
    processes = "1 process" if count == 1 else f"{count} processes"
    return count, f"Only {processes} instead of {requested}: each needs {as_text(each)} of memory."

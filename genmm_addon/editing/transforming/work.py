# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of an action in steps: the reading, the computation, which needs no Blender data, and the writing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...core import Progress, computing, parts_of_progress

Computed = TypeVar("Computed")
Done = TypeVar("Done")


@dataclass(frozen=True, eq=False)
class Work(Generic[Computed, Done]):
    """A change of an action that has been read. Holds data-blocks: write it before they may be removed.

    compute: uses arrays only, fit for a thread; raises InputError and Cancelled. write: for the main thread; raises
    InputError with nothing changed.
    """

    compute: Callable[[Progress | None], Computed]
    write: Callable[[Computed], Done]

    def done(self, progress: Progress | None = None) -> Done:
        """Compute, write, and return the result."""
        return self.write(self.compute(progress))


@computing()
def done_at_once(read: Callable[[Progress | None], Work[Computed, Done]], progress: Progress | None = None) -> Done:
    """Read, compute and write a change; return its result. Raises InputError, with nothing changed, and Cancelled."""
    reading, working = parts_of_progress(progress, 2)
    return read(reading).done(working)

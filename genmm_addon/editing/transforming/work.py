# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of an action in two steps: the computation, which needs no Blender data, and the writing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...core import Progress

Made = TypeVar("Made")
Done = TypeVar("Done")


@dataclass(frozen=True, eq=False)
class Work(Generic[Made, Done]):
    """A change of an action that has been read. Holds data-blocks: write it before they may be removed.

    compute: uses arrays only, fit for a thread; raises InputError and Cancelled. write: for the main thread; raises
    InputError with nothing changed.
    """

    compute: Callable[[Progress | None], Made]
    write: Callable[[Made], Done]

    def done(self, progress: Progress | None = None) -> Done:
        """Compute, write, and return the result."""
        return self.write(self.compute(progress))

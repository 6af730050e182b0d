# SPDX-License-Identifier: GPL-3.0-or-later
"""Long computations: with one thread of NumPy's products, and with one sentence where memory runs out."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.linalg import _umath_linalg

from .errors import InputError

NO_MEMORY = (
    "There is not enough memory for this, and nothing was changed; "
    "use fewer or shorter examples, a shorter length or fewer variations."
)

_lock = Lock()
_threads_before: list[int] = []
"""The number of threads to go back to, once for each computation that runs now."""


@contextmanager
def computing() -> Iterator[None]:
    """Use one thread for NumPy's products, and raise InputError in place of a MemoryError, also as a decorator.

    OpenBLAS divides products, decompositions and solutions among threads, and they round differently with each number
    of threads: an animator, a worker of a batch and a farm would get other motions for the same seed. Threads also take
    twice the processor's time for these sizes and finish no earlier.

    >>> try:
    ...     with computing():
    ...         raise MemoryError
    ... except InputError:
    ...     print("told")
    told
    """
    with _lock:
        _threads_before.append(_threads_before[0] if _threads_before else number_of_threads())
        set_number_of_threads(1)
    try:
        yield
    except MemoryError as error:
        raise InputError(NO_MEMORY) from error
    finally:
        with _lock:
            before = _threads_before.pop()
            if not _threads_before:
                set_number_of_threads(before)


def number_of_threads() -> int:
    """Return the number of threads of OpenBLAS, 1 if NumPy has another library or none."""
    function = _openblas("get_num_threads")
    return 1 if function is None else int(function())


def set_number_of_threads(count: int) -> None:
    """Set the number of threads of OpenBLAS; do nothing if NumPy has another library or none."""
    function = _openblas("set_num_threads")
    if function is not None:
        function(count)


@cache
def _openblas(name: str) -> Callable[..., int] | None:
    """Return a function of the OpenBLAS that NumPy has loaded: beside it in wheels, else one that it is linked to."""
    beside = sorted(Path(np.__file__).parents[1].glob("numpy.libs/*openblas*"))
    for path in (*beside, Path(_umath_linalg.__file__)):
        library = ctypes.CDLL(str(path))
        for prefix, suffix in product(("scipy_", ""), ("64_", "")):
            function: Callable[..., int] | None = getattr(library, f"{prefix}openblas_{name}{suffix}", None)
            if function is not None:
                return function
    return None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Freed memory is used for the next arrays, in a new process."""

import platform
import subprocess
import sys

import pytest

ROUNDS, ARRAYS, SIZE = 5, 8, 1 << 20
"""Numbers of rounds and of arrays in each, and the size of an array in bytes."""

TAKE_AND_FREE = f"""
import resource
import numpy as np
from genmm_addon.core.examples.memory.freed_memory import keep_freed_memory

def pages_taken():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones({SIZE}, np.uint8) for _ in range({ARRAYS})]
    del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_memory()
print([pages_taken() for _ in range({ROUNDS})])
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="Other systems keep freed memory by their own rules")
def test_arrays_are_laid_into_the_memory_of_freed_ones() -> None:
    printed = subprocess.run([sys.executable, "-c", TAKE_AND_FREE], capture_output=True, text=True, check=True).stdout
    first, *others = map(int, printed.strip("[]\n").split(","))
    assert first > 0
    assert sum(others) < first / 2

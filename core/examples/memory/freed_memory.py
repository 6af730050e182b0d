# SPDX-License-Identifier: GPL-3.0-or-later
"""Freed memory: kept in the process for the next arrays instead of being returned to the system."""

from contextlib import suppress
from functools import cache

import numpy as np

LARGEST_KEPT = (32 << 20) - (64 << 10)
"""Bytes of the array below. glibc adapts its thresholds to the blocks that it frees, up to 32 MB with the block's own
bookkeeping (DEFAULT_MMAP_THRESHOLD_MAX in malloc.c)."""


@cache
def keep_freed_memory() -> None:
    """Let this process keep the memory of freed arrays for its next ones.

    At first, glibc returns each freed array of more than 128 kB to the system, which clears its pages for the next one:
    40 % of the time of the first long result in a process. Freeing an array of LARGEST_KEPT bytes raises that threshold
    at once, as much work with arrays would; nothing is written into it, so it occupies no memory. It changes nothing on
    other systems.

    >>> keep_freed_memory()
    """
    # If the array does not fit, memory is returned to the system as before.
    with suppress(MemoryError):
        np.empty(LARGEST_KEPT, np.uint8)

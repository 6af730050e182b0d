# SPDX-License-Identifier: GPL-3.0-or-later
"""Freed memory: kept in the process for the next arrays, instead of given back to the system and taken anew."""

from contextlib import suppress
from functools import cache

import numpy as np

LARGEST_KEPT = (32 << 20) - (64 << 10)
"""Bytes of the array below. glibc adapts its thresholds to the blocks that it frees, up to 32 MB with the block's own
bookkeeping (DEFAULT_MMAP_THRESHOLD_MAX in malloc.c)."""


@cache
def keep_freed_memory() -> None:
    """Let this process keep the memory of freed arrays for its next ones.

    At first, glibc gives back each freed array of more than 128 kB, and the system clears its pages again for the next
    one: 40 % of the time of the first long result in a process. An array of LARGEST_KEPT bytes that is freed raises
    that threshold at once, as much work with arrays would; nothing is written into it, so that it takes no memory. It
    changes nothing on other systems.

    >>> keep_freed_memory()
    """
    # Where there is no room for it, arrays are taken anew as before.
    with suppress(MemoryError):
        np.empty(LARGEST_KEPT, np.uint8)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory budget: the number of bytes that a task may use without putting Blender at risk."""

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ...errors import InputError

VARIABLE = "GENMM_MEMORY"
"""Environment variable that replaces the budget: bytes, or a number followed by K, M, G or T."""
SHARE = 0.5
"""Share of the available memory that may be used; the rest is for Blender, its undo steps and other programs."""
UNWEIGHED = 64 << 20
"""Bytes that a task may always use without a check: any system that runs Blender has them."""
UNKNOWN = 4 << 30
"""Bytes assumed to be available if the system does not report them."""
MACOS_COUNTS = ("free", "inactive", "speculative", "purgeable")
UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def fits(needed: float) -> bool:
    """Return whether this number of bytes may be used now. Raises InputError if GENMM_MEMORY is not an amount.

    >>> fits(1000.0)
    True
    """
    if needed <= UNWEIGHED and not os.environ.get(VARIABLE):
        return True
    return needed <= budget()


def budget() -> float:
    """Return the bytes that may be used now: GENMM_MEMORY, else half of the available memory.

    Raises InputError if GENMM_MEMORY is not an amount.

    >>> budget() > 0
    True
    """
    text = os.environ.get(VARIABLE, "").strip()
    return parse_amount(text) if text else SHARE * available()


def parse_amount(text: str) -> float:
    """Return the bytes of an amount such as "2G", "512M" or "1000000". Raises InputError for other texts."""
    amount = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if amount is None:
        raise InputError(f'{VARIABLE} is "{text}", which is not an amount of memory; write it as 2G or 512M.')
    return float(amount[1]) * 1024.0 ** UNITS[amount[2].upper()]


def as_text(size: float) -> str:
    """Return an amount of memory as text, in MB of 2^20 or GB of 2^30 bytes.

    >>> as_text(5e9)
    '4.7 GB'
    """
    gigabytes = size / 2**30
    if gigabytes < 1:
        return f"{max(size / 2**20, 1):.0f} MB"
    return f"{gigabytes:.1f} GB" if gigabytes < 100 else f"{gigabytes:,.0f} GB"


def available() -> int:
    """Return the bytes that the system could give this process now without swapping."""
    try:
        if sys.platform == "win32":
            return _windows_available()
        if sys.platform == "darwin":
            return macos_available(subprocess.run(["/usr/bin/vm_stat"], capture_output=True, text=True).stdout)
        return linux_available()
    except (OSError, ValueError, KeyError):
        return UNKNOWN


def linux_available(root: Path = Path("/")) -> int:
    """Return the bytes available on Linux: MemAvailable, within the control groups' limits and RLIMIT_AS.

    root: the folder that holds `proc` and `sys`.
    """
    meminfo = _numbers((root / "proc/meminfo").read_text())
    free = [meminfo["MemAvailable"] * 1024, *_left_in_groups(root)]
    import resource  # not on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        pages = int((root / "proc/self/statm").read_text().split()[0])
        free.append(limit - pages * resource.getpagesize())
    return max(min(free), 0)


def macos_available(text: str) -> int:
    """Return the bytes that `vm_stat` reports as free, inactive, speculative or purgeable."""
    page = int(re.findall(r"page size of (\d+) bytes", text)[0])
    counts = dict(re.findall(r"^Pages (\w+):\s+(\d+)\.", text, re.MULTILINE))
    return page * sum(int(counts.get(name, 0)) for name in MACOS_COUNTS)


def _left_in_groups(root: Path) -> list[int]:
    """Return the bytes left in each control group, of either version, that this process is in and that has a limit."""
    left = []
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        group = top / path.strip("/")
        # In a container the path is often that of the host, and the container's own group is mounted at the top.
        for folder in {top, group, *(above for above in group.parents if top in above.parents)}:
            left += _left_in_group(folder)
    return left


def _left_in_group(folder: Path) -> list[int]:
    for limit, usage, cached in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            most = (folder / limit).read_text().strip()
            used = int((folder / usage).read_text())
            reclaimable = _numbers((folder / "memory.stat").read_text()).get(cached, 0)
        except OSError:
            continue
        # Cached pages of files that are no longer read are reclaimed when needed.
        return [] if most == "max" else [int(most) - used + reclaimable]
    return []


def _numbers(text: str) -> Mapping[str, int]:
    """Return the numbers of lines such as "MemAvailable:  1234 kB" by their names."""
    return {name: int(number) for name, number in re.findall(r"^(\w+):?\s+(\d+)", text, re.MULTILINE)}


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
        (name, ctypes.c_ulonglong)
        for name in (
            "total_physical",
            "available_physical",
            "total_page_file",
            "available_page_file",
            "total_virtual",
            "available_virtual",
            "available_extended_virtual",
        )
    ]


def _windows_available() -> int:
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    windows = getattr(ctypes, "windll")  # noqa: B009  # exists on Windows only
    if not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        raise OSError("GlobalMemoryStatusEx failed")
    return int(min(status.available_physical, status.available_page_file))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of things in sentences."""


def counted(count: int, noun: str) -> str:
    """Return the number with its noun: "1 frame", "2,000 frames"."""
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are locked, or not, over given frames."""

from .foot_locks import FootLock, FootLocks

__all__ = ["FootLock", "FootLocks"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked over frames that are asked for."""

from .foot_locks import FootLock, FootLocks

__all__ = ["FootLock", "FootLocks"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Following a signal."""

from .constraint import Follow
from .drives import Drive

__all__ = ["Drive", "Follow"]

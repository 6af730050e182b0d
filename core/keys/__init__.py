# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys in place of many, and edits of coarse keys carried onto the full motion."""

from .carried_edits import carry_edits
from .moved_keys import ON_KEY, original_times
from .simplified import Curves, Keys, own_keys, shared_keys, shared_keys_at_most

__all__ = [
    "ON_KEY",
    "Curves",
    "Keys",
    "carry_edits",
    "original_times",
    "own_keys",
    "shared_keys",
    "shared_keys_at_most",
]

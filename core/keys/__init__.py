# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys: few poses, and smooth curves between them, in place of a pose at every frame."""

from .counted import shared_keys_at_most
from .simplified import Curves, Keys, own_keys, shared_keys

__all__ = ["Curves", "Keys", "own_keys", "shared_keys", "shared_keys_at_most"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples made ready: features, transition costs and the transition graph."""

from .examples import Prepared, body_size, prepare, purpose_of

__all__ = ["Prepared", "body_size", "prepare", "purpose_of"]

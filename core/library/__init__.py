# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples made ready: features, transition costs and the transition graph."""

from .examples import Prepared, prepare

__all__ = ["Prepared", "prepare"]

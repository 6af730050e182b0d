# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet of actions brought to places, by the controls of a rig where its constraints carry them."""

from .in_action import Reached, reach_in_action

__all__ = ["Reached", "reach_in_action"]

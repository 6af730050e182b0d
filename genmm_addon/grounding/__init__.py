# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of an action put on a ground, in place; on control rigs through their controls."""

from .control_rig import legs_need_controls
from .in_action import PutOnGround, grounded_ranges, put_action_on_ground, put_new_action_on_ground

__all__ = ["PutOnGround", "grounded_ranges", "legs_need_controls", "put_action_on_ground", "put_new_action_on_ground"]

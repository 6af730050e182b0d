# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints dragged at one frame: the motion follows with a smooth falloff over time, and planted feet stay."""

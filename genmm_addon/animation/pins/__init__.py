# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: the action of their own that holds them, and the pose constraint they make."""

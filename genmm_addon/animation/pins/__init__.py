# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: the action that stores them, and the pose constraint made from them."""

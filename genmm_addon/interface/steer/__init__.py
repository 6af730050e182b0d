# SPDX-License-Identifier: GPL-3.0-or-later
"""Steer: a character that is led by keys, the mouse or an object, and the action that remains."""

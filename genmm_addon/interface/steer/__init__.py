# SPDX-License-Identifier: GPL-3.0-or-later
"""Steer: a character that goes where keys, the mouse or an object lead it, and what is left of it."""

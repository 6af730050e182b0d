# SPDX-License-Identifier: GPL-3.0-or-later
"""Registered properties of characters and scenes, their versions, and the pins that are being edited."""

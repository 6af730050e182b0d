# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: keying and editing them, and how they are drawn."""

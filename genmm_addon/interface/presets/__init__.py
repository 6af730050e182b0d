# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the method's parameters, and settings files."""

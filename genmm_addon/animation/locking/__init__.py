# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are always or never locked over scene frames."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces that several features share: base classes, rows of panels, progress, and work in threads."""

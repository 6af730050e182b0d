# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases, rows, progress and runs beside the window that several features share."""

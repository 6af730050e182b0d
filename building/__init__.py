# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of build.py, on the standard library alone."""

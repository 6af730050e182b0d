# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules of build.py, which use only the standard library."""

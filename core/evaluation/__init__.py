# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of quality from the literature."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of results, and the rows and tables that show them."""

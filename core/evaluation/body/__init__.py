# SPDX-License-Identifier: GPL-3.0-or-later
"""A body with weight: its masses, their center, its support and its flights."""

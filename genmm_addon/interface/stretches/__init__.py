# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a result, chosen on the ribbon and regenerated, swapped for an alternative, or locked."""

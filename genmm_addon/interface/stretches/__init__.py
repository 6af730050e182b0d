# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of a result, chosen on the ribbon: made anew, swapped for an alternative, locked."""

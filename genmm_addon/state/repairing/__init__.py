# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of Repair, and the list of flaws."""

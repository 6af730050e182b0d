# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory: the budget, and estimates for examples and results before anything is allocated."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""The effect of each numeric constant of core on results, halved and doubled."""

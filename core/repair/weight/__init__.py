# SPDX-License-Identifier: GPL-3.0-or-later
"""Flaws of bodies with weight: flights that gravity does not explain, landings on stiff legs, stops and
starts too hard for feet, and stands that would topple."""

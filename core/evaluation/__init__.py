# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of quality from the literature: of one result, and of sets of motions."""

from .set_measures import Reference, SetMeasures, measure_set, prepare_reference

__all__ = ["Reference", "SetMeasures", "measure_set", "prepare_reference"]

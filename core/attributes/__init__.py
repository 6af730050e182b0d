# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of a motion, such as speed or the swing of its arms, measured, and edited within the examples' range."""

from ..infill.fill import prepare_filling
from .body import Body, body_of
from .editing import Edited, Means, Outcome, edit, outcome_text, range_text
from .examples import Examples, Range, find_examples
from .kinds import KINDS, Attribute, Kind, attribute_named, bone_attribute, with_unit
from .measuring import BODY_ATTRIBUTES, measure
from .targets import Target, parse_targets

__all__ = [
    "BODY_ATTRIBUTES",
    "KINDS",
    "Attribute",
    "Body",
    "Edited",
    "Examples",
    "Kind",
    "Means",
    "Outcome",
    "Range",
    "Target",
    "attribute_named",
    "body_of",
    "bone_attribute",
    "edit",
    "find_examples",
    "measure",
    "outcome_text",
    "parse_targets",
    "prepare_filling",
    "range_text",
    "with_unit",
]

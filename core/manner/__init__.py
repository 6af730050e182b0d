# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a motion's manner: its style, blends with other motions, and attributes such as speed or arm swing."""

from .attributes.body import AttributeBody, body_of
from .attributes.editing import EditedMotion, Means, Outcome, edit, outcome_text
from .attributes.examples import ActionExamples, Range, find_examples
from .attributes.kinds import KINDS, Attribute, AttributeKind, attribute_named, bone_attribute, with_unit
from .attributes.measuring import BODY_ATTRIBUTES, measure
from .attributes.targets import Target, parse_targets
from .blend import blend_motions
from .registering import Registration, fitting_clips, register_motion
from .restyle import Restyled, StyleSettings, restyle

__all__ = [
    "BODY_ATTRIBUTES",
    "KINDS",
    "ActionExamples",
    "Attribute",
    "AttributeBody",
    "AttributeKind",
    "EditedMotion",
    "Means",
    "Outcome",
    "Range",
    "Registration",
    "Restyled",
    "StyleSettings",
    "Target",
    "attribute_named",
    "blend_motions",
    "body_of",
    "bone_attribute",
    "edit",
    "find_examples",
    "fitting_clips",
    "measure",
    "outcome_text",
    "parse_targets",
    "register_motion",
    "restyle",
    "with_unit",
]

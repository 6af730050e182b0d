# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of settings: their descriptions, their conversions to a panel's values, and the types of given values."""

from .conversions import ShownProperty, Switched, feet_of, foot_rows, weight_rows, weights_of
from .declaration import (
    UNSAID,
    Choice,
    Option,
    Property,
    Setting,
    check_ranges,
    fields_given,
    fields_meant,
    is_left_out,
    preset_properties,
    setting,
    settings_in,
    settle_settings,
    values_shown,
)
from .values import flag, instance, items, number, one_of, optional, pairs, settle, text, whole_number

__all__ = [
    "UNSAID",
    "Choice",
    "Option",
    "Property",
    "Setting",
    "ShownProperty",
    "Switched",
    "check_ranges",
    "feet_of",
    "fields_given",
    "fields_meant",
    "flag",
    "foot_rows",
    "instance",
    "is_left_out",
    "items",
    "number",
    "one_of",
    "optional",
    "pairs",
    "preset_properties",
    "setting",
    "settings_in",
    "settle",
    "settle_settings",
    "text",
    "values_shown",
    "weight_rows",
    "weights_of",
    "whole_number",
]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared settings: their ranges, and a sentence with the setting's name for each number out of range."""

import math
from dataclasses import replace

import pytest

from genmm_addon.core import Facing, InputError, Settings
from genmm_addon.core.fields import fields_given, settings_in, values_shown


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.5])
def test_a_number_out_of_range_is_refused_by_its_name(value: float) -> None:
    with pytest.raises(InputError, match=r"^Reorder must be 1 or more\.$"):
        Settings(coarsest_patches=value)


def test_a_range_may_leave_out_its_end() -> None:
    with pytest.raises(InputError, match=r"^Completeness Alpha must be above 0\.$"):
        Settings(completeness=0.0)
    assert Settings(completeness=1e-9).completeness == 1e-9
    assert Settings(completeness=None).completeness is None


def test_a_whole_number_may_be_larger_than_any_float() -> None:
    assert Settings(iterations=10**400).iterations == 10**400


def test_fields_not_given_take_their_defaults() -> None:
    assert fields_given(Settings, {"completeness": 0.5, "facing": "FREE", "unknown": 1}) == {
        "completeness": 0.5,
        "facing": Facing.FREE,
    }
    assert fields_given(Settings, {"use_completeness": False}) == {"completeness": None}


def test_values_shown_of_a_record_reproduce_the_record() -> None:
    wanted = replace(Settings(), patch_frames=7, completeness=None, root="hips", foot_locking=False, noise=0.3)
    shown = {name: value for name, value in values_shown(wanted).items() if not isinstance(value, list)}
    assert Settings(**fields_given(Settings, shown)) == wanted


def test_every_setting_of_the_method_has_a_label_a_tooltip_and_an_option() -> None:
    for name, setting in settings_in(Settings).items():
        assert setting.option is not None and setting.option.help, name
        assert all(item.label and item.tooltip and item.name for item in setting.properties), name

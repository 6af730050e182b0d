# SPDX-License-Identifier: GPL-3.0-or-later
"""A distant stray key in a real window: refused before reading, and left out with one click."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def stray_key() -> Facts:
    return drive("live/drive_stray_key.py")


def test_generate_is_refused_and_changes_nothing(stray_key: Facts) -> None:
    assert stray_key["refused"] == stray_key["before"]


def test_the_button_learns_from_the_other_keys(stray_key: Facts) -> None:
    (row,) = stray_key["left_out"]["rows"]
    assert row[0] and row[2] - row[1] < 1000
    assert stray_key["generated"]["actions"] > stray_key["before"]["actions"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Continue in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def continued() -> Facts:
    return drive("timeline/drive_continue.py")


def test_menu_continues_the_action_and_undo_restores_it(continued: Facts) -> None:
    first, last = continued["before"]
    assert continued["after"] == [first, last + 60]
    assert continued["undone"] == [first, last]


def test_the_dialog_connects_the_action_with_another_one(continued: Facts) -> None:
    assert continued["connected"][1] > continued["before"][1] + 200

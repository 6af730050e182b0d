# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels over time in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def labels() -> Facts:
    return drive("directing/drive_labels.py")


def test_labels_that_are_added_stand_in_the_list(labels: Facts) -> None:
    assert labels["labels"] == "style=tired 1-80, style=proud 81-160"


def test_generating_follows_the_list_of_labels(labels: Facts) -> None:
    asked = ["GenMM Walk Tired"] * 80 + ["GenMM Walk Proud"] * 80
    right = [one == other for one, other in zip(labels["shown"], asked, strict=True)]
    assert sum(right) / len(right) >= 0.98

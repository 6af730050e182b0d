# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole workflow on one action in a real Blender window, with undo of each step."""

import itertools

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def worked() -> Facts:
    return drive("timeline/drive_workflow.py")


@pytest.mark.parametrize("name", ["Mixamo", "Rigify"])
def test_each_step_changes_the_action_and_is_undone(worked: Facts, name: str) -> None:
    states = worked[name]["states"]
    steps = len(states) // 2
    for (before, one), (after, other) in itertools.pairwise(states[: steps + 1]):
        assert one != other, f"{after} after {before}"
    for number in range(1, steps + 1):
        undone, state = states[steps + number]
        assert state == states[steps - number][1], undone

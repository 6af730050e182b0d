# SPDX-License-Identifier: GPL-3.0-or-later
"""The page on the use from Python: its code runs as it stands there, and errors are one sentence."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from motions import walker

from genmm_addon import core
from genmm_addon.core import InputError, PoseConstraint, RootPath, save_bvh

PAGE = (Path(__file__).resolve().parents[2] / "core" / "README.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genmm", core)
    monkeypatch.chdir(tmp_path)
    save_bvh("walk.bvh", walker(120))
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)
    pinned, example = names["pinned"].motion, names["examples"]
    for frame, number in ((0, 40), (119, 10)):  # the first joint has the heading, which is not pinned
        np.testing.assert_allclose(pinned.rotations[frame, 1:], example.rotations[number, 1:], atol=1e-6)
    assert core.load_bvh("new.bvh").frames == core.load_motion("new.npz").frames == 120


def test_a_path_of_lists_is_that_of_an_array() -> None:
    points = [[0, 0, 0], [0, 2, 0], [1, 3, 0]]
    np.testing.assert_array_equal(RootPath(points).points, RootPath(np.array(points, float)).points)  # type: ignore[arg-type]
    for wrong in ([[0, 0, 0], [1, 2]], "ab", [[0, 0]], [[0, 0, 0]], None):
        with pytest.raises(InputError):
            RootPath(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("poses", [{-1: 0}, {60: 0}, {0: 240}, {0: -1}])
def test_a_pin_outside_the_result_or_the_example_is_refused(poses: dict[int, int]) -> None:
    with pytest.raises(InputError, match="is not in the"):
        PoseConstraint.at(walker(240), 60, poses)

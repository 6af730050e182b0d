# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of `build.py bench --quality --fixed`: what is marked, and what a clip without feet has."""

import numpy as np

from bench.measures.fixed_measures import BOUNDS, FIXED, KEYS, fixed_line, fixed_row
from bench.measures.quality_table import Row
from genmm_addon.core import Motion, Skeleton, prepare

GOOD: Row = {f"pins_{key}": 1.0 if key != "unplanted" else 0.0 for key in KEYS}


def test_what_is_within_its_bounds_is_not_marked() -> None:
    line = fixed_line(GOOD, "pins")
    assert line.startswith("    beside pins: skate 1.00, worst seed 1.00, ") and "!" not in line


def test_each_measure_beyond_its_bound_is_marked() -> None:
    for key, bound in BOUNDS.items():
        assert fixed_line(GOOD | {f"pins_{key}": bound + 0.01}, "pins").count("!") == 1


def test_a_clip_without_feet_has_none_of_them() -> None:
    skeleton = Skeleton(
        ("arm", "tip"),
        np.array([-1, 0]),
        np.tile([1.0, 0, 0, 0], (2, 1)),
        np.array([[0, 0, 1.0], [0, 0, 0.5]]),
        (0, 0, 1),
    )
    angles = 0.3 * np.sin(np.arange(90) / 9.0)
    turns = np.stack((np.cos(angles), np.sin(angles), 0 * angles, 0 * angles), axis=1)
    still = np.tile([1.0, 0, 0, 0], (90, 1))
    row = fixed_row(
        prepare([Motion(skeleton, 30.0, np.stack((turns, still), axis=1).astype(np.float32))]), 1, tuple(FIXED)
    )
    assert set(row.values()) == {None} and fixed_line(row, "given") == "    given part: no feet"

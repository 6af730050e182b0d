# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of `build.py bench --quality --fixed`: their marks, and the line of a clip without feet."""

import numpy as np

from bench.measures.fixed_measures import BOUNDS, FIXED, KEYS, Ways, fixed_line, fixed_row, pin_frames, worst_of
from bench.measures.quality_table import Row
from genmm_addon.core import Motion, Skeleton, prepare

GOOD: Row = {f"pins_{key}": 1.0 if key != "unplanted" else 0.0 for key in KEYS}


def test_value_within_its_bounds_is_not_marked() -> None:
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
        prepare([Motion(skeleton, 30.0, np.stack((turns, still), axis=1).astype(np.float32))]), 1, Ways(tuple(FIXED), 2)
    )
    assert set(row.values()) == {None} and fixed_line(row, "given") == "    given part: no feet"


def test_of_several_sets_of_pins_the_worst_and_their_share_are_told() -> None:
    fair: Row = {key: 1.0 if key != "unplanted" else 0.0 for key in KEYS}
    fair["seeds"] = 4
    bad, odd = fair | {"skate": 1.6, "knee": None}, fair | {"dragged": 1.1}
    worst = worst_of([fair, bad, odd, fair])
    assert (worst["skate"], worst["dragged"], worst["knee"], worst["seeds"]) == (1.6, 1.1, 1.0, 16)
    assert worst["beyond"] == 0.25
    line = fixed_line({f"pins_{key}": value for key, value in worst.items()}, "pins")
    assert "skate 1.60!" in line and line.endswith("sets beyond a bound % 25")
    assert worst_of([bad]) == bad


def test_sets_of_pins_differ_and_keep_their_order() -> None:
    sets = [tuple(pin_frames(place).tolist()) for place in range(8)]
    assert sets[0] == (60, 150, 240) and len(set(sets)) == 8
    assert all(30 < first < second - 30 < third - 60 < 240 for first, second, third in sets)

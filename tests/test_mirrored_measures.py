# SPDX-License-Identifier: GPL-3.0-or-later
"""The line of `build.py bench --quality --mirrored` for an example and its mirror image."""

from typing import Any

import numpy as np

from bench.measures.mirrored_measures import mirrored_line, mirrored_row
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion, Skeleton, rotations

UP = (0.0, 0.0, 1.0)


def test_a_walk_from_both_ways_has_more_transitions_than_none_and_a_sentence() -> None:
    row = mirrored_row(sample_motions(30.0)["GenMM Walk"].slice(0, 120), seeds=3)
    values: dict[str, Any] = dict(row)
    assert values["both_distinct"] > 0 and 0.0 <= values["both_once"] <= 1.0 and values["both_diversity"] > 0.0
    line = mirrored_line({"distinct": 10, "gap": 1.0, "diversity": 0.9, **row})
    assert line.startswith(f"    both ways: distinct transitions 10 > {row['both_distinct']}, 90th gap 1.0 > ")


def test_a_chain_has_no_other_side_to_learn_from() -> None:
    skeleton = Skeleton(("bone",), np.array([-1]), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)), UP)
    turns = rotations.from_axis_angle(np.broadcast_to(UP, (90, 3)), np.sin(np.arange(90) / 9.0))
    row = mirrored_row(Motion(skeleton, 30.0, turns[:, None].astype(np.float32)), seeds=2)
    assert set(row.values()) == {None} and mirrored_line(row).strip() == "no left and right"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions placed to begin at a pose: their beginning, and the properties that stay the same."""

import numpy as np
import pytest
from motions import turned_and_moved, walker

from genmm_addon.core import Facing
from genmm_addon.core.motion import RootPlan, begin_at, find_root, place_and_heading


def test_a_motion_begins_where_a_pose_stands_and_faces_as_it_does() -> None:
    walk = walker(120, 1)
    pose = turned_and_moved(walker(120, 2), 2.0, (5.0, -3.0, 0.0)).slice(40, 41)
    laid = begin_at(walk, pose)
    plan = RootPlan(find_root([walk]), (), Facing.FREE, False)
    places, turns = place_and_heading(laid, plan)
    there, facing = place_and_heading(pose, plan)
    assert places[0][:2] == pytest.approx(there[0][:2], abs=1e-4)
    assert np.cos(turns[0] - facing[0]) == pytest.approx(1.0, abs=1e-6)
    assert places[:, 2] == pytest.approx(place_and_heading(walk, plan)[0][:, 2], abs=1e-5), "heights stay"


def test_laid_at_itself_elsewhere_it_is_the_motion_there() -> None:
    walk = walker(90, 3)
    there = turned_and_moved(walk, -1.3, (1.0, 2.0, 0.0))
    assert begin_at(walk, there).pose()[1] == pytest.approx(there.pose()[1], abs=1e-4)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of waypoints in the viewport: the arrow of one without a place is where the character is then."""

import numpy as np
import pytest

from genmm_addon.interface.waypoints.drawing import plan_lines
from genmm_addon.interface.waypoints.shown import ShownWaypoint

PLACES = {1: (0.0, 0.0, 0.0), 11: (10.0, 0.0, 0.0)}
SIDEWAYS = (0.0, 1.0, 0.0)


@pytest.mark.parametrize(("frame", "along"), [(-5, 0.0), (6, 5.0), (20, 10.0)])
def test_an_arrow_begins_between_the_places_beside_it_or_at_the_nearest(frame: int, along: float) -> None:
    rows = [(at, place, None) for at, place in PLACES.items()] + [(frame, None, SIDEWAYS)]
    placed, facing = (
        plan_lines([ShownWaypoint(number, "Waypoint", *row) for number, row in enumerate(shown)], 1.0, 1.0).points
        for shown in (rows[:2], sorted(rows, key=lambda row: row[0]))
    )
    known = set(map(tuple, placed.tolist()))
    arrow = np.array([point for point in facing.tolist() if tuple(point) not in known])
    tip = arrow[arrow[:, 1].argmax()]
    assert len(facing) > len(placed) and tip[0] == pytest.approx(along, abs=1e-5)


def test_without_any_place_nothing_is_drawn() -> None:
    assert not len(plan_lines([ShownWaypoint(0, "Waypoint", 1, None, SIDEWAYS)], 1.0, 1.0).points)

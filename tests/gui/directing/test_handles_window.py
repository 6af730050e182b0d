# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints, places and points of the path, dragged by gizmos with a real mouse."""

from typing import Any

import pytest
from driving import Facts, drive

NAMES = ("waypoint", "handle", "point")


@pytest.fixture(scope="module")
def handles() -> Facts:
    return drive("directing/drive_handles.py")


def moved(found: dict[str, Any], start: dict[str, Any]) -> dict[str, list[float]]:
    """Return how far each thing has moved."""
    return {name: [end - begin for begin, end in zip(start[name], found[name], strict=True)] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_drag_moves_one_thing_and_keeps_the_selection(handles: Facts, name: str) -> None:
    offsets = moved(handles[f"{name} dragged"], handles["start"])
    for other, offset in offsets.items():
        assert (max(map(abs, offset)) > 0.3) == (other == name)
    assert handles[f"{name} dragged"]["active"] == "GenMM Sample"


def test_waypoints_and_the_path_move_along_the_ground(handles: Facts) -> None:
    assert abs(moved(handles["waypoint dragged"], handles["start"])["waypoint"][2]) < 1e-5
    offset = moved(handles["point dragged"], handles["start"])["point"]
    assert max(map(abs, offset[2::3])) < 1e-5
    assert offset[3:6] == pytest.approx(offset[:3], abs=1e-5), "its handles follow"
    assert offset[6:] == pytest.approx(offset[:3], abs=1e-5), "its handles follow"


def test_a_thing_stays_under_the_mouse(handles: Facts) -> None:
    for name in NAMES:
        assert handles[f"{name} dragged"]["away"] < 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("end", ["canceled", "undone"])
def test_esc_and_one_undo_bring_it_back(handles: Facts, name: str, end: str) -> None:
    for offset in moved(handles[f"{name} {end}"], handles["start"]).values():
        assert max(map(abs, offset)) < 1e-5


def test_a_click_selects_what_is_under_it(handles: Facts) -> None:
    assert handles["clicked"]["active"] == handles["waypoint name"]


def test_without_overlays_a_drag_moves_nothing(handles: Facts) -> None:
    assert max(map(abs, moved(handles["hidden"], handles["start"])["waypoint"])) < 1e-5


def test_no_gizmo_prints_an_error(handles: Facts) -> None:
    assert [line for line in handles["log"] if "GENMM_G" in line or "Traceback" in line] == []

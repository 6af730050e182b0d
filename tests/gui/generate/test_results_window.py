# SPDX-License-Identifier: GPL-3.0-or-later
"""Results in a real Blender window, with mouse and keyboard: placed, adjusted, compared, framed, and one used."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def results() -> Facts:
    return drive("generate/drive_results.py")


def made_last(step: Facts) -> dict[str, list[float]]:
    """Return the places of the two results of the last press."""
    return dict(sorted(step["places"].items())[-2:])


def test_a_second_press_leaves_the_first_results_and_stands_elsewhere(results: Facts) -> None:
    first, second = results["first"]["places"], results["second"]["places"]
    assert len(first) == 3 and len(second) == 5
    assert {name: second[name] for name in first} == first
    assert len({tuple(place) for place in second.values()}) == 5


def test_results_stay_in_their_places_while_the_seed_is_adjusted(results: Facts) -> None:
    seeds = [results[name]["seeds"][-2:] for name in ("second", "adjusted", "adjusted_again")]
    assert [pair[0] - seeds[0][0] for pair in seeds] == [0, 1, 2]
    assert results["adjusted"]["places"] == results["second"]["places"]
    assert results["adjusted_again"]["places"] == results["second"]["places"]


def test_the_original_alone_stays_selected(results: Facts) -> None:
    assert results["second"]["selected"] == ["GenMM Sample"]


def test_the_row_under_the_mouse_plays_over_the_original_and_changes_nothing(results: Facts) -> None:
    # The script waited until the ghost of each row was drawn.
    assert results["pointed_at"] == results["adjusted_again"]


def test_keys_go_through_the_variations(results: Facts) -> None:
    shown = [results[name]["active"][-3:] for name in ("next_key", "previous_key")]
    assert shown == ["004", "003"]


def test_variations_are_compared_in_the_originals_place_and_go_back(results: Facts) -> None:
    places = results["compared"]["places"]
    assert set(map(tuple, made_last(results["compared"]).values())) == {tuple(places["GenMM Sample"])}
    assert results["apart"]["places"] == results["adjusted_again"]["places"]


def test_framing_shows_all_results_of_the_run(results: Facts) -> None:
    assert not results["apart"]["all_seen"] and results["framed"]["all_seen"]


def test_a_result_is_applied_to_the_character_and_undone_with_one_step(results: Facts) -> None:
    assert results["applied"]["plays"].startswith("GenMM Walk Gen 0")
    assert len(results["applied"]["places"]) == 3
    assert results["applied"]["active"] == "GenMM Sample"
    assert results["undone"]["places"] == results["apart"]["places"]
    assert results["undone"]["plays"] == "GenMM Walk"


def test_results_out_of_sight_are_framed_after_generating(results: Facts) -> None:
    assert results["far"]["all_seen"]

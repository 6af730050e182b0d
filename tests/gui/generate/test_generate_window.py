# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first minutes in a real Blender window, with a real mouse."""

import pytest
from driving import SCREENSHOTS, Facts, colors_of, drive


@pytest.fixture(scope="module")
def facts() -> Facts:
    return drive("generate/drive_generate.py")


@pytest.fixture(scope="module")
def interruptions() -> Facts:
    """Return the facts; they include that Blender, told to quit during a run, ended normally."""
    return drive("generate/drive_interruptions.py")


@pytest.fixture(scope="module")
def ribbon() -> Facts:
    return drive("generate/drive_ribbon.py")


def results(step: Facts) -> int:
    """Return the number of generated characters."""
    return len(step["rigs"]) - 1


def test_the_sidebar_offers_a_sample_character_where_nothing_is_selected(facts: Facts) -> None:
    assert facts["added"]["rigs"] == ["GenMM Sample"]


def test_one_press_of_the_button_makes_three_characters_that_move_differently(facts: Facts) -> None:
    assert results(facts["generated"]) == 3
    poses = facts["generated"]["poses"]
    assert all(poses[left] != poses[right] for left in range(4) for right in range(left))


def test_adjusting_the_seed_replaces_the_results(facts: Facts) -> None:
    assert results(facts["adjusted"]) == 3
    # With the next seed, the former second result is the first one.
    assert facts["adjusted"]["poses"][1] == facts["generated"]["poses"][2]


def test_one_undo_takes_everything_back_and_one_redo_brings_it_again(facts: Facts) -> None:
    assert facts["undone"] == facts["added"]
    assert facts["redone"] == facts["adjusted"]


def test_keeping_one_removes_the_others_with_their_actions(facts: Facts) -> None:
    assert results(facts["kept"]) == 1
    assert facts["kept"]["poses"][1] == facts["redone"]["poses"][2]
    assert len(facts["kept"]["actions"]) == len(facts["added"]["actions"]) + 1
    assert facts["kept"]["objects"] == 2 * facts["added"]["objects"]


def test_a_long_run_leaves_the_window_free_and_refuses_a_second(facts: Facts) -> None:
    assert facts["running"]["running"] and not facts["running"]["can_generate"]
    assert facts["running"]["rigs"] == facts["kept"]["rigs"]


def test_undo_waits_while_a_run_is_under_way(facts: Facts) -> None:
    assert facts["undo_swallowed"] == facts["running"]


def test_escape_stops_and_leaves_the_file_unchanged(facts: Facts) -> None:
    assert facts["stopped"] == facts["kept"]


def test_a_run_beside_the_window_is_one_step_of_undo(facts: Facts) -> None:
    assert results(facts["beside"]) == 2
    assert facts["beside_undone"] == facts["stopped"]
    assert facts["beside_redone"] == facts["beside"]


@pytest.mark.parametrize("what", ["changed", "deleted"])
def test_changed_examples_stop_the_generation_without_a_result(interruptions: Facts, what: str) -> None:
    assert interruptions[what] == {"results": 0, "running": False}


def test_a_result_waits_until_edit_mode_is_left(interruptions: Facts) -> None:
    assert interruptions["editing"] == {"results": 0, "running": True}
    assert interruptions["left"] == {"results": 1, "running": False}


def test_escape_lets_go_of_a_result_that_waits(interruptions: Facts) -> None:
    assert interruptions["escaped_waiting"] == interruptions["left"]
    assert interruptions["left_again"] == interruptions["left"]


def test_a_renamed_bone_is_a_change(interruptions: Facts) -> None:
    assert interruptions["renamed"] == interruptions["left"]


def test_saving_does_not_disturb_a_run(interruptions: Facts) -> None:
    assert interruptions["saved"] == {"results": interruptions["renamed"]["results"] + 1, "running": False}


def test_a_result_waits_until_its_scene_is_shown_again(interruptions: Facts) -> None:
    before = interruptions["saved"]["results"]
    assert interruptions["elsewhere"] == {"results": before, "running": True}
    assert interruptions["back"] == {"results": before + 1, "running": False}


def test_a_run_in_local_view_is_whole(interruptions: Facts) -> None:
    assert interruptions["local"] == {"results": interruptions["back"]["results"] + 1, "running": False}


def test_local_view_shows_what_is_added_in_it(interruptions: Facts) -> None:
    result = {"GenMM Sample Gen 004", "GenMM Sample Body Gen 004"}
    assert set(interruptions["seen_locally"]) >= result | {"GenMM Sample.001", "GenMM Sample.001 Body", "Waypoint"}


def test_a_render_and_a_run_do_not_disturb_each_other(interruptions: Facts) -> None:
    assert interruptions["rendering"] and not interruptions["still_rendering"]
    assert interruptions["rendered"] == {"results": interruptions["local"]["results"] + 1, "running": False}
    assert interruptions["frames"] == 10
    # Blender would crash.
    assert interruptions["written_while_rendering"] and not any(interruptions["written_while_rendering"])


def test_escape_at_once_leaves_nothing(interruptions: Facts) -> None:
    assert interruptions["escaped"] == {"results": interruptions["rendered"]["results"], "running": False}


def test_a_removed_bone_is_a_change(interruptions: Facts) -> None:
    assert interruptions["removed"] == interruptions["escaped"]


def test_a_deleted_character_ends_its_run(interruptions: Facts) -> None:
    assert interruptions["orphaned"] == {"results": interruptions["escaped"]["results"], "running": False}


def test_loading_another_file_ends_the_run(interruptions: Facts) -> None:
    assert interruptions["running_before_loading"]
    assert interruptions["loaded"] == {"results": 0, "running": False}


def test_quitting_during_a_run_is_fine(interruptions: Facts) -> None:
    assert interruptions["quitting"] == {"results": 0, "running": True}


def test_feet_are_found_with_a_button_and_can_be_chosen(ribbon: Facts) -> None:
    assert ribbon["feet"] == {"found": ["Toes.L", "Toes.R"], "chosen": []}
    assert ribbon["rows"] == [["Toes.L", "Toes.R"], ["Hand.L"]]


def test_one_click_goes_to_the_frame_of_the_example_and_undo_back(ribbon: Facts) -> None:
    assert ribbon["source"] == {"active": "GenMM Sample"} | ribbon["wanted"]
    assert ribbon["back"]["active"] != "GenMM Sample"


def test_the_ribbon_is_drawn_hidden_and_gone_with_the_extension(ribbon: Facts) -> None:
    """Pictures of the timeline are compared by their number of colors."""
    assert ribbon["handlers"] == {"enabled": 1, "disabled": 0}
    shown, hidden, again, disabled = (
        colors_of(SCREENSHOTS / f"ribbon_{name}.png") for name in ("shown", "hidden", "shown_again", "disabled")
    )
    assert min(shown, again) > 2 * max(hidden, disabled)

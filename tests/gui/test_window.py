# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first minutes in a real Blender window, with a real mouse; the pictures stay in build/screenshots.

pytest tests/gui --confcutdir=tests/gui
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLENDER = ROOT.parent / "shared" / "tools" / "real-blender"
SCREENSHOTS = ROOT / "build" / "screenshots"

Facts = dict[str, Any]


def first_display() -> str:
    """Return the display to look for a free one from, another in each of pytest's processes, so that no two meet."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return str(100 + 100 * int(worker))


def drive(script: str, prepare: Callable[[Path], None] | None = None) -> Facts:
    """Run a driving script in a window of its own; what it found at each of its steps, and what Blender said.

    prepare: is given the folder of Blender's settings before.
    """
    programs = ("xvfb-run", "xdotool", "import")
    missing = [program for program in (*programs, str(BLENDER)) if shutil.which(program) is None]
    if missing:
        pytest.skip(f"No window can be opened here without {', '.join(missing)}.")
    # All under /tmp: the full Blender lives in a file system of its own and may see no other folder.
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        output, profile, project = (Path(scratch) / name for name in ("output", "profile", "project"))
        output.mkdir()
        profile.mkdir()
        if prepare is not None:
            prepare(profile)
        for part in ("genmm_addon", "bench", "tests/gui", "tests/addon"):
            shutil.copytree(ROOT / part, project / part, ignore=shutil.ignore_patterns("__pycache__"))
        screen = ["xvfb-run", "-n", first_display(), "-a", "-s", "-screen 0 1600x1000x24"]
        scripts = project / "tests" / "gui"
        runner = [sys.executable, str(scripts / "run_in_window.py"), str(BLENDER), str(scripts / script), str(output)]
        environment = os.environ | {"BLENDER_USER_RESOURCES": str(profile)}
        status = subprocess.run([*screen, *runner], check=False, cwd=scratch, env=environment, timeout=600).returncode
        log = (output / "blender.log").read_text(encoding="utf-8") if (output / "blender.log").exists() else ""
        assert status == 0, f"{script} ended with status {status}: {log[-2000:]}"
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for picture in output.glob("*.png"):
            shutil.copy(picture, SCREENSHOTS)
        found: Facts = json.loads((output / "facts.json").read_text(encoding="utf-8"))
    assert found["errors"] == [], "\n".join(found["errors"])
    return found | {"log": log.splitlines()}


@pytest.fixture(scope="module")
def facts() -> Facts:
    return drive("drive_generate.py")


@pytest.fixture(scope="module")
def interruptions() -> Facts:
    """Also that Blender, told to quit while a run was under way, ended well."""
    return drive("drive_interruptions.py")


@pytest.fixture(scope="module")
def ribbon() -> Facts:
    return drive("drive_ribbon.py")


def results(step: Facts) -> int:
    """Return how many generated characters there are."""
    return len(step["rigs"]) - 1


def test_the_sidebar_offers_a_sample_character_where_nothing_is_selected(facts: Facts) -> None:
    assert facts["added"]["rigs"] == ["GenMM Sample"]


def test_one_press_of_the_button_makes_three_characters_that_move_differently(facts: Facts) -> None:
    assert results(facts["generated"]) == 3
    poses = facts["generated"]["poses"]
    assert all(poses[left] != poses[right] for left in range(4) for right in range(left))


def test_adjusting_the_seed_replaces_the_results(facts: Facts) -> None:
    assert results(facts["adjusted"]) == 3
    # The next seed: what was the second is the first now.
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


def test_escape_stops_and_leaves_the_file_as_it_was(facts: Facts) -> None:
    assert facts["stopped"] == facts["kept"]


def test_a_run_beside_the_window_is_one_step_of_undo(facts: Facts) -> None:
    assert results(facts["beside"]) == 2
    assert facts["beside_undone"] == facts["stopped"]
    assert facts["beside_redone"] == facts["beside"]


@pytest.mark.parametrize("what", ["changed", "deleted"])
def test_nothing_is_written_from_examples_that_are_no_longer_so(interruptions: Facts, what: str) -> None:
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


def test_a_render_and_a_run_do_not_disturb_each_other(interruptions: Facts) -> None:
    assert interruptions["rendering"] and not interruptions["still_rendering"]
    assert interruptions["rendered"] == {"results": interruptions["local"]["results"] + 1, "running": False}
    assert interruptions["frames"] == 10


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
    """By the number of colors in pictures of the timeline."""
    assert ribbon["handlers"] == {"enabled": 1, "disabled": 0}
    shown, hidden, again, disabled = (
        colors_of(SCREENSHOTS / f"ribbon_{name}.png") for name in ("shown", "hidden", "shown_again", "disabled")
    )
    assert min(shown, again) > 2 * max(hidden, disabled)


def colors_of(picture: Path) -> int:
    """Return how many colors a picture has."""
    command = ["identify", "-format", "%k", str(picture)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def different_pixels(picture: Path, other: Path) -> int:
    """Return how many pixels differ between two pictures of one size."""
    command = ["compare", "-metric", "AE", str(picture), str(other), "null:"]
    # It ends with 1 where they differ.
    told = subprocess.run(command, check=False, capture_output=True, text=True).stderr
    return round(float(told.split()[0]))

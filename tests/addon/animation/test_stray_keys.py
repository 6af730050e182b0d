# SPDX-License-Identifier: GPL-3.0-or-later
"""Stray keys, far from all others, are found and can be left out by a button or option; sparse keys are not stray."""

from pathlib import Path

import bpy
import pytest
from bpy.types import Object
from commands import run, save
from interface import new_character
from rigs import key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.curves import collect_curves
from genmm_addon.animation.stray_keys import StrayKeys, stray_keys
from genmm_addon.core.motion import load_motion
from genmm_addon.interface.examples.remarks import panel_remarks

pytestmark = pytest.mark.usefixtures("extension")
Capture = pytest.CaptureFixture[str]
BONES = ("hips", "spine", "hand")


def found(*frames: int, stray: tuple[int, ...] = (), on: int = 1) -> StrayKeys | None:
    """Return the stray keys found in an action with keys of all bones at `frames`, and of `on` curves at `stray`."""
    rig = make_rig(BONES)
    action, slot = actions.new_action("Keyed", rig)
    number = 0
    for bone in BONES:
        for index in range(4):
            own = (*frames, *stray) if number < on else frames
            values = [(frame, 0.1 * ((frame * 7) % 5)) for frame in sorted(own)]
            key(action, slot, f'pose.bones["{bone}"].rotation_quaternion', index, values)
            number += 1
    actions.assign(rig, action, slot)
    every = (*frames, *stray)
    return stray_keys(collect_curves(rig, action, slot), min(every), max(every))


def add_stray_key(character: Object, frame: float) -> None:
    action, slot = actions.assigned(character) or (None, "")
    actions.fcurves_of(action, slot)[0].keyframe_points.insert(frame, 0.5).interpolation = "LINEAR"


@pytest.mark.parametrize("far", [1000, 20_000, 100_000, 1_000_000])
@pytest.mark.parametrize("on", [1, 12], ids=["one curve", "every curve"])
def test_one_key_far_away_is_noticed(far: int, on: int) -> None:
    stray = found(*range(1, 81), stray=(far,), on=on)
    assert stray == StrayKeys(1, 80, (far,))
    assert stray.where == f"keys at 1-80 and one at {far:,}"


def test_keys_far_away_on_both_sides_are_noticed_and_counted() -> None:
    stray = found(*range(1, 81), stray=(-5000, 50_000, 100_000))
    assert stray is not None
    assert (stray.first, stray.last, stray.outside) == (1, 80, (-5000, 50_000, 100_000))
    assert stray.where == "keys at 1-80 and 3 from -5,000 to 100,000"


def test_a_pose_of_a_blocking_far_away_is_noticed() -> None:
    assert found(1, 25, 50, 75, stray=(100_000,), on=12) == StrayKeys(1, 75, (100_000,))


@pytest.mark.parametrize(
    "frames",
    [
        tuple(range(1, 251)),
        tuple(range(1, 251, 25)),
        (1, 25, 50, 75, 300),
        (1, 10, 20, 400),
        (1, 100),
        (1, 2, 500),
        (*range(1, 81), *range(5000, 5080)),
        (*range(1, 81), *range(2000, 2020)),
        (*range(1, 81), 300),
    ],
    ids=["dense", "blocking", "hold", "long hold", "two", "three", "two bursts", "a short burst", "a late pose"],
)
def test_regular_keys_are_not_reported_as_stray(frames: tuple[int, ...]) -> None:
    assert found(*frames) is None


def test_the_panel_tells_and_a_button_learns_from_the_others() -> None:
    hero = new_character()
    add_stray_key(hero, 100_000)
    strays, _ = panel_remarks(hero, hero.genmm, bpy.context.scene)
    assert [stray.where for stray in strays] == ["keys at 1-60 and one at 100,000"]
    assert bpy.ops.genmm.leave_out_stray_keys() == {"FINISHED"}
    row = hero.genmm.examples[0]
    assert (row.use_range, row.frame_start, row.frame_end) == (True, 1, 60)
    assert panel_remarks(hero, hero.genmm, bpy.context.scene)[0] == []
    assert bpy.ops.genmm.generate_motion(frames=40) == {"FINISHED"}


def test_button_leaves_other_rows_unchanged_and_is_canceled_without_stray_keys() -> None:
    hero = new_character()
    bpy.ops.genmm.add_example(played=True)
    assert bpy.ops.genmm.leave_out_stray_keys() == {"CANCELLED"}
    assert not hero.genmm.examples[0].use_range


def test_button_is_canceled_where_an_nla_strip_plays_instead_of_an_action() -> None:
    hero = new_character()
    action, slot = actions.assigned(hero) or (None, "")
    strip = hero.animation_data.nla_tracks.new().strips.new("Walk", 1, action)
    if slot:
        strip.action_slot = next(each for each in action.slots if each.identifier == slot)
    hero.animation_data.action = None
    assert bpy.ops.genmm.leave_out_stray_keys() == {"CANCELLED"}


def test_the_panel_says_that_little_motion_gives_poor_results() -> None:
    short = new_character(frames=20)
    assert panel_remarks(short, short.genmm, bpy.context.scene)[1] == "Only 0.8 s: 1.5 s or more help"
    long = new_character("Other")
    assert panel_remarks(long, long.genmm, bpy.context.scene)[1] == ""


def test_command_notes_a_stray_key_and_still_generates(tmp_path: Path, capfd: Capture) -> None:
    add_stray_key(new_character(), 3000)
    path = save(tmp_path, "hero")
    said = run(capfd, "generate", path, "--frames", 40, "-o", tmp_path / "{name}.npz")
    assert said.status == 0
    told = "\n".join(said.told + said.errors)
    assert 'Action "Hero Sway" has keys at 1-60 and one at 3,000: learn from 1-60' in told
    assert "--range 1-60" in told


def test_a_range_on_the_command_line_leaves_the_stray_key_out(tmp_path: Path, capfd: Capture) -> None:
    add_stray_key(new_character(), 1_000_000)
    path = save(tmp_path, "hero")
    said = run(capfd, "generate", path, "--range", "1-60", "--frames", 40, "-o", tmp_path / "{name}.npz")
    assert (said.status, said.errors) == (0, [])
    assert "keys at" not in "\n".join(said.told)
    assert load_motion(tmp_path / "hero.npz").frames == 40


@pytest.mark.parametrize("text", ["80", "80-1", "one-two"])
def test_invalid_range_is_rejected(tmp_path: Path, capfd: Capture, text: str) -> None:
    new_character()
    assert run(capfd, "generate", save(tmp_path, "hero"), "--range", text).status == 2


def test_the_command_notes_that_little_motion_gives_poor_results(tmp_path: Path, capfd: Capture) -> None:
    new_character(frames=20)
    said = run(capfd, "generate", save(tmp_path, "hero"), "--frames", 40, "-o", tmp_path / "{name}.npz")
    assert said.status == 0
    assert "The examples last 0.8 s" in "\n".join(said.told + said.errors)

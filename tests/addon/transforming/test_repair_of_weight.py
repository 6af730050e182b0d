# SPDX-License-Identifier: GPL-3.0-or-later
"""Jumps that defy gravity or land on stiff legs, and walks that stop at once, in the window and by `genmm repair`:
listed with how wrong they are, then repaired.
"""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run, save

from genmm_addon.animation.actions import assigned, fcurves_of
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion, load_bvh, save_bvh
from genmm_addon.core.evaluation import center_of_mass, find_body_model, find_flights, find_gravity
from genmm_addon.core.feet import move_root, standing_of
from genmm_addon.editing.repairing.record import PROPERTY
from genmm_addon.files.import_file import import_file
from genmm_addon.state.edit_properties import FLAW_KINDS

pytestmark = pytest.mark.usefixtures("extension")

TAKE_OFF, FLIGHT, FRAMES = 40, 16, 100
RATE, FLOATING, STOP = 30.0, 0.5, 21


def jump(path: Path, share: float, frames: int = FRAMES) -> Path:
    """Return a path to which the sample is saved, which stands, jumps at a share of gravity, and stands at once.

    It ends after some frames.
    """
    walk = sample_motions(RATE)["GenMM Walk"]
    stands = walk.take(np.zeros(FRAMES, np.int64))
    body = find_body_model(walk.skeleton)
    time, whole = (np.arange(FRAMES) - TAKE_OFF) / RATE, FLIGHT / RATE
    gravity = share * find_gravity(walk.skeleton, body)
    heights = np.where((time > 0) & (time < whole), gravity / 2 * time * (whole - time), 0.0)
    flown = move_root(stands, standing_of(walk).plan.joint, heights[:, None] * np.array(walk.skeleton.up))
    save_bvh(path, flown.slice(0, frames))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a BVH file of a jump that floats at half of gravity."""
    return jump(tmp_path / "jump.bvh", FLOATING)


@pytest.fixture
def character(file: Path) -> Object:
    """Return the jumping character, active in the window."""
    bpy.context.scene.render.fps = round(RATE)
    armature = import_file(file, bpy.context)[0].armature
    bpy.context.view_layer.objects.active = armature
    return armature


def shares(motion: Motion) -> list[float]:
    """Return the gravity of each flight, as a share of the true one."""
    body = find_body_model(motion.skeleton)
    flights = find_flights(motion, center_of_mass(motion, body), standing_of(motion))
    return [flight.gravity / find_gravity(motion.skeleton, body) for flight in flights]


@pytest.mark.parametrize("kept", ["DURATION", "HEIGHT"])
def test_a_jump_that_floats_is_listed_repaired_and_undone_in_the_window(
    character: Object, kept: str, tmp_path: Path
) -> None:
    bpy.ops.genmm.find_flaws(kinds={"FLIGHT", "BALANCE"})
    (flaw,) = bpy.context.scene.genmm.repair.flaws
    assert flaw.kind == "FLIGHT" and flaw.first < TAKE_OFF < flaw.last and flaw.change > 0.0
    assert flaw.amount == "0.50 g"
    bpy.ops.genmm.go_to_frame(rows="flaws", number=0)
    assert bpy.context.scene.frame_current == flaw.first
    bpy.ops.genmm.repair(kinds={"FLIGHT"}, kept_in_flights=kept)
    playing = assigned(character)
    assert playing is not None and json.loads(playing[0][PROPERTY])[-1]["kept"] == kept
    bpy.ops.genmm.find_flaws(kinds={"FLIGHT", "BALANCE"})
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_a_part_of_a_jump_is_not_repaired(character: Object) -> None:
    for chosen in ({"first_frame": 1, "last_frame": TAKE_OFF + 5}, {"first_frame": TAKE_OFF, "last_frame": FRAMES}):
        bpy.ops.genmm.find_flaws(kinds={"FLIGHT"}, frames_choice="FRAMES", **chosen)
        assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_the_command_lists_and_repairs_a_jump(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert shares(load_bvh(file)) == pytest.approx([FLOATING], rel=0.05)
    said = run(capfd, "repair", file, "--list", "--kinds", "flights,balance", "--json")
    (flaw,) = [row for row in said.objects if row["event"] == "flaw"]
    assert flaw["kind"] == "flight" and flaw["amount"] == pytest.approx(FLOATING, rel=0.05)
    assert "0.50 g" in run(capfd, "repair", file, "--list", "--kinds", "flights").lines[0]
    for kept in ("duration", "height"):
        out = tmp_path / f"{kept}.bvh"
        repaired = run(capfd, "repair", file, "--kinds", "flights", "--flights-keep", kept, "--output", out)
        assert repaired.status == 0 and shares(load_bvh(out)) == pytest.approx([1.0], rel=0.1)


def test_a_stiff_landing_is_listed_and_repaired_in_the_window(tmp_path: Path) -> None:
    bpy.context.scene.render.fps = round(RATE)
    armature = import_file(jump(tmp_path / "stiff.bvh", 1.0), bpy.context)[0].armature
    bpy.context.view_layer.objects.active = armature
    bpy.ops.genmm.find_flaws()
    (flaw,) = bpy.context.scene.genmm.repair.flaws
    assert flaw.kind == "LANDING" and flaw.amount.endswith(" g") and float(flaw.amount[:-2]) > 4.0
    assert flaw.first >= TAKE_OFF + FLIGHT - 1 and flaw.change > 0.0
    bpy.ops.genmm.go_to_frame(rows="flaws", number=0)
    assert bpy.context.scene.frame_current == flaw.first
    bpy.ops.genmm.repair(kinds={"LANDING"})
    bpy.ops.genmm.find_flaws()
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_legs_without_keys_get_some_where_a_landing_is_made_softer(tmp_path: Path) -> None:
    bpy.context.scene.render.fps = round(RATE)
    character = import_file(jump(tmp_path / "stiff.bvh", 1.0), bpy.context)[0].armature
    bpy.context.view_layer.objects.active = character
    curves = fcurves_of(*assigned(character))
    for curve in [curve for curve in curves if "Shin" in curve.data_path]:
        curves.remove(curve)
    bpy.ops.genmm.repair(kinds={"LANDING"})
    assert any("Shin" in curve.data_path for curve in fcurves_of(*assigned(character)))
    bpy.ops.genmm.find_flaws()
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_the_command_lists_and_repairs_a_stiff_landing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stiff, out = jump(tmp_path / "stiff.bvh", 1.0), tmp_path / "soft.bvh"
    said = run(capfd, "repair", stiff, "--list", "--json")
    (flaw,) = [row for row in said.objects if row["event"] == "flaw"]
    assert flaw["kind"] == "landing" and flaw["amount"] > 4.0
    assert run(capfd, "repair", stiff, "--kinds", "landings", "--output", out).status == 0
    assert "0 flaws found" in run(capfd, "repair", out, "--list").lines[-1]
    assert shares(load_bvh(out)) == pytest.approx(shares(load_bvh(stiff)), rel=0.01)


def test_the_list_tells_which_landing_no_repair_makes_softer(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ends_at_once = jump(tmp_path / "cut.bvh", 1.0, TAKE_OFF + FLIGHT + 2)
    assert " g, left as is, moved by up to 0" in run(capfd, "repair", ends_at_once, "--list").lines[0]
    assert "left as is" not in run(capfd, "repair", jump(tmp_path / "stiff.bvh", 1.0), "--list").lines[0]


def stopped_walk(path: Path) -> Path:
    """Return a path to which a walk of the sample is saved that stands still from one frame to the next."""
    walk = sample_motions(RATE)["GenMM Walk"]
    save_bvh(path, walk.take(np.r_[0 : STOP + 1, np.full(30, STOP)]))
    return path


def test_a_walk_that_stops_at_once_is_listed_and_repaired_in_the_window(tmp_path: Path) -> None:
    bpy.context.scene.render.fps = round(RATE)
    armature = import_file(stopped_walk(tmp_path / "stop.bvh"), bpy.context)[0].armature
    bpy.context.view_layer.objects.active = armature
    bpy.ops.genmm.find_flaws(kinds={"BRAKING"})
    (flaw,) = bpy.context.scene.genmm.repair.flaws
    assert flaw.kind == "BRAKING" and flaw.amount.endswith("% off") and float(flaw.amount[:2]) > 15
    assert flaw.first < STOP < flaw.last and flaw.change > 0.0
    bpy.ops.genmm.go_to_frame(rows="flaws", number=0)
    assert bpy.context.scene.frame_current == flaw.first
    bpy.ops.genmm.repair(kinds={"BRAKING"})
    bpy.ops.genmm.find_flaws(kinds={"BRAKING"})
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_the_command_lists_and_repairs_a_walk_that_stops(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stop, out = stopped_walk(tmp_path / "stop.bvh"), tmp_path / "soft.bvh"
    said = run(capfd, "repair", stop, "--list", "--json", "--kinds", "braking")
    (flaw,) = [row for row in said.objects if row["event"] == "flaw"]
    assert flaw["kind"] == "braking" and flaw["amount"] > 0.15
    assert run(capfd, "repair", stop, "--kinds", "braking", "--output", out).status == 0
    assert "0 flaws found" in run(capfd, "repair", out, "--list", "--kinds", "braking").lines[-1]


def test_choices_of_kinds_that_files_hold_stay_as_they_are() -> None:
    # Files hold a choice as a sum of these numbers.
    names = ["SPIKE", "JITTER", "LOST", "SLIDE", "FLIGHT", "BALANCE", "PENETRATION", "LANDING", "BRAKING"]
    assert [(kind[0], kind[3]) for kind in FLAW_KINDS] == [(name, 2**place) for place, name in enumerate(names)]


def test_a_character_without_feet_has_no_flaw_of_weight(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bpy.ops.object.armature_add()
    bone = bpy.context.object.pose.bones[0]
    for frame in range(1, 41):
        bone.location = (0.0, 0.0, 0.1 * np.sin(frame))
        bone.keyframe_insert("location", frame=frame)
    said = run(capfd, "repair", save(tmp_path, "bone"), "--list", "--kinds", "flights,balance")
    assert said.status == 0 and "0 flaws found" in said.lines[-1]

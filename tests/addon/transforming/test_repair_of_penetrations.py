# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm through the trunk, in the window and by `genmm repair`: listed with its depth, then pushed out."""

import json
from pathlib import Path

import bpy
import pytest
from arm_in_trunk import FIRST, RATE, arm_in_trunk
from bpy.types import Object
from commands import run

from genmm_addon.animation.actions import assigned
from genmm_addon.core import Motion, load_bvh, save_bvh
from genmm_addon.core.evaluation import find_capsules, penetration_depths, usual_depths
from genmm_addon.editing.repairing.record import PROPERTY, repair_text
from genmm_addon.files.import_file import import_file

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a BVH file of the sample, which stands, and whose left arm goes into its trunk for a while."""
    save_bvh(tmp_path / "arm.bvh", arm_in_trunk(0.4))
    return tmp_path / "arm.bvh"


@pytest.fixture
def character(file: Path) -> Object:
    """Return the character, active in the window."""
    bpy.context.scene.render.fps = round(RATE)
    armature = import_file(file, bpy.context)[0].armature
    bpy.context.view_layer.objects.active = armature
    return armature


def deepest(motion: Motion) -> float:
    """Return how much deeper than in the rest pose limbs are in the body at most, as a share of the size."""
    capsules = find_capsules(motion.skeleton)
    deep = penetration_depths(motion, capsules) - usual_depths(motion.skeleton, capsules)
    return float(deep.max()) / motion.skeleton.size


def test_an_arm_in_the_trunk_is_listed_visited_repaired_and_gone(character: Object) -> None:
    bpy.ops.genmm.find_flaws(kinds={"PENETRATION"})
    (flaw,) = bpy.context.scene.genmm.repair.flaws
    assert flaw.kind == "PENETRATION" and FIRST - 10 < flaw.first < FIRST + 10 and flaw.change > 0.0
    assert "% deep: " in flaw.amount and flaw.bones
    # A row has no room for all three bones, which the command names.
    assert flaw.amount.endswith(": Hand.L") and flaw.bones == "UpperArm.L, Forearm.L, Hand.L"
    bpy.ops.genmm.go_to_frame(rows="flaws", number=0)
    assert bpy.context.scene.frame_current == flaw.first
    bpy.ops.genmm.repair(kinds={"PENETRATION"})
    playing = assigned(character)
    assert playing is not None and json.loads(playing[0][PROPERTY])[-1]["flaws"][0][0] == "PENETRATION"
    assert repair_text(playing[0]) == "1 flaw repaired, strength 1"
    bpy.ops.genmm.find_flaws(kinds={"PENETRATION"})
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_a_limb_is_repaired_with_all_of_its_bones_or_not_at_all(character: Object) -> None:
    bpy.ops.genmm.find_flaws(kinds={"PENETRATION"}, frames_choice="FRAMES", first_frame=1, last_frame=FIRST + 20)
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_what_the_examples_have_is_no_flaw(character: Object) -> None:
    playing = assigned(character)
    assert playing is not None
    playing[0].copy().name = "Example"
    bpy.ops.genmm.find_flaws(kinds={"PENETRATION"}, source="ACTION", other_action="Example")
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


def test_the_command_lists_and_repairs_an_arm_in_the_trunk(
    file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert deepest(load_bvh(file)) > 0.02
    said = run(capfd, "repair", file, "--list", "--kinds", "penetrations", "--json")
    (flaw,) = [row for row in said.objects if row["event"] == "flaw"]
    assert flaw["kind"] == "penetration" and flaw["amount"] == pytest.approx(deepest(load_bvh(file)), rel=0.1)
    assert (
        "% deep: UpperArm.L, Forearm.L, Hand.L, moved"
        in run(capfd, "repair", file, "--list", "--kinds", "penetrations").lines[0]
    )
    out = tmp_path / "out.bvh"
    assert run(capfd, "repair", file, "--kinds", "penetrations", "--output", out).status == 0
    assert deepest(load_bvh(out)) < 0.02

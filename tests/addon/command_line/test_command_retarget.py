# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm retarget`: motions of files brought to the character of another file."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from characters import walking_sample
from commands import left_in, run, save
from numpy.typing import NDArray
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion
from genmm_addon.core.motion import read_bvh_motion, save_bvh
from genmm_addon.core.transfer import BoneMap, write_bone_map

pytestmark = [pytest.mark.arrays, pytest.mark.usefixtures("extension")]

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    """Return a folder with a character's file, and a folder of captured motions beside it."""
    walking_sample()
    save(tmp_path, "hero")
    folder = tmp_path / "takes"
    folder.mkdir()
    for name in ("GenMM Walk", "GenMM Dance"):
        save_bvh(folder / f"{name.split()[1].lower()}.bvh", sample_motions(30.0)[name].slice(0, 90))
    return tmp_path


def test_each_input_becomes_a_file_and_a_bad_one_does_not_stop_the_others(takes: Path, capfd: Capture) -> None:
    (takes / "takes" / "broken.bvh").write_text("HIERARCHY")
    output = takes / "out" / "{name}.blend"
    said = run(capfd, "retarget", takes / "takes", "--onto", takes / "hero.blend", "--output", output)
    assert said.status == 2 and len(said.errors) == 1 and "broken.bvh" in said.errors[0]
    assert left_in(takes / "out") == {"walk.blend", "dance.blend"}
    assert said.lines[-1] == "2 of 3 inputs done."
    bpy.ops.wm.open_mainfile(filepath=str(takes / "out" / "walk.blend"))
    (hero,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    playing = actions.assigned(hero)
    assert playing is not None and playing[0].name == "walk"


def test_a_character_without_an_action_is_given_one(takes: Path, capfd: Capture) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(takes / "hero.blend"))
    bpy.ops.export_scene.gltf(filepath=str(takes / "still.glb"), export_animations=False)
    output = takes / "walk.blend"
    said = run(capfd, "retarget", takes / "takes" / "walk.bvh", "--onto", takes / "still.glb", "--output", output)
    assert said.status == 0, said.errors
    assert '"walk" brought to' in said.lines[0]
    said = run(capfd, "retarget", takes / "still.glb", "--onto", takes / "hero.blend", "--output", takes / "no.blend")
    assert said.status == 2 and "has no action" in said.errors[0]


def test_options_reach_the_motion_and_json_names_the_file(takes: Path, capfd: Capture) -> None:
    walk, hero, spans = takes / "takes" / "walk.bvh", takes / "hero.blend", {}
    for name, words in (("plain", ()), ("half", ("--path-scale", 0.5)), ("spot", ("--in-place",))):
        output = takes / f"{name}.bvh"
        said = run(capfd, "retarget", walk, "--onto", hero, "--output", output, *words, "--json")
        assert said.status == 0, said.errors
        assert said.objects[-1]["file"] == str(output)
        motion = read_bvh_motion(output).motion
        spans[name] = float(np.linalg.norm(np.ptp(joint_path(motion, int(motion.translated[0])), axis=0)))
    assert spans["half"] == pytest.approx(0.5 * spans["plain"], rel=0.2)
    assert spans["spot"] < 0.2 * spans["plain"]


def test_a_map_decides_which_bones_follow(takes: Path, capfd: Capture) -> None:
    walk, hero, turns = takes / "takes" / "walk.bvh", takes / "hero.blend", {}
    names = read_bvh_motion(walk).motion.skeleton.names
    arm = next(name for name in names if name.startswith("UpperArm"))
    for kept in (True, False):
        pairs = [(name, name) if kept or name != arm else (name, "") for name in names] + [("Renamed", names[-1])]
        pairs = [pair for pair in pairs if pair != (names[-1], names[-1])]
        write_bone_map(takes / "map.json", BoneMap(tuple(pairs)))
        output = takes / f"{kept}.bvh"
        words = ("--onto", hero, "--map", takes / "map.json", "--output", output)
        said = run(capfd, "retarget", walk, *words)
        assert said.status == 0, said.errors
        assert any('bones that "walk.bvh" does not have: "Renamed".' in line for line in said.progress), said
        motion = read_bvh_motion(output).motion
        joint = next(j for j, name in enumerate(motion.skeleton.names) if name == arm)
        turns[kept] = float(np.ptp(motion.rotations[:, joint], axis=0).max())
    assert turns[True] > 0.05 and turns[False] < 1e-3
    (takes / "map.json").write_text("{}")
    said = run(capfd, "retarget", walk, "--onto", hero, "--map", takes / "map.json", "--output", takes / "none.bvh")
    assert said.status == 2 and "map.json" in said.errors[0] and not (takes / "none.bvh").exists()


def test_actions_that_do_not_move_are_named_in_one_note_and_the_others_of_their_file_are_brought(
    takes: Path, capfd: Capture
) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    hero = walking_sample()
    for name in ("Still", "Stiller"):
        still, slot = actions.new_action(name, hero)
        key(still, slot, 'pose.bones["Hips"].location', 0, [(1.0, 0.0)])
        still.use_fake_user = True
    source, output = save(takes, "source"), takes / "out.blend"
    said = run(capfd, "retarget", source, "--onto", takes / "hero.blend", "--output", output)
    assert said.status == 0, said.errors
    (note,) = (line for line in said.progress if "only one frame" in line)
    assert '"Still" has only one frame' in note and note.endswith('The same holds for 1 other: "Stiller".')
    assert "Still" not in said.lines[-1] and "GenMM Walk" in said.lines[-1] and "GenMM Dance" in said.lines[-1]
    words = ("retarget", source, "--onto", takes / "hero.blend", "--action", "Still", "--output", takes / "none.blend")
    said = run(capfd, *words)
    assert said.status == 2 and "only one frame" in said.errors[0] and not (takes / "none.blend").exists()


def test_what_cannot_be_brought_is_refused_and_nothing_is_written(takes: Path, capfd: Capture) -> None:
    walk, hero, output = takes / "takes" / "walk.bvh", takes / "hero.blend", takes / "none.blend"
    for words, reason in (
        ((walk, "--onto", takes / "missing.blend"), "There is no file"),
        ((takes / "missing.bvh", "--onto", hero), "There is no file"),
        ((walk, "--onto", hero, "--action", "Jump"), 'no action "Jump"'),
        ((walk, "--onto", hero, "--path-scale", "0"), "not a factor"),
        ((walk, "--onto", hero, "--armature", "Nobody"), "no armature"),
        ((walk,), "--onto"),
    ):
        said = run(capfd, "retarget", *words, "--output", output)
        assert said.status == 2 and reason in " ".join(said.errors)
        assert not output.exists()
    output.write_text("kept")
    said = run(capfd, "retarget", walk, "--onto", hero, "--output", output)
    assert said.status == 2 and output.read_text() == "kept"


def joint_path(motion: Motion, joint: int) -> NDArray[np.float64]:
    """Return the places `(T, 3)` of a joint."""
    return np.asarray(motion.pose()[1][:, joint], np.float64)

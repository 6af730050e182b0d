# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions marked as assets by operator and command, with a catalog, tags and a preview."""

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from commands import run, save
from interface import select

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_character import add_sample_character, sample_motions
from genmm_addon.core import InputError
from genmm_addon.files.asset_catalogs import CATALOGS, catalogs_of, ensure_catalog
from genmm_addon.libraries.assets import is_carried_by_constraints, preview_of, preview_of_action, seen_lines

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def walker() -> Object:
    sample = add_sample_character(bpy.context)
    select(sample.armature)
    actions.assign(sample.armature, next(one for one in sample.actions if one.name == "GenMM Walk"))
    return sample.armature


def pixels(action: Action) -> np.ndarray:
    width, height = action.preview.image_size
    values = np.empty(width * height * 4, np.float32)
    action.preview.image_pixels_float.foreach_get(values)
    return values.reshape(height, width, 4)


def test_the_action_becomes_an_asset_with_poses_for_a_preview(tmp_path: Path, walker: Object) -> None:
    action = bpy.data.actions["GenMM Walk"]
    with pytest.raises(RuntimeError, match="Save the file first"):
        bpy.ops.genmm.mark_asset(catalog="Walks/Plain")
    assert action.asset_data is None
    save(tmp_path, "shot")
    assert bpy.ops.genmm.mark_asset(catalog="Walks/Plain", tags="style=plain, action=walk") == {"FINISHED"}
    data = action.asset_data
    assert data is not None and action.use_fake_user
    assert catalogs_of(Path(bpy.data.filepath)) == {data.catalog_id: "Walks/Plain"}
    assert sorted(tag.name for tag in data.tags) == ["action=walk", "style=plain"]
    seen = pixels(action)
    assert seen.shape == (256, 256, 4)
    quarters = [seen[y : y + 128, x : x + 128, 3] for y in (0, 128) for x in (0, 128)]
    assert all(0.02 < float((quarter > 0.5).mean()) < 0.5 for quarter in quarters), "a figure in each"
    assert bpy.ops.genmm.mark_asset() == {"FINISHED"}
    assert catalogs_of(Path(bpy.data.filepath))[action.asset_data.catalog_id] == "Walks/Plain", "it stays there"


def test_figure_is_drawn_when_every_bone_has_location_keys() -> None:
    motion = sample_motions(30.0)["GenMM Walk"]
    count = len(motion.skeleton.names)
    moves = np.zeros((motion.frames, count, 3), np.float32)
    keyed = replace(motion, translated=np.arange(count), translations=moves)
    assert float((preview_of(keyed)[..., 3] > 0.5).mean()) > 0.02


def test_the_command_writes_a_file_with_the_asset_and_its_catalog(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], walker: Object
) -> None:
    shot, output = save(tmp_path, "shot"), tmp_path / "out" / "walks.blend"
    output.parent.mkdir()
    said = run(capfd, "asset", shot, "--catalog", "Walks", "--tags", "style=plain", "--output", output)
    assert said.status == 0, said.errors
    bpy.ops.wm.open_mainfile(filepath=str(output))
    data = bpy.data.actions["GenMM Walk"].asset_data
    assert data is not None and catalogs_of(output) == {data.catalog_id: "Walks"}
    refused = run(capfd, "asset", shot, "--output", tmp_path / "walks.bvh")
    assert refused.status == 2 and "cannot be written; use one of" in refused.errors[0]


def test_catalogs_are_written_whole_and_those_of_others_stay(tmp_path: Path) -> None:
    blend, file = tmp_path / "deeper" / "a.blend", tmp_path / CATALOGS
    file.write_text("# Mine\nVERSION 1\n\n11111111-2222-3333-4444-555555555555:Runs:Runs")
    known = ensure_catalog(blend, "Runs")
    assert known == "11111111-2222-3333-4444-555555555555"
    added = ensure_catalog(blend, " Walks / Tired ")
    assert catalogs_of(blend) == {known: "Runs", added: "Walks/Tired"}
    assert file.read_text().startswith("# Mine\nVERSION 1\n") and not list(tmp_path.glob("*.unfinished"))
    before = file.read_bytes()
    assert ensure_catalog(blend, "Walks/Tired") == added and file.read_bytes() == before
    for path in ("", " / ", "Two\nlines"):
        with pytest.raises(InputError, match="empty or unprintable"):
            ensure_catalog(blend, path)


def test_of_a_control_rig_the_bones_that_are_seen_are_drawn(walker: Object) -> None:
    action, slot = actions.assigned(walker) or (None, "")
    assert action is not None
    by_keys = preview_of_action(walker, action, slot, bpy.context.scene)
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    constraint = walker.pose.bones["UpperArm.R"].constraints.new("COPY_ROTATION")
    constraint.target = target
    bpy.context.view_layer.update()
    assert is_carried_by_constraints(walker)
    lines = seen_lines(walker, action, slot, np.array([1.0, 20.0, 40.0]), bpy.context.scene)
    deforming = [bone.name for bone in walker.pose.bones if walker.data.bones[bone.name].use_deform]
    arm = lines[:, :, deforming.index("UpperArm.R")]
    along = [0.0, walker.data.bones["UpperArm.R"].length, 0.0]
    assert arm[:, 1] - arm[:, 0] == pytest.approx(np.tile(along, (3, 1)), abs=1e-5), "as the target lies"
    seen = preview_of_action(walker, action, slot, bpy.context.scene)
    assert seen.shape == by_keys.shape and np.abs(seen - by_keys).max() > 0.5
    constraint.mute = True
    assert not is_carried_by_constraints(walker)
    assert np.array_equal(preview_of_action(walker, action, slot, bpy.context.scene), by_keys)
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"] and actions.assigned(walker) == (action, slot)


def test_line_ends_and_comments_of_a_catalogs_file_stay(tmp_path: Path) -> None:
    file = tmp_path / CATALOGS
    lines = ("# Mein é", "VERSION 1", "", "# between", "11111111-2222-3333-4444-555555555555:Runs:Runs", "no entry", "")
    before = "\r\n".join(lines).encode()
    file.write_bytes(before)
    added = ensure_catalog(tmp_path / "a.blend", "Walks")
    assert file.read_bytes() == before + f"{added}:Walks:Walks\r\n".encode()


def test_unwritable_catalog_file_is_reported_and_nothing_is_left_behind(tmp_path: Path) -> None:
    file = tmp_path / CATALOGS
    file.write_text("VERSION 2\n")
    with pytest.raises(InputError, match="another version of Blender"):
        ensure_catalog(tmp_path / "a.blend", "Walks")
    assert file.read_text() == "VERSION 2\n"
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError, match="cannot be written; check the file and its folder"):
        ensure_catalog(tmp_path / "a.blend", "Walks")
    assert list(tmp_path.iterdir()) == [file]


def test_preview_shows_the_keyed_pose_and_a_non_finite_key_is_reported(walker: Object) -> None:
    action = bpy.data.actions["GenMM Walk"]
    slot = actions.armature_slots(action)[0]
    plain = preview_of_action(walker, action, slot, bpy.context.scene)
    curve = actions.fcurves_of(action, slot)[3]
    curve.keyframe_points.insert(100_000, curve.keyframe_points[-1].co.y)
    assert np.array_equal(preview_of_action(walker, action, slot, bpy.context.scene), plain)
    curve.keyframe_points.remove(curve.keyframe_points[-1])
    curve.keyframe_points[60].co.y = float("nan")
    with pytest.raises(RuntimeError, match="not a finite number at frame 61;"):
        bpy.ops.genmm.mark_asset()
    assert action.asset_data is None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters of a library in the sidebar: listed, renamed, learned from, with typical clips opened as actions."""

import errno
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bpy.types import Object
from clip_libraries import four_motions
from commands import save
from interface import new_character, select
from recorded_layout import drawn

from genmm_addon.animation import actions
from genmm_addon.core.library import load_library, save_library
from genmm_addon.files.asset_catalogs import CATALOGS
from genmm_addon.interface.exploring import pictures, preview
from genmm_addon.interface.exploring.drawing import hidden_rows, show_strip
from genmm_addon.interface.exploring.panels import GENMM_PT_find_similar, GENMM_PT_library
from genmm_addon.interface.exploring.preview import place_lines, shown_clip
from genmm_addon.libraries import replacing
from genmm_addon.libraries.exploring.strips import POSES
from genmm_addon.libraries.plain_armature import add_plain_armature
from genmm_addon.libraries.reading.blender_files import _asset_tags
from genmm_addon.requests.library_values import chosen_text
from genmm_addon.state.exploring_properties import active_cluster, listed_clusters
from genmm_addon.state.properties import own_settings

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    save_library(tmp_path / "all.npz", four_motions(walks=30))
    return tmp_path / "all.npz"


@pytest.fixture
def body(extension: None, library: Path) -> Object:
    bpy.context.scene.render.fps = 30
    armature = add_plain_armature(bpy.context, "Body", four_motions().skeleton)
    select(armature)
    own_settings(armature).library_files.add().path = str(library)
    assert bpy.ops.genmm.show_clusters() == {"FINISHED"}
    return armature


def broken_disk(*_arguments: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def select_cluster(name: str) -> None:
    kept = listed_clusters(bpy.context)
    kept.active = next(number for number, row in enumerate(kept.rows) if row.name == name)


@pytest.mark.usefixtures("body")
def test_the_tree_is_listed_with_its_counts_and_pictures(library: Path) -> None:
    kept = listed_clusters(bpy.context)
    assert sum(row.clips for row in kept.rows if row.depth == 0) == len(load_library(library).clips)
    assert any(row.has_inside for row in kept.rows) and {row.depth for row in kept.rows} >= {0, 1}
    row = active_cluster(bpy.context)
    assert row is not None and len(show_strip(kept.file, kept.fingerprint, row.typical)) == POSES
    assert show_strip(kept.file, "another library", row.typical) == []
    assert all(f"{kept.fingerprint[:16]} {row.typical} small" in pictures._previews[0] for row in kept.rows)


def test_rows_inside_of_closed_ones_are_hidden() -> None:
    rows = [(0, True), (1, False), (2, True), (1, True), (2, False), (0, False), (1, True), (2, True)]
    assert hidden_rows(rows) == [False, False, True, False, False, False, True, True]


def test_a_new_name_is_written_and_learned_from_by_tags(body: Object, library: Path) -> None:
    select_cluster("wave plain")
    assert not bpy.ops.genmm.choose_cluster.poll()
    row = active_cluster(bpy.context)
    assert row is not None
    number, clips = row.number, row.clips
    assert bpy.ops.genmm.rename_cluster(new_name="  Hello  There ") == {"FINISHED"}
    row = active_cluster(bpy.context)
    assert row is not None and (row.number, row.name) == (number, "Hello There")
    assert sum(clip.tags.get("cluster") == "Hello There" for clip in load_library(library).clips) == clips
    assert bpy.ops.genmm.choose_cluster() == {"FINISHED"}
    assert own_settings(body).learn_from == "LIBRARY"
    assert chosen_text(own_settings(body)).startswith(f"{clips} clips")


@pytest.mark.usefixtures("body")
def test_invalid_names_are_rejected_and_leave_the_library_unchanged(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = library.read_bytes()
    with pytest.raises(RuntimeError, match="has , in it"):
        bpy.ops.genmm.rename_cluster(new_name="a, b")
    assert library.read_bytes() == before
    folder = library.parent
    monkeypatch.setattr(replacing, "save_library", broken_disk)
    with pytest.raises(RuntimeError, match=r'"all\.npz" cannot be written: No space left'):
        bpy.ops.genmm.rename_cluster(new_name="Far")
    assert library.read_bytes() == before and [path.name for path in folder.iterdir()] == ["all.npz"]
    save_library(library, four_motions())
    with pytest.raises(RuntimeError, match="changed since its clusters were listed"):
        bpy.ops.genmm.rename_cluster(new_name="Far")


def test_the_typical_clip_becomes_an_action(body: Object) -> None:
    select_cluster("dance plain")
    assert bpy.ops.genmm.use_typical_clip() == {"FINISHED"}
    playing = actions.assigned(body)
    assert playing is not None and playing[0].name.startswith("dance plain")
    assert playing[0].frame_range[1] - playing[0].frame_range[0] == 59


def test_the_typical_clip_begins_where_the_character_stands(body: Object) -> None:
    select_cluster("dance plain")
    root = body.pose.bones[0]
    root.location, root.rotation_mode = (2.0, 0.0, 1.0), "XYZ"
    bpy.context.view_layer.update()
    before = np.array(body.matrix_world @ root.head)
    assert bpy.ops.genmm.use_typical_clip() == {"FINISHED"}
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)
    assert np.array(body.matrix_world @ root.head)[:2] == pytest.approx(before[:2], abs=1e-3)


def test_a_selected_cluster_plays_its_typical_clip_once_over_its_character(
    body: Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(preview, "time", SimpleNamespace(monotonic=lambda: now[0]))
    body.pose.bones[0].location.x += 3.0
    bpy.context.view_layer.update()
    other, actions_before = new_character(bones=("a", "b")), len(bpy.data.actions)
    select(body)
    for _ in range(2):
        select_cluster("dance plain")
        shown = shown_clip(bpy.context, body)
        assert shown is not None and shown.plays and shown.frame == shown.laid.first
        assert shown.laid.motion.frames == 60
        lines = place_lines(shown.laid, body, shown.frame)
        root = np.array(body.matrix_world @ body.pose.bones[0].head)
        strong = lines.points[lines.colors[:, 3] == lines.colors[:, 3].max()]
        assert np.linalg.norm(strong[:, :2] - root[:2], axis=1).min() < 1e-3, "it begins where the character stands"
        now[0] += 0.5
        shown = shown_clip(bpy.context, body)
        assert shown is not None and shown.plays and shown.frame == pytest.approx(shown.laid.first + 15)
        assert shown_clip(bpy.context, other) is None, "another character has no such library"
        now[0] += 1.5
        assert shown_clip(bpy.context, body) is None
    select_cluster("dance plain")
    bpy.ops.genmm.close_list(rows="clusters")
    assert shown_clip(bpy.context, body) is None
    assert len(bpy.data.actions) == actions_before, "nothing of it is in the file"


@pytest.mark.usefixtures("body")
def test_clips_are_filed_into_a_catalog_as_assets_with_their_tags(tmp_path: Path) -> None:
    select_cluster("dance plain")
    assert not bpy.ops.genmm.file_cluster.poll(), "catalogs lie beside a file"
    path = save(tmp_path, "hero")
    for _ in range(2):
        before = set(bpy.data.actions)
        assert bpy.ops.genmm.file_cluster(count=3) == {"FINISHED"}
        made = set(bpy.data.actions) - before
        assert len(made) == 3 and all(action.name.startswith("dance plain") for action in made)
    for action in made:
        tags = _asset_tags(action, path)
        assert tags["catalog"] == "dance plain" and (tags["action"], tags["style"]) == ("dance", "plain")
    lines = (tmp_path / CATALOGS).read_text().splitlines()
    assert "VERSION 1" in lines and sum("dance plain" in line for line in lines) == 1, "a catalog is added once"


@pytest.mark.usefixtures("body")
def test_cluster_panel_draws_the_tree_or_asks_for_a_library() -> None:
    layout = drawn(GENMM_PT_library, bpy.context)
    assert {"genmm.show_clusters", "genmm.rename_cluster", "genmm.choose_cluster"} <= set(layout.buttons)
    bpy.ops.genmm.close_list(rows="clusters")
    assert "genmm.rename_cluster" not in drawn(GENMM_PT_library, bpy.context).buttons
    select(new_character())
    labels = [text for text, _ in drawn(GENMM_PT_find_similar, bpy.context).labels]
    assert " ".join(labels).startswith("Add a library first, in the panel Library")


def test_a_library_of_few_clips_has_no_clusters(body: Object, library: Path) -> None:
    save_library(library, four_motions().only([0, 1, 2]))
    with pytest.raises(RuntimeError, match=r"too few clips for clusters \(3\)"):
        bpy.ops.genmm.show_clusters()

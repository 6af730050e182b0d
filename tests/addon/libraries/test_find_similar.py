# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Similar: the frames that are searched for, the places listed, their drawing, and the action made from one."""

import zipfile
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bpy.types import Action, Keyframe, Object
from clip_libraries import WALK_STYLES, walks
from interface import new_character, select
from recorded_layout import drawn

from genmm_addon.animation import actions
from genmm_addon.core.library import save_library
from genmm_addon.interface.exploring import found, preview
from genmm_addon.interface.exploring.panels import GENMM_PT_find_similar
from genmm_addon.interface.exploring.preview import place_lines, shown_clip
from genmm_addon.libraries.choosing import LibraryChoice
from genmm_addon.libraries.exploring.strips import POSES
from genmm_addon.libraries.opening import clip_as_action
from genmm_addon.libraries.plain_armature import add_plain_armature
from genmm_addon.state.exploring_properties import exploring
from genmm_addon.state.properties import own_settings

pytestmark = pytest.mark.usefixtures("extension")

SHOWN, START = "walk 2", 10
"""The clip that the character plays, and the walk's frame at which it begins."""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    save_library(tmp_path / "walks.npz", walks())
    return tmp_path / "walks.npz"


@pytest.fixture
def body(library: Path) -> Object:
    """Return a character with the library's bones and the library in its panel, playing a clip from frame 1 on."""
    scene = bpy.context.scene
    scene.render.fps, scene.frame_current, scene.use_preview_range = 30, 31, False
    armature = add_plain_armature(bpy.context, "Body", walks().skeleton)
    select(armature)
    assert bpy.ops.genmm.add_library(filepath=str(library)) == {"FINISHED"}
    clip = clip_as_action(armature, LibraryChoice((str(library),)), SHOWN, (), scene)
    actions.assign(armature, clip.action, clip.slot)
    return armature


def places() -> list[tuple[str, int, int]]:
    return [(row.name, row.first, row.frames) for row in exploring(bpy.context).places]


def nearest() -> tuple[int, int]:
    """Return the frame of the walk, whose overlapping pieces are the clips, and the best place's number of frames."""
    name, first, frames = places()[0]
    return 5 * int(name[-1]) + first, frames


def range_of(action: Action) -> tuple[float, float]:
    return action.frame_range[0], action.frame_range[1]


def played(body: Object) -> Action:
    return (actions.assigned(body) or pytest.fail("it plays nothing"))[0]


def points_of(body: Object) -> list[Keyframe]:
    action, slot = actions.assigned(body) or pytest.fail("it plays nothing")
    return [point for curve in actions.fcurves_of(action, slot) for point in curve.keyframe_points]


def joints(body: Object, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return np.array([bone.head for bone in body.pose.bones])


def test_frames_around_the_playhead_are_found_in_their_own_clip(body: Object) -> None:
    assert bpy.ops.genmm.find_similar(count=5) == {"FINISHED"}
    assert nearest() == (START + 15, 31)
    kept = exploring(bpy.context)
    assert (kept.first, kept.last, kept.chosen_by) == (16, 46, "around the playhead")
    assert kept.places[0].distance == pytest.approx(0.0, abs=2e-3)
    assert [row.tags for row in kept.places] == [f"style={WALK_STYLES[int(row.name[-1])]}" for row in kept.places]
    distances = [row.distance for row in kept.places]
    assert len(distances) == 5 and distances == sorted(distances)


def test_selected_keys_go_before_the_preview_range(body: Object) -> None:
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 40, 60
    for point in points_of(body):
        point.select_control_point = True
    bpy.ops.genmm.find_similar()
    assert nearest() == (START + 39, 21), "all keys are selected, which chooses nothing"
    for point in points_of(body):
        point.select_control_point = 10 <= point.co.x <= 30
    bpy.ops.genmm.find_similar()
    assert nearest() == (START + 9, 21)
    assert exploring(bpy.context).chosen_by == "the selected keys"


def test_tags_and_words_of_the_panel_choose_the_clips_to_search_in(body: Object) -> None:
    own_settings(body).library_tags = "style=angry, style=sad"
    own_settings(body).learn_from = "ACTIONS"
    bpy.ops.genmm.find_similar()
    assert {name for name, _, _ in places()} == {"walk 0", "walk 3"}


def test_an_action_of_a_place_is_the_clip_there_where_and_when_the_frames_begin(body: Object) -> None:
    own = played(body)
    bpy.ops.genmm.find_similar()
    before = [joints(body, frame) for frame in (16, 30, 46)]
    assert bpy.ops.genmm.use_found_place() == {"FINISHED"}
    made = played(body)
    assert made != own and own.use_fake_user and range_of(made) == (16, 46)
    for there, frame in zip(before, (16, 30, 46), strict=True):
        assert joints(body, frame) == pytest.approx(there, abs=1e-3), "the nearest place is the very same"
    bpy.ops.genmm.use_found_place(number=3)
    third = played(body)
    assert third not in (own, made) and range_of(made) == (16, 46), "no action is written over"
    start = joints(body, 16)[0]
    assert start[:2] == pytest.approx(before[0][0][:2], abs=1e-3)


def test_the_place_is_drawn_at_the_current_frame_and_faintly_at_others(body: Object) -> None:
    bpy.ops.genmm.find_similar()
    laid = found.lay_active(bpy.context, body)
    assert laid is not None
    count = len(bpy.data.objects), len(bpy.data.actions)
    lines = place_lines(laid, body, 30.0)
    strong = lines.colors[:, 3] == lines.colors[:, 3].max()
    ghosts = len(lines.points) / strong.sum()
    assert ghosts in (POSES, POSES + 1)
    heads = joints(body, 30)
    nearest = np.linalg.norm(lines.points[strong][:, None] - heads, axis=2).min(axis=0)
    assert nearest.max() < 2e-3, "the nearest place stands where the character does"
    assert (len(bpy.data.objects), len(bpy.data.actions)) == count, "nothing of it is in the file"


def test_a_selected_place_plays_once_and_then_stays_at_the_current_frame(
    body: Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(preview, "time", SimpleNamespace(monotonic=lambda: now[0]))
    bpy.ops.genmm.find_similar()
    for number in (0, 1):
        exploring(bpy.context).active_place = number
        shown = shown_clip(bpy.context, body)
        assert shown is not None and shown.plays and shown.frame == shown.laid.first == 16
        now[0] += 0.5
        shown = shown_clip(bpy.context, body)
        assert shown is not None and shown.plays and shown.frame == pytest.approx(31.0)
        now[0] += 10.0
        shown = shown_clip(bpy.context, body)
        assert shown is not None and not shown.plays and shown.frame == bpy.context.scene.frame_current
    exploring(bpy.context).active_place = 0
    exploring(bpy.context).show_place = False
    assert shown_clip(bpy.context, body) is None


def test_impossible_searches_are_rejected_with_the_reason(body: Object, library: Path) -> None:
    bpy.context.scene.frame_set(500)
    with pytest.raises(RuntimeError, match=r"of which 0 are in 485 to 515 \(around the playhead\); choose 3 frames"):
        bpy.ops.genmm.find_similar()
    bpy.context.scene.frame_set(20)
    own_settings(body).library_tags = "style=glad"
    with pytest.raises(RuntimeError, match="No clip of the library fits the tags"):
        bpy.ops.genmm.find_similar()
    assert not bpy.ops.genmm.use_found_place.poll()
    own_settings(body).library_files.clear()
    assert not bpy.ops.genmm.find_similar.poll()
    other = new_character(bones=("a", "b", "c"))
    own_settings(other).library_files.add().path = str(library)
    with pytest.raises(RuntimeError, match='"Hero" cannot be matched with the library'):
        bpy.ops.genmm.find_similar()


def test_a_damaged_library_is_named_beside_the_places_of_another(
    body: Object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bpy.ops.genmm.find_similar()
    expected = places()
    assert "Warning" not in capfd.readouterr().out
    damaged = tmp_path / "damaged.npz"
    save_library(damaged, walks().only([0, 1]))
    with zipfile.ZipFile(damaged) as archive:
        place = archive.getinfo("rotations.npy").header_offset + 500
    data = bytearray(damaged.read_bytes())
    data[place] ^= 1
    damaged.write_bytes(data)
    own_settings(body).library_files.add().path = str(damaged)
    assert bpy.ops.genmm.find_similar() == {"FINISHED"}
    assert places() == expected
    assert 'of "damaged.npz" is damaged; build the library again.' in capfd.readouterr().out


def test_libraries_without_a_chosen_clip_are_no_reason_to_warn(
    body: Object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    save_library(tmp_path / "angry.npz", walks().only([0]))
    own_settings(body).library_files.add().path = str(tmp_path / "angry.npz")
    own_settings(body).library_tags = "style=" + WALK_STYLES[3]
    assert bpy.ops.genmm.find_similar() == {"FINISHED"}
    assert "Warning" not in capfd.readouterr().out


def test_library_changed_since_the_search_is_rejected(body: Object, library: Path) -> None:
    bpy.ops.genmm.find_similar()
    save_library(library, walks().only([0]))
    with pytest.raises(RuntimeError, match="has changed since the search"):
        bpy.ops.genmm.use_found_place()


def test_panel_asks_for_a_library_and_names_the_character_of_the_list(body: Object) -> None:
    bpy.ops.genmm.find_similar()
    layout = drawn(GENMM_PT_find_similar, bpy.context)
    assert "genmm.use_found_place" in layout.buttons
    select(new_character())
    labels = [text for text, _ in drawn(GENMM_PT_find_similar, bpy.context).labels]
    assert any("Add a library first" in text for text in labels) and "The list is of Body" in labels
    bpy.ops.genmm.close_list(rows="places")
    assert not exploring(bpy.context).places


def test_places_are_of_the_keys_that_were_searched(body: Object) -> None:
    bpy.context.scene.frame_set(30)
    bpy.ops.genmm.find_similar()
    kept = exploring(bpy.context)
    assert bpy.ops.genmm.use_found_place.poll() and found.why_outdated(kept) == ""
    own = played(body)
    assert bpy.ops.genmm.use_found_place(number=0) == {"FINISHED"}
    assert bpy.ops.genmm.use_found_place.poll(), "another place may be tried where the first one plays"
    curve = actions.fcurves_of(own)[0]
    curve.keyframe_points.insert(kept.first + 1, curve.evaluate(kept.first + 1) + 0.2)
    assert not bpy.ops.genmm.use_found_place.poll()
    assert found.why_outdated(kept).endswith("changed after the search; search again")

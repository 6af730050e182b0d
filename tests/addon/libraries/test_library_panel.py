# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries in the panel: built in the background, learned from, and their clips opened."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from bvh_files import lifting
from clip_libraries import four_motions, walks
from interface import new_character, select
from recorded_layout import RecordedLayout, drawn

from genmm_addon.core import InputError, rotations
from genmm_addon.core.library import load_library, parse_choice, save_library
from genmm_addon.generation.sources import sources_of
from genmm_addon.interface.common import drawing
from genmm_addon.interface.exploring.panels import GENMM_PT_library
from genmm_addon.libraries import build_process
from genmm_addon.libraries.build_process import BuildOrder, current_build, is_building, start_build
from genmm_addon.libraries.choosing import suggested_tags
from genmm_addon.libraries.plain_armature import add_plain_armature
from genmm_addon.libraries.tags_there import tags_to_ask
from genmm_addon.requests.library_values import chosen_text
from genmm_addon.state.properties import own_settings, scene_properties

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def body() -> Object:
    armature = add_plain_armature(bpy.context, "Body", walks().skeleton)
    select(armature)
    return armature


@pytest.fixture
def library(tmp_path: Path) -> Path:
    save_library(tmp_path / "walks.npz", walks())
    return tmp_path / "walks.npz"


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    folder = tmp_path / "takes"
    folder.mkdir()
    for number, name in enumerate(("walk_old", "walk_angry", "run_old")):
        (folder / f"{name}.bvh").write_text(lifting(20 * number))
    return folder


def learn_from(library: Path, body: Object, **values: object) -> None:
    assert bpy.ops.genmm.add_library(filepath=str(library)) == {"FINISHED"}
    settings = own_settings(body)
    for name, value in ({"frames": 60, "new_seed": False, "output": "NEW_ACTION"} | values).items():
        setattr(settings, name, value)


def test_generate_learns_from_the_clips_that_tags_choose(library: Path, body: Object) -> None:
    learn_from(library, body, library_tags="style=old")
    assert own_settings(body).learn_from == "LIBRARY" and chosen_text(own_settings(body)) == "2 clips, 0.1 minutes"
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    sources = sources_of(body.animation_data.action)
    assert sources is not None and {clip.name for clip in sources.examples} <= {"walk 1", "walk 2"}
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}, "from the library again, not from the result"


def test_a_click_opens_a_clip_of_the_result(library: Path, body: Object) -> None:
    bpy.context.scene.render.fps = 30
    learn_from(library, body, library_search="walk")
    bpy.ops.genmm.generate_motion()
    result = body.animation_data.action
    assert bpy.ops.genmm.open_clip(clip="walk 3") == {"FINISHED"}
    clip = body.animation_data.action
    assert clip.name == "walk 3" and clip.frame_range[1] == walks().clips[3].frames
    body.animation_data.action = result
    assert bpy.ops.genmm.go_to_source() == {"FINISHED"}
    opened = body.animation_data.action
    assert opened.name.startswith("walk ") and result.use_fake_user
    body.animation_data.action = result
    before = len(bpy.data.actions)
    bpy.ops.genmm.open_clip(clip="walk 3")
    assert body.animation_data.action == clip and len(bpy.data.actions) == before, "a clip is opened once"


def test_an_opened_clip_begins_where_the_character_stands(tmp_path: Path, body: Object) -> None:
    bpy.context.scene.render.fps = 30
    recorded = walks()
    (root,) = recorded.translated
    aside = rotations.rotate(rotations.inverse(recorded.skeleton.rest_rotations[root]), np.array([30.0, 20.0, 0.0]))
    save_library(
        tmp_path / "far.npz", replace(recorded, translations=np.asarray(recorded.translations) + np.float32(aside))
    )
    learn_from(tmp_path / "far.npz", body)
    body.animation_data_create().action = bpy.data.actions.new("Nothing")
    bpy.ops.genmm.generate_motion()
    begun = place_of(body)
    bpy.ops.genmm.open_clip(clip="walk 3")
    assert body.animation_data.action.name == "walk 3"
    assert np.allclose(place_of(body)[:2], begun[:2], atol=1e-3)
    assert place_of(body)[2] == pytest.approx(begun[2], abs=0.2), "heights stay as they were recorded"


def place_of(body: Object) -> np.ndarray:
    """Return the position of a character's hips at the first frame."""
    bpy.context.scene.frame_set(1)
    return np.array(body.pose.bones[0].head)


def test_missing_clip_is_reported(library: Path, body: Object) -> None:
    learn_from(library, body)
    bpy.ops.genmm.generate_motion()
    save_library(library, walks().only([0]))
    with pytest.raises(RuntimeError, match='no longer has the clip "walk 3"'):
        bpy.ops.genmm.open_clip(clip="walk 3")


def test_unreadable_library_is_rejected_and_not_listed(tmp_path: Path, body: Object) -> None:
    (tmp_path / "text.npz").write_text("none")
    with pytest.raises(RuntimeError, match=r'"text\.npz" cannot be read as a library'):
        bpy.ops.genmm.add_library(filepath=str(tmp_path / "text.npz"))
    assert len(own_settings(body).library_files) == 0
    own_settings(body).learn_from = "LIBRARY"
    assert not bpy.ops.genmm.generate_motion.poll()


def test_libraries_are_taken_out_of_the_list(library: Path, body: Object) -> None:
    learn_from(library, body)
    bpy.ops.genmm.add_library(filepath=str(library))
    assert len(own_settings(body).library_files) == 1
    bpy.ops.genmm.remove_row(rows="library_files", number=0)
    assert len(own_settings(body).library_files) == 0
    with pytest.raises(RuntimeError, match="There is no library in the list"):
        bpy.ops.genmm.remove_row(rows="library_files", number=0)


def test_build_library_makes_one_out_of_a_folder(tmp_path: Path, takes: Path) -> None:
    asked = scene_properties(bpy.context.scene).library_build
    assert not bpy.ops.genmm.build_library.poll()
    asked.folder, asked.file, asked.pattern = str(takes), str(tmp_path / "all"), "{action}_{style}"
    (takes / "broken.bvh").write_text("x")
    assert bpy.ops.genmm.build_library() == {"FINISHED"}
    build = current_build()
    assert build is not None and (build.clips, build.share, len(build.problems)) == (3, 1.0, 1)
    assert load_library(tmp_path / "all.npz").clips[0].tags == {"action": "run", "style": "old"}
    bpy.ops.genmm.close_list(rows="library_build")
    assert current_build() is None


def test_impossible_build_is_rejected_with_the_reason(tmp_path: Path) -> None:
    asked = scene_properties(bpy.context.scene).library_build
    asked.folder, asked.file = str(tmp_path / "nowhere"), str(tmp_path / "all.npz")
    with pytest.raises(RuntimeError, match="There is no folder"):
        bpy.ops.genmm.build_library()
    assert not (tmp_path / "all.npz").exists()


def test_a_build_that_is_stopped_leaves_the_old_library_and_no_process(tmp_path: Path, takes: Path) -> None:
    save_library(tmp_path / "all.npz", walks())
    before = (tmp_path / "all.npz").read_bytes()
    for number in range(300):
        (takes / f"more_{number}.bvh").write_text(lifting(number))
    build = start_build(BuildOrder(str(takes), str(tmp_path / "all.npz")))
    assert is_building() and not bpy.ops.genmm.build_library.poll()
    while not build.now and is_building():
        time.sleep(0.02)
    bpy.ops.genmm.stop_library_build()
    build_process.stop_all()
    assert build.process.poll() is not None and build.stopped and build.clips is None
    assert (tmp_path / "all.npz").read_bytes() == before
    assert not [path.name for path in tmp_path.iterdir() if "unfinished" in path.name]


def test_the_panel_draws_without_loading_a_library(library: Path) -> None:
    hero = new_character()
    own_settings(hero).learn_from = "LIBRARY"
    own_settings(hero).library_files.add().path = str(library)
    assert chosen_text(own_settings(hero)) == ""
    assert bpy.ops.genmm.count_clips() == {"FINISHED"}
    assert chosen_text(own_settings(hero)) == "4 clips, 0.2 minutes"


def test_tags_that_find_clips_are_offered_while_some_are_typed(library: Path) -> None:
    def offered(text: str) -> list[str]:
        return suggested_tags([str(library), "gone.npz"], text)

    assert offered("") == ["style=angry", "style=old", "style=sad"]
    assert offered("OL") == ["style=old"]
    assert offered("style=old") == ["style=old, style=angry", "style=old, style=sad"], "a whole word is gone on with"
    assert offered("style=old, an") == ["style=old, style=angry"]
    assert offered("style=, ") == [], "what cannot be read is told by the panel"


def test_offered_tags_narrow_the_choice_and_can_be_asked_for() -> None:
    library = four_motions()
    assert tags_to_ask([library], "action=dance, st") == ["action=dance, style=plain"], "no dance is tired"
    narrowing, *adding = tags_to_ask([library], "subject=one, action=dance")
    assert narrowing == "subject=one, action=dance, style=plain"
    assert "subject=one, action=dance, action=wave" in adding, "values of one key add up"
    odd = replace(library, clips=tuple(replace(clip, tags={"take": "1,a=b"}) for clip in library.clips))
    (asked,) = tags_to_ask([odd], "")
    assert len(odd.chosen(parse_choice(asked))) == len(odd.clips)


def test_the_panel_says_why_no_clip_is_chosen(library: Path, body: Object) -> None:
    learn_from(library, body, library_tags="style=tired")
    with pytest.raises(InputError, match="has style=tired; there is angry, old, sad"):
        chosen_text(own_settings(body))
    own_settings(body).library_tags, own_settings(body).library_search = "", "nowhere"
    with pytest.raises(InputError, match='fits "nowhere"; ask for less'):
        chosen_text(own_settings(body))
    library.rename(library.with_name("moved.npz"))
    with pytest.raises(InputError, match=r"There is no library .*walks\.npz.*choose it again"):
        chosen_text(own_settings(body))


@pytest.mark.parametrize("file", ["/films/The Second/motion/takes of 2 May.npz", "motion of May/takes of 2 May.npz"])
def test_files_have_their_name_above_fields_that_would_cut_it(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    character = new_character()
    select(character)
    own_settings(character).library_files.add().path = file
    for letters, is_named in ((2 * len(file), False), (2 * len(file) - 1, True)):
        monkeypatch.setattr(drawing, "letters_per_line", lambda *_, letters=letters: letters)
        named = ("takes of 2 May.npz", "FILE") in drawn(GENMM_PT_library, bpy.context).labels
        assert named == is_named


def test_no_line_of_a_sentence_is_wider_than_the_sidebar(monkeypatch: pytest.MonkeyPatch) -> None:
    def fitting(_context: object, text: str) -> int:
        """Return how many of a text's letters fit, on average, where "W" is twice as wide as others and 24 fit."""
        return max(24 * len(text) // (len(text) + text.count("W")), 3)

    monkeypatch.setattr(drawing, "letters_per_line", fitting)
    layout: Any = RecordedLayout()
    drawing.draw_sentence(layout, 'The skeleton is that of "WWWWW.bvh", which 14 of 16 clips have.', "INFO")
    lines = [text for text, _ in layout.labels]
    assert " ".join(lines).endswith("clips have.") and all(len(line) + line.count("W") <= 24 for line in lines)

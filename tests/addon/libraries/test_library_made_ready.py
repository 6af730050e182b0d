# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries prepared before the first press: with progress, stoppable, and kept for the session."""

from pathlib import Path

import bpy
import pytest
from clip_libraries import four_motions

from genmm_addon.core import Cancelled, InputError
from genmm_addon.core.library import load_library, save_library
from genmm_addon.libraries.choosing import LibraryChoice
from genmm_addon.libraries.exploring.indexes import index_of, keep_indexes, make_indexes, without_index
from genmm_addon.libraries.indexed_examples import ExampleChoice, keep_examples, library_to_prepare, ready_examples
from genmm_addon.steering.session import library_to_make_ready, ready_to_steer

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def choice(tmp_path: Path) -> ExampleChoice:
    save_library(tmp_path / "walks.npz", four_motions())
    bpy.context.scene.render.fps = 25
    bpy.ops.genmm.add_sample_character()
    return ExampleChoice((), LibraryChoice((str(tmp_path / "walks.npz"),)))


def test_a_library_is_made_ready_once_with_progress(choice: ExampleChoice) -> None:
    waiting = library_to_prepare(bpy.context.object, bpy.context.scene, choice)
    assert waiting is not None and waiting.clips.frames == four_motions().frames
    told: list[float] = []
    made = waiting.prepared(told.append)
    assert told == sorted(told) and told[0] > 0.0 and told[-1] == pytest.approx(1.0)
    keep_examples(made)
    assert library_to_prepare(bpy.context.object, bpy.context.scene, choice) is None
    assert ready_examples(bpy.context.object, bpy.context.scene, choice) is made
    bpy.context.scene.render.fps = 30
    assert library_to_prepare(bpy.context.object, bpy.context.scene, choice) is not None, "at another rate anew"


def test_a_library_is_made_ready_to_be_steered_through_once(choice: ExampleChoice) -> None:
    rig, scene = bpy.context.object, bpy.context.scene
    waiting = library_to_make_ready(rig, scene, choice)
    assert waiting is not None and waiting[0] == four_motions().frames
    index = library_to_prepare(rig, scene, choice)
    assert index is not None
    keep_examples(index.prepared())
    waiting = library_to_make_ready(rig, scene, choice)
    assert waiting is not None, "ways and feet are not there yet"
    keep_examples(waiting[1](None))
    assert library_to_make_ready(rig, scene, choice) is None
    assert ready_to_steer(rig, scene, choice, 0.5).examples is ready_examples(rig, scene, choice)
    assert library_to_make_ready(rig, scene, ExampleChoice(())) is None


def test_canceled_preparation_is_not_kept(choice: ExampleChoice) -> None:
    waiting = library_to_prepare(bpy.context.object, bpy.context.scene, choice)
    assert waiting is not None
    for most in (0.0, 0.5, 0.9):
        with pytest.raises(Cancelled):
            waiting.prepared(lambda share, most=most: share < most)  # type: ignore[misc]  # a default
    assert library_to_prepare(bpy.context.object, bpy.context.scene, choice) is not None


def test_actions_need_nothing_made_ready_and_a_missing_library_is_named(tmp_path: Path, choice: ExampleChoice) -> None:
    assert library_to_prepare(bpy.context.object, bpy.context.scene, ExampleChoice(())) is None
    gone = ExampleChoice((), LibraryChoice((str(tmp_path / "gone.npz"),)))
    with pytest.raises(InputError, match=r"gone\.npz"):
        library_to_prepare(bpy.context.object, bpy.context.scene, gone)


def test_an_index_for_searching_is_made_once(tmp_path: Path, choice: ExampleChoice) -> None:
    library = load_library(tmp_path / "walks.npz").only([0, 3, 20])
    assert without_index([library]) == [library]
    with pytest.raises(Cancelled):
        make_indexes([library], lambda share: False)
    assert without_index([library]) == [library]
    keep_indexes(make_indexes([library]))
    assert without_index([library]) == [] and index_of(library) is index_of(library)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that touch in a library also touch on a character with other arms, unless this is switched off."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select

from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion, Skeleton
from genmm_addon.core.environment import Reach, find_body, meet_places
from genmm_addon.core.examples import Purpose
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.generation.recipe import recipe_of
from genmm_addon.libraries.choosing import LibraryChoice
from genmm_addon.libraries.clip_reading import forget_clips, read_clips
from genmm_addon.libraries.opening import clip_as_action
from genmm_addon.libraries.plain_armature import add_plain_armature
from genmm_addon.requests.request_values import panel_request

pytestmark = pytest.mark.usefixtures("extension")

ARM_LENGTH = 1.25
FIRST, END = 30, 60


@cache
def hands_together() -> Motion:
    """Return the sample's walk with both hands together before the chest for a second."""
    walk = sample_motions(30.0)["GenMM Walk"].slice(0, 90)
    names = walk.skeleton.names
    hands = [names.index(f"Hand.{side}") for side in "LR"]
    places = walk.pose()[1].astype(np.float64)
    across = places[:, names.index("UpperArm.L")] - places[:, names.index("UpperArm.R")]
    ahead = np.cross(across, np.array(walk.skeleton.up))
    middle = places[:, names.index("Chest")] - 0.8 * ahead
    active = np.zeros(walk.frames, bool)
    active[FIRST:END] = True
    reaches = [Reach(hand, active, middle + sign * 0.1 * across) for hand, sign in zip(hands, (1.0, -1.0), strict=True)]
    return meet_places(walk, reaches, find_body([walk], hands)).motion


def longer_arms(skeleton: Skeleton, times: float = ARM_LENGTH) -> Skeleton:
    factors = [times if name.split(".")[0] in ("Forearm", "Hand") else 1.0 for name in skeleton.names]
    return replace(skeleton, rest_translations=skeleton.rest_translations * np.array(factors)[:, None])


@pytest.fixture
def library(tmp_path: Path) -> Path:
    save_library(tmp_path / "hands.npz", library_of([hands_together()], [Clip("hands", "hands.bvh", 0, 0)]))
    return tmp_path / "hands.npz"


@pytest.fixture
def body() -> Iterator[Object]:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 30
    armature = add_plain_armature(bpy.context, "Body", longer_arms(hands_together().skeleton))
    select(armature)
    yield armature
    forget_clips()


def between_hands(motion: Motion) -> np.ndarray:
    """Return the vectors `(T, 3)` between the wrists while the hands are together."""
    names = motion.skeleton.names
    places = motion.pose()[1][FIRST:END].astype(np.float64)
    return np.asarray(places[:, names.index("Hand.R")] - places[:, names.index("Hand.L")])


def test_hands_meet_on_longer_arms_unless_that_is_switched_off(library: Path, body: Object) -> None:
    source = hands_together()
    choice = LibraryChoice((str(library),))
    read = {
        kept: read_clips(body, choice, (), Purpose(30.0), keep_contacts=kept)[1].motions[0] for kept in (True, False)
    }
    size = source.skeleton.size
    # The centers of the palms are a share of the forearm beyond the wrists, so longer hands are wider apart.
    off = {
        kept: np.linalg.norm(between_hands(one) - between_hands(source), axis=1).max() / size
        for kept, one in read.items()
    }
    assert off[True] < 0.03 and off[False] > 2 * off[True]
    assert read_clips(body, choice, (), Purpose(30.0))[1].motions[0] is read[True], "kept, each under its own switch"


def test_hands_that_cannot_meet_on_another_character_are_told(library: Path, body: Object) -> None:
    scene = bpy.context.scene
    teacher = add_plain_armature(bpy.context, "Teacher", hands_together().skeleton)
    short = add_plain_armature(bpy.context, "Short", longer_arms(hands_together().skeleton, 0.2))
    action = clip_as_action(teacher, LibraryChoice((str(library),)), "hands", (), scene).action
    spec = ExampleSpec(action, armature=teacher)
    (note,) = [note for note in read_examples(short, [spec], scene=scene).notes if "Hands" in note]
    assert note.startswith("Hands miss each other or the body the one time") and '"Teacher"' in note
    assert not any("Hands" in note for note in read_examples(body, [spec], scene=scene).notes)
    assert not any("Hands" in note for note in read_examples(short, [spec], scene=scene, keep_contacts=False).notes)


def test_the_switch_goes_into_request_recipe_and_result(library: Path, body: Object) -> None:
    assert bpy.ops.genmm.add_library(filepath=str(library)) == {"FINISHED"}
    settings = body.genmm
    settings.frames, settings.output = 40, "NEW_ACTION"
    assert settings.keep_contacts and panel_request(body, bpy.context.scene)[0].keep_contacts
    for kept in (True, False):
        settings.keep_contacts = kept
        assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
        recipe = recipe_of(body.animation_data.action)
        assert recipe is not None and recipe.keep_contacts is kept

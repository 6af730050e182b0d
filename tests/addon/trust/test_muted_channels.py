# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions whose channels, and layers whose strips, are muted: every edit says that they are, and the remedy."""

from collections.abc import Callable

import bpy
import pytest
from bpy.types import Action
from interface import sample_on_own_walk
from recorded_layout import drawn

from bench.soaking.fingerprints import fingerprint
from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import remember_generated
from genmm_addon.interface.generate.panels import GENMM_PT_generate

pytestmark = pytest.mark.usefixtures("extension")

FRAMES = {"first_frame": 20, "last_frame": 40}
EDITS: dict[str, Callable[[], object]] = {
    "fill": lambda: bpy.ops.genmm.fill_range(),
    "fill frames": lambda: bpy.ops.genmm.fill_range(range_choice="FRAMES", **FRAMES),
    "preview": lambda: bpy.ops.genmm.simplify_keys(where="PREVIEW"),
    "simplify": lambda: bpy.ops.genmm.simplify_keys(where="ACTION"),
    "spline": lambda: bpy.ops.genmm.blocking_to_spline(),
    "continue": lambda: bpy.ops.genmm.continue_action(frames=20),
    "connect": lambda: bpy.ops.genmm.connect_action(action="GenMM Dance"),
    "coarse": lambda: bpy.ops.genmm.coarse_keys(),
    "natural": lambda: bpy.ops.genmm.make_natural(range_choice="FRAMES", **FRAMES),
    "restyle": lambda: bpy.ops.genmm.restyle(other_action="GenMM Walk Tired"),
    "repair": lambda: bpy.ops.genmm.repair(source="NONE"),
    "root": lambda: bpy.ops.genmm.root_motion_to_bone(),
    "set": lambda: bpy.ops.genmm.locomotion_set(),
    "example": lambda: bpy.ops.genmm.add_example(action="Own"),
}


@pytest.fixture
def walk() -> Action:
    _, action, own = sample_on_own_walk()
    bpy.ops.genmm.add_example(action=action.name)
    own.name = "Own"
    remember_generated(own, 20.0, 40.0)
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 20, 40
    return own


@pytest.mark.every_case
@pytest.mark.parametrize("edit", EDITS)
def test_muted_channels_are_named_with_the_remedy_and_nothing_changes(walk: Action, edit: str) -> None:
    for curve in actions.fcurves_of(walk):
        curve.mute = True
    before = fingerprint()
    with pytest.raises(RuntimeError, match='"Own" has no keys for this character but in muted channels; unmute them'):
        EDITS[edit]()
    assert fingerprint() == before


def test_the_panel_says_so_as_soon_as_all_groups_are_muted(walk: Action) -> None:
    def errors() -> str:
        return " ".join(text for text, icon in drawn(GENMM_PT_generate, bpy.context).labels if icon == "ERROR")

    assert errors() == ""
    for curve in actions.fcurves_of(bpy.data.actions["GenMM Walk"]):
        assert curve.group is not None
        curve.group.mute = True
    assert 'Action "GenMM Walk" has no keys for this character but in muted channels' in errors()


def test_edits_on_a_layer_that_is_muted_are_refused_since_nobody_would_see_them(walk: Action) -> None:
    bpy.context.scene.genmm.filling.edits = "LAYER"
    bpy.ops.genmm.fill_range(range_choice="FRAMES", **FRAMES)
    sample = bpy.context.object
    assert sample is not None
    for track in sample.animation_data.nla_tracks:
        for part in (track, track.strips[0]):
            part.mute = True
            before = fingerprint()
            with pytest.raises(RuntimeError, match=f'"{part.name}" is muted in the NLA editor.*; unmute it first'):
                bpy.ops.genmm.fill_range(range_choice="FRAMES", **FRAMES)
            assert fingerprint() == before
            part.mute = False
    assert bpy.ops.genmm.fill_range(range_choice="FRAMES", **FRAMES) == {"FINISHED"}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: a motion made again while a value is dragged, and one result kept at the end."""

import time
from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from interface import keys_of, new_action, new_character, results_of, select

from genmm_addon.animation.actions import assigned
from genmm_addon.core import InputError
from genmm_addon.generation.measures import measures_of
from genmm_addon.interface.common.reading_soon import PAUSE_SECONDS
from genmm_addon.interface.live import running
from genmm_addon.interface.live.preview_drawing import preview_lines
from genmm_addon.interface.live.session import LiveSession

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def rig() -> Iterator[bpy.types.Object]:
    character = new_character()
    select(character)
    character.genmm.frames = 40
    character.genmm.new_seed = False
    yield character
    running.end()


def keep() -> None:
    bpy.ops.genmm.keep_live()


class Clock:
    """A clock of the test's own, by whose seconds a session is updated."""

    def __init__(self, character: bpy.types.Object) -> None:
        self.live: LiveSession = running.begin(character, bpy.context.scene)
        self.now = 100.0
        self.look()

    def look(self, seconds: float = 0.01) -> None:
        self.now += seconds
        running.look(keep, self.now)

    def made(self) -> None:
        """Update the session until the newest wish is made, as during a drag."""
        self.look()
        until = time.monotonic() + 30
        while self.live.busy and time.monotonic() < until:
            time.sleep(0.001)
            self.look(0.0)
        assert not self.live.busy

    def still(self) -> None:
        """Update the session without further changes, as after a drag."""
        self.made()
        self.live.input_is_free(self.now + 0.5 * PAUSE_SECONDS)
        self.look(PAUSE_SECONDS)
        self.look()


def blocks() -> tuple[int, ...]:
    """Return the numbers of data-blocks of each kind in the file."""
    data = bpy.data
    return tuple(len(kind) for kind in (data.actions, data.objects, data.armatures, data.curves, data.meshes))


def test_dragging_shows_each_wish_and_leaves_nothing_in_the_file(rig: bpy.types.Object) -> None:
    clock, before = Clock(rig), blocks()
    seen = []
    for seed in (1, 2, 3):
        rig.genmm.seed = seed
        clock.made()
        lines = preview_lines(20)
        assert lines is not None
        seen.append(lines.points)
    assert not np.array_equal(seen[0], seen[1])
    rig.genmm.length = 25
    clock.made()
    assert clock.live.shown is not None
    assert clock.live.shown.synthesis.motion.frames == 25
    assert blocks() == before


def test_kept_live_result_equals_the_generated_one_in_its_measures_too(rig: bpy.types.Object) -> None:
    bpy.ops.genmm.add_sample_character()
    rig = bpy.context.object
    rig.genmm.frames, rig.genmm.new_seed = 40, False
    clock = Clock(rig)
    rig.genmm.seed, rig.genmm.noise = 7, 0.4
    clock.still()
    assert clock.live.shown is None
    assert preview_lines(1) is None
    select(rig)
    bpy.ops.genmm.generate_motion()
    kept, generated, _ = results_of(rig)
    assert np.array_equal(keys_of(generated), keys_of(kept))
    measures = [measures_of(thing.animation_data.action) for thing in (kept, generated)]
    assert measures[0] == measures[1] and "frames_through_body=0" in str(measures[0])


@pytest.mark.parametrize("output", ["NEW_CHARACTER", "NEW_ACTION", "NLA_STRIP"])
def test_of_many_drags_one_result_is_kept(rig: bpy.types.Object, output: str) -> None:
    rig.genmm.output = output
    clock = Clock(rig)
    rig.genmm.seed = 1
    clock.still()
    once = blocks()
    for seed in range(2, 7):
        rig.genmm.seed = seed
        clock.still()
    assert blocks() == once
    assert rig.genmm.seed == 6


def test_100_changes_leave_no_more_behind_than_one(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    rig.genmm.frames, rig.genmm.seed = 8, 1
    clock.still()
    once = blocks()
    for change in range(100):
        rig.genmm.seed = change + 2
        if change % 20:
            clock.look()
        else:
            clock.still()
    clock.still()
    assert blocks() == once


def test_nothing_is_kept_while_the_mouse_is_held(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    rig.genmm.seed = 1
    clock.made()
    for _ in range(5):
        clock.look(10 * PAUSE_SECONDS)
    assert results_of(rig) == []
    assert clock.live.shown is not None


def test_live_preview_keeps_results_generated_before(rig: bpy.types.Object) -> None:
    bpy.ops.genmm.generate_motion()
    select(rig)
    clock = Clock(rig)
    for seed in (11, 12):
        rig.genmm.seed = seed
        clock.still()
    assert len(results_of(rig)) == 2


def test_the_newest_wish_is_made_and_those_between_are_left_out(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    rig.genmm.frames = 4000
    clock.look()
    for length in (100, 90, 80, 30):
        rig.genmm.frames = length
        clock.look()
    clock.made()
    assert clock.live.shown is not None
    assert clock.live.shown.synthesis.motion.frames == 30


def test_a_path_is_followed_while_it_moves(rig: bpy.types.Object) -> None:
    walk(rig)
    curve = bpy.data.objects.new("Way", bpy.data.curves.new("Way", "CURVE"))
    spline = curve.data.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.0, -9.0, 0.0, 1.0)
    bpy.context.scene.collection.objects.link(curve)
    rig.genmm.path_curve = curve
    bpy.context.view_layer.update()
    clock = Clock(rig)
    before = blocks()
    spline.points[1].co = (9.0, 0.0, 0.0, 1.0)
    curve.data.update_tag()
    bpy.context.view_layer.update()
    clock.made()
    assert clock.live.shown is not None
    root = clock.live.shown.synthesis.motion.pose()[1][:, 0]
    assert root[-1, 0] - root[0, 0] > 1.0
    assert abs(root[-1, 1] - root[0, 1]) < 0.5
    assert blocks() == before


def test_moved_data_that_directs_nothing_makes_nothing(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.location.x = 3.0
    bpy.context.view_layer.update()
    clock.made()
    assert clock.live.shown is None


def test_impossible_live_request_is_reported_and_the_next_change_is_shown(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    rig.genmm.path_curve, rig.genmm.use_path = rig, True
    clock.made()
    assert "not a curve" in clock.live.problem
    assert clock.live.shown is None
    rig.genmm.path_curve, rig.genmm.seed = None, 5
    clock.made()
    assert clock.live.problem == ""
    assert clock.live.shown is not None


def test_a_character_that_is_deleted_ends_it_with_a_sentence(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    rig.genmm.seed = 4
    clock.look()
    bpy.data.objects.remove(rig)
    with pytest.raises(InputError, match='"Hero" is no longer'):
        clock.made()


def test_changed_examples_are_learned_again(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    rig.genmm.seed = 1
    clock.made()
    action = new_action(rig, "Other Sway", speed=2.0)
    rig.animation_data.action = action
    clock.still()
    (kept,) = results_of(rig)
    select(rig)
    bpy.ops.genmm.generate_motion()
    assert np.array_equal(keys_of(kept), keys_of(results_of(rig)[1]))


def test_the_action_before_is_kept_in_the_file(rig: bpy.types.Object) -> None:
    rig.genmm.output = "NEW_ACTION"
    sway = rig.animation_data.action
    clock = Clock(rig)
    for seed in (1, 2):
        rig.genmm.seed = seed
        clock.still()
    assert sway.use_fake_user
    playing = assigned(rig)
    assert playing is not None
    assert playing[0] != sway
    assert [row.action for row in rig.genmm.examples] == [sway]


def test_another_file_switches_it_off(rig: bpy.types.Object) -> None:
    clock = Clock(rig)
    rig.genmm.seed = 3
    clock.made()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert running.session() is None


def test_without_a_window_the_operator_says_so(rig: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="needs a window"):
        bpy.ops.genmm.live()


def walk(rig: bpy.types.Object) -> None:
    """Make the root of the rig's example travel."""
    action = rig.animation_data.action
    for frame in (1, 60):
        rig.pose.bones[0].location = (0.0, 0.0, (frame - 1) / 12)
        rig.pose.bones[0].keyframe_insert("location", frame=frame)
    assert rig.animation_data.action == action

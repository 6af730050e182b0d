# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of edits hold for the keys that were written: after a change by hand they neither draw nor overwrite."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from bpy.types import Action, FCurve, Object
from characters import walking_sample
from interface import select
from recorded_layout import drawn

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.fingerprints import PROPERTY as WRITTEN
from genmm_addon.animation.stretches.fingerprints import fingerprint
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.editing.filling.record import record_of, why_not_again
from genmm_addon.interface.timeline.panels import GENMM_PT_fill
from genmm_addon.state.properties import scene_properties

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST, INSIDE, OUTSIDE = 41, 71, 55, 120


@pytest.fixture
def rig() -> Object:
    """Return the sample, which plays a copy of its walk, with a filled range."""
    rig = walking_sample()
    walk = played(rig)
    own = walk.copy()
    own.name = "Own"
    actions.assign(rig, own)
    select(rig)
    bpy.ops.genmm.add_example(action=walk.name)
    assert bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=FIRST, last_frame=LAST) == {"FINISHED"}
    return rig


def played(rig: Object) -> Action:
    playing = actions.assigned(rig)
    assert playing is not None
    return playing[0]


def curve_of(rig: Object, bone: str = "Head") -> FCurve:
    curves = actions.fcurves_of(played(rig))
    return next(curve for curve in curves if f'"{bone}"' in curve.data_path and curve.array_index == 1)


def pose(rig: Object, frame: float = INSIDE) -> None:
    curve_of(rig).keyframe_points.insert(frame, 0.3)


def move(rig: Object) -> None:
    point = next(point for point in curve_of(rig).keyframe_points if point.co.x == INSIDE)
    point.co.x += 0.4


def delete(rig: Object) -> None:
    points = curve_of(rig).keyframe_points
    points.remove(next(point for point in points if point.co.x == INSIDE))


def delete_curve(rig: Object) -> None:
    actions.curve_factory(played(rig)).fcurves.remove(curve_of(rig))


def stop(rig: Object) -> None:
    next(point for point in curve_of(rig).keyframe_points if point.co.x == INSIDE).interpolation = "CONSTANT"


def ease(rig: Object) -> None:
    point = next(point for point in curve_of(rig).keyframe_points if point.co.x == INSIDE)
    point.interpolation, point.handle_right_type = "BEZIER", "FREE"


def key_another_bone(rig: Object) -> None:
    rig.pose.bones["Head"].keyframe_insert("location", frame=INSIDE)


def repair(_rig: Object) -> None:
    bpy.ops.genmm.repair(what="EVERYTHING", kinds={"JITTER"})


def natural(_rig: Object) -> None:
    bpy.ops.genmm.make_natural(range_choice="FRAMES", first_frame=FIRST, last_frame=LAST)


CHANGES: tuple[Callable[[Object], None], ...] = (
    pose, move, delete, delete_curve, stop, ease, key_another_bone, repair, natural,
)  # fmt: skip


def select_all(rig: Object) -> None:
    for point in curve_of(rig).keyframe_points:
        point.select_control_point = True


def pose_outside(rig: Object) -> None:
    pose(rig, OUTSIDE)


def pose_end(rig: Object) -> None:
    pose(rig, LAST)


def rename_bone(rig: Object) -> None:
    rig.data.bones["Head"].name = "Skull"


def rename_action(rig: Object) -> None:
    played(rig).name = "Another Name"


def copy(rig: Object) -> None:
    actions.assign(rig, played(rig).copy())


def update(rig: Object) -> None:
    for curve in actions.fcurves_of(played(rig)):
        curve.update()


HARMLESS: tuple[Callable[[Object], None], ...] = (
    select_all, pose_outside, pose_end, rename_bone, rename_action, copy, update,
)  # fmt: skip


def can_step() -> bool:
    return bool(bpy.ops.genmm.next_filling.poll())


@pytest.mark.parametrize("change", CHANGES)
def test_work_in_a_filled_range_is_not_overwritten_by_the_next_filling(
    change: Callable[[Object], None], rig: Object
) -> None:
    assert can_step()
    change(rig)
    before = fingerprint(played(rig), "")
    assert not can_step()
    with pytest.raises(RuntimeError, match="changed after filling; fill the range again"):
        bpy.ops.genmm.next_filling()
    assert fingerprint(played(rig), "") == before
    assert "changed after filling" in " ".join(text for text, _ in drawn(GENMM_PT_fill, bpy.context).labels)


@pytest.mark.parametrize("change", HARMLESS)
def test_the_next_filling_is_there_while_its_keys_are_unchanged(change: Callable[[Object], None], rig: Object) -> None:
    change(rig)
    assert can_step()
    assert bpy.ops.genmm.next_filling() == {"FINISHED"}


def test_a_copy_with_other_keys_has_no_filled_range_and_the_original_keeps_it(rig: Object) -> None:
    own, copied = played(rig), played(rig).copy()
    actions.assign(rig, copied)
    pose(rig)
    assert not can_step() and generated_ranges(copied) == ()
    actions.assign(rig, own)
    assert can_step() and generated_ranges(own) == ((FIRST, LAST),)


def test_keys_that_are_as_before_hold_again_and_so_they_do_in_a_saved_file(rig: Object, tmp_path: Path) -> None:
    points = curve_of(rig).keyframe_points
    there = next(point for point in points if point.co.x == INSIDE)
    value = there.co.y
    there.co.y = value + 1
    assert not can_step()
    there.co.y = value
    assert can_step()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert can_step()


def test_a_record_of_an_earlier_version_is_read_and_asks_to_fill_again(rig: Object) -> None:
    own = played(rig)
    del own[WRITTEN]
    own["genmm_filled"] = json.dumps([FIRST, LAST, 1, 5, "Walk", "", [[30, 1.0]]])
    own["genmm_stretches"] = json.dumps([[FIRST, LAST]])
    record = record_of(own)
    assert record is not None and (record.first, record.last, record.count) == (FIRST, LAST, 5)
    assert "An earlier version filled frames 41 to 71; fill the range again" in why_not_again(own, "")
    assert not can_step()
    assert generated_ranges(own) == ((FIRST, LAST),), "it stays a range that nothing is learned from"
    pose(rig)
    assert generated_ranges(own) == ((FIRST, LAST),)


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"genmm_filled": 3}', '{"genmm_filled": [[1, 2]]}', "1" * 9])
def test_unreadable_fingerprints_ask_to_fill_again(text: str, rig: Object) -> None:
    played(rig)[WRITTEN] = text
    assert "fill the range again" in why_not_again(played(rig), "")


def test_generated_ranges_stay_marked_through_further_edits_and_end_with_work_by_hand(rig: Object) -> None:
    own = played(rig)
    assert bpy.ops.genmm.continue_action(frames=30) == {"FINISHED"}
    last = float(own.frame_range[1])
    assert generated_ranges(own) == ((FIRST, LAST), (last - 30, last))
    repair(rig)
    assert generated_ranges(own) == ((FIRST, LAST), (last - 30, last))
    pose(rig)
    assert generated_ranges(own) == ((last - 30, last),)
    natural_elsewhere: Any = {"range_choice": "FRAMES", "first_frame": 150, "last_frame": 180}
    bpy.ops.genmm.make_natural(**natural_elsewhere)
    assert generated_ranges(own) == ((150, 180), (last - 30, last)), "an edit does not bring back what has ended"


def test_flaws_are_listed_for_the_keys_that_were_searched(rig: Object) -> None:
    for frame in (100, 101):
        pose(rig, frame)
    bpy.ops.genmm.find_flaws(kinds={"SPIKE"})
    listed = scene_properties(bpy.context.scene).repair
    assert listed.flaws
    listed.flaws[0].repaired = False
    assert bpy.ops.genmm.repair.poll()
    pose(rig, 150)
    assert not bpy.ops.genmm.repair.poll(), "what to leave out is not known any more"
    listed.flaws[0].repaired = True
    assert bpy.ops.genmm.repair.poll()


def test_a_full_motion_of_other_coarse_keys_is_not_replaced(rig: Object) -> None:
    bpy.ops.genmm.coarse_keys()
    coarse = played(rig)
    bpy.ops.genmm.switch_keys(action="FULL")
    full = played(rig)
    actions.assign(rig, coarse.copy())
    bpy.ops.genmm.switch_keys(action="FULL")
    assert full.name in bpy.data.actions and played(rig) != full
    assert full["genmm_coarse_keys"] == coarse


def test_shapes_of_handles_are_part_of_the_fingerprint_and_rounding_is_not(rig: Object) -> None:
    own = played(rig)
    bpy.ops.genmm.simplify_keys(where="ACTION")
    kept = fingerprint(own, "")
    for _ in range(3):
        update(rig)
    assert fingerprint(own, "") == kept
    point = curve_of(rig, "Shin.L").keyframe_points[2]
    point.handle_right.y += 0.1
    assert fingerprint(own, "") != kept

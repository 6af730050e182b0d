# SPDX-License-Identifier: GPL-3.0-or-later
"""New motion of a Rigify human on stairs, from the panel, with its directions, and from the command line."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run
from interface import select
from test_ground import DEPTH, FIRST, STEP, add_stairs, height_at
from test_ground_rig import SIZE, above_stairs
from walking_human import FRAMES, places, walking_human

from genmm_addon.animation import actions


@pytest.fixture
def rig() -> Iterator[Object]:
    with walking_human() as made:
        yield made


def ask(rig: Object, **values: object) -> Object:
    """Make the panel request motion on stairs, and return the stairs."""
    stairs = add_stairs()
    settings = rig.genmm
    settings.frames, settings.seed, settings.new_seed = FRAMES, 3, False
    settings.ground_object, settings.use_ground = stairs, True
    for name, value in values.items():
        setattr(settings, name, value)
    select(rig)
    return stairs


def check_on_stairs(rig: Object, made: Object) -> None:
    """Check that a result's feet climb the stairs, as high above the treads as they are above flat ground."""
    lowest = places(rig)[..., 2].min(axis=0)
    feet = places(made)
    assert (above_stairs(feet) - lowest).min() > -0.01 * SIZE
    assert feet[-1, :, 2].min() > 0.5


def blocks() -> tuple[int, int, int]:
    return len(bpy.data.actions), len(bpy.data.objects), len(bpy.data.armatures)


def made_by(rig: Object) -> Object:
    (made,) = (one for one in bpy.data.objects if one.type == "ARMATURE" and one.name.startswith(f"{rig.name} Gen"))
    return made


def test_new_rig_climbs_stairs_and_the_source_is_unchanged(rig: Object) -> None:
    rig.location = (1.5, 0.0, 0.0)
    before = places(rig)
    ask(rig)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = made_by(rig)
    assert made.matrix_world.translation == rig.location
    check_on_stairs(rig, made)
    assert np.allclose(places(rig), before)


@pytest.mark.parametrize(("output", "spacing"), [("NEW_ACTION", "EVERY_FRAME"), ("NLA_STRIP", "SHARED")])
def test_actions_and_strips_of_the_rig_itself_climb_with_all_or_few_keys(
    rig: Object,
    output: str,
    spacing: str,
) -> None:
    lowest = places(rig)[..., 2].min(axis=0)
    ask(rig, output=output, key_spacing=spacing)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    feet = places(rig)
    assert (above_stairs(feet) - lowest).min() > -0.015 * SIZE
    assert feet[-1, :, 2].min() > 0.5
    (made,) = (one for one in bpy.data.actions if " Gen " in one.name)
    curve = next(one for one in actions.fcurves_of(made) if one.data_path.endswith('"torso"].location'))
    assert (len(curve.keyframe_points) < 0.7 * FRAMES) == (spacing == "SHARED")


def test_waypoints_on_stairs_are_met_and_no_step_is_shortened(rig: Object) -> None:
    ask(rig)
    for frame, x, y in ((1, 0.0, 0.0), (50, 0.1, -1.6), (90, 0.3, -3.2)):
        bpy.context.scene.frame_set(frame)
        bpy.context.scene.cursor.location = (x, y, height_at(y))
        assert bpy.ops.genmm.add_row(rows="waypoints", source="CURSOR") == {"FINISHED"}
    select(rig)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = made_by(rig)
    torso = places(made, ("torso",))[:, 0]
    asked = np.array([(0.0, 0.0), (0.1, -1.6), (0.3, -3.2)])
    assert np.allclose(torso[[0, 49, 89], :2], asked, atol=0.005 * SIZE)
    check_on_stairs(rig, made)


def test_a_path_that_climbs_says_the_floor(rig: Object) -> None:
    stairs = ask(rig)
    above = bpy.data.meshes.new("Upper Floor")
    above.from_pydata([(-9, 9, 4), (9, 9, 4), (9, -19, 4), (-9, -19, 4)], [], [(3, 2, 1, 0)])
    upper = bpy.data.objects.new("Upper Floor", above)
    upper.parent = stairs
    upper.matrix_parent_inverse.translation = (0.0, FIRST, 0.0)
    bpy.context.scene.collection.objects.link(upper)
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(1)
    end = -FIRST - 30 * DEPTH
    for point, place in zip(spline.points, [(0.0, -FIRST, 0.0), (0.0, end, 30 * STEP)], strict=True):
        point.co = (*place, 1.0)
    way = bpy.data.objects.new("Way", data)
    bpy.context.scene.collection.objects.link(way)
    rig.genmm.path_curve, rig.genmm.path_climbs = way, True
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = made_by(rig)
    check_on_stairs(rig, made)


def test_impossible_requests_on_stairs_are_rejected_and_leave_no_data_blocks(rig: Object) -> None:
    stairs = ask(rig)
    before = blocks()
    stairs.modifiers["Array"].count = 2
    with pytest.raises(RuntimeError, match="no ground under"):
        bpy.ops.genmm.generate_motion()
    stairs.modifiers["Array"].count = 60
    rig.genmm.loop = "TRAVEL"
    with pytest.raises(RuntimeError, match="switch Loop off"):
        bpy.ops.genmm.generate_motion()
    rig.genmm.loop = "OFF"
    rig.genmm.reaches = '"hand_fk.R" at (0 0 9) 20-30'
    with pytest.raises(RuntimeError, match=r"out of reach|higher than the character reaches"):
        bpy.ops.genmm.generate_motion()
    assert blocks() == before


def test_the_command_line_makes_and_refuses_as_the_panel_does(
    rig: Object,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    ask(rig, ground_object=None)
    lowest = places(rig)[..., 2].min(axis=0)
    scene, made = tmp_path / "scene.blend", tmp_path / "{seed}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    asked = ("generate", scene, "--armature", rig.name, "--ground", "Stairs", "--frames", FRAMES, "--seeds", "3")
    assert run(capfd, *asked, "--output", made).status == 0
    said = run(capfd, *asked, "--output", tmp_path / "made.npz")
    assert said.status == 2 and "a .npz does not contain" in said.errors[-1]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "3.blend"))
    feet = places(next(one for one in bpy.data.objects if one.type == "ARMATURE" and one.name.startswith("rig")))
    assert (above_stairs(feet) - lowest).min() > -0.01 * SIZE

# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel's directions on a command line: saved in the file, exported, or given as options."""

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import run, save
from interface import new_action, select

from genmm_addon.animation.actions import fcurves_of
from genmm_addon.animation.pins.action import new_pins
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core.motion import load_motion
from genmm_addon.requests.part_values import add_part

Capture = pytest.CaptureFixture[str]
WALK = "GenMM Walk"
LEGS = ("Hips", "Thigh.L", "Shin.L", "Foot.L", "Toes.L", "Thigh.R", "Shin.R", "Foot.R", "Toes.R")
ARMS = ("Shoulder.L", "UpperArm.L", "Forearm.L", "Hand.L", "Shoulder.R", "UpperArm.R", "Forearm.R", "Hand.R")


pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def walker() -> Object:
    rig = add_sample_character(bpy.context).armature
    rig.genmm.frames, rig.genmm.new_seed = 60, False
    bpy.ops.genmm.add_example(action=WALK)
    for item in rig.genmm.examples:
        item.enabled = item.action.name == WALK
    return rig


def pins(rig: Object) -> tuple[str, ...]:
    bpy.context.scene.frame_set(20)
    rig.genmm.pins_action = new_pins(rig)
    bpy.ops.genmm.pin_pose()
    bpy.context.scene.frame_set(1)
    name = rig.genmm.pins_action.name
    return ("--pins", name)


def path(rig: Object) -> tuple[str, ...]:
    bpy.ops.curve.primitive_bezier_circle_add(radius=4)
    ring = bpy.context.object
    select(rig)
    rig.genmm.path_curve, rig.genmm.path_speed, rig.genmm.path_along = ring, "ARRIVE", True
    return ("--path", ring.name, "--path-speed", "arrive", "--path-facing", "along")


def waypoints(rig: Object) -> tuple[str, ...]:
    for frame, place in ((1, (0.0, 0.0, 0.0)), (55, (0.5, -1.5, 0.0))):
        bpy.context.scene.frame_set(frame)
        bpy.context.scene.cursor.location = place
        bpy.ops.genmm.add_row(rows="waypoints")
    bpy.context.scene.frame_set(1)
    return ("--waypoints", ", ".join(f"{row.empty.name}@{row.frame}" for row in rig.genmm.waypoints))


def given_part(rig: Object) -> tuple[str, ...]:
    add_part(rig.genmm, "Legs", LEGS)
    rig.genmm.completion_part, rig.genmm.completion_action = "Legs", bpy.data.actions[WALK]
    return ("--given-part", "Legs", "--given-action", WALK)


def parts(rig: Object) -> tuple[str, ...]:
    add_part(rig.genmm, "Legs", LEGS)
    add_part(rig.genmm, "Arms", ARMS)
    rig.genmm.parts = "PAINTED"
    return ("--parts", "painted")


def loop(rig: Object) -> tuple[str, ...]:
    rig.genmm.loop = "IN_PLACE"
    return ("--loop", "in-place")


def method(rig: Object) -> tuple[str, ...]:
    settings = rig.genmm
    settings.patch_frames, settings.coarsest_patches, settings.pyramid_factor = 7, 8, 0.75
    settings.noise, settings.parts, settings.iterations = 2.0, "LIMBS", 3
    row = settings.joint_weights.add()
    row.name, row.factor = "Head", 3.0
    return ("--preset", "more variety", "--iterations", "3", "--weight", "Head=3")


KINDS = (pins, path, waypoints, given_part, parts, loop, method)


@pytest.mark.every_case
@pytest.mark.parametrize("kind", KINDS, ids=[kind.__name__ for kind in KINDS])
def test_the_panel_its_export_and_words_make_the_same(
    tmp_path: Path, capfd: Capture, walker: Object, kind: Callable[[Object], tuple[str, ...]]
) -> None:
    plain = save(tmp_path, "plain")
    words = kind(walker)
    assert bpy.ops.genmm.export_settings(filepath=str(tmp_path / "s.json")) == {"FINISHED"}
    set_up = save(tmp_path, "set_up")
    # The file must contain what the options name, but not use it already.
    for name in ("use_pins", "use_path", "use_waypoints", "use_completion"):
        setattr(walker.genmm, name, False)
    walker.genmm.parts, walker.genmm.loop = "WHOLE_BODY", "OFF"
    for name in ("patch_frames", "coarsest_patches", "pyramid_factor", "noise", "iterations", "joint_weights"):
        walker.genmm.property_unset(name)
    switched_off = save(tmp_path, "switched_off")
    for name, told in {
        "panel": (set_up,),
        "export": (switched_off, "--settings", tmp_path / "s.json"),
        "words": (switched_off, *words),
        "off": (switched_off,),
        "plain": (plain,),
    }.items():
        said = run(capfd, "generate", *told, "-o", tmp_path / f"{name}.npz")
        assert (said.status, said.errors) == (0, []), name
    made = {name: (tmp_path / f"{name}.npz").read_bytes() for name in ("panel", "export", "words", "off", "plain")}
    assert made["panel"] == made["export"] == made["words"]
    assert made["off"] == made["plain"] != made["panel"]


def test_pins_of_poses_only_leave_the_place_free(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    plain = save(tmp_path, "plain")
    pins(walker)
    bpy.context.scene.frame_set(20)
    bpy.ops.genmm.pin_pose(place=True)
    bpy.context.scene.frame_set(1)
    walker.genmm.use_pins = True
    for curve in fcurves_of(walker.genmm.pins_action):
        if "Hips" in curve.data_path and curve.data_path.endswith("location"):
            for point in curve.keyframe_points:
                point.co[1] += 3.0
    moved = save(tmp_path, "moved")
    made = {}
    for name, more in {"placed": (), "posed": ("--pins-pose-only",)}.items():
        assert run(capfd, "generate", moved, *more, "-o", tmp_path / f"{name}.npz").status == 0
        made[name] = load_motion(tmp_path / f"{name}.npz")
    said = run(capfd, "generate", plain, "--pins-pose-only", "-o", tmp_path / "x.npz")
    assert said.status == 2 and "set an action with --pins" in said.errors[0]
    arm = made["posed"].skeleton.names.index("UpperArm.L")
    assert np.allclose(made["posed"].rotations[19, arm], made["placed"].rotations[19, arm], atol=1e-4)
    assert np.linalg.norm(made["placed"].translations[19, 0] - made["posed"].translations[19, 0]) > 1.0


def test_a_given_part_decides_the_length(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    given_part(walker)
    file = save(tmp_path, "given")
    assert run(capfd, "generate", file, "--frames", 30, "-o", tmp_path / "x.npz").status == 0
    motion = load_motion(tmp_path / "x.npz")
    first, last = bpy.data.actions[WALK].frame_range[:]
    assert motion.frames == round(last - first) + 1


def test_off_on_the_command_line_overrides_the_panel(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    plain = save(tmp_path, "plain")
    path(walker)
    file = save(tmp_path, "path")
    assert run(capfd, "generate", plain, "-o", tmp_path / "plain.npz").status == 0
    assert run(capfd, "generate", file, "--path", "off", "-o", tmp_path / "off.npz").status == 0
    assert (tmp_path / "plain.npz").read_bytes() == (tmp_path / "off.npz").read_bytes()


def test_a_second_action_of_the_file_can_be_given_instead(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    new_action(walker, "Other", 50).use_fake_user = True
    file = save(tmp_path, "two")
    assert run(capfd, "generate", file, "--action", "Other", "-o", tmp_path / "x.npz").status == 0
    # The action keys no location, so nothing travels.
    assert np.ptp(load_motion(tmp_path / "x.npz").translations, axis=0).max() < 1e-6


def test_a_path_from_a_file_is_the_curve_through_its_points(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    file = save(tmp_path, "walk")
    points = [(0.0, 0.0), (0.0, -1.0), (0.5, -2.0), (1.5, -2.5)]
    (tmp_path / "way.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in points))
    words = ("generate", file, "--frames", 60, "-o")
    assert run(capfd, *words, tmp_path / "points.npz", "--path", tmp_path / "way.csv").status == 0
    assert run(capfd, *words, tmp_path / "off.npz").status == 0
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    data.splines.new("POLY").points.add(3)
    for point, (x, y) in zip(data.splines[0].points, points, strict=True):
        point.co = (x, y, 0.0, 1.0)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Way", data))
    both = save(tmp_path, "both")
    assert run(capfd, "generate", both, *words[2:], tmp_path / "curve.npz", "--path", "Way").status == 0
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert run(capfd, *words, tmp_path / "blend.npz", "--path", both).status == 0
    by_points, by_curve, by_file, free = (
        load_motion(tmp_path / f"{name}.npz").translations for name in ("points", "curve", "blend", "off")
    )
    assert np.array_equal(by_points, by_curve) and np.array_equal(by_points, by_file)
    assert not np.allclose(by_points, free, atol=0.1)


def test_two_points_are_a_path(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    file = save(tmp_path, "walk")
    (tmp_path / "way.csv").write_text("0,0\n0,-1\n")
    said = run(capfd, "generate", file, "--frames", 30, "--path", tmp_path / "way.csv", "-o", tmp_path / "a.npz")
    assert said.status == 0, said.errors


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,2\n", "has fewer than two points"),
        ("x,y\n1,2\n3,none\n", 'Line 3 of "'),
        ("1,2,3,4\n1,2,3,4\n", 'Line 1 of "'),
        ("1,2\n1,nan\n", 'Line 2 of "'),
        ("", "has fewer than two points"),
    ],
)
def test_a_file_that_is_not_a_path_gets_its_sentence(
    tmp_path: Path, capfd: Capture, walker: Object, text: str, sentence: str
) -> None:
    file = save(tmp_path, "walk")
    (tmp_path / "way.csv").write_text(text)
    said = run(capfd, "generate", file, "--path", tmp_path / "way.csv", "-o", tmp_path / "a.npz")
    assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0]
    assert not (tmp_path / "a.npz").exists()


def test_a_blend_without_one_curve_is_not_a_path(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    other, file = save(tmp_path, "other"), save(tmp_path, "walk")
    said = run(capfd, "generate", file, "--path", file, "-o", tmp_path / "a.npz")
    assert said.status == 2 and "is the input itself" in said.errors[0]
    said = run(capfd, "generate", file, "--path", other, "-o", tmp_path / "a.npz")
    assert said.status == 2 and "needs one curve object to be a path and has none" in said.errors[0]
    (tmp_path / "broken.blend").write_bytes(b"none")
    said = run(capfd, "generate", file, "--path", tmp_path / "broken.blend", "-o", tmp_path / "a.npz")
    assert said.status == 2 and "cannot be read" in said.errors[0]
    said = run(capfd, "generate", file, "--path", tmp_path / "none.csv", "-o", tmp_path / "a.npz")
    assert said.status == 2 and "There is no file" in said.errors[0]

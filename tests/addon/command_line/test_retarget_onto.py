# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm retarget` onto characters as users have them: other units, axes, rolls, parents, overrides and strips."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import walking_sample
from commands import run, save
from mathutils import Matrix
from numpy.typing import NDArray
from other_rigs import make_mixamo_like, mixamo_name

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.motion import save_bvh

pytestmark = [pytest.mark.arrays, pytest.mark.usefixtures("extension")]

Capture = pytest.CaptureFixture[str]
SHOWN = ("Head", "Hand.L", "Hand.R", "Forearm.L", "Foot.L", "Foot.R", "Toes.L", "Shin.R")
FRAMES = (1, 20, 45, 60)


def plain(_hero: Object) -> None:
    """Leave the sample as it is."""


def in_centimeters(hero: Object) -> None:
    """Give it Mixamo's names, units and axes, on a rotated and scaled object."""
    make_mixamo_like(hero)


def in_other_units(hero: Object) -> None:
    """Change units and axes as exporters do, on a rotated and scaled object, keys of locations too."""
    hero.data.transform(Matrix.Rotation(-math.pi / 2, 4, "X") @ Matrix.Scale(100.0, 4))
    hero.rotation_mode, hero.rotation_euler, hero.scale = "XYZ", (math.pi / 2, 0.0, 0.0), (0.01,) * 3
    for action in bpy.data.actions:
        for curve in actions.fcurves_of(action):
            for point in curve.keyframe_points if curve.data_path.endswith('"].location') else ():
                point.co.y *= 100.0
            curve.update()


def with_rolls(hero: Object) -> None:
    """Roll each bone otherwise, as a rigger does."""
    bpy.context.view_layer.objects.active = hero
    bpy.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(hero.data.edit_bones):
        bone.roll += 0.7 * (number % 5 - 2)
    bpy.ops.object.mode_set(mode="OBJECT")
    actions.clear_assignment(hero)


def below_a_parent(hero: Object) -> None:
    """Put the object below a moved and turned parent."""
    parent = bpy.data.objects.new("Placed", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler = (3.0, -2.0, 0.5), (0.0, 0.0, 0.6)
    hero.parent = parent


def turned_about_locked(hero: Object) -> None:
    """Lock channels, and use Euler angles and an axis with an angle."""
    for number, bone in enumerate(hero.pose.bones):
        bone.rotation_mode = ("XYZ", "ZXY", "AXIS_ANGLE", "QUATERNION")[number % 4]
        bone.lock_location, bone.lock_scale = (True,) * 3, (True,) * 3
        bone.lock_rotation[number % 3] = True


def with_strips(hero: Object) -> None:
    """Play strips in the NLA instead of an action."""
    playing = actions.assigned(hero)
    assert playing is not None
    actions.clear_assignment(hero)
    track = hero.animation_data.nla_tracks.new()
    track.strips.new("Wave", 1, bpy.data.actions["GenMM Wave"])


def with_object_keys(hero: Object) -> None:
    """Play an action that also moves the object."""
    playing = actions.assigned(hero)
    assert playing is not None
    factory = actions.curve_factory(*playing)
    curve = factory.new("location", 0, "Object Transforms")
    curve.keyframe_points.insert(1.0, 0.0)
    curve.keyframe_points.insert(60.0, 5.0)


KINDS: tuple[Callable[[Object], None], ...] = (
    in_centimeters,
    in_other_units,
    with_rolls,
    below_a_parent,
    turned_about_locked,
    with_strips,
    with_object_keys,
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder with a motion that has a walk and turned arms."""
    save_bvh(tmp_path / "dance.bvh", sample_motions(30.0)["GenMM Dance"].slice(0, 60))
    yield tmp_path


def brought(folder: Path, capture: Capture, hero: Path, source: str, *words: object) -> NDArray[np.float64]:
    """Return the places `(frames, bones, 3)` of the character's bones below its object's parent."""
    output = folder / "out.blend"
    onto = ("--onto", hero, "--armature", "Hero", "--output", output, "--force")
    said = run(capture, "retarget", folder / source, *onto, *words)
    assert said.status == 0, said.errors
    bpy.ops.wm.open_mainfile(filepath=str(output))
    rig = bpy.data.objects["Hero"]
    playing = actions.assigned(rig)
    assert playing is not None and playing[0].library is None
    names = [name if name in rig.data.bones else mixamo_name(name) for name in SHOWN]
    places = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(bpy.context.scene.frame_start + frame - 1)
        world = rig.parent.matrix_world.inverted() if rig.parent is not None else Matrix()
        places.append([world @ rig.matrix_world @ rig.pose.bones[name].head for name in names])
    return np.array(places)


def saved(folder: Path, kind: Callable[[Object], None], name: str = "Hero") -> Path:
    """Return a file with a sample character that was changed by `kind`."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    hero = walking_sample()
    hero.name = name
    kind(hero)
    bpy.context.view_layer.update()
    return save(folder, f"{name} {kind.__name__}")


def assert_same(places: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    """Assert that bones are at the same places, by half a percent of the size."""
    size = np.ptp(expected[0, :, 2])
    assert math.isclose(size, 1.6, rel_tol=0.3)
    away = np.linalg.norm(places - expected, axis=2) / size
    assert away.max() < 0.005, dict(zip(SHOWN, away.max(axis=0).round(4).tolist(), strict=True))


@pytest.mark.parametrize("prepare", KINDS, ids=lambda kind: kind.__name__)
def test_the_same_body_shows_the_same_motion_however_it_is_set_up(
    folder: Path, capfd: Capture, prepare: Callable[[Object], None]
) -> None:
    expected, places = (brought(folder, capfd, saved(folder, kind), "dance.bvh") for kind in (plain, prepare))
    assert_same(places, expected)


@pytest.mark.parametrize("prepare", [in_other_units, below_a_parent], ids=lambda kind: kind.__name__)
def test_a_source_in_other_units_or_below_a_parent_is_read_as_it_looks(
    folder: Path, capfd: Capture, prepare: Callable[[Object], None]
) -> None:
    hero = saved(folder, plain)
    expected, places = (
        brought(folder, capfd, hero, saved(folder, kind, "Other").name, "--action", "GenMM Walk")
        for kind in (plain, prepare)
    )
    assert_same(places, expected)


def test_an_overridden_character_gets_an_action_and_a_linked_one_is_refused(folder: Path, capfd: Capture) -> None:
    library = saved(folder, plain, "Hero")
    expected = brought(folder, capfd, library, "dance.bvh")
    for name in ("linked", "override"):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.render.fps = 30
        with bpy.data.libraries.load(str(library), link=True) as (_, target):
            target.objects = ["Hero"]
        hero = target.objects[0]
        bpy.context.scene.collection.objects.link(hero)
        if name == "override":
            hero = hero.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
        bpy.context.view_layer.objects.active = hero
        onto = save(folder, name)
        if name == "override":
            assert_same(brought(folder, capfd, onto, "dance.bvh"), expected)
        else:
            words = ("--onto", onto, "--output", folder / "none.blend")
            said = run(capfd, "retarget", folder / "dance.bvh", *words)
            assert said.status == 2 and "linked" in said.errors[0] and not (folder / "none.blend").exists()

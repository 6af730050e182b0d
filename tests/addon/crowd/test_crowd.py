# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds: every agent has its own place and moment, and shares meshes and motions with others."""

import threading
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from commands import left_in, run, save
from interface import new_character, select
from numpy.typing import NDArray

from genmm_addon.animation.rig import read_skeleton
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import rotations
from genmm_addon.crowd.crowd import compute_crowd, crowd_written, read_crowd, write_crowd
from genmm_addon.crowd.request import CrowdRequest
from genmm_addon.generation.generate import read
from genmm_addon.generation.generation import Generation
from genmm_addon.requests.request_values import panel_request

Capture = pytest.CaptureFixture[str]
WALK = "GenMM Walk"
FRAMES = 48


pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def walker() -> Object:
    """Return the sample character, walking."""
    sample = add_sample_character(bpy.context)
    settings = sample.armature.genmm
    settings.frames, settings.new_seed, settings.seed = FRAMES, False, 4
    bpy.ops.genmm.add_example(action=WALK)
    for item in settings.examples:
        item.enabled = item.action.name == WALK
    return sample.armature


def agents() -> list[Object]:
    """Return the rigs of the crowd, in their order."""
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and " Agent " in thing.name]
    return sorted(rigs, key=lambda rig: rig.name)


def roots(frame: int) -> NDArray[np.float64]:
    """Return the world positions of the agents' root bones `(N, 3)`."""
    bpy.context.scene.frame_set(frame)
    return np.array([rig.matrix_world @ rig.pose.bones[0].head for rig in agents()])


def hide_meshes() -> None:
    """Hide all meshes, which do not affect the roots, so that frames are evaluated sooner."""
    for thing in bpy.data.objects:
        thing.hide_viewport = thing.type == "MESH"


def directions(first: int = 1, last: int = 13) -> NDArray[np.float64]:
    """Return the direction in which each agent sets out, in radians."""
    way = roots(last) - roots(first)
    return np.arctan2(way[:, 1], way[:, 0])


def make(**values: object) -> set[str]:
    for name, value in values.items():
        setattr(bpy.context.scene.genmm.crowd, name, value)
    return set(bpy.ops.genmm.make_crowd())


def circle(radius: float = 6.0) -> Object:
    bpy.ops.curve.primitive_bezier_circle_add(radius=radius)
    curve = bpy.context.object
    curve.name = "Ring"
    return curve


def test_agents_share_meshes_and_motions_and_stand_in_rows(walker: Object) -> None:
    meshes, actions, objects = len(bpy.data.meshes), len(bpy.data.actions), len(bpy.data.objects)
    assert make(agents=12, clips=5, spacing=2.0, columns=4, scatter=0.0) == {"FINISHED"}
    assert len(agents()) == 12
    assert len(bpy.data.meshes) == meshes and len(bpy.data.actions) == actions + 5
    assert len(bpy.data.objects) == objects + 2 * 12
    found = roots(1)[:, :2]
    expected = [[2 * (column - 1.5), 2 + 2 * row] for row in range(3) for column in range(4)]
    assert np.allclose(found, np.array(expected) + np.array(walker.location[:2]), atol=1e-3)
    assert {rig.animation_data.nla_tracks[0].strips[0].action.name for rig in agents()} == {
        f"GenMM Sample Crowd {seed}" for seed in range(4, 9)
    }


def test_agents_set_out_alike_and_move_as_the_example_does(walker: Object) -> None:
    make(agents=10, clips=4, scatter=0.0)
    steps = [np.linalg.norm(roots(frame + 1) - roots(frame), axis=1) for frame in range(1, FRAMES)]
    assert np.min(np.max(steps, axis=0)) > 0.01 and np.max(steps) < 0.12  # nobody stands still or jumps
    away = directions(1, 25)
    assert np.all(np.abs(np.angle(np.exp(1j * (away - away[0])))) < 0.7)


def test_those_who_share_a_motion_are_at_other_moments(walker: Object) -> None:
    bpy.context.scene.frame_end = FRAMES
    make(agents=8, clips=1, scatter=0.0)
    starts = {rig.animation_data.nla_tracks[0].strips[0].action_frame_start for rig in agents()}
    assert len(starts) > 5
    for rig in agents():
        strip = rig.animation_data.nla_tracks[0].strips[0]
        assert strip.action.frame_range[0] <= strip.action_frame_start
        assert strip.action_frame_end <= strip.action.frame_range[1]
        assert strip.frame_end - strip.frame_start == FRAMES - 1


def test_along_a_curve_they_look_along_it(walker: Object) -> None:
    curve = circle()
    select(walker)
    make(agents=12, clips=4, layout_kind="CURVE", curve=curve)
    found = roots(1)
    assert np.allclose(np.linalg.norm(found[:, :2], axis=1), 6.0, atol=0.05)
    around = np.arctan2(found[:, 1], found[:, 0])
    across = np.abs(np.sin(directions() - around))
    assert np.median(across) > 0.97 and np.all(across > 0.8)


def test_on_a_surface_they_stand_at_its_height(walker: Object) -> None:
    bpy.ops.mesh.primitive_grid_add(size=30, location=(0, 0, 5))
    field = bpy.context.object
    select(walker)
    height = (walker.matrix_world @ walker.pose.bones[0].head).z
    make(agents=20, clips=4, layout_kind="SURFACE", surface=field, face="RANDOM")
    found = roots(1)
    assert np.allclose(found[:, 2], 5 + height, atol=0.15)
    assert np.all(np.abs(found[:, :2]) <= 15.01)
    assert np.ptp(directions()) > 3


def test_on_selected_objects_they_look_as_those_do(walker: Object) -> None:
    places = []
    for number in range(4):
        mark = bpy.data.objects.new(f"Mark {number}", None)
        mark.location, mark.rotation_euler = (3 * number, 7, 0.5 * number), (0, 0, number)
        bpy.context.scene.collection.objects.link(mark)
        places.append(mark)
    bpy.context.view_layer.update()
    select(walker)
    for mark in places:
        mark.select_set(True)
    assert make(layout_kind="OBJECTS", clips=2) == {"FINISHED"}
    assert np.allclose(roots(1)[:, :2], [mark.location[:2] for mark in places], atol=1e-3)
    wanted = np.arange(4) - np.pi / 2
    assert np.all(np.cos(directions() - wanted) > 0.9)


@pytest.mark.parametrize("loop", ["TRAVEL", "IN_PLACE"])
def test_loop_continues_to_the_end_of_the_scene(walker: Object, loop: str) -> None:
    walker.genmm.loop = loop
    bpy.context.scene.frame_end = 4 * FRAMES
    if make(agents=6, clips=2) == {"CANCELLED"}:
        pytest.fail("the walk should close")
    hide_meshes()
    steps = np.array([np.linalg.norm(roots(frame + 1) - roots(frame), axis=1) for frame in range(1, 4 * FRAMES)])
    assert np.max(steps) < 0.12
    gone = np.linalg.norm(roots(4 * FRAMES) - roots(1), axis=1)
    assert np.all(gone > 3) if loop == "TRAVEL" else np.all(gone < 0.6)


def test_the_same_seed_is_the_same_crowd(walker: Object) -> None:
    make(agents=6, clips=3)
    first = roots(20)
    bpy.data.batch_remove(list(bpy.data.collections["GenMM Sample Crowd"].objects))
    make(agents=6, clips=3)
    assert np.array_equal(roots(20), first)


def test_a_character_that_is_moved_as_an_object_gets_places_to_stand_in(walker: Object) -> None:
    walker.driver_add("location", 0).driver.expression = "0"
    make(agents=3, clips=1, spacing=3.0, columns=3, scatter=0.0)
    assert np.allclose(roots(1)[:, 0], [-3, 0, 3], atol=1e-3)
    assert all(rig.parent.type == "EMPTY" for rig in agents())


def test_failure_leaves_no_data_blocks_behind(walker: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    from genmm_addon.crowd import crowd as module

    def fail(*_: object) -> None:
        raise RuntimeError("no")

    before = set(bpy.data.user_map())
    monkeypatch.setattr(module, "_play", fail)
    with pytest.raises(RuntimeError):
        make(agents=5, clips=2)
    assert set(bpy.data.user_map()) == before


def nearest(frames: range) -> NDArray[np.float64]:
    """Return the smallest distance of each agent's root to another's on the ground `(N,)`."""
    hide_meshes()
    least = np.full(len(agents()), np.inf)
    for frame in frames:
        found = roots(frame)[:, :2]
        apart = np.linalg.norm(found[:, None] - found, axis=2) + np.diag(np.full(len(found), np.inf))
        least = np.minimum(least, apart.min(axis=1))
    return least


def quarter(walker: Object) -> float:
    """Return a quarter of the character's size in the world."""
    return 0.25 * read_skeleton(walker).size * walker.matrix_world.to_scale()[0]


@pytest.mark.parametrize("values", [{}, {"face": "RANDOM"}, {"columns": 3}])
def test_agents_at_the_default_spacing_do_not_walk_through_each_other(
    walker: Object, values: dict[str, object]
) -> None:
    walker.genmm.frames = 120
    make(agents=40, clips=8, **values)
    assert nearest(range(1, 121)).min() >= quarter(walker) - 1e-4


def test_loops_are_kept_apart_to_the_end_of_the_scene(walker: Object) -> None:
    walker.genmm.loop = "TRAVEL"
    bpy.context.scene.frame_end = 4 * FRAMES
    make(agents=20, clips=4)
    assert nearest(range(1, 4 * FRAMES + 1)).min() >= quarter(walker) - 1e-4


def test_agents_on_a_large_surface_do_not_walk_through_each_other(walker: Object) -> None:
    bpy.ops.mesh.primitive_grid_add(size=40)
    field = bpy.context.object
    select(walker)
    walker.genmm.frames = 120
    make(agents=30, clips=6, layout_kind="SURFACE", surface=field, face="RANDOM")
    assert nearest(range(1, 121)).min() >= quarter(walker) - 1e-4


def test_requested_spacing_is_kept_and_the_number_of_near_agents_reported(walker: Object) -> None:
    asked = CrowdRequest(agents=30, spacing=0.7, clips=4, seed=4)
    bpy.context.scene.frame_end = FRAMES
    request, _ = panel_request(walker, bpy.context.scene)
    reading = read(request, bpy.context.scene)
    task = read_crowd(bpy.context, request, asked, reading)
    computed = compute_crowd(task)
    crowd = write_crowd(bpy.context, task, computed)
    crossing = int((nearest(range(1, FRAMES + 1)) < quarter(walker)).sum())
    said = next(note for note in crowd.notes if "of 30 touch another character" in note)
    assert int(said.split()[0]) >= crossing > 0
    assert np.allclose(np.ptp(roots(1)[:, 0]), 5 * 0.7, atol=0.2)  # the requested spacing


def test_selection_is_unchanged(walker: Object) -> None:
    select(walker)
    make(agents=5, clips=2)
    assert list(bpy.context.selected_objects) == [walker] and bpy.context.object == walker


def test_a_crowd_taken_back_half_way_leaves_nothing(walker: Object) -> None:
    before = set(bpy.data.user_map())
    asked = CrowdRequest(agents=9, clips=3)
    request, _ = panel_request(walker, bpy.context.scene)
    reading = read(request, bpy.context.scene)
    task = read_crowd(bpy.context, request, asked, reading)
    computed = compute_crowd(task)
    for done in (1, 4, 8, 10):
        steps = crowd_written(bpy.context, task, computed)
        shares = [next(steps) for _ in range(done)]
        assert len(set(bpy.data.user_map())) > len(before) and shares == sorted(shares) and shares[-1] <= 1
        steps.close()
        assert set(bpy.data.user_map()) == before


def test_crowd_is_rejected_while_a_motion_is_being_generated(walker: Object) -> None:
    request, _ = panel_request(walker, bpy.context.scene)
    release = threading.Event()
    generation = Generation(request, read(request, bpy.context.scene), lambda *_: release.wait(60))
    generation.start()
    try:
        with pytest.raises(RuntimeError, match="A motion is being generated"):
            make(agents=3)
    finally:
        release.set()
        generation.end()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"layout_kind": "CURVE"}, "Choose the curve that the crowd stands on."),
        ({"layout_kind": "OBJECTS"}, "Select the character and the objects at which the others should stand"),
    ],
)
def test_missing_requirements_are_reported_and_leave_no_data_blocks(
    walker: Object, values: dict[str, object], sentence: str
) -> None:
    before = set(bpy.data.user_map())
    with pytest.raises(RuntimeError, match=sentence):
        make(**values)
    assert set(bpy.data.user_map()) == before


def test_a_path_has_no_place_in_a_crowd(walker: Object) -> None:
    curve = circle()
    select(walker)
    walker.genmm.path_curve, walker.genmm.use_path = curve, True
    with pytest.raises(RuntimeError, match="A crowd determines the locations"):
        make(agents=3)


def test_a_crowd_in_arrays_has_a_motion_for_everyone(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    path = save(tmp_path, "hero")
    words = ("crowd", path, "--agents", 20, "--columns", 5, "--spacing", 2, "--scatter", 0)
    said = run(capfd, *words, "-o", tmp_path / "{name}.npz")
    assert said.status == 0 and said.errors == []
    with np.load(tmp_path / "hero.npz") as arrays:
        assert arrays["rotations"].shape == (20, FRAMES, 22, 4)
        assert len(np.unique(arrays["rotations"][:, 0].reshape(20, -1), axis=0)) == 20
        heads = np.concatenate((arrays["rest_translations"][0] + _rooted(arrays), np.ones((20, 1))), axis=1)
        placed = np.einsum("nab,nb->na", arrays["matrices"], heads)
        assert arrays["seeds"].tolist() == list(range(4, 24))
    expected = [[2 * (column - 2), 2 + 2 * row] for row in range(4) for column in range(5)]
    assert np.allclose(placed[:, :2], expected, atol=1e-3)
    assert run(capfd, *words, "-o", tmp_path / "{name}.npz").status == 2
    assert run(capfd, *words, "--resume", "-o", tmp_path / "{name}.npz").lines == [
        f"{tmp_path / 'hero.npz'} already exists."
    ]


@pytest.mark.slow
def test_a_crowd_in_arrays_is_kept_apart_as_well(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    walker.genmm.frames = 120
    path, size = save(tmp_path, "hero"), 4 * quarter(walker)
    assert run(capfd, "crowd", path, "--agents", 30, "-o", tmp_path / "own.npz").status == 0
    with np.load(tmp_path / "own.npz") as arrays:
        slot = arrays["translated"].tolist().index(0)
        moved = arrays["translations"][:, :, slot].astype(np.float64)
        turned = rotations.rotate(np.broadcast_to(arrays["rest_rotations"][0], (*moved.shape[:2], 4)), moved)
        heads = np.concatenate((arrays["rest_translations"][0] + turned, np.ones((30, 120, 1))), axis=-1)
        placed = np.einsum("nab,ntb->nta", arrays["matrices"], heads)[..., :2]
    apart = np.linalg.norm(placed[:, None] - placed, axis=-1) + 1e9 * np.eye(30)[..., None]
    assert apart.min() >= 0.25 * size - 1e-4


def _rooted(arrays: np.lib.npyio.NpzFile) -> NDArray[np.float64]:
    """Return the root's translations in its parent's axes at the first frame `(N, 3)`."""
    slot = arrays["translated"].tolist().index(0)
    moved = arrays["translations"][:, 0, slot].astype(np.float64)
    return np.asarray(
        rotations.rotate(np.broadcast_to(arrays["rest_rotations"][0], (len(moved), 4)), moved), np.float64
    )


def test_a_crowd_in_a_blend_is_that_of_the_panel(tmp_path: Path, capfd: Capture, walker: Object) -> None:
    path = save(tmp_path, "hero")
    bpy.context.scene.frame_end = FRAMES
    make(agents=9, clips=3)
    expected = roots(10)
    said = run(capfd, "crowd", path, "--agents", 9, "--clips", 3, "-o", tmp_path / "crowd.blend")
    assert said.status == 0 and said.errors == []
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "crowd.blend"))
    assert np.allclose(roots(10), expected, atol=1e-4)
    assert bpy.context.scene.frame_end == FRAMES


@pytest.mark.parametrize(
    "words",
    [
        ("--along", "GenMM Sample"),
        ("--surface", "Nothing"),
        ("--agents", "0"),
        ("--spacing", "-1"),
        ("--objects", "GenMM Sample", "--agents", "2"),
        ("--clips", "0"),
        ("-o", "{seed}.blend"),
        ("-o", "x.fbx"),
    ],
)
def test_impossible_crowd_is_rejected_with_one_sentence(
    tmp_path: Path, capfd: Capture, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    new_character()
    said = run(capfd, "crowd", save(tmp_path, "hero"), *words)
    assert said.status == 2 and len(said.errors) == 1
    assert left_in(tmp_path) == {"hero.blend"}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules of a character are as thick as its meshes at rest, read from any pose, without what it wears or holds."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from arm_in_trunk import RATE, arm_in_trunk
from bpy.types import Object, Scene
from mathutils import Matrix
from numpy.typing import NDArray
from rigs import MOTIONS

from genmm_addon.animation.actions import assign, assigned
from genmm_addon.animation.reading.example_spec import ExampleSpec
from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.character.flesh import ExampleBody, flesh_of_character, read_example_body
from genmm_addon.core import Motion, save_bvh
from genmm_addon.core.evaluation import Capsules, find_capsules
from genmm_addon.core.feet import standing_of
from genmm_addon.core.repair import FlawKind, find_flaws
from genmm_addon.files.import_file import import_file
from genmm_addon.generation import generate
from genmm_addon.generation.measures import Measures, measures_of
from genmm_addon.generation.request import Request
from genmm_addon.interface.results.shown import measured_lines, measured_words

pytestmark = pytest.mark.usefixtures("extension")

KIND = frozenset({FlawKind.PENETRATION})


@pytest.fixture
def character(tmp_path: Path) -> Object:
    """Return a character without a mesh, active in the window."""
    bpy.context.scene.render.fps = round(RATE)
    save_bvh(tmp_path / "arm.bvh", arm_in_trunk(0.3))
    armature = import_file(tmp_path / "arm.bvh", bpy.context)[0].armature
    bpy.context.view_layer.objects.active = armature
    return armature


def motion_of(character: Object) -> Motion:
    """Return the motion that a character plays."""
    playing = assigned(character)
    assert playing is not None
    return read_examples(character, [ExampleSpec(*playing)], scene=bpy.context.scene, visual=False).motions[0]


def capsules_now(character: Object) -> Capsules:
    """Return the capsules of a character as it is at present."""
    return flesh_of_character(character, motion_of(character).skeleton, bpy.context.scene).capsules


def add_skin(character: Object, radii: Mapping[str, float], sides: int = 12, rings: int = 8) -> Object:
    """Return a mesh of tubes from each bone to its children, 0.03 thick if not given, that the character deforms."""
    corners, faces, groups = list[NDArray[np.float64]](), list[list[int]](), dict[str, list[int]]()
    for bone in (bone for bone in character.data.bones if bone.parent):
        start, end = (np.array(one.head_local, np.float64) for one in (bone.parent, bone))
        axis = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
        side = np.cross(axis, [0.31, 0.9, 0.2])
        side /= np.linalg.norm(side)
        turns = 2 * np.pi * np.arange(sides) / sides
        circle = np.cos(turns)[:, None] * side + np.sin(turns)[:, None] * np.cross(axis, side)
        along = start + np.linspace(0.0, 1.0, rings)[:, None] * (end - start)
        first = len(corners) * sides * rings
        corners.append((along[:, None] + radii.get(bone.parent.name, 0.03) * circle).reshape(-1, 3))
        for ring in range(sides, sides * rings, sides):
            for number in range(sides):
                edge = number, (number + 1) % sides
                below, above = ([first + start + corner for corner in edge] for start in (ring - sides, ring))
                faces.append([*below, *above[::-1]])
        groups.setdefault(bone.parent.name, []).extend(range(first, first + sides * rings))
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(np.concatenate(corners).tolist(), [], faces)
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.parent = character
    body.modifiers.new("Armature", "ARMATURE").object = character
    for name, numbers in groups.items():
        body.vertex_groups.new(name=name).add(numbers, 1.0, "REPLACE")
    bpy.context.view_layer.update()
    return body


def radius_of(character: Object, bone: str) -> float:
    """Return the mean radius of the capsule that a bone carries."""
    capsules, names = capsules_now(character), motion_of(character).skeleton.names
    return float(capsules.radii[[names[joint] == bone for joint in capsules.carriers]].mean())


def test_a_character_without_a_mesh_has_the_capsules_of_its_bones(character: Object) -> None:
    found, expected = capsules_now(character), find_capsules(motion_of(character).skeleton)
    assert np.array_equal(found.radii, expected.radii) and np.array_equal(found.pairs, expected.pairs)


@pytest.mark.parametrize("radius", [0.012, 0.08])
def test_limbs_are_as_thick_as_the_mesh_in_any_pose(character: Object, radius: float) -> None:
    add_skin(character, {"Forearm.L": radius})
    for frame in (1, 50):
        bpy.context.scene.frame_set(frame)
        assert radius_of(character, "Forearm.L") == pytest.approx(radius, rel=0.05)
        assert radius_of(character, "Forearm.R") == pytest.approx(0.03, rel=0.05)
        assert character.data.pose_position == "POSE"
    character.scale, character.location = (2.0, 2.0, 2.0), (3.0, 1.0, 0.0)
    assert radius_of(character, "Forearm.L") == pytest.approx(radius, rel=0.05)


def test_a_mirrored_half_is_the_skin_of_both_sides(character: Object) -> None:
    body = add_skin(character, {"Forearm.L": 0.05})
    modifier = body.modifiers.new("Mirror", "MIRROR")
    body.modifiers.move(1, 0)
    groups = [group for group in body.vertex_groups if group.name.endswith(".R")]
    gone = {group.index for group in groups}
    right = [vertex.index for vertex in body.data.vertices if {one.group for one in vertex.groups} & gone]
    for group in groups:
        body.vertex_groups.remove(group)
    for vertex in right:
        body.data.vertices[vertex].co = (0.0, 0.0, 1.0)
    for name in ("UpperArm", "Forearm", "Hand", "Thigh", "Shin", "Foot"):
        if f"{name}.R" not in body.vertex_groups:
            body.vertex_groups.new(name=f"{name}.R")
    assert modifier.use_mirror_vertex_groups
    assert radius_of(character, "Forearm.R") == pytest.approx(0.05, rel=0.05)


def test_what_a_hand_holds_or_is_not_rendered_does_not_make_it_thicker(character: Object) -> None:
    add_skin(character, {})
    before = capsules_now(character)
    bpy.ops.mesh.primitive_cube_add(size=0.8)
    shield = bpy.context.object
    shield.parent, shield.parent_type, shield.parent_bone = character, "BONE", "Hand.L"
    hidden = add_skin(character, dict.fromkeys([bone.name for bone in character.data.bones], 0.2))
    hidden.hide_render = True
    bpy.context.view_layer.update()
    assert np.allclose(before.radii, capsules_now(character).radii)


def test_pieces_that_bones_hold_are_a_body_if_nothing_else_is(character: Object) -> None:
    body = add_skin(character, {"Forearm.L": 0.06})
    for bone in character.data.bones:
        if bone.name not in body.vertex_groups:
            continue
        group = body.vertex_groups[bone.name].index
        own = [vertex.index for vertex in body.data.vertices if any(one.group == group for one in vertex.groups)]
        numbers = {vertex: number for number, vertex in enumerate(own)}
        mesh = bpy.data.meshes.new(bone.name)
        faces = [face.vertices for face in body.data.polygons if face.vertices[0] in numbers]
        places = [body.data.vertices[vertex].co for vertex in own]
        mesh.from_pydata(places, [], [[numbers[vertex] for vertex in face] for face in faces])
        piece = bpy.data.objects.new(bone.name, mesh)
        bpy.context.scene.collection.objects.link(piece)
        piece.parent, piece.parent_type, piece.parent_bone = character, "BONE", bone.name
        tail = Matrix.Translation((0.0, bone.length, 0.0))
        piece.matrix_parent_inverse = (bone.matrix_local @ tail).inverted()
    bpy.data.objects.remove(body)
    bpy.context.view_layer.update()
    assert radius_of(character, "Forearm.L") == pytest.approx(0.06, rel=0.05)
    assert radius_of(character, "Shin.R") == pytest.approx(0.03, rel=0.05)


def test_an_arm_goes_through_a_fat_body_and_not_through_a_thin_one(character: Object) -> None:
    arms = {f"{name}.{side}": 0.05 for name in ("UpperArm", "Forearm") for side in "LR"}
    trunk = ("Hips", "Spine", "Chest")
    amounts = []
    for radius in (0.04, 0.16):
        body = add_skin(character, {**arms, **dict.fromkeys(trunk, radius)})
        bpy.ops.genmm.find_flaws(kinds={"PENETRATION"})
        amounts.append([flaw.amount for flaw in bpy.context.scene.genmm.repair.flaws])
        if radius < 0.1:
            bpy.data.objects.remove(body)
    assert amounts[0] == [] and len(amounts[1]) == 1 and "Hand.L" in amounts[1][0]
    bpy.ops.genmm.repair(kinds={"PENETRATION"})
    bpy.ops.genmm.find_flaws(kinds={"PENETRATION"})
    assert len(bpy.context.scene.genmm.repair.flaws) == 0


@pytest.mark.every_case
@pytest.mark.skipif(not MOTIONS.exists(), reason="needs the folder of motions")
@pytest.mark.parametrize("name", ["gltf/CesiumMan.glb", "gltf/Fox.glb", "skeletons/kaykit_rogue.glb"])
def test_real_characters_have_thick_limbs_and_no_alarm_in_gaits_and_at_rest(name: str) -> None:
    character = import_file(MOTIONS / name, bpy.context)[0].armature
    gaits = [action for action in bpy.data.actions if action.name.startswith(("Running", "Walking", "Survey", "Anim"))]
    assert gaits
    for action in gaits:
        assign(character, action)
        motion = motion_of(character)
        capsules = flesh_of_character(character, motion.skeleton, bpy.context.scene).capsules
        assert len(capsules.pairs) and 0.002 < np.median(capsules.radii) / motion.skeleton.size < 0.15
        unturned = np.zeros_like(motion.rotations)
        unturned[..., 0] = 1.0
        rest = motion.with_channels({**motion.channels(), "rotations": unturned})
        for one in (motion, rest):
            assert find_flaws(one, standing_of(one), KIND, capsules=capsules) == ()


def test_results_count_the_frames_with_limbs_deeper_in_the_body_than_in_the_examples(character: Object) -> None:
    wrong, stands = motion_of(character), motion_of(character).take(np.zeros(60, np.int64))
    body = read_example_body(character, [stands], bpy.context.scene)
    count = body.frames_through(wrong)
    (flaw,) = find_flaws(wrong, standing_of(wrong), KIND, usual=body.usual, capsules=body.capsules)
    assert count is not None and 0 < count <= flaw.last - flaw.first + 1
    assert body.frames_through(stands) == 0
    assert read_example_body(character, [wrong], bpy.context.scene).frames_through(wrong) == 0
    assert measured_words(Measures(frames_through_body=count)) == [f"{count} in body"]
    assert dict(measured_lines(Measures(frames_through_body=count)))["Through Body"] == f"{count} frames"
    none = Measures(frames_through_body=0)
    assert not measured_words(none) and not measured_lines(none)


def test_the_skin_of_the_character_decides_which_limbs_of_a_result_are_in_the_body(character: Object) -> None:
    stands = [motion_of(character).take(np.zeros(60, np.int64))]
    thin = add_skin(character, {})
    counts = [read_example_body(character, stands, bpy.context.scene).frames_through(motion_of(character))]
    bpy.data.objects.remove(thin)
    counts.append(read_example_body(character, stands, bpy.context.scene).frames_through(motion_of(character)))
    assert counts[0] == 0 and counts[1]


def test_the_skin_is_read_once_where_results_are_measured_and_by_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.genmm.add_sample_character()
    sample, reads = bpy.context.object, list[object]()

    def counting(armature: Object, examples: Sequence[Motion], scene: Scene) -> ExampleBody:
        reads.append(armature)
        return read_example_body(armature, examples, scene)

    monkeypatch.setattr(generate, "read_example_body", counting)
    bpy.context.scene.genmm.crowd.agents = 2
    assert bpy.ops.genmm.make_crowd() == {"FINISHED"}
    request = Request(sample, (ExampleSpec(bpy.data.actions["GenMM Walk"]),), frames=60)
    unmeasured = generate.compute_and_measure(generate.read(request, bpy.context.scene), request)
    assert unmeasured.measures[0].frames_through_body is None and not reads
    (result,) = generate.generate(bpy.context, request)
    measures = measures_of(result.action)
    assert measures is not None and measures.frames_through_body == 0 and len(reads) == 1
    bpy.context.view_layer.objects.active = sample
    bpy.ops.genmm.generate_motion()
    assert len(reads) == 2

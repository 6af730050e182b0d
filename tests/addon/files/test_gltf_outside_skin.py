# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF characters of which hands and legs lie outside the skin: they are bones, and results move them too."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from gltf_files import write_gltf
from numpy.typing import NDArray
from rigs import motion_files

from genmm_addon.files.gltf.joining import joined
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.generate import Request, generate

NAMES = ("Hips", "Spine", "Head", "Hand", "Leg", "Finger")
PARENTS = (-1, 0, 1, 1, 0, 3)


def character_file(path: Path, skinned: Sequence[int], moving: Sequence[int] = range(6)) -> Path:
    times = np.arange(60) / 30
    return write_gltf(path, {"Walk": dict.fromkeys(moving, times)}, "LINEAR", skinned, PARENTS, NAMES)


def empties() -> list[str]:
    return [thing.name for thing in bpy.data.objects if thing.type == "EMPTY"]


@pytest.mark.parametrize("kind", ["glb", "gltf"])
@pytest.mark.parametrize("skinned", [(0, 1, 2), (1, 2, 0, 4), (0, 1, 2, 3), (1, 2), (1, 3, 2)])
def test_moving_nodes_below_the_joints_are_bones_that_results_move(
    tmp_path: Path, skinned: Sequence[int], kind: str
) -> None:
    (character,) = import_file(character_file(tmp_path / f"hero.{kind}", skinned), bpy.context)
    # Hips outside the skin are the armature object itself.
    expected = set(NAMES) if 0 in skinned else set(NAMES[1:])
    assert {bone.name for bone in character.armature.data.bones} == expected and not empties()
    (note,) = character.notes
    assert "outside the skin" in note and "hero." in note
    result = generate(bpy.context, Request(character.armature, character.examples, frames=40))[0].object
    evaluated: list[list[NDArray[np.float64]]] = []
    for frame in (1, 15, 30):
        bpy.context.scene.frame_set(frame)
        pose = result.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose
        evaluated.append(
            [np.array(pose.bones[name].matrix_basis.to_quaternion()) for name in ("Hand", "Leg", "Finger")]
        )
    assert (np.ptp(np.array(evaluated), axis=0).max(axis=-1) > 1e-3).all()


def test_the_motion_is_that_of_the_same_file_with_all_joints_in_its_skin(tmp_path: Path) -> None:
    places: list[list[NDArray[np.float64]]] = []
    for skinned in ((0, 1, 2), range(6)):
        (character,) = import_file(character_file(tmp_path / "hero.glb", skinned), bpy.context)
        rig = character.armature
        rig.animation_data.action = character.examples[0].action
        bpy.context.scene.frame_set(20)
        pose = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose
        places.append([np.array(pose.bones[name].head) for name in NAMES])
    np.testing.assert_allclose(places[0], places[1], atol=1e-5)


def test_a_file_with_data_beside_it_is_read_as_well(tmp_path: Path) -> None:
    path = character_file(tmp_path / "hero.gltf", (0, 1, 2))
    content = json.loads(path.read_text())
    binary = tmp_path / "my data ü.bin"
    binary.write_bytes(base64.b64decode(content["buffers"][0]["uri"].partition(",")[2]))
    content["buffers"][0]["uri"] = "my%20data%20%C3%BC.bin"
    path.write_text(json.dumps(content))
    (character,) = import_file(path, bpy.context)
    assert len(character.armature.data.bones) == 6


@pytest.mark.parametrize("skinned", [range(6), (0, 1, 2)])
def test_a_file_without_moving_nodes_outside_is_read_as_it_stands(tmp_path: Path, skinned: Sequence[int]) -> None:
    path = character_file(tmp_path / "hero.glb", skinned, moving=(0, 1, 2))
    with joined(path) as found:
        assert found == (path, ())


@pytest.mark.parametrize(
    "change",
    [
        {"skins": 3},
        {"skins": [{}]},
        {"skins": [{"joints": [99]}]},
        {"animations": [{"channels": [{"target": {"node": [], "path": "scale"}}]}]},
        {"nodes": [{"children": [0]}]},
        {"nodes": [{"children": "x"}, {}, {}, {}, {}, {}, {}]},
        {"buffers": [None]},
        {"images": "x"},
    ],
)
def test_a_damaged_file_is_left_to_the_importer(tmp_path: Path, change: dict[str, object]) -> None:
    path = character_file(tmp_path / "hero.gltf", (0, 1, 2))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with joined(path) as found:
        assert found == (path, ())


@pytest.mark.parametrize("path", motion_files((".glb", ".gltf")), ids=lambda path: path.name)
def test_real_files_have_no_moving_objects_beside_their_armature(path: Path) -> None:
    with joined(path) as (_, notes):
        assert not notes

# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons recognized by the names of their bones, against the table of real skeletons that was labeled by hand."""

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest

from genmm_addon.core.transfer.known_skeletons import KnownSkeleton, known_skeletons, paired, recognized

TABLE = json.loads((Path(__file__).resolve().parents[1] / "data" / "joint_roles.json").read_text("utf-8"))
HUMANS = {row["files"][0]: row["roles"] for row in TABLE if row["kind"] == "human"}
REAL = {
    "bvh/cmu_02_01_walk_120fps.bvh": "CMU",
    "bvh/cmu_02_03_run_60fps_100joints.bvh": "Character Creator and iClone",
    "bvh/fair1_dab.bvh": "Mixamo",
    "bvh/rokoko_jesse_dance.bvh": "Mixamo",
    "gltf/RobotExpressive.glb": "Quaternius",
    "bvh/cmu_jumping_jacks_30fps.bvh": "Biovision",
    "sample": "GenMM Sample Character",
    "skeletons/m2m_cmu_91_48.fbx": "Poser and DAZ",
    "library/dataset-1_bow_active_001.bvh": "KayKit and Unity",
    "metarig/human": "Rigify metarig and deforming bones",
    "rigify": "Rigify controls (FK)",
    "skeletons/kaykit_rogue.glb": "KayKit and Unity",
    "skeletons/m2m_human-bunny.glb": "Unreal Mannequin",
}
"""Skeletons of the table that are of a kind that is described."""
SPELLINGS = {
    "Mixamo": ("mixamorig:LeftUpLeg", "mixamorig1:LeftUpLeg", "mixamorigLeftUpLeg", "LeftUpLeg"),
    "3ds Max Biped (Bip01)": ("Bip01 L Thigh", "Bip001 L Thigh", "Bip01_L_Thigh"),
    "SMPL, SMPL-H and SMPL-X": ("L_Hip", "left_hip", "m_avg_L_Hip"),
    "Rigify metarig and deforming bones": ("thigh.L", "DEF-thigh.L"),
    "VRM": ("J_Bip_L_UpperLeg",),
    "Auto-Rig Pro controls (FK)": ("c_thigh_fk.l",),
}
"""Spellings of the left thigh."""


def bones_of(file: str) -> list[str]:
    return list(dict.fromkeys(bone for bones in HUMANS[file].values() for bone in bones))


def pairs_by_role(source: Sequence[str], target: Sequence[str]) -> dict[str, str]:
    return paired(recognized(source)[1], recognized(target)[1])


def described(kind: KnownSkeleton, like: str = "") -> list[str]:
    """Return the names of a kind's bones, with the prefix and the sides of one that is spelled in full."""
    separator = "_" if like.count("_") > 1 else " "
    for sides in kind.sides:
        for left, right in (sides, tuple(side.title() for side in sides)):
            thigh = kind.bones["thigh"][0].replace("*", left).replace(" ", separator)
            if not like or like.lower().endswith(thigh.lower()):
                return [
                    like[: len(like) - len(thigh)] * bool(like) + bone.replace("*", side).replace(" ", separator)
                    for bones in kind.bones.values()
                    for bone in bones
                    for side in ((left, right) if "*" in bone else ("",))
                ]
    raise AssertionError(like)


def test_real_skeletons_are_recognized_and_no_others() -> None:
    found = {file: recognized(bones_of(file))[0] for file in HUMANS}
    assert {file: kind for file, kind in found.items() if kind} == {
        **REAL,
        "metarig/basic_human": found["metarig/human"],
    }


def test_descriptions_that_say_tested_are_of_real_skeletons() -> None:
    assert {kind.name for kind in known_skeletons() if kind.tested} == set(REAL.values())


@pytest.mark.parametrize(("source", "target"), list(permutations(REAL, 2)), ids=lambda file: file)
def test_joints_of_recognized_skeletons_have_the_counterparts_of_the_table(source: str, target: str) -> None:
    pairs = pairs_by_role(bones_of(source), bones_of(target))
    assert len(set(pairs.values())) == len(pairs)
    for role in HUMANS[source].keys() & HUMANS[target].keys():
        assert {pairs.get(bone) for bone in HUMANS[source][role]} & {*HUMANS[target][role]}, role


@pytest.mark.parametrize("kind", known_skeletons(), ids=lambda kind: kind.name)
def test_each_kind_is_recognized_by_its_own_bones_and_by_no_kind_of_the_others(kind: KnownSkeleton) -> None:
    name, roles = recognized(described(kind))
    assert name == kind.name
    assert sum(map(len, roles.values())) == len(described(kind))


@pytest.mark.parametrize(
    ("name", "thigh"), [(name, thigh) for name, thighs in SPELLINGS.items() for thigh in thighs], ids=str
)
def test_prefixes_sides_and_separators_are_spelled_in_several_ways(name: str, thigh: str) -> None:
    (kind,) = (kind for kind in known_skeletons() if kind.name == name)
    found, roles = recognized(described(kind, thigh))
    assert found == name
    assert [bone.lower() for bone in roles["thigh", "L"]] == [thigh.lower()]


def test_bone_above_all_may_have_the_name_that_others_begin_with() -> None:
    bones = described(next(kind for kind in known_skeletons() if "Bip01" in kind.name), "Bip01 L Thigh")
    assert recognized(["Bip01", *bones]) == recognized(bones)


def test_a_skeleton_that_lacks_a_part_of_the_body_is_of_no_kind() -> None:
    bones = bones_of("skeletons/m2m_human-bunny.glb")
    assert recognized([bone for bone in bones if bone != "hand_r"]) == ("", {})
    assert pairs_by_role(bones, [bone for bone in bones if bone != "hand_r"]) == {}


def test_pairs_are_in_the_order_of_the_source_in_every_process() -> None:
    names = described(known_skeletons()[0])
    roles = recognized(names)[1]
    assert list(pairs_by_role(names, names)) == [name for bones in roles.values() for name in bones]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Humans of tools of which no file is at hand, by the names of their bones, with others beside and along the limbs."""

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np
import pytest
from motions import BIPED, Joints, build_skeleton

from genmm_addon.core import Skeleton
from genmm_addon.core.transfer import match_joints
from genmm_addon.core.transfer.known_skeletons import recognized
from genmm_addon.core.transfer.roles import roles_of

KINDS = {
    "Daz Genesis 8": ("lr", "hip head *ShldrBend *ForearmBend *Hand *ThighBend *Shin *Foot"),
    "MakeHuman": ("LR", "root head upperarm01.* lowerarm01.* wrist.* upperleg01.* lowerleg01.* foot.*"),
    "MMD": ("左右", "下半身 頭 *腕 *ひじ *手首 *足 *ひざ *足首"),
    "Unity": (("Left", "Right"), "Hips Head *UpperArm *LowerArm *Hand *UpperLeg *LowerLeg *Foot"),
    "ASF": ("lr", "root head *humerus *radius *wrist *femur *tibia *foot"),
    "Auto-Rig Pro": (
        "lr",
        "root.x head.x arm_stretch.* forearm_stretch.* hand.* thigh_stretch.* leg_stretch.* foot.*",
    ),
    "Source": (
        "LR",
        " ".join(f"ValveBiped.Bip01_{name}" for name in ("Pelvis", "Head1"))
        + "".join(f" ValveBiped.Bip01_*_{name}" for name in ("UpperArm", "Forearm", "Hand", "Thigh", "Calf", "Foot")),
    ),
}
"""Spellings of the sides, and names of the joints of PARTS, with * for the side; by the tools' documentation."""
PARTS = ("hips", "head", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")


def named(kind: str) -> Mapping[str, str]:
    """Return a kind's names of the biped's joints."""
    sides, names = KINDS[kind]
    return {
        f"{part}.{side}" if "*" in name else part: name.replace("*", word)
        for part, name in zip(PARTS, names.split(), strict=True)
        for side, word in zip("LR", sides, strict=True)
    }


def dressed(names: Mapping[str, str]) -> Skeleton:
    """Return the biped with these names, halves of limbs, a long skirt, long hair, and targets for its feet."""
    joints: dict[str, tuple[str, tuple[float, float, float]]] = {}
    for joint, (parent, place) in BIPED.items():
        if parent.startswith(("upper_arm", "forearm", "thigh", "shin")):
            middle = 0.5 * (np.array(BIPED[parent][1]) + place)
            joints[f"{names[parent]}_twist"] = (names[parent], tuple(middle))
        joints[names.get(joint, joint)] = (names.get(parent, parent), place)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        joints[f"target_{side}"] = ("", (0.1 * sign, 0.0, 0.08))
        above = {"skirt": names["hips"], "hair": names["head"]}
        for number in range(5):
            for part, place in (
                ("skirt", (0.13 * sign, 0.1 + 0.03 * number, 0.9 - 0.2 * number)),
                ("hair", (0.05 * sign, 0.1, 1.7 - 0.25 * number)),
            ):
                joints[f"{part}{number}{side}"] = (above[part], place)
                above[part] = f"{part}{number}{side}"
    return build_skeleton(joints)


@pytest.mark.parametrize(("source", "target"), list(permutations(KINDS, 2)), ids=str)
def test_limbs_are_found_by_what_names_mean_beside_skirts_hair_and_halves(source: str, target: str) -> None:
    own, other = named(source), named(target)
    assert not recognized(own.values())[0]
    match = match_joints(dressed(own), dressed(other))
    assert match.fits
    assert {name: match.names.get(name) for name in own.values()} == {own[joint]: other[joint] for joint in own}


def renamed(joints: Joints, names: Mapping[str, str]) -> Skeleton:
    return build_skeleton(
        {names.get(name, name): (names.get(above, above), place) for name, (above, place) in joints.items()}
    )


@pytest.mark.parametrize(
    "names",
    [{"hand.L": "forearm.L", "forearm.L": "hand.L"}, {"shin.R": "part"}, {"head": "part"}],
    ids=["out of order", "without a shin", "without a head"],
)
def test_names_tell_no_roles_unless_they_tell_a_whole_body(names: Mapping[str, str]) -> None:
    plain = {name: f"x.{name}" for name in BIPED}
    assert roles_of(renamed(BIPED, plain))["forearm", "L"] == ["x.forearm.L"]
    assert not roles_of(renamed(BIPED, {**plain, **names}))


def test_hips_are_where_both_legs_begin_unless_a_bone_above_is_called_so() -> None:
    names: Sequence[str] = ("part", "pelvis")
    found = [roles_of(renamed(BIPED, {"hips": name}))["hips", ""] for name in names]
    assert found == [["part"], ["pelvis"]]

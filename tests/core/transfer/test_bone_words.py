# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that tools and riggers give to the bones of a human, and the parts that they mean."""

import pytest

from genmm_addon.core.transfer.bone_names import match_names, meanings_by_name, names_by_meaning

PARTS = ("hips", "head", "shoulder", "upperarm", "forearm", "hand", "thigh", "shin", "foot", "toe")
SCHEMES = {
    "limb and half": (
        ("lt", "rt"),
        "pelvis skull *_scap *_arm_upr *_arm_lwr *_wrist *_leg_upr *_leg_lwr *_ankle *_toes",
    ),
    "limb and bone": (
        ("l", "r"),
        "hips head *_arm_clavicle *_arm_humerus *_arm_radius *_arm_wrist "
        "*_leg_femur *_leg_tibia *_leg_ankle *_leg_ball",
    ),
    "consonants": (("Lf", "Rt"), "Cn_plv Cn_hd *_clv *_upArm *_loArm *_hnd *_thg *_clf *_ft *_toe"),
    "initials": (("L", "R"), "Hip Head *Clavicle *UArm *FArm *Hand *ULeg *LLeg *Foot *Toe"),
    "brackets": (
        ("L", "R"),
        "Pelvis[Pelv] Head[Head] *Clavicle[*Clv] *UpperArm[*Uar] *Forearm[*Lar] *Hand[*Hnd] *Thigh[*Thg] *Calf[*Clf] "
        "*Foot[*ft] *Toe0[*Toe]",
    ),
    "joints": (("le", "ri"), "mainroot head clavicle_* shoulder_* elbow_* wrist_* hip_* knee_* ankle_* ball_*"),
    "foot below ankle": (
        ("LEFT", "RIGHT"),
        "PELVIS HEAD CLAVICLE_* SHOULDER_* ELBOW_* WRIST_* HIP_* KNEE_* ANKLE_* FOOT_*",
    ),
    "leg above knee": (("L", "R"), "lower_body head shoulder_* arm_* elbow_* wrist_* leg_* knee_* ankle_* toe_*"),
    "shoulder beside arm": (("l", "r"), "hip head *Shldr *Arm *ForeArm *Hand *Thigh *Shin *Foot *Toe"),
    "letters": (("l", "r"), "hipA headA *_clavA *_armA *_elbowA *_handA *_thighA *_kneeA *_ankleA *_ballA"),
    "Chinese": (("左", "右"), "骨盆 头 *锁骨 *上臂 *前臂 *手 *大腿 *小腿 *脚 *脚趾"),
}
"""Words for the sides, and names of PARTS with * for the side."""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_names_tell_the_part_and_the_side(scheme: str) -> None:
    sides, names = SCHEMES[scheme]
    expected = {
        (part, side): name.replace("*", word)
        for part, name in zip(PARTS, names.split(), strict=True)
        for side, word in (zip("LR", sides, strict=True) if "*" in name else [("", "")])
    }
    found = names_by_meaning(meanings_by_name(expected.values()), ())
    assert {meaning: found.get(meaning) for meaning in expected} == {key: [name] for key, name in expected.items()}


def test_numbers_along_a_limb_do_not_tell_its_bones() -> None:
    names = [f"leg_joint_{side}_{number}" for side in "LR" for number in (1, 2, 3)]
    assert not {"thigh", "shin"} & {meaning.name for meaning in meanings_by_name(names).values()}
    assert meanings_by_name(["leg_01.L", "leg_02.L"])["leg_01.L"].name == "shin"


def test_a_joint_of_the_hip_is_no_thigh() -> None:
    found = names_by_meaning(meanings_by_name(["LHipJoint", "LeftHip", "LeftKnee"]), ())
    assert found["thigh", "L"] == ["LeftHip"]


def test_numbers_of_fingers_count_differently_from_tool_to_tool() -> None:
    own = [f"finger{finger}-{bone}.L" for finger in (1, 2) for bone in (1, 2, 3)]
    other = [f"L Finger{finger}{bone}" for finger in (0, 1) for bone in ("", 1, 2)]
    assert not match_names(own, other)
    assert match_names(own, own[::-1]) == {name: name for name in own}


def test_bones_of_the_instep_are_no_toes() -> None:
    found = names_by_meaning(meanings_by_name(["lFoot", "lMetatarsals", "lToe"]), ())
    assert found["toe", "L"] == ["lToe"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that most bones of one skeleton have before or after their names: without them, names tell the joints."""

import tracemalloc
from collections.abc import Sequence

import pytest
from motions import BIPED, build_skeleton

from genmm_addon.core.transfer import match_names, meanings_of
from genmm_addon.core.transfer.bone_names import meanings_by_name
from genmm_addon.core.transfer.roles import roles_of

PATTERNS = (
    *("SKEL_{}", "NPC {}", "b__{}__", "Armature_{}", "rig:{}", "{}_jnt", "{}_SKIN", "Bone_{}", "CC_Base_{}"),
    *("ValveBiped.Bip01_{}", "Bip01 {}", "J_Bip_{}", "mixamorig1_{}", "Character1_{}", "hero_{}", "hero_{}_bind_jnt"),
    *("hand_{}", "{}_leg", "upper_{}_base"),
)
SPIDER = [f"leg{pair}_{part}.{side}" for pair in range(4) for part in ("a", "femur", "tibia", "tip") for side in "LR"]
HORSE = [f"{end}_{part}.{side}" for end in ("front", "hind") for part in ("thigh", "shin", "foot") for side in "LR"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_words_that_all_bones_share_do_not_hide_what_their_names_mean(pattern: str) -> None:
    plain, names = meanings_by_name(BIPED), {name: pattern.format(name) for name in BIPED}
    found = meanings_by_name(names.values())
    assert {name: found[names[name]] for name in BIPED} == dict(plain)
    assert match_names(list(names.values()), list(BIPED)) == {names[name]: name for name in BIPED}
    skeleton = build_skeleton({names[name]: (names.get(above, ""), at) for name, (above, at) in BIPED.items()})
    assert roles_of(skeleton)["forearm", "R"] == [names["forearm.R"]]
    assert meanings_of(skeleton) == tuple(plain.values())


def test_words_before_the_bodys_bones_are_found_beside_more_bones_of_hair() -> None:
    hair = [f"J_Sec_Hair{number}" for number in range(2 * len(BIPED))]
    found = meanings_by_name([*hair, *(f"J_Bip_{name}" for name in BIPED)])
    assert {name: found[f"J_Bip_{name}"] for name in BIPED} == dict(meanings_by_name(BIPED))


@pytest.mark.parametrize(
    "names",
    [
        [f"Spine{number}" for number in range(1, 10)],
        [f"{part}.{side}" for part in ("arm_upper", "arm_hand", "arm_palm") for side in "LR"],
        [f"Left{part}" for part in ("Shoulder", "Arm", "ForeArm", "Hand")],
        ["head", "thorax", *SPIDER],
        ["hips", "head", *HORSE],
        [*BIPED, *(f"ik_{part}.{side}" for part in ("toe", "shoulder") for side in "LR")],
    ],
    ids=["spine", "arms", "one arm", "spider", "front and hind", "targets"],
)
def test_shared_words_that_say_which_part_it_is_are_kept(names: Sequence[str]) -> None:
    assert meanings_by_name(names) == {name: meanings_by_name([name])[name] for name in names}


def test_words_are_shared_among_all_bones_though_only_some_are_to_be_matched() -> None:
    rest = ["hero_tail", "hero_finger_1.L"]
    names = [*(f"hero_{name}" for name in BIPED), *rest]
    pairs = match_names(names, ["tail", "finger_1.L"], without=(names[: len(BIPED)], ()))
    assert pairs == {"hero_tail": "tail", "hero_finger_1.L": "finger_1.L"}


def test_names_of_thousands_of_words_take_no_more_memory_than_their_length() -> None:
    names = [f"{'a_' * 2000}{number}" for number in range(20)]
    tracemalloc.start()
    meanings_by_name(names)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6

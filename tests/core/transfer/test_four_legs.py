# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies on four legs whose trees begin at the chest, on the ground below it, or at several roots."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from motions import Array, Joints, build_skeleton
from test_matching import DOG, HUMAN, anonymous_target, proportioned, swinging

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.feet.contact_detection import Foot
from genmm_addon.core.feet.leg_ik import follow_paths
from genmm_addon.core.feet.two_bone_ik import pose_leg
from genmm_addon.core.transfer import bring, bringing, match_joints, meanings_of, moved_joints, retarget
from genmm_addon.core.transfer.matching import landmarks
from genmm_addon.core.transfer.matching.body import find_body
from genmm_addon.core.transfer.matching.landmarks import chest_of, long_bones, neck_and_head, tail_of

EARS: Joints = {f"ear.{side}": ("head", (sign * 0.06, -0.42, 0.78)) for side, sign in (("L", 1.0), ("R", -1.0))}
HOUND: Joints = {**DOG, **EARS}
"""A dog with ears, whose tree begins at the hips."""
REVERSED = {"chest": "", "waist": "chest", "spine": "waist", "hips": "spine"}
"""Parents in the trunk of a body whose tree begins at the chest."""
GROUND = (0.0, -0.25, 0.0)


def parents_first(joints: Joints) -> Joints:
    """Return the joints in an order where parents come before children."""
    ordered: dict[str, tuple[str, tuple[float, float, float]]] = {}
    while len(ordered) < len(joints):
        ordered |= {name: joint for name, joint in joints.items() if not joint[0] or joint[0] in ordered}
    return ordered


def from_chest(joints: Joints, top: str = "") -> Joints:
    """Return the joints in a tree that begins at the chest; top: name of a joint on the ground that carries it."""
    turned = {name: (REVERSED.get(name, parent), place) for name, (parent, place) in joints.items()}
    if top:
        turned |= {top: ("", GROUND), "chest": (top, joints["chest"][1])}
        # As in the files of some games, all that begins at the chest hangs from the joint on the ground.
        hangs = ("neck", "scapula.L", "scapula.R")
        turned |= {name: (top, place) for name, (_, place) in joints.items() if name in hangs}
    return parents_first(turned)


def in_pieces(joints: Joints) -> Joints:
    """Return the joints of which every limb, and the tail, has a root of its own."""
    roots = ("tail", "scapula.L", "scapula.R", "femur.L", "femur.R")
    return parents_first({name: ("" if name in roots else parent, place) for name, (parent, place) in joints.items()})


def below_root(joints: Joints) -> Joints:
    """Return the joints in pieces that hang from one root on the ground."""
    pieces = {name: (parent or "root", place) for name, (parent, place) in in_pieces(joints).items()}
    return {"root": ("", GROUND), **pieces}


SHAPES = {
    "chest": from_chest(HOUND),
    "ground": from_chest(HOUND, "ground"),
    "pieces": in_pieces(HOUND),
    "root": below_root(HOUND),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_all_joints_are_found_wherever_the_tree_begins(shape: str) -> None:
    source, goal = build_skeleton(SHAPES[shape]), build_skeleton(HOUND)
    found = match_joints(source, anonymous_target(goal), trust=0.0).names
    assert found == {name: f"x{number}" for number, name in enumerate(goal.names)}
    back = match_joints(goal, anonymous_target(source), trust=0.0).names
    assert back == {name: f"x{source.names.index(name)}" for name in goal.names}


@pytest.mark.every_case
@pytest.mark.parametrize("shape", SHAPES)
def test_legs_head_and_sides_are_found_in_other_proportions(shape: str) -> None:
    goal = build_skeleton(HOUND)
    for seed in range(10):
        changed = {**SHAPES[shape]}
        places = {name: place for name, (_, place) in proportioned(HOUND, np.random.default_rng(seed)).items()}
        source = build_skeleton({name: (parent, places.get(name, place)) for name, (parent, place) in changed.items()})
        names = match_joints(source, anonymous_target(goal), trust=0.0).names
        for name in ("hips", "head", *(f"{part}.{side}" for part in ("radius", "tibia") for side in "LR")):
            assert names[name] == f"x{goal.names.index(name)}", (seed, name)


def test_the_end_with_the_tail_is_no_head_though_the_tail_is_raised() -> None:
    raised = {**HOUND, "tail_middle": ("tail", (0.0, 0.45, 0.66)), "tail_tip": ("tail_middle", (0.0, 0.47, 0.72))}
    body = find_body(build_skeleton(raised))
    assert body is not None and body.tree.skeleton.names[body.hips] == "hips"


def test_the_end_that_divides_into_jaws_has_the_head_below_a_raised_tail() -> None:
    raised = {**DOG, "tail_middle": ("tail", (0.0, 0.45, 0.8)), "tail_tip": ("tail_middle", (0.0, 0.47, 1.0))}
    jaws: Joints = {"jaw": ("head", (0.0, -0.5, 0.63)), "nose": ("head", (0.0, -0.55, 0.68))}
    body = find_body(build_skeleton({**raised, **jaws}))
    assert body is not None and body.tree.skeleton.names[body.hips] == "hips"


def test_toes_point_to_the_head_below_a_raised_tail() -> None:
    raised = {**DOG, "tail_middle": ("tail", (0.0, 0.45, 0.8)), "tail_tip": ("tail_middle", (0.0, 0.47, 1.0))}
    body = find_body(build_skeleton(raised))
    assert body is not None and body.tree.skeleton.names[body.hips] == "hips"


def test_a_stump_of_a_tail_is_the_beginning_of_a_long_one() -> None:
    short = {name: joint for name, joint in DOG.items() if name not in ("tail_middle", "tail_tip")}
    ends = build_skeleton({**short, "tail": ("hips", (0.0, 0.5, 0.5))}), build_skeleton(DOG)
    for own, other in (ends, ends[::-1]):
        found = match_joints(own, anonymous_target(other), trust=0.0).names
        assert found["tail"] == f"x{other.names.index('tail')}"


def test_joints_halfway_along_the_bones_of_bent_legs_are_no_knees_nor_feet() -> None:
    joints: dict[str, tuple[str, tuple[float, float, float]]] = {}
    for name, (parent, place) in DOG.items():
        if name.startswith(("front_foot", "tibia")):
            middle = (np.array(joints[parent][1]) + place) / 2
            joints[f"{name} halfway"], parent = (parent, tuple(middle)), f"{name} halfway"
        joints[name] = parent, place
    source, goal = build_skeleton(joints), build_skeleton(DOG)
    found = match_joints(source, anonymous_target(goal), trust=0.0).names
    assert all(found[name] == f"x{number}" for number, name in enumerate(goal.names))


def test_ears_and_jaws_beyond_a_nose_have_counterparts() -> None:
    beyond: Joints = {"chin": ("nose", (0.0, -0.52, 0.62)), "tip": ("nose", (0.0, -0.58, 0.66))}
    ears: Joints = {name: ("nose", place) for name, (_, place) in EARS.items()}
    goal = build_skeleton({**DOG, "nose": ("head", (0.0, -0.46, 0.68)), **beyond, **ears})
    found = match_joints(goal, anonymous_target(goal), trust=0.0).names
    assert found == {name: f"x{number}" for number, name in enumerate(goal.names)}


def head_of(joints: Joints, *still: str) -> str | None:
    """Return the name of the head that is found; still: joints that never turn in a motion, if there is one."""
    skeleton = build_skeleton(joints)
    body = find_body(skeleton, [swinging(skeleton, still)] if still else [])
    assert body is not None
    joint = neck_and_head(body)[1]
    return None if joint is None else skeleton.names[joint]


def test_ears_that_begin_at_the_end_of_the_neck_belong_to_the_head_there() -> None:
    ears: Joints = {name: ("muzzle", place) for name, (_, place) in EARS.items()}
    assert head_of({**DOG, "muzzle": ("head", (0.0, -0.52, 0.66)), **ears}) == "head"


def test_a_bone_that_never_turns_at_the_end_of_a_head_is_none() -> None:
    assert head_of({**DOG, "end": ("head", (0.0, -0.52, 0.66))}, "end") == "head"


def test_a_head_begins_where_muzzle_and_jaw_part_or_where_it_hangs_from_the_neck() -> None:
    muzzle: Joints = {"muzzle": ("head", (0.0, -0.55, 0.66))}
    assert head_of({**DOG, **muzzle, "jaw": ("head", (0.0, -0.52, 0.62))}) == "head"
    assert head_of({**DOG, **muzzle}) == "head"


def test_a_mane_above_the_neck_is_no_head() -> None:
    face: Joints = {**EARS, "jaw": ("head", (0.0, -0.5, 0.62)), "lip": ("jaw", (0.0, -0.56, 0.58))}
    mane: Joints = {"mane": ("neck", (0.0, -0.44, 0.76)), "mane_end": ("mane", (0.0, -0.5, 0.84))}
    assert head_of({**DOG, **face, **mane}) == "head"


def test_hips_between_the_thighs_and_the_tail_are_no_part_of_the_tail() -> None:
    thighs = {f"femur.{side}": ("hips", (sign * 0.08, 0.35, 0.5)) for side, sign in (("L", 1.0), ("R", -1.0))}
    body = find_body(build_skeleton({**HOUND, **thighs}))
    assert body is not None and body.tree.skeleton.names[tail_of(body)[0]] == "tail"


def brought(source: Motion, target: Skeleton) -> Array:
    """Return the places of the target's joints in the source's motion, matched by shape."""
    pairs = match_joints(source.skeleton, target, trust=0.0).names
    moved = np.array(sorted(moved_joints(source, target, pairs)))
    return retarget(source, target, pairs, moved).pose()[1].astype(np.float64)


@pytest.mark.parametrize("shape", ["chest", "ground"])
def test_a_trunk_keeps_its_direction_between_trees_that_begin_at_either_end(shape: str) -> None:
    ends = build_skeleton(HOUND), build_skeleton(SHAPES[shape])
    for own, other in (ends, ends[::-1]):
        motion = swinging(own, own.names)
        places = brought(motion, other)
        trunk = places[:, other.names.index("chest")] - places[:, other.names.index("hips")]
        assert np.all(-trunk[:, 1] > 0.95 * np.linalg.norm(trunk, axis=1))


def test_a_level_trunk_stays_level_where_the_neck_begins_low_before_the_chest_or_high_above_it() -> None:
    ends = [build_skeleton({**HOUND, "neck": ("chest", place)}) for place in ((0.0, -0.36, 0.56), (0.0, -0.18, 0.66))]
    for own, other in (ends, ends[::-1]):
        still = Motion(own, 30.0, np.tile([1.0, 0.0, 0.0, 0.0], (2, len(own.names), 1)))
        rises = (places[..., 2] for places in (brought(still, other), other.rest_positions[None]))
        shoulders = [rise[:, other.names.index("humerus.L")] - rise[:, other.names.index("hips")] for rise in rises]
        assert shoulders[0] == pytest.approx(shoulders[1][0], abs=0.01)


def test_legs_begin_where_they_do_at_rest_whatever_the_directions_of_blades_and_hip_bones() -> None:
    ends = [build_skeleton(with_girdles(z)) for z in (0.5, 0.66)]
    for own, other in (ends, ends[::-1]):
        still = Motion(own, 30.0, np.tile([1.0, 0.0, 0.0, 0.0], (2, len(own.names), 1)))
        places = brought(still, other)
        for name, parent in (("humerus", "chest"), ("femur", "hips")):
            joints = other.names.index(f"{name}.L"), other.names.index(parent)
            away = [places[0][joints[0]] - places[0][joints[1]], np.subtract(*other.rest_positions[[*joints]])]
            np.testing.assert_allclose(away[0], away[1], atol=0.01)


def with_girdles(height: float) -> Joints:
    """Return the hound with long shoulder blades and hip bones that end at a height."""
    joints: dict[str, tuple[str, tuple[float, float, float]]] = {}
    for side, x in (("L", 0.04), ("R", -0.04)):
        joints[f"scapula.{side}"] = ("chest", (x, -0.08, height))
        joints[f"hip_bone.{side}"] = ("hips", (x, 0.2, height))
        joints[f"femur.{side}"] = (f"hip_bone.{side}", HOUND[f"femur.{side}"][1])
    return parents_first({**HOUND, **joints})


@pytest.mark.parametrize("has_toes", [True, False])
def test_planted_legs_bend_at_knee_and_elbow_below_long_girdles(
    has_toes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    skeleton = build_skeleton(
        {name: joint for name, joint in with_girdles(0.66).items() if has_toes or "toe" not in name}
    )
    followed = set[tuple[str, ...]]()

    def watched(motion: Motion, feet: Sequence[Foot], *rest: Any) -> Motion:
        for leg in (pose_leg(motion.slice(0, 1), foot) for foot in feet):
            followed.add(tuple(skeleton.names[leg.chain[place]] for place in (leg.hip, leg.knee, leg.end)))
        return follow_paths(motion, feet, *rest)

    monkeypatch.setattr(bringing, "follow_paths", watched)
    bobs = np.zeros((60, 1, 3), np.float32)
    bobs[:, 0, 2] = 0.01 * np.sin(np.arange(60))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (60, len(skeleton.names), 1))
    motion = Motion(skeleton, 30.0, still, np.array([0]), bobs)
    for name in ("radius.L", "radius.R", "tibia.L", "tibia.R"):
        bend = 0.1 * np.sin(np.arange(60) / 5)
        still[:, skeleton.names.index(name)] = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), bend)
    lengths = np.array([[1.2 if name.startswith("hind_foot") else 1.0] for name in skeleton.names])
    other = replace(skeleton, rest_translations=lengths * skeleton.rest_translations)
    bring(motion, other, {name: name for name in skeleton.names}, motion.translated)
    legs = ("humerus", "radius", "front_foot"), ("femur", "tibia", "hind_foot")
    assert followed == {tuple(f"{name}.{side}" for name in leg) for leg in legs for side in "LR"}


def test_long_ears_are_no_arms() -> None:
    tips: Joints = {f"tip.{side}": (f"ear.{side}", (x, -0.42, 1.0)) for side, x in (("L", 0.1), ("R", -0.1))}
    skeleton = anonymous_target(build_skeleton({**HOUND, **tips}))
    arms = [joint for joint, meaning in enumerate(meanings_of(skeleton)) if meaning.name == "upperarm"]
    assert arms == [[*{**HOUND, **tips}].index(f"humerus.{side}") for side in "LR"]


def lying_down(skeleton: Skeleton) -> Motion:
    """Return a motion of a hound that stands for a second, and lies on its belly for three."""
    lying = (np.arange(120) >= 30).astype(np.float64)
    turns = np.zeros((120, len(skeleton.names)))
    for name, degrees in (("radius", -87.6), ("tibia", 48.8), ("hind_foot", -120.4)):
        turns[:, [skeleton.names.index(f"{name}.{side}") for side in "LR"]] = np.radians(degrees) * lying[:, None]
    axes = np.broadcast_to([1.0, 0.0, 0.0], (*turns.shape, 3))
    path = np.outer(lying, [0.0, 0.0, -0.31])[:, None]
    rotated = rotations.from_axis_angle(axes, turns).astype(np.float32)
    return Motion(skeleton, 30.0, rotated, np.array([0]), path.astype(np.float32))


def test_feet_stand_before_the_body_lies_though_the_target_has_no_toes_and_longer_legs() -> None:
    own = build_skeleton(HOUND)
    without = {name: joint for name, joint in HOUND.items() if "toe" not in name}
    other = build_skeleton({name: (above, (x, y, z * 1.3 - 0.1)) for name, (above, (x, y, z)) in without.items()})
    motion, pairs = lying_down(own), match_joints(own, other).names
    moved = np.array(sorted(moved_joints(motion, other, pairs)))
    heights = bring(motion, other, pairs, moved).pose()[1][..., 2]
    feet = [joint for joint, name in enumerate(other.names) if "foot" in name]
    hips = [other.names.index(name) for name in ("hips", "humerus.L")]
    assert heights[:30, feet] == pytest.approx(np.tile(other.rest_positions[feet, 2], (30, 1)), abs=0.02)
    assert heights[119, hips].min() > 0.0


def test_legs_that_begin_in_the_middle_stay_on_their_sides() -> None:
    lacking = {name: joint for name, joint in HOUND.items() if not name.startswith("scapula")}
    middle = {
        name: ("chest", (0.0, *place[1:])) if name.startswith("humerus") else (parent, place)
        for name, (parent, place) in lacking.items()
    }
    narrow = {
        name: (parent, (place[0] * (0.6 if "foot" in name or "toe" in name else 1.0), *place[1:]))
        for name, (parent, place) in HOUND.items()
    }
    source, target = build_skeleton(narrow), build_skeleton(middle)
    places = brought(swinging(source, source.names), target)
    for name in ("radius", "front_foot"):
        beside = places[..., 0] - places[:, target.names.index("chest"), 0, None]
        left, right = (beside[:, target.names.index(f"{name}.{side}")] for side in "LR")
        assert np.all(left > 0.0) and np.all(right < 0.0)


def test_more_chains_than_the_longest_has_joints_are_no_body() -> None:
    strands: Joints = {
        f"{name}.{number}.{side}": (f"{above}.{number}.{side}" if above else "", (sign * 0.1 * number, 0.0, height))
        for number in range(1, 8)
        for side, sign in (("L", 1.0), ("R", -1.0))
        for name, above, height in (("top", "", 1.0), ("middle", "top", 0.5), ("tip", "middle", 0.0))
    }
    assert find_body(build_skeleton(strands)) is None
    lone: Joints = {"root": ("", (0.0, 0.0, 1.0)), "end": ("root", (0.0, 0.0, 0.5))}
    assert find_body(build_skeleton(lone)) is None


def hanging(joints: Joints, above: dict[str, str]) -> Joints:
    """Return the joints of which some, named without their side, hang from others."""
    return parents_first(
        {name: (above.get(name.split(".")[0], parent), place) for name, (parent, place) in joints.items()}
    )


@pytest.mark.parametrize("carrier", ["spine", "waist", "chest", "neck"])
def test_the_chest_is_behind_the_shoulders_wherever_these_hang_from(carrier: str) -> None:
    ends = build_skeleton(hanging(HOUND, {"scapula": carrier})), build_skeleton(HOUND)
    for source, goal in (ends, ends[::-1]):
        names = match_joints(source, anonymous_target(goal), trust=0.0).names
        assert names == {name: f"x{goal.names.index(name)}" for name in source.names}


def test_the_trunk_goes_on_to_where_the_legs_begin_if_these_hang_from_a_joint_ahead() -> None:
    ahead = build_skeleton(hanging(HOUND, {"femur": "spine", "hips": "spine", "spine": "waist", "waist": ""}))
    goal = build_skeleton(HOUND)
    names = match_joints(ahead, anonymous_target(goal), trust=0.0).names
    for name in ("tail", "tail_middle", "tail_tip"):
        assert names[name] == f"x{goal.names.index(name)}"
    assert names["spine"] == f"x{goal.names.index('hips')}" and "hips" not in names


def test_a_spine_that_moves_above_still_hips_does_not_carry_the_travel() -> None:
    source = build_skeleton(HOUND)
    still = swinging(source, source.names)
    sways = np.zeros((still.frames, 1, 3), np.float32)
    sways[:, 0, 0] = 0.05 * np.sin(np.linspace(0.0, 2.0 * np.pi, still.frames))
    motion = replace(still, translated=np.array([source.names.index("spine")]), translations=sways)
    for target, carrier in ((source, "hips"), (build_skeleton(from_chest(HOUND)), "chest")):
        pairs = match_joints(source, target, trust=0.0).names
        assert moved_joints(motion, target, pairs) == (target.names.index(carrier),)
        places = brought(motion, target)
        below = np.flatnonzero(target.parents >= 0)
        lengths = np.linalg.norm(places[:, below] - places[:, target.parents[below]], axis=-1)
        assert np.all(np.ptp(lengths, axis=0) < 1e-5)


def test_a_trunk_of_one_joint_is_its_own_chest() -> None:
    body = find_body(build_skeleton(DOG))
    assert body is not None
    short = replace(body, chest=body.hips, axis=(body.hips,), forward=-body.forward)
    assert chest_of(short) == body.hips


def test_each_stretch_of_a_limb_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    body = find_body(build_skeleton(DOG))
    assert body is not None
    measured: list[tuple[int, int]] = []

    def measure(places: Array, start: int, end: int) -> float:
        measured.append((start, end))
        return 0.0

    monkeypatch.setattr(landmarks, "_off_line", measure)
    steps, _, _ = long_bones(body, body.pairs[0][0], is_leg=True)
    assert len(steps) > 3 and len(measured) > 3
    assert len(set(measured)) == len(measured)


def test_a_dog_whose_legs_are_named_as_arms_and_legs_does_not_fit_a_human() -> None:
    human, dog = build_skeleton(HUMAN), build_skeleton(HOUND)
    arms = {"scapula": "clavicle", "humerus": "upper_arm", "radius": "forearm", "front_foot": "hand"}
    words = {**arms, "femur": "thigh", "tibia": "shin", "hind_foot": "foot"}
    parts = [name.split(".") for name in dog.names]
    named = replace(dog, names=tuple(".".join([f"b_{words.get(word, word)}", *side]) for word, *side in parts))
    assert 2 * len(match_joints(named, human).pairs) > len(human.names)
    assert not match_joints(named, human).fits and not match_joints(human, named).fits
    assert match_joints(named, dog).fits and match_joints(named, human, given=[("b_tail", "head")]).fits


def test_numbers_along_the_trunk_do_not_take_the_head_from_its_shape() -> None:
    trunk = {
        name: f"spine.{number:03d}" for number, name in enumerate(("hips", "spine", "waist", "chest", "neck", "head"))
    }
    target = build_skeleton(DOG)
    target = replace(target, names=tuple(trunk.get(name, name) for name in target.names))
    found = match_joints(build_skeleton({**DOG, "stomach": ("waist", (0.0, 0.0, 0.45))}), target).names
    assert {name: found.get(name) for name in trunk} == trunk

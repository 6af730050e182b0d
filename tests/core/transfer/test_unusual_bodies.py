# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies whose skeletons are built unlike most: limbs below a common root, rests that stride, numbered names."""

from dataclasses import replace

import numpy as np
import pytest
from legged import TOED, compass
from motions import BIPED, SIDEWAYS, build_skeleton, pose_channels, turn

from genmm_addon.core import Motion, Skeleton
from genmm_addon.core.motion.skeleton import below_parents
from genmm_addon.core.transfer import bring, match_joints, moved_joints

LIMBS = ("upper_arm.L", "upper_arm.R", "thigh.L", "thigh.R")


def numbered(skeleton: Skeleton, first: int = 0) -> Skeleton:
    return replace(skeleton, names=tuple(f"Bone.{first + number:03d}" for number in range(len(skeleton.names))))


def with_limbs_at_a_root() -> Skeleton:
    """Return the biped with its trunk and all limbs below a root on the ground."""
    joints = {"root": ("", (0.0, 0.0, 0.0))}
    return build_skeleton(joints | {n: ("root" if n in (*LIMBS, "hips") else p, at) for n, (p, at) in TOED.items()})


def with_root_at(top: str) -> Skeleton:
    """Return the biped whose tree begins at a joint of the trunk or the head."""
    trunk = ["hips", "spine", "chest", "neck", "head"]
    turned = trunk[: trunk.index(top) + 1][::-1]
    above = {name: parent for name, (parent, _) in TOED.items()} | dict(zip(turned, ("", *turned), strict=False))
    names = [*turned, *(name for name in TOED if name not in turned)]
    return build_skeleton({name: (above[name], TOED[name][1]) for name in names})


def with_own_roots() -> Skeleton:
    """Return the biped with fingers, and with clavicles that are roots of their own beside the neck."""
    clavicles = {f"clavicle.{side}": ("", (sign * 0.03, 0.0, 1.45)) for side, sign in (("L", 1), ("R", -1))}
    arms = {n: (f"clavicle.{n[-1]}" if n.startswith("upper_arm") else p, at) for n, (p, at) in TOED.items()}
    fingers = {
        f"finger {number}.{side}": (f"hand.{side}", (sign * 0.8, 0.01 * number, 1.42))
        for side, sign in (("L", 1), ("R", -1))
        for number in range(12)
    }
    return build_skeleton(clavicles | arms | fingers)


def with_wings() -> Skeleton:
    """Return the biped with wings on its back, longer than its arms."""
    wings = {
        f"wing {place}.{side}": (f"wing {place - 1}.{side}" if place else "chest", (sign * x, y, z))
        for side, sign in (("L", 1), ("R", -1))
        for place, (x, y, z) in enumerate([(0.08, -0.1, 1.4), (0.4, -0.2, 1.5), (0.7, -0.3, 1.55), (1.0, -0.4, 1.5)])
    }
    return build_skeleton(TOED | wings)


def striding() -> Skeleton:
    """Return a biped with lower arms, one leg ahead and the other behind at rest."""
    lower = {name: (above, (x, y, z - 0.1)) for name, (above, (x, y, z)) in TOED.items() if name.startswith("hand")}
    skeleton = build_skeleton({**TOED, **lower})
    turns = {"thigh.L": 0.9, "thigh.R": -0.9, "shin.R": -0.5}
    channels = pose_channels(skeleton, {name: turn(SIDEWAYS, np.array([by])) for name, by in turns.items()}, 1)
    posed = Motion(skeleton, 30.0, channels, np.zeros(0, np.int64), np.zeros((1, 0, 3), np.float32)).pose()
    turned, placed = below_parents(skeleton.parents, skeleton.rest_orientations, posed[1][0].astype(float))
    return replace(skeleton, rest_rotations=turned, rest_translations=placed)


@pytest.mark.parametrize(
    ("unusual", "exact"),
    [
        (with_limbs_at_a_root(), ("hips", "head")),
        (with_own_roots(), ("hips", "spine", "chest", "neck", "head")),
        (with_root_at("chest"), ("hips", "spine", "chest", "neck", "head")),
        (with_root_at("head"), ("hips", "spine", "chest", "neck", "head")),
    ],
    ids=["at a root", "own roots", "from the chest", "from the head"],
)
def test_limbs_and_trunk_are_found_wherever_the_tree_begins(unusual: Skeleton, exact: tuple[str, ...]) -> None:
    usual = build_skeleton(TOED)
    found = match_joints(numbered(usual), numbered(unusual, 100)).names
    names = dict(zip(numbered(unusual, 100).names, unusual.names, strict=True))
    for number, name in zip(numbered(usual).names, usual.names, strict=True):
        if "." in name or name in exact:
            assert names[found[number]] == name


@pytest.mark.parametrize("longer", [1.0, 1.4])
def test_arms_are_not_matched_with_wings(longer: float) -> None:
    arms = {name: at for name, (_, at) in TOED.items() if name.startswith(("forearm", "hand"))}
    stretched = {name: (TOED[name][0], (longer * x, y, z)) for name, (x, y, z) in arms.items()}
    usual, winged = build_skeleton(TOED | stretched), with_wings()
    for source, target in ((usual, winged), (winged, usual)):
        found = match_joints(numbered(source), numbered(target, 100)).names
        names = dict(zip(numbered(target, 100).names, target.names, strict=True))
        for number, name in zip(numbered(source).names, source.names, strict=True):
            assert names.get(found.get(number, "")) == (None if name.startswith("wing") else name)


def test_a_rest_that_strides_does_not_turn_the_motion() -> None:
    motion, target = compass(), striding()
    pairs = {name: name for name in target.names}
    brought = bring(motion, target, pairs, np.array(moved_joints(motion, target, pairs)))
    hips, shin, thigh = (target.names.index(name) for name in ("hips", "shin.L", "thigh.L"))
    places = motion.pose()[1], brought.pose()[1]
    travels = [(each[-1, hips] - each[0, hips])[:2] for each in places]
    np.testing.assert_allclose(travels[0], travels[1], atol=0.02)
    bones = [each[:, shin] - each[:, thigh] for each in places]
    np.testing.assert_allclose(bones[0][:, 0], bones[1][:, 0], atol=0.02)


def test_equal_numbers_in_names_tell_nothing_of_other_bodies() -> None:
    usual = build_skeleton(BIPED)
    fewer = build_skeleton({n: (p, at) for n, (p, at) in BIPED.items() if not n.startswith("hand")})
    found = match_joints(numbered(usual), numbered(fewer)).names
    names = (
        dict(zip(numbered(usual).names, usual.names, strict=True)),
        dict(zip(numbered(fewer).names, fewer.names, strict=True)),
    )
    wrong = {names[0][one]: names[1][two] for one, two in found.items() if names[0][one] != names[1][two]}
    assert not wrong

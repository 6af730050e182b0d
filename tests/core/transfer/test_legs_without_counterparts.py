# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of bodies on legs do not fit skeletons without these; bodies without legs need none."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from motions import Joints, build_skeleton
from test_matching import DOG, HUMAN, anonymous_target, lowered

from genmm_addon.core import Skeleton
from genmm_addon.core.transfer import match_joints

Lowered = dict[str, tuple[str, tuple[float, float, float]]]

LEG = ("thigh", "shin", "foot", "toe")
SNAKE: Joints = {f"spine {n}": (f"spine {n - 1}" if n else "", (0.0, -0.1 * n, 0.0)) for n in range(12)}
FISH: Joints = {
    **{f"spine {n}": (f"spine {n - 1}" if n else "", (0.0, -0.1 * n, 0.0)) for n in range(6)},
    **{f"fin.{side}": ("spine 3", (x, -0.3, 0.0)) for side, x in (("L", 0.15), ("R", -0.15))},
    **{f"fin tip.{side}": (f"fin.{side}", (x, -0.25, 0.0)) for side, x in (("L", 0.3), ("R", -0.3))},
}
WINGS = {
    **{f"wing.{side}": ("chest", (x, 0.05, 1.4)) for side, x in (("L", 0.1), ("R", -0.1))},
    **{f"wing end.{side}": (f"wing.{side}", (6 * x, 0.05, 1.5)) for side, x in (("L", 0.1), ("R", -0.1))},
}


def without(joints: Joints, lacking: Sequence[str]) -> Lowered:
    """Return the joints without those whose names begin so."""
    return {name: joint for name, joint in joints.items() if not name.startswith(tuple(lacking))}


def as_named(skeleton: Skeleton) -> Skeleton:
    return skeleton


@pytest.mark.parametrize("rename", [as_named, anonymous_target], ids=["named", "anonymous"])
@pytest.mark.parametrize(
    ("joints", "lacking"),
    [
        (HUMAN, LEG),
        (HUMAN, tuple(f"{part}.R" for part in LEG)),
        (DOG, ("femur", "tibia", "hind")),
        (DOG, ("scapula", "humerus", "radius", "front")),
        (DOG, ("femur", "tibia", "hind", "scapula", "humerus", "radius", "front")),
    ],
    ids=["no legs", "one leg", "no hind legs", "no front legs", "trunk of a dog"],
)
def test_bodies_that_lack_legs_are_refused(
    joints: Joints, lacking: Sequence[str], rename: Callable[[Skeleton], Skeleton]
) -> None:
    source, target = build_skeleton(joints), rename(build_skeleton(without(joints, lacking)))
    assert match_joints(source, rename(build_skeleton(joints)), trust=0.5).fits
    assert not match_joints(source, target).fits


def test_lacking_legs_are_no_reason_where_the_user_pairs_bones() -> None:
    source, target = build_skeleton(HUMAN), build_skeleton(without(HUMAN, LEG))
    assert match_joints(source, target, given=[("thigh.L", "finger.L")]).fits


@pytest.mark.parametrize("lacking", [("toe",), ("foot", "toe"), ("shin", "foot", "toe")])
def test_legs_of_fewer_joints_fit(lacking: Sequence[str]) -> None:
    assert match_joints(build_skeleton(HUMAN), build_skeleton(without(HUMAN, lacking))).fits


@pytest.mark.parametrize(
    "joints", [SNAKE, FISH, without(HUMAN, LEG), without(DOG, ("femur", "tibia", "hind")), {**HUMAN, **WINGS}]
)
def test_bodies_with_the_same_limbs_fit_whatever_these_are(joints: Joints) -> None:
    skeleton = build_skeleton(joints)
    larger = replace(skeleton, rest_translations=1.3 * skeleton.rest_translations)
    match = match_joints(skeleton, larger)
    assert match.fits and match.names == {name: name for name in joints}


def test_an_upper_body_fits_a_whole_one() -> None:
    source, target = build_skeleton(lowered(without(HUMAN, LEG), 0.3)), build_skeleton(HUMAN)
    match = match_joints(source, target)
    assert match.fits and match.names == {name: name for name in source.names}

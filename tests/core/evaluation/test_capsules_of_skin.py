# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules are as thick as the skin around the bones, whatever a body's proportions, units and hair are."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from jumps import FRAMES, jumper
from motions import BIPED, FORWARD, QUADRUPED, UPWARD, Joints, build_skeleton, standing_axes, turn, with_channel
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion, Skeleton, rotations
from genmm_addon.core.evaluation import RestSkin, capsules_of_skin, find_capsules, penetration_depths, usual_depths
from genmm_addon.core.feet import standing_of
from genmm_addon.core.motion import smoothstep
from genmm_addon.core.repair import Flaw, FlawKind, find_flaws, repair

Float64 = NDArray[np.float64]

TRUNK = ("hips", "spine", "chest")
HEAD = 0.1
"""Radius of the ball that is a head, and its height above the joint."""
GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
KIND = frozenset({FlawKind.PENETRATION})


def tube(start: Float64, end: Float64, radius: float) -> Float64:
    """Return points on a tube `(K, 3)`, evenly spread."""
    shares, angles = (np.arange(400) + 0.5) / 400, GOLDEN * np.arange(400)
    axis = (end - start) / np.linalg.norm(end - start)
    side = np.cross(axis, [0.3, 0.9, 0.2])
    side /= np.linalg.norm(side)
    around = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(axis, side)
    return np.asarray(start + shares[:, None] * (end - start) + radius * around)


def ball(center: Float64, radius: float) -> Float64:
    """Return points on a ball `(K, 3)`, evenly spread."""
    heights, angles = np.linspace(-0.99, 0.99, 400), GOLDEN * np.arange(400)
    flat = np.sqrt(1.0 - heights**2)
    around = np.column_stack((flat * np.cos(angles), flat * np.sin(angles), heights))
    return np.asarray(center + radius * around)


def skin_of(skeleton: Skeleton, radii: Mapping[str, float], trunk: float = 0.1) -> RestSkin:
    """Return a skin of tubes, by the joints that carry them and 0.03 thick if not given, and of a ball for a head."""
    parts = list[tuple[int, Float64]]()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0 and skeleton.names[joint] != "head":
            name = skeleton.names[parent]
            radius = radii.get(name, trunk if name in TRUNK else 0.03)
            parts.append((parent, tube(skeleton.rest_positions[parent], skeleton.rest_positions[joint], radius)))
    if "head" in skeleton.names:
        head = skeleton.names.index("head")
        parts.append((head, ball(skeleton.rest_positions[head] + HEAD * UPWARD, HEAD)))
    points = np.concatenate([spots for _, spots in parts])
    joints = np.repeat([joint for joint, _ in parts], 400)
    return RestSkin(points, np.ones(len(points)), joints)


def with_points(skin: RestSkin, points: Float64, joint: int) -> RestSkin:
    """Return a skin with more points on a joint."""
    return RestSkin(
        np.concatenate((skin.points, points)),
        np.concatenate((skin.areas, np.ones(len(points)))),
        np.concatenate((skin.joints, np.full(len(points), joint))),
    )


def radii_of(skeleton: Skeleton, skin: RestSkin) -> dict[str, float]:
    """Return the mean radius of the capsules that each joint carries."""
    capsules = capsules_of_skin(skeleton, skin)
    names = [skeleton.names[joint] for joint in capsules.carriers]
    return {name: float(capsules.radii[[other == name for other in names]].mean()) for name in names}


@pytest.mark.parametrize("radius", [0.008, 0.03, 0.09])
def test_limbs_are_as_thick_as_their_skin(radius: float) -> None:
    skeleton = build_skeleton(BIPED)
    limbs = [f"{name}.{side}" for name in ("upper_arm", "forearm", "thigh", "shin") for side in "LR"]
    found = radii_of(skeleton, skin_of(skeleton, dict.fromkeys(limbs, radius)))
    for name in limbs:
        assert found[name] == pytest.approx(radius, rel=0.05)
    assert found["head"] == pytest.approx(HEAD, rel=0.15)


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_units_scale_the_capsules(factor: float) -> None:
    skeleton, larger = (
        build_skeleton({name: (above, (size * x, size * y, size * z)) for name, (above, (x, y, z)) in BIPED.items()})
        for size in (1.0, factor)
    )
    skin = skin_of(skeleton, {})
    first = capsules_of_skin(skeleton, skin)
    second = capsules_of_skin(larger, RestSkin(factor * skin.points, factor**2 * skin.areas, skin.joints))
    for name in ("starts", "ends", "radii"):
        assert np.allclose(factor * getattr(first, name), getattr(second, name), rtol=1e-4, atol=1e-5 * factor)


def test_points_of_unknown_joints_are_on_the_nearest_bones() -> None:
    skeleton = build_skeleton(BIPED)
    skin = skin_of(skeleton, {"forearm.L": 0.05})
    known, unknown = (radii_of(skeleton, one) for one in (skin, replace(skin, joints=np.full(len(skin.joints), -1))))
    for name in ("forearm.L", "forearm.R", "shin.L", "thigh.R"):
        assert unknown[name] == pytest.approx(known[name], rel=0.1)


def test_hair_on_a_fifth_of_a_limb_changes_little() -> None:
    skeleton = build_skeleton(BIPED)
    plain, joint = skin_of(skeleton, {}), skeleton.names.index("forearm.L")
    start, end = skeleton.rest_positions[[joint, skeleton.names.index("hand.L")]]
    hairy = with_points(plain, tube(start, end, 0.3)[::4], joint)
    assert radii_of(skeleton, hairy)["forearm.L"] == pytest.approx(radii_of(skeleton, plain)["forearm.L"], rel=0.05)


def test_where_the_body_has_no_skin_nothing_goes_through_it() -> None:
    skeleton = build_skeleton(BIPED)
    skin = skin_of(skeleton, {})
    arm = skeleton.names.index("forearm.L")
    bare = replace(skin, areas=np.where(skin.joints == arm, 0.0, 1.0))
    capsules = capsules_of_skin(skeleton, bare)
    assert len(capsules.pairs) and arm not in capsules.carriers[capsules.pairs]
    nothing = capsules_of_skin(skeleton, RestSkin(np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.int64)))
    assert nothing.pairs.shape == (0, 2)


def test_cartoons_keep_the_limbs_of_a_human_whose_legs_may_fold() -> None:
    short: Joints = {
        name: (above, (x, y, 0.6 + 0.25 * (z - 0.95) if name.startswith(("thigh", "shin", "foot")) else z - 0.35))
        for name, (above, (x, y, z)) in BIPED.items()
    }
    skeleton = build_skeleton(short)
    assert find_capsules(skeleton).arms == ()
    capsules = capsules_of_skin(skeleton, skin_of(skeleton, {}))
    assert capsules.arms == (0, 1)
    hands = [skeleton.names[capsules.limbs[arm].wrist] for arm in capsules.arms]
    assert hands == ["hand.L", "hand.R"]


def test_other_bodies_have_capsules_of_their_skin_as_well() -> None:
    skeleton = build_skeleton(QUADRUPED)
    found = radii_of(skeleton, skin_of(skeleton, {"fore_upper.L": 0.06}))
    assert found["fore_upper.L"] == pytest.approx(0.06, rel=0.05)
    assert found["fore_upper.R"] == pytest.approx(0.03, rel=0.05)


def test_skins_of_wrong_shapes_are_refused() -> None:
    skeleton = build_skeleton(BIPED)
    with pytest.raises(InputError, match="The skin needs points"):
        capsules_of_skin(skeleton, RestSkin(np.zeros((3, 2)), np.ones(3), np.zeros(3, np.int64)))
    with pytest.raises(InputError, match="The skin needs points"):
        capsules_of_skin(skeleton, RestSkin(np.zeros((3, 3)), np.ones(2), np.zeros(3, np.int64)))


def hand_to_the_belly(angle: float) -> Motion:
    """Return a standing biped whose left arm is turned toward its trunk for a while."""
    motion = jumper().take(np.zeros(FRAMES, np.int64))
    joint, frames = motion.skeleton.names.index("upper_arm.L"), np.arange(motion.frames)
    share = smoothstep(np.clip(np.minimum(frames - 40, 80 - frames) / 10.0, 0.0, 1.0))
    axes = standing_axes(len(motion.skeleton.names))[joint]
    extra = rotations.multiply(rotations.inverse(axes), rotations.multiply(turn(FORWARD, share * angle), axes))
    values = motion.rotations.astype(np.float64)
    values[:, joint] = rotations.multiply(extra, values[:, joint])
    return with_channel(motion, "rotations", values)


def flaws_of(motion: Motion, skin: RestSkin) -> tuple[Flaw, ...]:
    capsules = capsules_of_skin(motion.skeleton, skin)
    return find_flaws(motion, standing_of(motion), KIND, capsules=capsules)


def test_the_same_move_goes_through_a_fat_body_and_not_through_a_thin_one() -> None:
    motion = hand_to_the_belly(0.32)
    arms = {"upper_arm.L": 0.05, "forearm.L": 0.05}
    fat, thin = (skin_of(motion.skeleton, arms, trunk) for trunk in (0.16, 0.05))
    assert flaws_of(motion, thin) == ()
    (flaw,) = flaws_of(motion, fat)
    assert flaw.amount > 0.025
    capsules = capsules_of_skin(motion.skeleton, fat)
    made = repair(motion, [flaw], standing_of(motion), capsules=capsules)
    assert find_flaws(made, standing_of(made), KIND, capsules=capsules) == ()
    assert np.array_equal(made.rotations[:20], motion.rotations[:20])


def test_a_belly_in_front_of_the_spine_is_where_it_is() -> None:
    skeleton = build_skeleton(BIPED)
    spine, plain = skeleton.names.index("spine"), skin_of(skeleton, {})
    center = skeleton.rest_positions[spine] + 0.2 * FORWARD + 0.1 * UPWARD
    without = replace(plain, areas=np.where(plain.joints == spine, 0.0, 1.0))
    capsules = capsules_of_skin(skeleton, with_points(without, ball(center, 0.25), spine))
    (at,) = np.flatnonzero(capsules.carriers == spine)
    axes = rotations.to_matrix(skeleton.rest_orientations)[spine]
    middle = skeleton.rest_positions[spine] + axes @ (capsules.starts[at] + capsules.ends[at]) / 2
    assert np.allclose(middle, center, atol=0.02)
    assert capsules.radii[at].mean() == pytest.approx(0.25, rel=0.15)


def test_the_rest_pose_of_a_fat_body_is_no_flaw() -> None:
    motion = jumper().take(np.zeros(30, np.int64))
    skeleton = motion.skeleton
    still = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (30, len(skeleton.names), 1))
    skin = skin_of(skeleton, dict.fromkeys(skeleton.names, 0.2))
    capsules = capsules_of_skin(skeleton, skin)
    rest = with_channel(motion, "rotations", still)
    assert (penetration_depths(rest, capsules) > 0.0).any()
    assert (penetration_depths(rest, capsules) <= usual_depths(skeleton, capsules) + 1e-6).all()
    assert flaws_of(rest, skin) == ()

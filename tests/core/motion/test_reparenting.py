# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions on skeletons whose joints have other parents: poses in the world stay as they are, there and back."""

from dataclasses import replace

import numpy as np
import pytest
from motions import walker, waver, with_foot_controls, with_scales_and_scalars

from genmm_addon.core import InputError, Motion
from genmm_addon.core.motion import Inheritance, on_skeleton, with_parents


def feet_at_the_root(motion: Motion, inherits: int = Inheritance.FULL) -> Motion:
    """Return the motion with the feet below nothing."""
    skeleton = motion.skeleton
    feet = [joint for joint, name in enumerate(skeleton.names) if name.startswith("foot")]
    assert feet
    return on_skeleton(motion, with_parents(skeleton, dict.fromkeys(feet, -1), dict.fromkeys(feet, inherits)))


def away(first: Motion, second: Motion) -> float:
    """Return the largest difference of a joint's axes or place, by names."""
    order = [second.skeleton.names.index(name) for name in first.skeleton.names]
    pairs = zip(first.pose(), second.pose(), strict=True)
    return max(float(np.abs(there - here[:, order]).max()) for there, here in pairs)


@pytest.mark.parametrize("motion", [walker(), waver(), with_foot_controls()])
def test_poses_are_the_same_and_channels_come_back(motion: Motion) -> None:
    loose = feet_at_the_root(motion)
    assert away(motion, loose) < 1e-5
    assert np.count_nonzero(loose.skeleton.parents < 0) > np.count_nonzero(motion.skeleton.parents < 0)
    back = on_skeleton(loose, motion.skeleton)
    assert np.abs(back.rotations - motion.rotations).max() < 1e-5
    # Feet that were not translated are at rest, but have channels now.
    own = np.isin(back.translated, motion.translated)
    assert np.abs(back.translations[:, own] - motion.translations).max() < 1e-5
    assert np.abs(back.translations[:, ~own]).max(initial=0.0) < 1e-5


def test_joints_come_after_their_parents_and_else_in_their_order() -> None:
    skeleton = walker().skeleton
    thigh, last = skeleton.names.index("thigh.L"), skeleton.names.index("foot.R")
    turned = with_parents(skeleton, {thigh: last}, {})
    leg = ("thigh.L", "shin.L", "foot.L")
    assert turned.names == (*(name for name in skeleton.names if name not in leg), *leg)
    assert turned.names[turned.parents[turned.names.index("thigh.L")]] == "foot.R"
    assert turned.names[turned.parents[turned.names.index("foot.L")]] == "shin.L"


def test_what_carries_a_joint_changes_with_its_parent_alone() -> None:
    skeleton = walker().skeleton
    foot, hand, shin = (skeleton.names.index(name) for name in ("foot.L", "hand.L", "shin.L"))
    carriers = skeleton.parents.copy()
    carriers[hand] = foot
    loose = with_parents(replace(skeleton, carriers=carriers), dict.fromkeys((foot, hand), -1), {})
    assert loose.carriers is not None
    carried = {name: int(loose.carriers[loose.names.index(name)]) for name in ("foot.L", "hand.L", "shin.L")}
    assert carried["foot.L"] == -1 and loose.names[carried["hand.L"]] == "foot.L"
    assert loose.names[carried["shin.L"]] == skeleton.names[skeleton.parents[shin]]


def test_the_same_parents_share_all_channels() -> None:
    motion = walker()
    same = on_skeleton(motion, replace(motion.skeleton))
    assert same.rotations is motion.rotations and same.translations is motion.translations


@pytest.mark.parametrize("inherits", [Inheritance.FULL, Inheritance.NONE])
def test_a_scale_above_is_made_up_for(inherits: Inheritance) -> None:
    motion = walker()
    sizes = np.linspace(1.0, 1.5, motion.frames, dtype=np.float32)
    grown = replace(motion, scaled=np.array([0]), scales=np.repeat(sizes, 3).reshape(-1, 1, 3))
    loose = feet_at_the_root(grown, inherits)
    assert away(grown, loose) < 1e-4
    back = on_skeleton(loose, grown.skeleton)
    assert away(grown, back) < 1e-4 and len(back.scaled) == len(loose.scaled)


def test_a_foot_that_inherits_no_scale_needs_none() -> None:
    motion = walker()
    skeleton = motion.skeleton
    shin = next(joint for joint, name in enumerate(skeleton.names) if name.startswith("shin"))
    foot = next(joint for joint in np.flatnonzero(skeleton.parents == shin).tolist())
    kinds = np.zeros(len(skeleton.names), np.int64)
    kinds[foot] = Inheritance.NONE
    longer = np.tile(np.array([1.0, 1.3, 1.0], np.float32), (motion.frames, 1, 1))
    stretched = replace(motion, skeleton=replace(skeleton, inheritance=kinds), scaled=np.array([shin]), scales=longer)
    loose = on_skeleton(stretched, with_parents(stretched.skeleton, {foot: -1}, {foot: Inheritance.FULL}))
    assert loose.scaled.tolist() == [loose.skeleton.names.index(skeleton.names[shin])]
    assert away(stretched, loose) < 1e-4


def test_other_channels_are_kept() -> None:
    motion = with_scales_and_scalars()
    loose = on_skeleton(motion, with_parents(motion.skeleton, {len(motion.skeleton.names) - 1: -1}, {}))
    assert np.array_equal(loose.scalars, motion.scalars) and loose.scalar_names == motion.scalar_names
    assert away(motion, loose) < 1e-4


def test_values_that_are_not_finite_stay_at_their_frame() -> None:
    motion = walker()
    shin = motion.skeleton.names.index("shin.L")
    broken = motion.rotations.copy()
    broken[3, shin] = np.nan
    loose = feet_at_the_root(replace(motion, rotations=broken))
    assert np.flatnonzero(~np.isfinite(loose.translations).all(axis=(1, 2))).tolist() == [3]
    with pytest.raises(InputError, match="at frame 4;"):
        loose.check_values("Walk", first=1.0)

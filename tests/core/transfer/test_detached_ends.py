# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and hands at the skeleton's root are found by names or by the body's shape, and are then below their limbs."""

import numpy as np
from legged import compass, with_names
from motions import with_foot_controls

from genmm_addon.core import Skeleton
from genmm_addon.core.feet import find_feet
from genmm_addon.core.motion import on_skeleton, with_parents
from genmm_addon.core.transfer import attached, detached_ends


def names_of(skeleton: Skeleton) -> dict[str, str]:
    return {skeleton.names[end]: skeleton.names[above] for end, above in detached_ends(skeleton).items()}


def with_loose_feet(above: int = 0) -> Skeleton:
    skeleton = compass().skeleton
    feet = [joint for joint, name in enumerate(skeleton.names) if name.startswith("foot")]
    return with_parents(skeleton, dict.fromkeys(feet, above), {})


def test_feet_at_the_root_belong_to_the_shins_of_their_sides() -> None:
    skeleton = compass().skeleton
    assert names_of(skeleton) == {}
    loose = with_loose_feet()
    assert names_of(loose) == {"foot.L": "shin.L", "foot.R": "shin.R"}
    joined = attached(loose)
    assert names_of(joined) == {} and attached(joined) is joined
    for name in skeleton.names:
        there, here = skeleton.names.index(name), joined.names.index(name)
        above = skeleton.parents[there]
        assert joined.parents[here] == (-1 if above < 0 else joined.names.index(skeleton.names[above]))
        assert np.abs(joined.rest_positions[here] - skeleton.rest_positions[there]).max() < 1e-9


def test_attached_feet_are_found_as_feet() -> None:
    motion = compass()
    loose = on_skeleton(motion, with_loose_feet())
    found = find_feet([on_skeleton(loose, attached(loose.skeleton))])
    assert len(found) == len(find_feet([motion])) == 2
    assert len(find_feet([loose])) < 2


def test_names_are_not_needed_where_feet_are_at_the_root() -> None:
    loose = on_skeleton(compass(), with_loose_feet(-1))
    unnamed = with_names(loose, {name: f"b{place}" for place, name in enumerate(loose.skeleton.names)})
    assert detached_ends(unnamed.skeleton) == detached_ends(loose.skeleton) != {}


def test_bones_of_one_meaning_are_left() -> None:
    assert names_of(with_foot_controls().skeleton) == {}

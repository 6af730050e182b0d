# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of motions given to core are unit quaternions, or are refused: results would not be unit either."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from motions import walker

from genmm_addon.core import InputError, Motion, live, prepare, synthesize
from genmm_addon.core.constraints import put_between_poses
from genmm_addon.core.environment import meet_places, put_on_ground
from genmm_addon.core.infill import Surroundings, blended, carried_on, connect
from genmm_addon.core.keys import carry_edits
from genmm_addon.core.library import build_pose_index, index_motions
from genmm_addon.core.manner import blend_motions, register_motion, restyle
from genmm_addon.core.motion import Gap, begin_at, with_root_joint
from genmm_addon.core.repair import denoised, find_flaws, fit_to_places, naturalize, repair
from genmm_addon.core.transfer import mirror, retarget, with_self_contacts

ENTRIES: tuple[Callable[..., Any], ...] = (
    Gap, Surroundings, begin_at, blend_motions, blended, build_pose_index, carried_on, carry_edits, connect, denoised,
    find_flaws, fit_to_places, live.polish, meet_places, mirror, naturalize, prepare, index_motions,
    put_between_poses, put_on_ground, register_motion, repair, restyle, retarget, synthesize, with_root_joint,
    with_self_contacts,
)  # fmt: skip
"""Functions and classes of core that take motions."""


def arguments(entry: Callable[..., Any], motion: Motion) -> dict[str, Any]:
    """Return the motion for each argument that is one, two of them for a sequence, and None for required others."""
    found: dict[str, Any] = {}
    for name, one in inspect.signature(entry).parameters.items():
        said = str(one.annotation)
        if "Motion" in said:
            found[name] = [motion, motion] if "Sequence" in said else motion
        elif one.default is inspect.Parameter.empty:
            found[name] = 30
    return found


@pytest.mark.parametrize("length", [0.0, 0.5, 0.99, 1.001, 2.0, 1e6])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_rotations_of_another_length_are_refused(entry: Callable[..., Any], length: float) -> None:
    motion = walker(60)
    rotations = motion.rotations.copy()
    rotations[30, 1] *= np.float32(length)
    with pytest.raises(InputError, match="not a unit quaternion at frame 30"):
        entry(**arguments(entry, replace(motion, rotations=rotations)))


def test_rotations_that_are_unit_but_for_rounding_are_used_as_they_are() -> None:
    motion = walker(60)
    motion.check_values("Walk")
    rounded = replace(motion, rotations=np.nextafter(motion.rotations, np.float32(2)))
    rounded.check_values("Walk")
    made = synthesize([rounded], 60, seed=1).motion
    assert np.allclose(np.linalg.norm(made.rotations, axis=2), 1.0, atol=1e-5)

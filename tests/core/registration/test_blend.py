# SPDX-License-Identifier: GPL-3.0-or-later
"""Two walks interpolated: one at each end, all that is measured between them in between, and feet that stand."""

from functools import cache

import numpy as np
import pytest
from motions import styled_walks, walker, waver

from genmm_addon.core import InputError, Motion, metrics
from genmm_addon.core.infill import prepare_filling
from genmm_addon.core.motion import place_and_heading
from genmm_addon.core.registration import Restyled, blend_motions

pytestmark = pytest.mark.filterwarnings("error")

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


@cache
def blended(share: float) -> Restyled:
    one, other = styled_walks()["neutral"].slice(0, 200), styled_walks()["tired"]
    return blend_motions(one, prepare_filling([other]), share)


def speed(motion: Motion) -> float:
    """Return the mean speed along the ground, units a frame."""
    places = motion.pose()[1][:, 0]
    return float(np.linalg.norm(places[-1, :2] - places[0, :2])) / motion.frames


def height(motion: Motion) -> float:
    return float(motion.pose()[1][:, motion.skeleton.names.index("Head"), 2].mean())


@pytest.mark.parametrize("attribute", [speed, height])
def test_what_is_measured_goes_from_one_end_to_the_other(attribute: "object") -> None:
    values = np.array([attribute(blended(share).motion) for share in SHARES])  # type: ignore[operator]
    assert len(set(np.sign(np.diff(values)))) == 1


def test_the_ends_are_the_two_motions() -> None:
    assert metrics.l2_positions(blended(0.0).motion, styled_walks()["neutral"].slice(0, 200)) == 0.0
    near = [metrics.local_distance(blended(share).motion, styled_walks()["tired"]) for share in (0.0, 1.0)]
    assert near[1] < 0.2 * near[0]


def test_a_share_over_time_begins_with_one_and_ends_with_the_other() -> None:
    one, other = styled_walks()["neutral"].slice(0, 200), styled_walks()["tired"]
    made = blend_motions(one, prepare_filling([other]), np.linspace(0.0, 1.0, 200)).motion
    halves = made.slice(0, 40), made.slice(made.frames - 40, made.frames)
    to_tired = [metrics.local_distance(half, other) for half in halves]
    to_neutral = [metrics.local_distance(half, styled_walks()["neutral"]) for half in halves]
    assert to_neutral[0] < to_tired[0] and to_tired[1] < to_neutral[1]


def test_it_begins_where_the_first_motion_does() -> None:
    plan = prepare_filling([styled_walks()["tired"]]).index.space.plan
    place, there = (place_and_heading(blended(share).motion, plan)[0][0, :2] for share in (0.5, 0.0))
    assert np.linalg.norm(place - there) < 0.05 * styled_walks()["neutral"].skeleton.size


def test_other_actions_and_shares_are_refused() -> None:
    with pytest.raises(InputError, match="another action"):
        blend_motions(walker(240, 0), prepare_filling([waver(240, 0)]), 0.5)
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="between 0 and 1"):
            blend_motions(walker(240, 0), prepare_filling([walker(240, 1)]), share)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways to places: as long as what they go around takes as well, and a trunk that is brought back without a jerk."""

import numpy as np
import pytest
from legged import marcher
from numpy.typing import NDArray
from test_solving import away, beside, body

from genmm_addon.core.evaluation import metrics
from genmm_addon.core.reach import Reach, meet_places, trunk_ik
from genmm_addon.core.reach.approach import approach_places

FRAMES, RATE, LIMIT = 300, 30.0, 0.004


def around_it(places: NDArray[np.float64], shares: NDArray[np.float64], _: slice) -> NDArray[np.float64]:
    """Keep away to a side by 0.3 in the middle of the way."""
    return np.asarray((1.2 * shares * (1.0 - shares))[:, None] * np.array([0.0, 1.0, 0.0]))


def test_a_way_has_time_for_what_it_goes_around() -> None:
    active = np.zeros(FRAMES, bool)
    active[140:160] = True
    path, free = np.zeros((FRAMES, 3)), np.ones(FRAMES, bool)
    reach = Reach(0, active, np.tile([0.3, 0.0, 0.0], (FRAMES, 1)))
    largest = []
    for detour in (None, around_it):
        way = approach_places(path, reach, free, RATE, LIMIT, detour)
        gone = way.moves + around_it(way.moves, way.shares, slice(None))
        assert np.allclose(gone[140:160], reach.positions[140:160])
        largest.append(np.linalg.norm(np.diff(gone, 2, axis=0), axis=1).max())
    assert largest[1] <= LIMIT < largest[0]


def test_a_trunk_is_brought_back_to_its_goals_without_a_jerk(monkeypatch: pytest.MonkeyPatch) -> None:
    # So low that the whole body has to bend.
    motion, reach = marcher()[0], beside("hand.L", (0.0, 0.5, -0.6))
    calm = meet_places(motion, [reach], body("hand.L")).motion
    monkeypatch.setattr(trunk_ik, "FINEST", 1.0)
    jerky = meet_places(motion, [reach], body("hand.L")).motion
    assert away(calm, reach) < away(jerky, reach)
    quickest = [metrics.acceleration_ratios(met, motion)[1] for met in (calm, jerky)]
    assert quickest[0] < 1.2 and quickest[0] < 0.8 * quickest[1]

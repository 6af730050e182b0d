# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench of control: distances of a root from its path."""

import numpy as np
import pytest

from bench.control import off_path
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import RootPath, prepare
from genmm_addon.core.feet import move_root

pytestmark = pytest.mark.usefixtures("extension")


@pytest.mark.parametrize("aside", [0.0, 0.1])
def test_a_root_beside_a_tight_circle_is_as_far_from_it_as_measured(aside: float) -> None:
    walk = sample_motions(30.0)["GenMM Walk"]
    root, size = prepare([walk]).root.joint, walk.skeleton.size
    along = np.linspace(0.0, 8.0, walk.frames)[:, None]
    ahead, side = np.eye(3)[0], np.cross(np.array(walk.skeleton.up), np.eye(3)[0])
    ring = np.sin(along) * ahead - np.cos(along) * side
    places = walk.pose()[1][:, root]
    moved = move_root(walk, root, (0.3 + aside) * size * ring - places)
    assert abs(off_path(moved, root, RootPath(0.3 * size * ring), size) - aside) < 5e-3

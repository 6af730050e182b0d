# SPDX-License-Identifier: GPL-3.0-or-later
"""Root paths lengthened and turned: footprints stay in place, and feet land and lift at the same times."""

import numpy as np
import pytest
from motions import styled_walks

from genmm_addon.core.library import index_motions
from genmm_addon.core.manner.attributes.body import body_of
from genmm_addon.core.manner.attributes.root_paths import contacts_of, path_of, with_path

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(("scale", "turning"), [(1.15, 0.0), (0.7, 0.0), (1.0, 0.6), (0.9, -0.4)])
def test_each_stance_stays_one_place_on_the_ground(scale: float, turning: float) -> None:
    walk = styled_walks()["neutral"].slice(0, 120)
    body = body_of(index_motions([walk]))
    made = with_path(walk, body, scale, turning)
    stands = contacts_of(walk, body)
    for number, foot in enumerate(body.feet):
        slides = [
            np.linalg.norm(np.diff(motion.pose()[1][:, foot.joint, :2].astype(float), axis=0), axis=1)[
                stands[1:, number] & stands[:-1, number]
            ].mean()
            for motion in (walk, made)
        ]
        assert slides[1] < slides[0] + 1e-3 * walk.skeleton.size


def test_the_way_is_as_long_and_turns_as_far_as_asked() -> None:
    walk = styled_walks()["neutral"].slice(0, 120)
    body = body_of(index_motions([walk]))
    before, after = path_of(walk, body), path_of(with_path(walk, body, 0.8, 0.5), body)
    assert after.speeds.sum() == pytest.approx(0.8 * before.speeds.sum(), rel=0.02)
    turned = [path.turns[-1] - path.turns[0] for path in (before, after)]
    assert turned[1] - turned[0] == pytest.approx(0.5, abs=0.03)


def test_a_way_that_is_not_changed_leaves_the_motion_as_it_is() -> None:
    walk = styled_walks()["neutral"].slice(0, 120)
    made = with_path(walk, body_of(index_motions([walk])), 1.0, 0.0)
    assert np.abs(made.pose()[1] - walk.pose()[1]).max() < 1e-3 * walk.skeleton.size

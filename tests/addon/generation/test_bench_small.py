# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench of a short example with many joints: its example, and the figures of results and presses."""

import bpy
import numpy as np
import pytest

from bench import small
from genmm_addon.character.sample.sample_motions import sample_motions

pytestmark = pytest.mark.usefixtures("extension")


def test_joints_that_are_added_hang_from_the_ends_and_turn_as_others() -> None:
    walk = sample_motions(30.0)["GenMM Walk"]
    own = len(walk.skeleton.names)
    longer = small.with_joints(walk, own + 7)
    assert len(longer.skeleton.names) == own + 7 and small.with_joints(walk, 3).skeleton.names == walk.skeleton.names
    assert np.array_equal(longer.rotations[:, own:], walk.rotations[:, :7])
    assert not np.isin(longer.skeleton.parents[own:], walk.skeleton.parents).any()
    assert np.allclose(longer.pose()[1][:, :own], walk.pose()[1])


def test_results_and_presses_have_figures_and_presses_leave_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "RESULTS", {60: 1})
    monkeypatch.setattr(small, "PRESSES", 1)
    walk = small.with_joints(sample_motions(30.0)["GenMM Walk"], 25)
    found = small.results_of(walk)
    assert found["joints"] == 25 and found["60_frames_s"] > 0 and found["60_frames_processor_s"] > 0
    found = small.presses_of(walk)
    for which in ("", "again_"):
        steps = sum(found[f"{which}{name}_s"] for name in ("read", "compute", "write", "show"))
        assert found["bones"] == 25 and found[f"{which}click_to_playing_s"] == pytest.approx(steps)
    assert len(bpy.data.objects) == 1 and len(bpy.data.actions) == 1

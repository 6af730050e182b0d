# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's loop, beside which `build.py bench --quality` places the distances of results."""

import numpy as np
import pytest

from bench.measures.paper_method import DISTANCES, PATCH, against_paper, synthesize_rows
from genmm_addon.core import Motion, Skeleton, prepare, rotations

FRAMES = 120
PHASES = np.linspace(0.0, 8 * np.pi, FRAMES, endpoint=False)


def swing() -> Motion:
    """Return a hip at rest with a leg that swings."""
    skeleton = Skeleton(
        ("hips", "leg"),
        np.array([-1, 0]),
        np.tile(np.array([1.0, 0, 0, 0]), (2, 1)),
        np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -0.5]]),
        (0.0, 0.0, 1.0),
    )
    turns = np.zeros((FRAMES, 2, 4), np.float32)
    turns[:, 0, 0] = 1.0
    turns[:, 1] = rotations.from_axis_angle(np.broadcast_to((1.0, 0.0, 0.0), (FRAMES, 3)), np.sin(PHASES))
    return Motion(skeleton, 30.0, turns)


def test_the_papers_loop_shows_patches_of_its_example_in_another_order() -> None:
    example = np.column_stack((np.sin(PHASES), np.cos(PHASES))).astype(np.float32)
    rows = synthesize_rows(example, 2 * FRAMES, 3)
    assert rows.shape == (2 * FRAMES, 2)
    nearest = np.linalg.norm(rows[:, None] - example, axis=2).min(axis=1)
    assert nearest.max() < 0.2
    assert np.array_equal(rows, synthesize_rows(example, 2 * FRAMES, 3))
    assert not np.array_equal(rows, synthesize_rows(example, 2 * FRAMES, 4))


def test_an_example_of_a_single_patch_is_repeated_by_the_papers_loop() -> None:
    example = np.arange(PATCH, dtype=np.float32)[:, None]
    assert np.allclose(synthesize_rows(example, PATCH, 0), example)


def test_the_example_itself_has_no_distance_beside_the_papers_loop() -> None:
    motion = swing()
    of_paper = against_paper(prepare([motion]), [motion])
    assert max(of_paper[f"{name}_of_paper"] for name in DISTANCES) < 0.01
    assert of_paper["local_twice_of_paper"] < 0.01, "the swing ends as it begins"
    assert 0.5 < of_paper["paper_coverage"] <= 1.0 and 0.5 < of_paper["paper_speed"] < 1.5


def test_an_example_shown_twice_has_a_local_distance_if_its_end_does_not_lead_into_its_beginning() -> None:
    motion = swing().slice(0, FRAMES - FRAMES // 8)
    alone, twice = (motion.take(np.tile(np.arange(motion.frames), times)) for times in (1, 2))
    of_paper = against_paper(prepare([motion]), [twice])
    assert of_paper["local_twice_of_paper"] == pytest.approx(of_paper["local_of_paper"])
    assert against_paper(prepare([motion]), [alone])["local_of_paper"] < 0.01 < of_paper["local_twice_of_paper"]

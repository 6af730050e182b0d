# SPDX-License-Identifier: GPL-3.0-or-later
"""Results from many examples: the initial path is final, and about as good as after matching."""

from importlib import import_module

import numpy as np
import pytest
from motions import walker
from numpy.typing import NDArray

from genmm_addon.core import Cancelled, Constraints, Loop, PoseConstraint, Prepared, limb_partition, prepare, synthesize
from genmm_addon.core.constraints.constraint import Task
from genmm_addon.core.evaluation.metrics import acceleration_ratios
from genmm_addon.core.examples import part_plans
from genmm_addon.core.features.graph_size import ALL_EDGES_FRAMES
from genmm_addon.core.planning.path_objective import path_objective
from genmm_addon.core.planning.segments import Segments

FRAMES = 3000


@pytest.fixture(scope="module")
def many() -> Prepared:
    """Return fifty walks of different gaits, with more frames than all edges are kept for."""
    prepared = prepare([walker(90 + number, seed=number) for number in range(50)])
    assert prepared.planning.finest.bounds.frames > ALL_EDGES_FRAMES
    return prepared


def compare_few_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare a few of the patches."""
    monkeypatch.setattr(part_plans, "MOST_SEARCHED", 500)


def objective_of_result(prepared: Prepared, seed: int, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return the objective of the path of a result."""
    module, paths = import_module("genmm_addon.core.synthesis.synthesize"), []
    segments_of_parts = module._segments_of_parts

    def recorded(task: Task, paths_of_parts: list[NDArray[np.int64]]) -> list[Segments]:
        paths.extend(paths_of_parts)
        return list(segments_of_parts(task, paths_of_parts))

    with monkeypatch.context() as patched:
        patched.setattr(module, "_segments_of_parts", recorded)
        synthesize(prepared, FRAMES, seed=seed)
    return path_objective(prepared.parts[0].graph, paths[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_about_as_good_as_matching_makes_it(
    many: Prepared, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matched = objective_of_result(many, seed, monkeypatch)
    compare_few_patches(monkeypatch)
    assert objective_of_result(many, seed, monkeypatch) <= 1.01 * matched


def test_constraints_are_met_without_matching(many: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_few_patches(monkeypatch)
    monkeypatch.setattr(part_plans, "nearest_patches", lambda *_: pytest.fail("patches are matched"))
    poses = PoseConstraint.at(many.motions[3], 300, {0: 10, 150: 40})
    for constraints in (Constraints(poses), Constraints(loop=Loop.TRAVEL)):
        motion = synthesize(many, 300, constraints=constraints).motion
        assert acceleration_ratios(motion, many.motions[3])[1] < 1.2
    posed = synthesize(many, 300, constraints=Constraints(poses)).motion
    assert np.allclose(posed.rotations[150, 1:], poses.motion.rotations[150, 1:], atol=1e-6)


def test_parts_are_matched_with_some_of_many_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    compare_few_patches(monkeypatch)
    walks = [walker(90 + number, seed=number) for number in range(20)]
    prepared = prepare(walks, parts=limb_partition(walks[0].skeleton))
    finest, rows = prepared.planning.finest, prepared.planning.finest.rows
    starts = prepared.planning.nearest_patches(len(prepared.stages) - 1, prepared.parts[0], rows, 5, None)
    assert 250 < len(np.unique(starts)) <= 500
    assert finest.bounds.patch_starts(5)[starts].all(), "none of which leads from one example to the next"


def test_progress_reaches_the_end_without_matching(many: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_few_patches(monkeypatch)
    told: list[float] = []
    synthesize(many, FRAMES, progress=told.append)
    assert told[0] == 0 and told[-1] == 1 and told == sorted(told)


def test_progress_moves_while_the_path_is_planned(many: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_few_patches(monkeypatch)
    told: list[float] = []
    synthesize(many, FRAMES, progress=told.append)
    planned = np.unique(told)
    assert len(planned) > 100
    # There is at least one round of planning.
    assert np.diff(planned[planned < 0.5]).max() < 0.1


@pytest.mark.parametrize("share", [0.01, 0.1, 0.3])
def test_planning_ends_where_the_caller_cancels_it(
    many: Prepared, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_few_patches(monkeypatch)
    told: list[float] = []

    def goes_on(done: float) -> bool:
        told.append(done)
        return done < share

    with pytest.raises(Cancelled):
        synthesize(many, FRAMES, progress=goes_on)
    assert told[-2] < share <= told[-1] < share + 0.1

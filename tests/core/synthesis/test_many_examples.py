# SPDX-License-Identifier: GPL-3.0-or-later
"""Results from many examples without constraints: the initial path is final, and about as good as after matching."""

from importlib import import_module

import numpy as np
import pytest
from motions import walker
from numpy.typing import NDArray

from genmm_addon.core import Cancelled, Constraints, Loop, Prepared, prepare, synthesize
from genmm_addon.core.constraints.constraint import Task
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


def search_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search an index for any number of patches."""
    monkeypatch.setattr(part_plans, "is_indexed", lambda patches, frames: True)


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
    search_an_index(monkeypatch)
    assert objective_of_result(many, seed, monkeypatch) <= 1.01 * matched
    assert not many.planning.patch_indexes


def test_constraints_are_matched_among_many_examples_too(many: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    search_an_index(monkeypatch)
    synthesize(many, 300, constraints=Constraints(loop=Loop.TRAVEL))
    assert many.planning.patch_indexes
    many.planning.patch_indexes.clear()


def test_progress_reaches_the_end_without_matching(many: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    search_an_index(monkeypatch)
    told: list[float] = []
    synthesize(many, FRAMES, progress=told.append)
    assert told[0] == 0 and told[-1] == 1 and told == sorted(told)


def test_progress_moves_while_the_path_is_planned(many: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    search_an_index(monkeypatch)
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
    search_an_index(monkeypatch)
    told: list[float] = []

    def goes_on(done: float) -> bool:
        told.append(done)
        return done < share

    with pytest.raises(Cancelled):
        synthesize(many, FRAMES, progress=goes_on)
    assert told[-2] < share <= told[-1] < share + 0.1

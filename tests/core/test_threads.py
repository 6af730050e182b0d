# SPDX-License-Identifier: GPL-3.0-or-later
"""Work side by side: in order, once, and the same for any number of threads."""

import threading

import legged
import numpy as np
import pytest

from genmm_addon.core import Motion, prepare, synthesize
from genmm_addon.core.threads import MOST_THREADS, VARIABLE, in_threads, threads


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "3")


@pytest.mark.usefixtures("three")
def test_the_results_are_in_the_order_of_the_tasks_and_each_is_done_once() -> None:
    done: list[int] = []

    def work(task: int) -> int:
        done.append(task)
        return task * task

    assert in_threads(work, range(50)) == [task * task for task in range(50)]
    assert sorted(done) == list(range(50))


@pytest.mark.usefixtures("three")
def test_tasks_are_done_at_the_same_time() -> None:
    # Each waits for the other two: one thread alone would wait for ever.
    together = threading.Barrier(3, timeout=20)
    assert sorted(in_threads(lambda _: together.wait(), range(3))) == [0, 1, 2]


@pytest.mark.usefixtures("three")
def test_work_in_a_thread_starts_no_further_ones() -> None:
    def names(_: int) -> set[str]:
        return set(in_threads(lambda _: threading.current_thread().name, range(8)))

    assert all(len(own) == 1 for own in in_threads(names, range(6)))
    # And afterwards this thread may again.
    together = threading.Barrier(2, timeout=20)
    assert len(in_threads(lambda _: together.wait(), range(2))) == 2


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("failing", [0, 5, 9])
def test_what_a_task_raises_is_raised_once_the_others_have_ended(failing: int) -> None:
    def work(task: int) -> None:
        if task == failing:
            raise MemoryError(str(task))

    with pytest.raises(MemoryError, match=str(failing)):
        in_threads(work, range(10))
    assert threading.active_count() < 10
    assert in_threads(abs, [-1, -2]) == [1, 2]


def test_small_work_stays_in_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    own = threading.current_thread()
    monkeypatch.setenv(VARIABLE, "3")
    assert set(in_threads(lambda _: threading.current_thread(), range(9), worth=False)) == {own}
    monkeypatch.setenv(VARIABLE, "1")
    assert set(in_threads(lambda _: threading.current_thread(), range(9))) == {own}
    assert in_threads(abs, []) == []


@pytest.mark.parametrize("asked", ["", "0", "many", "-2"])
def test_a_number_of_threads_that_is_none_means_one_for_each_core(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, asked)
    assert 1 <= threads() <= MOST_THREADS


@pytest.mark.parametrize("motion", [legged.marcher()[0], legged.crab()], ids=["marcher", "crab"])
def test_a_long_result_is_the_same_in_any_number_of_threads(motion: Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare([motion])
    assert len(prepared.feet) > 1
    results = []
    for count in ("1", "2", "3"):
        monkeypatch.setenv(VARIABLE, count)
        results.append(synthesize(prepared, 12_000, seed=3))
    for other in results[1:]:
        assert np.array_equal(other.source_frames, results[0].source_frames)
        for name, values in results[0].motion.channels().items():
            assert np.array_equal(other.motion.channels()[name], values), name

# SPDX-License-Identifier: GPL-3.0-or-later
"""Computations use one thread of OpenBLAS, however many it has, and leave its number as it was."""

from collections.abc import Iterator
from threading import Barrier, Thread

import pytest
from motions import walker, waver

from genmm_addon.core import metrics
from genmm_addon.core.computation import computing, number_of_threads, set_number_of_threads


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    """Let OpenBLAS use three threads; skip the test if NumPy has no OpenBLAS."""
    before = number_of_threads()
    set_number_of_threads(3)
    if number_of_threads() != 3:
        pytest.skip("NumPy has no OpenBLAS here.")
    yield
    set_number_of_threads(before)


def test_a_computation_uses_one_thread_and_leaves_the_number_as_it_was() -> None:
    with computing():
        assert number_of_threads() == 1
    assert number_of_threads() == 3


def test_the_number_of_threads_returns_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), computing():
        raise ZeroDivisionError
    assert number_of_threads() == 3


def test_computations_inside_and_beside_each_other_all_use_one_thread() -> None:
    seen: list[int] = []
    both_run, one_ended = Barrier(2), Barrier(2)

    def first() -> None:
        with computing(), computing():
            both_run.wait()
        one_ended.wait()

    def second() -> None:
        with computing():
            both_run.wait()
            one_ended.wait()
            seen.append(number_of_threads())

    threads = [Thread(target=work) for work in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1]
    assert number_of_threads() == 3


def test_measures_are_the_same_with_any_number_of_threads() -> None:
    def measured() -> tuple[float, ...]:
        pair = (waver(600), walker(600))
        return metrics.local_distance(*pair), metrics.global_distance(*pair), metrics.completeness(*pair)

    with_three = measured()
    set_number_of_threads(1)
    assert measured() == with_three

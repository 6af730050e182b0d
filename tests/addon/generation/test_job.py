# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs in a thread beside the window: their progress, stopping, and end with Python."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import genmm_addon
from genmm_addon.core import Cancelled, InputError
from genmm_addon.generation.job import Job, Progress, stop_all

LONG = 120.0
"""Duration of work that is not stopped, in seconds: far longer than a busy machine needs to start Python."""


def until_stopped(progress: Progress) -> str:
    """Run until stopped, which is checked at each report of progress."""
    ended = time.monotonic() + LONG
    while time.monotonic() < ended:
        if progress(0.25) is False:
            raise Cancelled()
        time.sleep(0.005)
    return "never stopped"


def test_the_result_is_handed_over() -> None:
    job = Job(lambda progress: (progress(0.5), "made")[1])
    job.start()
    assert job.result() == "made"
    assert job.done
    assert job.fraction == 0.5


def test_progress_never_goes_back() -> None:
    job = Job(lambda progress: [progress(value) for value in (0.1, 0.6, 0.3, 2.0)])
    job.start()
    assert job.result() == [True] * 4
    assert job.fraction == 1.0


def test_job_runs_in_a_separate_thread() -> None:
    job = Job(lambda _: threading.get_ident())
    job.start()
    assert job.result() != threading.get_ident()


def test_exception_of_a_job_is_raised_when_its_result_is_requested() -> None:
    def fail(_: Progress) -> None:
        raise InputError("The examples are empty.")

    job = Job(fail)
    job.start()
    with pytest.raises(InputError, match="empty"):
        job.result()


def test_stopping_ends_the_thread_and_gives_no_result() -> None:
    job = Job(until_stopped)
    job.start()
    started = time.monotonic()
    job.stop()
    assert time.monotonic() - started < LONG / 2
    assert job.done
    with pytest.raises(Cancelled):
        job.result()


def test_a_computation_that_ends_in_spite_of_being_stopped_gives_no_result() -> None:
    go = threading.Event()
    job = Job(lambda _: go.wait())
    job.start()
    job.ask_to_stop()
    go.set()
    with pytest.raises(Cancelled):
        job.result()


def test_a_result_that_waits_is_let_go_when_it_is_stopped() -> None:
    job = Job(lambda _progress: "made")
    job.start()
    while not job.done:
        time.sleep(0.005)
    job.ask_to_stop()
    with pytest.raises(Cancelled):
        job.result()


def test_all_jobs_are_stopped_together() -> None:
    jobs = [Job(until_stopped) for _ in range(3)]
    for job in jobs:
        job.start()
    stop_all()
    assert all(job.done for job in jobs)


def test_a_running_job_does_not_hold_up_or_outlive_python() -> None:
    root = str(Path(genmm_addon.__file__).parents[1])
    tests = str(Path(__file__).parent)
    code = f"""
import sys
sys.path[:0] = [{root!r}, {tests!r}]
import bpy, genmm_addon
from genmm_addon.generation.job import Job
from test_job import until_stopped
genmm_addon.register()
Job(until_stopped).start()
print("going", flush=True)
"""
    started = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG * 2)
    assert ended.returncode == 0, ended.stderr
    assert "going" in ended.stdout
    assert time.monotonic() - started < LONG

# SPDX-License-Identifier: GPL-3.0-or-later
"""The first press of a session in a real Blender window, with a library that an earlier session has used."""

import tempfile
from collections.abc import Iterator

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def sessions() -> Iterator[tuple[Facts, Facts]]:
    """Yield the facts of two sessions, one after the other, with one library."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("GENMM_TEST_LIBRARY", folder)
        environment.delenv("GENMM_PREPARATIONS", raising=False)
        yield drive("libraries/drive_kept.py"), drive("libraries/drive_kept.py")


def test_the_first_session_makes_all_and_keeps_it(sessions: tuple[Facts, Facts]) -> None:
    first, _ = sessions
    assert (first["prepare"], first["index_motions"]) == (1, 1) and first["retarget"] > 0
    assert first["files"] == [".carried", ".index", ".preparation", ".resampled"]
    assert first["learned_from"] == "LIBRARY" and first["outcome"] == ["FINISHED"]


def test_the_next_session_makes_nothing_again_and_gets_the_same(sessions: tuple[Facts, Facts]) -> None:
    first, second = sessions
    assert (second["prepare"], second["retarget"], second["index_motions"]) == (0, 0, 0)
    assert (second["generated"], second["filled"]) == (first["generated"], first["filled"])
    assert second["files"] == first["files"] and second["filled"] != second["generated"]

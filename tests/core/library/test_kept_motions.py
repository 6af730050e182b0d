# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions kept in one file as they are made, and read from it one by one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from motions import walker

from genmm_addon.core import InputError, Motion
from genmm_addon.core.library import KeptFiles, KeptMotions, MotionsLike, keep_motions
from genmm_addon.core.motion import same_motion

FILES = KeptFiles(".walks", 2)
WALKS = tuple(walker(80 + 10 * seed, seed) for seed in range(4))
LIKE = MotionsLike(WALKS[0].skeleton, WALKS[0].translated)


def kept(folder: Path, like: MotionsLike = LIKE, numbers: tuple[int, ...] = (2, 0, 3, 1)) -> KeptMotions:
    def make() -> Iterator[tuple[int, Motion]]:
        return ((number, WALKS[number]) for number in numbers)

    motions = keep_motions(FILES, folder, ("walks", numbers), make, like, frames=10_000)
    assert isinstance(motions, KeptMotions)
    return motions


def test_they_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    motions = kept(tmp_path)
    assert all(map(same_motion, motions, WALKS))
    assert motions.lengths == [motion.frames for motion in WALKS]
    assert motions[0] is not motions[0], "none stays in memory"


def test_the_second_time_they_are_read(tmp_path: Path) -> None:
    kept(tmp_path)
    (path,) = tmp_path.iterdir()
    before = path.stat().st_ino
    assert all(map(same_motion, kept(tmp_path), WALKS)) and path.stat().st_ino == before


def test_those_that_do_not_change_are_not_in_the_file(tmp_path: Path) -> None:
    others = kept(tmp_path / "others", numbers=(1, 0))
    like = MotionsLike(LIKE.skeleton, LIKE.translated, unchanged=others)
    motions = keep_motions(FILES, tmp_path / "changed", (), lambda: [(1, WALKS[3])], like, frames=10_000)
    assert isinstance(motions, KeptMotions)
    assert motions.lengths == [WALKS[0].frames, WALKS[3].frames]
    assert all(map(same_motion, motions, (WALKS[0], WALKS[3])))
    (path,) = (tmp_path / "others").iterdir()
    path.unlink()
    assert not motions.are_there and not others.are_there


def test_damage_since_they_were_opened_is_named(tmp_path: Path) -> None:
    motions = kept(tmp_path)
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[1000] ^= 64
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf'"{path.name}" is damaged; delete it, and try again'):
        motions[2]
    assert same_motion(motions[1], WALKS[1])


def test_an_error_leaves_no_file(tmp_path: Path) -> None:
    def make() -> Iterator[tuple[int, Motion]]:
        yield 0, WALKS[0]
        raise InputError("Damaged.")

    with pytest.raises(InputError, match="Damaged"):
        keep_motions(FILES, tmp_path, (), make, LIKE, frames=10_000)
    assert not list(tmp_path.iterdir())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of whole files: what is replaced, what is refused, and what is left behind."""

import os
import stat
import threading
from pathlib import Path

import pytest

from genmm_addon.core.storage import begin_unfinished, new_folder, remove_unfinished, whole_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")
NEW, OLD = "new", "old"


def write(path: Path, **options: bool) -> None:
    with whole_file(path, **options) as unfinished:
        assert unfinished.read_bytes() == b"" and unfinished.parent == Path(os.path.realpath(path)).parent
        unfinished.write_text(NEW)


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


def test_an_existing_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_text(OLD)
    path.chmod(0o640)
    write(path)
    assert path.read_text() == NEW and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names_in(tmp_path) == {"a.npz"}


def test_error_leaves_the_file_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_text(OLD)
    with pytest.raises(ZeroDivisionError), whole_file(path) as unfinished:
        unfinished.write_text(NEW)
        raise ZeroDivisionError
    assert path.read_text() == OLD and names_in(tmp_path) == {"a.npz"}


@pytest.mark.parametrize("absolute", [True, False])
def test_a_link_stays_and_its_target_is_written(tmp_path: Path, absolute: bool) -> None:
    real, link, farther = tmp_path / "real" / "a.npz", tmp_path / "link.npz", tmp_path / "farther.npz"
    real.parent.mkdir()
    real.write_text(OLD)
    link.symlink_to(real if absolute else Path("real", "a.npz"))
    farther.symlink_to(link)
    for path in (link, farther):
        real.write_text(OLD)
        write(path)
        assert real.read_text() == NEW and link.is_symlink() and farther.is_symlink()
    assert names_in(tmp_path) == {"real", "a.npz", "link.npz", "farther.npz"}


def test_symbolic_link_is_not_followed_unless_allowed(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(OLD)
    (tmp_path / "record.json").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(OSError, match="symbolic link"):
        write(tmp_path / "record.json", through_link=False)
    assert (tmp_path / "mine.txt").read_text() == OLD


HARD = ("dangling", "folder", "link to a folder", "loop", "pipe", "link to a pipe", "read-only", "link to read-only")


def hard_case(kind: str, folder: Path) -> Path:
    """Return a path at which nothing may be written, of the given kind."""
    path, real = folder / "a.npz", folder / "real"
    if "link to" in kind:
        path.symlink_to(real)
        hard_case(kind.removeprefix("link to ").removeprefix("a "), folder).rename(real)
    elif kind == "dangling":
        path.symlink_to(folder / "none" / "b.npz")
    elif kind == "loop":
        path.symlink_to(folder / "b.npz")
        (folder / "b.npz").symlink_to(path)
    else:
        path = folder / "made"
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.write_text(OLD)
            path.chmod(0o444)
    return path


@pytest.mark.parametrize("kind", HARD)
def test_irreplaceable_targets_are_rejected_with_a_reason(tmp_path: Path, kind: str) -> None:
    hard_case(kind, tmp_path)
    path = tmp_path / ("made" if (tmp_path / "made").exists() else "a.npz")
    before = {one.name: one.lstat() for one in tmp_path.iterdir()}
    with pytest.raises(OSError) as refused:
        write(path)
    assert refused.value.strerror and "Errno" not in refused.value.strerror
    after = {one.name: one.lstat() for one in tmp_path.iterdir()}
    same = ("st_ino", "st_mode", "st_size", "st_mtime_ns")
    assert after.keys() == before.keys()
    assert all(getattr(after[name], key) == getattr(before[name], key) for name in after for key in same)


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "null.npz").symlink_to(os.devnull)
    with pytest.raises(OSError, match="device"):
        write(tmp_path / "null.npz")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder"])
def test_target_that_appears_during_writing_is_kept_unless_replacing_is_allowed(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / "a.npz", tmp_path / "other.txt"
    other.write_text(OLD)
    with pytest.raises(FileExistsError), whole_file(path, may_replace=False) as unfinished:
        unfinished.write_text(NEW)
        if kind == "file":
            path.write_text(OLD)
        elif kind == "folder":
            path.mkdir()
        else:
            path.symlink_to(other if kind == "link" else tmp_path / "none")
    assert other.read_text() == OLD and names_in(tmp_path) == {"a.npz", "other.txt"}
    assert kind != "file" or path.read_text() == OLD


def test_a_new_file_is_exclusive_without_hard_links_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refused)
    write(tmp_path / "a.npz", may_replace=False)
    assert (tmp_path / "a.npz").read_text() == NEW
    with pytest.raises(FileExistsError):
        write(tmp_path / "a.npz", may_replace=False)
    assert names_in(tmp_path) == {"a.npz"}


def test_only_one_of_many_threads_makes_a_new_file(tmp_path: Path) -> None:
    path, done = tmp_path / "a.npz", []

    def attempt() -> None:
        try:
            write(path, may_replace=False)
            done.append(True)
        except FileExistsError:
            done.append(False)

    threads = [threading.Thread(target=attempt) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False] * 19 + [True] and names_in(tmp_path) == {"a.npz"}


def test_a_file_of_another_at_the_temporary_name_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda count: "0" * 2 * count)
    other = begin_unfinished(tmp_path / "a.npz")
    other.write_text(OLD)
    remove_unfinished()
    other.write_text(OLD)  # another process's, at a name that this one draws as well
    with pytest.raises(FileExistsError):
        begin_unfinished(tmp_path / "a.npz")
    remove_unfinished()
    assert other.read_text() == OLD


def test_folder_that_replaced_the_temporary_one_is_kept(tmp_path: Path) -> None:
    own = new_folder(tmp_path)
    own.path.rename(tmp_path / "moved")
    own.path.mkdir()
    (own.path / "thesis.txt").write_text(OLD)
    own.remove()
    assert (own.path / "thesis.txt").read_text() == OLD


def test_link_in_the_temporary_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text(OLD)
    own = new_folder(tmp_path)
    (own.path / "link").symlink_to(tmp_path / "mine")
    own.remove()
    assert not own.path.exists() and (tmp_path / "mine" / "thesis.txt").read_text() == OLD

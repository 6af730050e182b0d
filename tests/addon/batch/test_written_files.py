# SPDX-License-Identifier: GPL-3.0-or-later
"""Existing files: none is overwritten unless it is named with --force or was written here, and no link is replaced."""

import json
import os
from pathlib import Path

import bpy
import numpy as np
import pytest
from clip_libraries import four_motions
from commands import left_in, run, saved_character

from genmm_addon.core.library import load_library, save_library
from genmm_addon.core.storage import whole_file
from genmm_addon.libraries.build_process import BuildOrder, current_build, read_on, start_build

Capture = pytest.CaptureFixture[str]
MINE = "of the user"

pytestmark = [
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them"),
]


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


def commands(hero: Path, output: Path) -> dict[str, tuple[object, ...]]:
    """Return commands that write the output, and overwrite it with --force."""
    return {
        "generate": ("generate", hero, "--frames", 20, "--jobs", 1, "-o", output),
        "repair": ("repair", hero, "--everything", "-o", output),
        "crowd": ("crowd", hero, "--frames", 20, "--agents", 2, "-o", output.with_suffix(".npz")),
    }


@pytest.mark.parametrize("name", ["generate", "repair", "crowd"])
def test_force_writes_to_the_target_of_a_link_and_rejects_a_broken_link(
    tmp_path: Path, capfd: Capture, hero: Path, name: str
) -> None:
    words = commands(hero, tmp_path / "link.bvh")[name]
    link = Path(str(words[-1]))
    real = tmp_path / "real" / link.name
    real.parent.mkdir()
    link.symlink_to(real)
    assert run(capfd, *words).status == 2, "without --force, a link is an existing file"
    refused = run(capfd, *words, "--force")
    assert refused.status == 1 and "which does not exist" in refused.errors[0] and len(refused.errors) == 1
    real.write_text(MINE)
    said = run(capfd, *words, "--force")
    assert (said.status, said.errors) == (0, [])
    assert link.is_symlink() and real.stat().st_size > 100 and not real.read_bytes().startswith(MINE.encode())


def test_resume_never_overwrites_files_of_other_origin(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    for ending in ("npz", "bvh", "fbx", "glb", "blend"):
        path = tmp_path / f"mine.{ending}"
        path.write_text(MINE)
        said = run(capfd, "generate", hero, "--frames", 20, "--jobs", 1, "--resume", "-o", path)
        assert said.status == 2 and len(said.errors) == 1 and path.read_text() == MINE
    np.savez(tmp_path / "mine.npz", thesis=np.zeros(3))
    assert run(capfd, "generate", hero, "--frames", 20, "--resume", "-o", tmp_path / "mine.npz").status == 2
    assert np.load(tmp_path / "mine.npz").files == ["thesis"]


def test_a_file_that_appears_during_the_work_stays(
    tmp_path: Path, capfd: Capture, hero: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from genmm_addon.command_line.outputs import exports

    path, writer = tmp_path / "out.bvh", exports._WRITERS[".bvh"]

    def write(place: Path, *rest: object) -> None:
        path.write_text(MINE)
        writer(place, *rest)  # type: ignore[arg-type]

    monkeypatch.setitem(exports._WRITERS, ".bvh", write)
    for name, words in list(commands(hero, path).items())[:2]:
        path.unlink(missing_ok=True)
        said = run(capfd, *words)
        assert (said.status, path.read_text()) == (1, MINE), name
    assert left_in(tmp_path) == {"hero.blend", "out.bvh"}


def test_gather_replaces_only_lists_written_by_gather(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    assert run(capfd, "generate", hero, "--frames", 20, "-o", tmp_path / "w_{seed}.npz").status == 0
    words = ("gather", tmp_path, "--pattern", "w_{seed}.npz", "--seeds", "0")
    kept = tmp_path / "motions.json"
    for mine in (MINE, json.dumps({"genmm": "clips"}), "[1]"):
        kept.write_text(mine)
        said = run(capfd, *words)
        assert said.status == 2 and "is not a list of motions" in said.errors[0] and kept.read_text() == mine
    kept.unlink()
    os.mkfifo(kept)
    assert run(capfd, *words).status == 2
    kept.unlink()
    assert run(capfd, *words).status == 0 == run(capfd, *words).status


def test_pictures_of_clusters_replace_only_pictures_of_clusters(tmp_path: Path, capfd: Capture) -> None:
    save_library(tmp_path / "all.npz", four_motions())
    words = ("library", "clusters", tmp_path / "all.npz", "--strips", tmp_path / "strips")
    assert run(capfd, *words).status == 0 == run(capfd, *words).status
    picture = min((tmp_path / "strips").iterdir())
    picture.write_bytes(b"\x89PNG\r\n\x1a\nof the user")
    said = run(capfd, *words)
    assert said.status == 2 and str(picture) in said.errors[0] and picture.read_bytes().endswith(b"of the user")


def test_a_library_from_the_open_file_follows_no_planted_link(tmp_path: Path, hero: Path) -> None:
    (tmp_path / "mine.txt").write_text(MINE)
    planted = tmp_path / f".own.{os.getpid()}.unfinished.npz"
    planted.symlink_to(tmp_path / "mine.txt")
    start_build(BuildOrder("", str(tmp_path / "own.npz"), source="FILE"))
    while read_on(1.0):
        pass
    build = current_build()
    assert build is not None and build.thread is not None
    build.thread.join(60)
    assert build.clips == 1 and len(load_library(tmp_path / "own.npz").clips) == 1
    assert (tmp_path / "mine.txt").read_text() == MINE and planted.is_symlink()


def test_a_library_that_is_a_link_stays_one(tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "share").mkdir()
    save_library(tmp_path / "share" / "all.npz", four_motions())
    (tmp_path / "all.npz").symlink_to(tmp_path / "share" / "all.npz")
    found = run(capfd, "library", "clusters", tmp_path / "all.npz", "--json").objects
    number = found[0]["cluster"]
    assert run(capfd, "library", "clusters", tmp_path / "all.npz", "--name", f"{number}=Party").status == 0
    assert (tmp_path / "all.npz").is_symlink()
    assert any(clip.tags.get("cluster") == "Party" for clip in load_library(tmp_path / "share" / "all.npz").clips)


def test_a_record_is_not_written_through_a_planted_link(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    out = tmp_path / "out"
    words = ("generate", hero, "--frames", 20, "--jobs", 1, "--force", "-o", out / "0.bvh")
    assert run(capfd, *words).status == 0
    (record,) = (out / ".genmm").iterdir()
    record.unlink()
    (tmp_path / "mine.txt").write_text(MINE)
    record.symlink_to(tmp_path / "mine.txt")
    said = run(capfd, *words)
    assert said.status == 1 and "symbolic link" in said.errors[0] and (tmp_path / "mine.txt").read_text() == MINE


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_target_in_an_unwritable_folder_is_reported_in_one_sentence(tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir()
    (shut / "a.npz").write_text(MINE)
    (shut / "a.npz").chmod(0o666)
    tmp_path.chmod(0o777)
    link = tmp_path / "link.npz"
    link.symlink_to(shut / "a.npz")
    for folder in (tmp_path, *list(tmp_path.parents)[:-2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    child = os.fork()
    if not child:
        os.seteuid(65534)
        try:
            with whole_file(link):
                pass
            os._exit(3)
        except PermissionError as error:
            os._exit(0 if error.strerror == "Permission denied" else 4)
        except BaseException:
            os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (shut / "a.npz").read_text() == MINE and bpy.app.version

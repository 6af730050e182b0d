# SPDX-License-Identifier: GPL-3.0-or-later
"""Origins of existing files: --resume and gather detect files that were made from other inputs."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from commands import left_in, run, saved_character

from genmm_addon.command_line.outputs.fingerprint import digest
from genmm_addon.command_line.outputs.made_with import made_with, record_of
from genmm_addon.core import Skeleton

Capture = pytest.CaptureFixture[str]
ENDINGS = ("npz", "blend", "bvh", "fbx", "glb")
OTHER = (
    " was generated with other settings or inputs, or was modified since; choose another --output, or use --force to"
    " overwrite it."
)

pytestmark = [pytest.mark.usefixtures("extension"), pytest.mark.processes]


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


@pytest.mark.parametrize("ending", ENDINGS)
def test_resuming_keeps_files_made_with_the_same_settings_and_rejects_others(
    tmp_path: Path, capfd: Capture, hero: Path, ending: str
) -> None:
    out = tmp_path / "out"
    words = ("generate", hero, "--frames", 20, "--resume", "-o", out / f"{{seed}}.{ending}", "--seeds")
    assert run(capfd, *words, "0-1").lines[-1] == "2 motions written."
    assert run(capfd, *words, "0-2").told == [f"3/3 {out / f'2.{ending}'}", "1 motion written, 2 already existed."]
    before = {path.name: path.read_bytes() for path in out.glob("[0-9]*")}
    for other in (("--patch-size", 7), ("--frames", 21), ("--loop", "travel")):
        said = run(capfd, *words, "0-3", *other)
        assert (said.status, said.errors) == (2, [f'"{out / f"0.{ending}"}" (and 2 more){OTHER}'])
        assert {path.name: path.read_bytes() for path in out.glob("[0-9]*")} == before
    forced = [word for word in words if word != "--resume"]
    assert run(capfd, *forced, "1", "--patch-size", 7, "--force").status == 0
    said = run(capfd, *words, "0-1")
    assert (said.status, said.errors) == (2, [f'"{out / f"1.{ending}"}"{OTHER}'])


@pytest.mark.parametrize("ending", ENDINGS)
def test_another_file_under_the_name_is_noticed(tmp_path: Path, capfd: Capture, hero: Path, ending: str) -> None:
    words = ("generate", hero, "--frames", 20, "--resume", "-o", tmp_path / f"{{seed}}.{ending}", "--seeds", "0-1")
    assert run(capfd, *words).status == 0
    shutil.copy(tmp_path / f"0.{ending}", tmp_path / f"1.{ending}")
    assert run(capfd, *words).errors == [f'"{tmp_path / f"1.{ending}"}"{OTHER}']
    said = run(capfd, "gather", tmp_path, "--pattern", f"{{seed}}.{ending}", "--seeds", "0-1")
    assert said.errors == [f"Generated from different inputs than the other motions, or modified since: 1.{ending}."]
    assert said.status == 1 and "motions.json" not in left_in(tmp_path)


@pytest.mark.parametrize("ending", ["blend", "npz"])
def test_a_crowd_is_resumed_only_where_it_is_the_same(tmp_path: Path, capfd: Capture, hero: Path, ending: str) -> None:
    path = tmp_path / f"crowd.{ending}"
    words = ("crowd", hero, "--frames", 20, "--clips", 2, "--resume", "-o", path, "--agents")
    assert run(capfd, *words, 4).status == 0
    before = path.read_bytes()
    assert run(capfd, *words, 4).lines == [f"{path} already exists."]
    for other in ((5,), (4, "--patch-size", 7), (4, "--seed", 3), (4, "--face", "random")):
        said = run(capfd, *words, *other)
        assert (said.status, said.errors) == (2, [f'"{path}"{OTHER}'])
    assert path.read_bytes() == before
    path.write_bytes(before[:-100])
    assert run(capfd, *words, 4).status == 0
    assert path.stat().st_size > len(before) - 100
    for record in (tmp_path / ".genmm").iterdir():
        record.unlink()
    assert f"Note: {path} already exists; it was written by an earlier version, so its settings are unknown." in (
        run(capfd, *words, 4).told
    )


def test_gathering_notices_other_settings(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    words = ("generate", hero, "-o", tmp_path / "{seed}.npz", "--seeds")
    assert run(capfd, *words, "0-2", "--frames", 20).status == 0
    assert run(capfd, *words, "3", "--frames", 20, "--noise", 3).status == 0
    gather = ("gather", tmp_path, "--pattern", "{seed}.npz", "--seeds")
    assert run(capfd, *gather, "0-2").status == 0
    said = run(capfd, *gather, "0-3")
    assert said.errors == ["Generated from different inputs than the other motions, or modified since: 3.npz."]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_of_an_earlier_version_is_kept_with_a_note_where_it_agrees(
    tmp_path: Path, capfd: Capture, hero: Path, ending: str
) -> None:
    path = tmp_path / f"0.{ending}"
    words = ("generate", hero, "--resume", "-o", tmp_path / f"{{seed}}.{ending}", "--frames")
    assert run(capfd, *words, 20).status == 0
    forget(path)
    said = run(capfd, *words, 20)
    assert said.told == [
        "Note: 1 existing motion kept; written by an earlier version, so the settings are unknown.",
        "0 motions written, 1 already existed.",
    ]
    if ending in ("npz", "bvh"):  # the others do not give their number of frames without being opened
        assert run(capfd, *words, 30).errors == [f'"{path}"{OTHER}']


def forget(path: Path) -> None:
    """Remove the record of a file, as if an earlier version had written it."""
    if path.suffix != ".npz":
        record_of(path).unlink()
        return
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "fingerprint"}
    np.savez(path, **arrays)


def test_broken_record_is_ignored(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    path = tmp_path / "0.bvh"
    assert run(capfd, "generate", hero, "--frames", 20, "-o", path).status == 0
    good = json.loads(record_of(path).read_text())
    for text in (
        "",
        "[]",
        "null",
        '{"genmm": 3}',
        json.dumps({**good, "seeds": 5}),
        json.dumps({**good, "frames": {}}),
    ):
        record_of(path).write_text(text)
        assert made_with(path) is None
    record_of(path).write_bytes(b"\xff\xfe")
    assert made_with(path) is None


@dataclass(frozen=True)
class Older:
    frames: int
    values: np.ndarray


@dataclass(frozen=True)
class Newer:
    frames: int
    values: np.ndarray
    more: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)


def test_a_fingerprint_tells_values_apart_and_nothing_else() -> None:
    values = np.linspace(-1, 1, 12).reshape(3, 4)
    some = digest(Older(3, values))
    assert (
        some
        == digest(Newer(3, values))
        == digest(Older(3, values + 1e-12))
        == digest(Older(3, np.asfortranarray(values)))
    )
    changed = values.copy()
    changed[1, 2] += 1e-4
    others = [
        Older(4, values),
        Older(3, changed),
        Older(3, values.T),
        Newer(3, values, ("a",)),
        Newer(3, values, names={"a": "b"}),
    ]
    assert len({some, *map(digest, others)}) == 6
    lists = [
        ("ab", "c"),
        ("a", "bc"),
        (("a",), "b"),
        ("a", ("b",)),
        (1, True),
        (1.0, 1),
        ("1", 1),
        (None, 0),
        (0.0,),
        (),
    ]
    assert len(set(map(digest, lists))) == len(lists)
    assert digest(np.array([0.0])) == digest(np.array([-0.0]))


def test_a_fingerprint_of_clips_tells_their_skeletons_apart() -> None:
    skeleton = Skeleton(("root",), np.array([-1]), np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3)))
    longer = replace(skeleton, rest_translations=np.ones((1, 3)))
    same = digest((skeleton, longer, skeleton))
    assert same == digest((replace(skeleton), replace(longer), skeleton))
    assert len({same, digest((skeleton, longer, longer)), digest((skeleton, skeleton, skeleton))}) == 3


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    fingerprint = "from genmm_addon.command_line.outputs.fingerprint import digest"
    code = fingerprint + "; print(digest({'b': {'x', 'y'}, 'a': (1, 0.1)}))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()[-1]
        for seed in ("1", "2")
    }
    assert found == {digest({"b": {"x", "y"}, "a": (1, 0.1)})}

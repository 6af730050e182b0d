# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm serve`: dropped motions are opened, varied and written, bad ones refused in a sentence, and none remains."""

import http.client
import io
import json
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import bpy
import numpy as np
import pytest
from commands import run, started

from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.command_line.console import Console, Voice
from genmm_addon.command_line.serving.body_parts import body_parts_of
from genmm_addon.command_line.serving.work import Worker
from genmm_addon.core import Loop
from genmm_addon.files.bvh_writing import write_bvh
from genmm_addon.files.import_file import Y_UP, import_file
from genmm_addon.pages.figures import figure_in
from genmm_addon.pages.serving.jobs import JobQueue, ServedJob, State
from genmm_addon.pages.serving.session_files import SessionFiles
from genmm_addon.pages.serving.tasks import Choices, MakeVariations, OpenMotion, WriteFile

pytestmark = pytest.mark.usefixtures("extension")
FRAMES = 60


@dataclass
class Session:
    """A worker with its queue and files, without a server."""

    jobs: JobQueue
    files: SessionFiles
    worker: Worker

    def do(self, task: Any) -> ServedJob:
        """Do a task at once, and return its job."""
        job = self.jobs.add(task)
        self.worker.work(0)
        return job

    def drop(self, name: str, data: bytes) -> ServedJob:
        """Drop a file, open it, and return the job."""
        return self.do(OpenMotion(self.files.receive(name, len(data), io.BufferedReader(io.BytesIO(data)))))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    folder = tmp_path / "session"
    folder.mkdir()
    jobs, files = JobQueue(), SessionFiles(folder, 2**24)
    yield Session(jobs, files, Worker(jobs, files, {}, Console(io.StringIO(), io.StringIO(), Voice.TEXT)))


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the sample's walk as a BVH file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = add_sample_character(bpy.context).armature
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    write_bvh(path, armature, bpy.context.scene, np.arange(1.0, FRAMES + 1), Y_UP)
    return path.read_bytes()


def done(job: ServedJob) -> Any:
    assert (job.state, job.error) == (State.DONE, "")
    return job.results


def refused(job: ServedJob) -> str:
    assert job.state is State.FAILED and job.results == []
    return job.error


def choices_for(opened: Any, **changes: Any) -> Choices:
    return replace(Choices(opened["motion"], opened["action"], 2.0), **changes)


@pytest.mark.slow
def test_a_dropped_motion_is_varied_and_the_variation_is_read_back_from_each_kind_of_file(
    session: Session, walk: bytes, tmp_path: Path
) -> None:
    (opened,) = done(session.drop("walk.bvh", walk))
    assert opened["name"] == "walk" and opened["bones"] == 22 and opened["notes"] == []
    assert figure_in(opened["figure"]) is not None
    choices = choices_for(opened)
    example, *made = done(session.do(MakeVariations(choices, (1, 2))))
    assert [one["seed"] for one in made] == [1, 2] and example["parts"]
    figures = [figure_in(one["figure"]) for one in made]
    assert figures[0] is not None and figures[1] is not None
    assert not np.array_equal(figures[0].positions, figures[1].positions)
    (again,) = done(session.do(MakeVariations(choices, (1,))))[1:]
    assert again["figure"] == made[0]["figure"], "the same seed gives the same motion"
    for kind in (".bvh", ".glb", ".fbx"):
        (file,) = done(session.do(WriteFile(choices, 1, kind)))
        path = session.files.made(file["file"])
        assert path is not None and path.name == file["name"] == f"walk_0001{kind}"
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        (character,) = import_file(path, bpy.context)
        (spec,) = character.examples
        motion = read_examples(character.armature, [spec], scene=bpy.context.scene).motions[0]
        lasts = (motion.frames - 1) / motion.frames_per_second
        assert abs(lasts - made[0]["seconds"]) < 0.05
        session.drop("walk.bvh", walk)  # another motion, so that the first is opened again


@pytest.mark.slow
def test_served_variation_equals_the_generated_file_of_its_seed(
    session: Session, walk: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (opened,) = done(session.drop("walk.bvh", walk))
    (file,) = done(session.do(WriteFile(choices_for(opened), 3, ".bvh")))
    path = session.files.made(file["file"])
    assert path is not None
    (tmp_path / "walk.bvh").write_bytes(walk)
    run(capsys, "generate", tmp_path / "walk.bvh", "--seeds", 3, "--seconds", 2, "-o", tmp_path / "made.bvh")
    assert path.read_bytes() == (tmp_path / "made.bvh").read_bytes()


def test_a_kept_limb_moves_as_in_the_example_and_a_free_one_does_not(session: Session) -> None:
    (opened,) = done(session.do(OpenMotion(None)))
    titles = [part["title"] for part in opened["parts"]]
    assert sorted(titles) == ["Left arm", "Left leg", "Right arm", "Right leg", "Trunk"]
    assert len(opened["actions"]) == 5 and opened["rate"] == 30.0
    arm = titles.index("Left arm")
    limbs = opened["parts"][arm]["limbs"]
    assert limbs and all(isinstance(limb, int) for limb in limbs)
    whole, free, kept = (
        done(session.do(MakeVariations(choices_for(opened, **asked), (3,))))[1]
        for asked in ({}, {"free": (arm,)}, {"kept": (arm,)})
    )
    assert whole["figure"]["motion"] != free["figure"]["motion"]
    assert abs(kept["seconds"] - opened["actions"][0]["seconds"]) < 0.1, "as long as the example then"
    everything = choices_for(opened, kept=tuple(range(len(titles))))
    assert "Do not keep all parts" in refused(session.do(MakeVariations(everything, (1,))))


@pytest.mark.parametrize("loop", [Loop.TRAVEL, Loop.IN_PLACE])
def test_a_loop_ends_where_it_begins(session: Session, loop: Loop) -> None:
    (opened,) = done(session.do(OpenMotion(None)))
    _, made = done(session.do(MakeVariations(choices_for(opened, loop=loop), (1,))))
    figure = figure_in(made["figure"])
    assert figure is not None
    first, last = figure.positions[0], figure.positions[-1]
    assert np.abs((first - first.mean(0)) - (last - last.mean(0))).max() < 0.05


def without_motion(walk: bytes, frames: int) -> bytes:
    """Return a BVH file with only its first frames."""
    head, rows = walk.decode().split("Frame Time:")
    lines = rows.splitlines()
    head = head.replace(f"Frames: {FRAMES}", f"Frames: {frames}")
    return f"{head}Frame Time:{lines[0]}\n".encode() + "\n".join(lines[1 : frames + 1]).encode() + b"\n"


def repeated(single: bytes, frames: int) -> bytes:
    """Return a BVH file in which a single frame is repeated."""
    lines = single.replace(b"Frames: 1", b"Frames: %d" % frames).splitlines()
    return b"\n".join([*lines[:-1], *[lines[-1]] * frames]) + b"\n"


@pytest.mark.processes
def test_each_bad_file_is_one_sentence_and_the_motion_before_it_stays(session: Session, walk: bytes) -> None:
    (opened,) = done(session.drop("walk.bvh", walk))
    for name, data, said in (
        ("one.bvh", without_motion(walk, 1), "single frame"),
        ("still.bvh", repeated(without_motion(walk, 1), 40), "does not move"),
        ("broken.fbx", b"Kaydara FBX Binary  \x00\x1a\x00" + bytes(50), "broken.fbx"),
        ("broken.glb", b"glTF\x02\0\0\0\x20\0\0\0", "is damaged"),
        ("apart.gltf", b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "/etc/passwd"}]}', "in other files"),
    ):
        error = refused(session.drop(name, data))
        assert name in error or Path(name).stem in error, error
        assert str(session.files.folder) not in error
        assert said in error and error.endswith(".") and "\n" not in error and "Traceback" not in error, error
    assert len(done(session.do(MakeVariations(choices_for(opened), (1,))))) == 2


def test_names_that_lead_elsewhere_or_hold_markup_are_names_and_nothing_else(session: Session, walk: bytes) -> None:
    (opened,) = done(session.drop("../../<img src=x onerror=alert(1)>.bvh", walk))
    assert opened["name"] == "_img src=x onerror=alert(1)_"
    (file,) = done(session.do(WriteFile(choices_for(opened), 1, ".bvh")))
    path = session.files.made(file["file"])
    assert path is not None and session.files.folder in path.parents


def test_a_job_is_cancelled_while_it_is_done(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    (opened,) = done(session.do(OpenMotion(None)))
    job = session.jobs.add(MakeVariations(choices_for(opened), (1, 2, 3)))
    going_on = job.go_on

    def cancelled(share: float) -> bool:
        session.jobs.cancel(job.number)
        return going_on(share)

    monkeypatch.setattr(job, "go_on", cancelled)
    session.worker.work(0)
    assert job.state is State.CANCELLED and job.results == []


def test_request_for_a_motion_no_longer_available_is_rejected(session: Session) -> None:
    assert "no longer available" in refused(session.do(MakeVariations(Choices(99, 0, 2.0), (1,))))
    assert "no longer available" in refused(session.do(OpenMotion(99)))


def test_limbs_hang_from_the_trunk_and_are_matched_with_two_bones_of_it() -> None:
    trunk, *limbs = body_parts_of(sample_motions(30.0)["GenMM Walk"])
    assert trunk.is_trunk and len(limbs) == 4
    for limb in limbs:
        hung = set(limb.matched) - set(limb.bones)
        assert not set(trunk.bones) & set(limb.bones) and 0 < len(hung & set(trunk.bones)) <= 2


def asked(address: str, path: str, body: bytes | None = None, **headers: str) -> Any:
    """Send a request to a server in the form of its page's, and return the JSON of the answer."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.netloc, timeout=30)
    more = {} if body is None else {"Origin": f"http://{place.netloc}"}
    connection.request("GET" if body is None else "POST", place.path + path, body, more | headers)
    with connection.getresponse() as response:
        assert response.status == 200
        return json.loads(response.read())


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_stopped_and_leaves_nothing(
    tmp_path: Path, walk: bytes, monkeypatch: pytest.MonkeyPatch, ending: signal.Signals
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process = started("serve", "--no-browser", "--json")
    assert process.stdout is not None
    address = json.loads(process.stdout.readline())["address"]
    number = asked(address, "motions", walk, **{"X-File-Name": "walk.bvh"})["job"]
    for _ in range(300):
        told = asked(address, f"jobs/{number}")
        if told["state"] == "done":
            break
        time.sleep(0.1)
    assert told["results"][0]["name"] == "walk"
    assert list(tmp_path.rglob("walk.bvh")) != []
    process.send_signal(ending)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(said.splitlines()[-1])["event"] == "end"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_invalid_serve_options_are_rejected(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--port", "70000"], ["--port", "x"], ["--size-limit", "0"], ["--size-limit", "-1"]):
        said = run(capfd, "serve", *words)
        assert said.status == 2 and "is not a whole number from" in said.errors[0]

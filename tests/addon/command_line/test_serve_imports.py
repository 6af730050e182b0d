# SPDX-License-Identifier: GPL-3.0-or-later
"""Dropped files that refer to others or never end: nothing else is opened, and canceling and ending always work."""

import io
import json
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.command_line.console import Console, Voice
from genmm_addon.command_line.serving import import_process
from genmm_addon.command_line.serving.work import Worker
from genmm_addon.files.fbx_paths import without_paths
from genmm_addon.pages.serving.jobs import JobQueue, ServedJob, State
from genmm_addon.pages.serving.session_files import SessionFiles
from genmm_addon.pages.serving.tasks import OpenMotion

pytestmark = [
    pytest.mark.usefixtures("extension"),
    pytest.mark.processes,
    pytest.mark.skipif(os.name == "nt", reason="pipes as POSIX has them"),
]


class Session:
    """A worker with its queue and files, without a server."""

    def __init__(self, folder: Path) -> None:
        self.jobs, self.files = JobQueue(), SessionFiles(folder, 2**24)
        console = Console(io.StringIO(), io.StringIO(), Voice.TEXT)
        self.worker = Worker(self.jobs, self.files, {}, console)

    def drop(self, name: str, data: bytes, meanwhile: Callable[[], None] | None = None) -> ServedJob:
        """Drop a file, open it while another thread does something, and return the job."""
        number = self.files.receive(name, len(data), io.BufferedReader(io.BytesIO(data)))
        job = self.jobs.add(OpenMotion(number))
        thread = threading.Thread(target=meanwhile or (lambda: None))
        thread.start()
        self.worker.work(0)
        thread.join()
        return job


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "session").mkdir()
    return Session(tmp_path / "session")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Return the path of a pipe without a writer, which stops whoever opens it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def fbx_with(picture: Path, folder: Path) -> bytes:
    """Return a character as an FBX file, whose mesh has a picture at a path."""
    add_sample_character(bpy.context)
    mesh = bpy.data.meshes.new("Cube")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    mesh.uv_layers.new()
    material = bpy.data.materials.new("Painted")
    material.use_nodes = True
    nodes = material.node_tree.nodes
    texture = nodes.new("ShaderNodeTexImage")
    texture.image = bpy.data.images.new("picture", 8, 8)
    texture.image.source, texture.image.filepath = "FILE", str(picture)
    material.node_tree.links.new(texture.outputs[0], nodes["Principled BSDF"].inputs["Base Color"])
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Cube", mesh))
    path = folder / "walk.fbx"
    bpy.ops.export_scene.fbx(filepath=str(path), path_mode="ABSOLUTE")
    return path.read_bytes()


def test_an_fbx_opens_no_other_file(session: Session, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"no picture")
    data = fbx_with(picture, tmp_path)
    assert str(picture).encode() in data
    picture.unlink()
    os.mkfifo(picture)  # whoever opens it waits forever
    begun = time.monotonic()
    job = session.drop("walk.fbx", data)
    assert (job.state, job.error) == (State.DONE, "") and time.monotonic() - begun < 60


@pytest.mark.parametrize("ended", ["canceled", "session"])
def test_an_import_that_never_ends_is_ended(
    session: Session, pipe: Path, monkeypatch: pytest.MonkeyPatch, ended: str
) -> None:
    start, started = import_process._start, []

    def stuck(path: Path, *rest: Path) -> Any:
        path.unlink()
        path.symlink_to(pipe)
        started.append(start(path, *rest))
        return started[-1]

    monkeypatch.setattr(import_process, "_start", stuck)

    def end() -> None:
        until = time.monotonic() + 60
        while not started and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(3)
        session.jobs.cancel(1) if ended == "canceled" else session.jobs.cancel_all()

    job = session.drop("walk.fbx", b"Kaydara FBX Binary", end)
    assert job.state is State.CANCELLED and started[0].returncode is not None


@pytest.mark.parametrize("name", ["walk.bvh", "walk.fbx", "walk.glb", "walk.gltf"])
def test_files_of_every_kind_are_read_in_a_process_that_can_be_ended(
    session: Session, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def endless(*_: Path) -> Any:
        started.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
        threading.Timer(0.5, session.jobs.cancel, [1]).start()
        return started[-1]

    monkeypatch.setattr(import_process, "_start", endless)
    job = session.drop(name, b"HIERARCHY")
    assert job.state is State.CANCELLED and started[0].returncode is not None


def test_a_crash_of_the_importer_is_one_sentence(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    start = import_process._start

    def killed(*places: Path) -> Any:
        process = start(*places)
        process.kill()
        return process

    monkeypatch.setattr(import_process, "_start", killed)
    job = session.drop("walk.glb", b"glTF")
    assert job.state is State.FAILED and "was ended by the signal SIGKILL" in job.error


URIS = (
    "data:/../../picture.png", "data:application/octet-stream;base64/../..", "data:,abc", "data:", "",
    "DATA:a/b;base64,QQ==", "picture.png", "/etc/passwd", "file:///etc/passwd", "//server/share/x.png",
    "\\\\server\\share", "..%2f..%2fpicture.png", "http://127.0.0.1/x", " data:image/png;base64,QQ==", None, 7,
    ["data:image/png;base64,"],
)  # fmt: skip


@pytest.mark.parametrize("rows", ["buffers", "images"])
@pytest.mark.parametrize("binary", [True, False])
def test_a_gltf_that_refers_to_other_files_is_refused(tmp_path: Path, rows: str, binary: bool) -> None:
    from genmm_addon.core import InputError
    from genmm_addon.files.gltf.document import check_stands_alone

    for number, uri in enumerate(URIS):
        text = json.dumps({"asset": {"version": "2.0"}, rows: [{"uri": uri, "byteLength": 1}]}).encode()
        path = tmp_path / f"{number}.glb"
        chunk = struct.pack("<I4s", len(text), b"JSON") + text
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunk)) + chunk if binary else text)
        with pytest.raises(InputError, match="stores its data in other files"):
            check_stands_alone(path)


def test_paths_in_fbx_files_are_blanked_and_nothing_else_changes() -> None:
    path = b"//server/share/a.png"
    for name in (b"RelativeFilename", b"FileName", b"Filename"):
        node = bytes([len(name)]) + name + b"S" + struct.pack("<I", len(path)) + path + b"rest"
        assert without_paths(node) == node.replace(path, b"_" * len(path))
    text = b'P: "RelPath", "KString", "XRefUrl", "", "//server/a.png"\n\tFileName: "C:\\a.png"\nModel: "Model::A/b"'
    assert without_paths(text) == text.replace(b"//server/a.png", b"_" * 14).replace(b"C:\\a.png", b"_" * 8)
    cut = b"FileNameS" + struct.pack("<I", 2**31) + b"abc"
    assert len(without_paths(cut)) == len(cut)


@pytest.mark.parametrize("name", [b"Path", b"RelPath", b"OriginalFilename", b"OriginalFileName"])
def test_paths_of_any_length_in_properties_are_blanked(name: bytes) -> None:
    for length in range(1, 400):  # a length of 82 or 83 is the letter R or S, which are the types of strings
        path = b"/" * length
        row = [name, b"KString", b"XRefUrl", b"", path]
        typed = b"".join(b"S" + struct.pack("<I", len(one)) + one for one in row) + b"rest"
        assert without_paths(typed) == typed.replace(path, b"_" * length), length

# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to stop, which end the command in any state, even if an exception is swallowed or a second signal comes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import bpy
import pytest
from commands import SCRIPT, ended, left_in, run, saved_character, started

from genmm_addon.command_line import command
from genmm_addon.command_line.errors import Stopped
from genmm_addon.command_line.outputs import exports
from genmm_addon.command_line.outputs.whole_files import is_whole
from genmm_addon.command_line.stopping import interruptible, result_of, uninterrupted

Capture = pytest.CaptureFixture[str]
STOPPED = "Stopped. All files written so far are complete; use --resume to continue."
EXPORTS = ("blend", "bvh", "fbx", "glb")

pytestmark = [
    pytest.mark.processes,
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them"),
]


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


def terminated_in(monkeypatch: pytest.MonkeyPatch, ending: str, swallow: Callable[[Path], None]) -> list[Path]:
    """Make the writer of these files receive a signal during its second file, and swallow the exception."""
    writer = exports._WRITERS[f".{ending}"]
    begun: list[Path] = []

    def write(path: Path, *rest: Any) -> None:
        begun.append(path)
        if len(begun) != 2:
            return writer(path, *rest)
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except BaseException:
            swallow(path)
        return None

    monkeypatch.setitem(exports._WRITERS, f".{ending}", write)
    return begun


def as_an_operator_does(_path: Path) -> None:
    raise RuntimeError("Error: Python: Traceback (most recent call last):\n  ...\nStopped\n")


def as_a_callback_does(path: Path) -> None:
    path.write_text("all is well")


@pytest.mark.parametrize("ending", EXPORTS)
@pytest.mark.parametrize("swallow", [as_an_operator_does, as_a_callback_does])
def test_an_exporter_that_swallows_the_signal_stops_the_command_all_the_same(
    tmp_path: Path,
    capfd: Capture,
    hero: Path,
    ending: str,
    swallow: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = terminated_in(monkeypatch, ending, swallow)
    out, other = tmp_path / "out", saved_character(tmp_path, "Other")[0]
    words = ("--frames", 20, "--seeds", "0-2", "--jobs", 1, "-o", out / f"{{name}}_{{seed}}.{ending}")
    said = run(capfd, "generate", hero, other, *words)
    assert (said.status, said.errors) == (1, [STOPPED])
    assert left_in(out) == {f"hero_0.{ending}"} and len(begun) == 2


def test_an_importer_that_swallows_the_signal_stops_the_command_all_the_same(
    tmp_path: Path, capfd: Capture, hero: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from genmm_addon.command_line.commands import generate as generate_command

    def swallowed(*_: object, **__: object) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except Stopped as error:
            raise command.InputError("could not be read: Stopped.") from error

    monkeypatch.setattr(generate_command, "open_and_ask", swallowed)
    said = run(capfd, "generate", hero, hero, "-o", tmp_path / "{name}.npz")
    assert (said.status, said.errors) == (1, [STOPPED])


def test_signal_that_only_a_blender_handler_receives_ends_the_run_with_an_error(
    tmp_path: Path, capfd: Capture, hero: Path
) -> None:
    @bpy.app.handlers.persistent  # type: ignore[untyped-decorator, unused-ignore]
    def stop(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)

    bpy.app.handlers.save_post.append(stop)
    try:
        said = run(capfd, "generate", hero, "--frames", 20, "-o", tmp_path / "out.blend")
    finally:
        bpy.app.handlers.save_post.remove(stop)
    assert (said.status, said.errors) == (1, [STOPPED])
    assert left_in(tmp_path) == {"hero.blend"}


def test_a_second_signal_ends_the_process_at_once_and_leaves_nothing(
    tmp_path: Path, capfd: Capture, hero: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stubborn(path: Path, *_rest: object) -> None:
        for companion in ("", "1", "@"):
            path.with_name(path.name + companion).write_text("half")
        for _ in range(2):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(5)
            except Stopped:
                pass
        os._exit(77)

    monkeypatch.setitem(exports._WRITERS, ".blend", stubborn)
    removed = tmp_path / "removed"
    monkeypatch.setattr(
        command, "remove_temporary_folder_of_blender", lambda: removed.write_text("its temporary folder")
    )
    child = os.fork()
    if not child:
        os._exit(command.main(["generate", str(hero), "--jobs", "1", "-o", str(tmp_path / "out" / "x.blend")]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert left_in(tmp_path) == {"hero.blend", "removed"}


@pytest.mark.parametrize("ending", EXPORTS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_exports_ends_soon_and_leaves_whole_files(
    tmp_path: Path, hero: Path, ending: str, number: int
) -> None:
    out, other = tmp_path / "out", saved_character(tmp_path, "Other")[0]
    words = ("--frames", 40, "--seeds", "0-499", "-o", out / f"{{name}}_{{seed}}.{ending}")
    process = started("generate", hero, other, *words, start_new_session=True)
    until = time.monotonic() + 60
    while time.monotonic() < until and not list(out.glob(f"[!.]*.{ending}")):
        time.sleep(0.01)
    time.sleep(0.1)
    os.kill(process.pid, number)
    said = ended(process)
    assert (said.status, said.errors) == (1, [STOPPED])
    assert len(left_in(out)) > 0 and all(name.startswith("hero_") for name in left_in(out))
    assert all(is_whole(path) for path in out.iterdir() if path.is_file())


def test_after_head_the_command_ends_without_a_word(tmp_path: Path, hero: Path) -> None:
    out = tmp_path / "out"
    words = ("--frames", 40, "--seeds", "0-999", "--json", "-o", out / "{seed}.npz")
    process = started("generate", hero, *words)
    assert process.stdout is not None and process.stderr is not None
    assert json.loads(process.stdout.readline())["file"] == str(out / "0.npz")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 1
    assert all(is_whole(path) for path in out.iterdir() if path.is_file()) and len(left_in(out)) < 1000


def test_full_standard_output_is_not_reported_as_a_fault_of_the_log(tmp_path: Path, hero: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("No /dev/full here.")
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [sys.executable, "-P", str(SCRIPT), "generate", str(hero), "--json", "-o", str(tmp_path / "x.npz")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=dict(os.environ),
        )
    assert process.stderr == "genmm: The standard output cannot be written: No space left on device.\n"
    assert process.returncode == 1


@pytest.mark.parametrize("stop", [None, signal.SIGTERM])
def test_its_temporary_folder_goes_and_no_other(
    tmp_path: Path, hero: Path, stop: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    (temporary / "blender_abcdef").mkdir(parents=True)
    monkeypatch.setenv("TMPDIR", str(temporary))
    out = tmp_path / "out"
    process = started("generate", hero, "--frames", 40, "--seeds", "0-99", "-o", out / "{seed}.bvh")
    until = time.monotonic() + 60
    while time.monotonic() < until and not list(out.glob("[0-9]*")):
        time.sleep(0.01)
    assert len(list(temporary.iterdir())) > 1, "Blender makes no folder here, and the test shows nothing"
    if stop is not None:
        process.send_signal(stop)
    ended(process)
    assert [path.name for path in temporary.iterdir()] == ["blender_abcdef"]


def test_signal_handlers_are_restored_after_the_run(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    def mine(_number: int, _frame: FrameType | None) -> None: ...

    before = signal.signal(signal.SIGTERM, mine)
    try:
        run(capfd, "generate", hero, "-o", tmp_path / "x.npz")
        assert signal.getsignal(signal.SIGTERM) is mine
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_request_to_stop_waits_for_the_end_of_a_block_that_holds_a_lock() -> None:
    steps = []
    with pytest.raises(Stopped), interruptible(), uninterrupted():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)
        steps.append("after the signal")
    assert steps == ["after the signal"]


def test_a_request_to_stop_ends_the_wait_for_a_result_and_leaves_its_lock_free() -> None:
    future: Future[int] = Future()
    signals = threading.Thread(target=lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGTERM)))
    with pytest.raises(Stopped), interruptible():
        signals.start()
        result_of(future)
    signals.join()
    setting = threading.Thread(target=future.set_result, args=(1,), daemon=True)
    setting.start()
    setting.join(5.0)
    assert not setting.is_alive()


def test_a_request_at_any_line_of_a_delayed_block_leaves_no_lock_behind() -> None:
    for last in range(1, 120):
        future: Future[int] = Future()
        lines = 0

        def interrupt(_frame: FrameType, _event: str, _argument: object, last: int = last) -> Any:
            nonlocal lines
            lines += 1
            if lines == last:
                sys.settrace(None)
                signal.raise_signal(signal.SIGTERM)
            return interrupt

        with suppress(Stopped), interruptible():
            try:
                sys.settrace(interrupt)
                with uninterrupted():
                    future.done()
                    future.cancel()
            finally:
                sys.settrace(None)
        # The lock is free for another thread; this one may take it again in any case.
        setting = threading.Thread(target=future.cancel, daemon=True)
        setting.start()
        setting.join(5.0)
        assert not setting.is_alive()

# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm serve`: serves a page to this machine alone, which makes variations of motions that are dropped onto it."""

import argparse
import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ....core.storage import new_folder
from ....files.reasons import reason_of
from ....generation.job import INSTANT_SECONDS
from ....pages.serving.jobs import JobQueue
from ....pages.serving.novice_page import novice_page
from ....pages.serving.routes import Routes
from ....pages.serving.server import LoopbackServer, running
from ....pages.serving.session_files import SessionFiles
from ...console import Console
from ...errors import Failed, Stopped
from ...serving.work import Worker, not_written
from ...stopping import last_step, stop_followed

PRIVATE = "It is available on this computer only; anyone who has the address can use it."


def serve(options: argparse.Namespace, console: Console) -> int:
    """Serve until the server is stopped, and return the exit status. Raises InputError if the port is not available."""
    server = LoopbackServer(options.port, ipv6=options.ipv6)
    try:
        with _session_folder() as folder:
            missing = not_written()
            files, jobs = SessionFiles(folder, options.size_limit * 2**20), JobQueue()
            page, policy = novice_page(files.size_limit, missing)
            routes = Routes(server.address, page, policy, jobs, files)
            with running(server, routes):
                _welcome(routes, options, console)
                for sentence in missing.values():
                    console.note(sentence)
                worker = Worker(jobs, files, missing, console)
                while not routes.quit.is_set():
                    worker.work(INSTANT_SECONDS)
    except Stopped:
        stop_followed()
    finally:
        server.server_close()
    console.end("Stopped; all dropped and generated files were removed.")
    return 0


def _welcome(routes: Routes, options: argparse.Namespace, console: Console) -> None:
    address = routes.address.page
    console.answer(
        f"GenMM is at {address}\n{PRIVATE} Press Ctrl-C to stop it and remove all files.",
        "serving",
        [{"address": address}],
        {"event": "serving", "address": address},
    )
    # Without a display, webbrowser would open a browser in the terminal.
    has_screen = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    if options.browser and has_screen:
        webbrowser.open(routes.address.origin + routes.ticket.path)


@contextmanager
def _session_folder() -> Iterator[Path]:
    """Yield a folder for all files of the session, including temporary files of importers, and remove it at the end."""
    try:
        folder = new_folder()
    except OSError as error:
        raise Failed(
            f"The temporary folder could not be created: {reason_of(error)}; set TMPDIR to another one."
        ) from error
    before = tempfile.tempdir
    tempfile.tempdir = str(folder.path)
    try:
        with last_step(folder.remove):
            yield folder.path
    finally:
        tempfile.tempdir = before
        folder.remove()

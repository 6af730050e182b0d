# SPDX-License-Identifier: GPL-3.0-or-later
"""The server's answers: each request's origin is checked first, then its path; no address contains a file's path."""

import json
import re
import shutil
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from ...core import InputError
from ...core.storage import Malformed, parse_json
from .address import ServerAddress, Ticket
from .jobs import JobQueue
from .session_files import PIECE, SessionFiles
from .tasks import OpenMotion, file_in, variations_in

LONGEST_REQUEST = 2**16
"""Largest JSON request, in bytes."""
PATIENCE = 10.0
"""Timeout, in seconds, of an idle connection, and of a new one without a complete header with the token."""
MOST_DRAINED = 2**28
"""Maximum bytes of a rejected file that are still received, so that the browser reads the answer."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NO_CONTENT = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of all answers but the page."""
FOREIGN = "This server accepts requests from its own page only; open the address printed by the command."
UNKNOWN = "This page does not exist; open the complete address printed by the command."
GONE = "This item is no longer available; reload the page."
_JOB = re.compile(r"jobs/(\d{1,9})(?:\?from=(\d{1,4}))?", re.ASCII)
_CANCEL = re.compile(r"jobs/(\d{1,9})/cancel", re.ASCII)
_FILE = re.compile(r"files/(\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class Routes:
    """The objects used to answer requests.

    page, policy: the page's text and its Content-Security-Policy. is_own: called with each connection that has sent
    the token.
    """

    address: ServerAddress
    page: str
    policy: str
    jobs: JobQueue
    files: SessionFiles
    ticket: Ticket = field(default_factory=Ticket)
    quit: threading.Event = field(default_factory=threading.Event)
    is_own: Callable[[socket.socket], None] = lambda connection: None


class RefusedError(Exception):
    """Rejection of a request, with a message and an HTTP status."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """Handler of one request, whose connection is closed after the answer (HTTP/1.0)."""

    routes: Routes
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Answer a request to read."""
        self._answered(self._get, changes=False)

    def do_POST(self) -> None:
        """Answer a request that changes something."""
        self._answered(self._post, changes=True)

    def version_string(self) -> str:
        """Return the server's name, without versions."""
        return "GenMM"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, since the addresses contain the token."""

    def end_headers(self) -> None:
        """Add the common headers, also to answers of the standard library."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def _answered(self, answer: Any, *, changes: bool) -> None:
        try:
            path = self._checked(changes=changes)
            self.routes.is_own(self.connection)
            answer(path)
        except RefusedError as error:
            self._refuse(error.status, str(error))
        except InputError as error:
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except (TimeoutError, ConnectionError):
            self.close_connection = True  # the client has disconnected
        except OSError as error:
            reason = error.strerror or "system error"
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"A file could not be stored or read: {reason}.")

    def _checked(self, *, changes: bool) -> str:
        """Return the path after the token. Raises RefusedError for a request that is not from the server's own page."""
        address = self.routes.address
        hosts, origins = self.headers.get_all("Host", []), self.headers.get_all("Origin", [])
        is_own = len(hosts) == 1 and address.is_asked(hosts[0]) and len(origins) < 2
        if not is_own or not address.is_asked_by_itself(next(iter(origins), None), changes=changes):
            raise RefusedError(HTTPStatus.FORBIDDEN, FOREIGN)
        if not changes and self.routes.ticket.use(self.path):
            return "enter"
        path = address.path_within(self.path)
        if path is None:
            raise RefusedError(HTTPStatus.FORBIDDEN, UNKNOWN)
        return path

    def _get(self, path: str) -> None:
        routes = self.routes
        if path == "enter":
            self.send_response(HTTPStatus.SEE_OTHER)
            self.send_header("Location", routes.address.page)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif path == "":
            self._send(routes.page.encode("utf-8"), "text/html; charset=utf-8", routes.policy)
        elif match := _JOB.fullmatch(path):
            state = routes.jobs.state_of(int(match[1]), int(match[2] or 0))
            if state is None:
                raise RefusedError(HTTPStatus.NOT_FOUND, GONE)
            self._send_values(state)
        elif match := _FILE.fullmatch(path):
            self._send_file(routes.files.made(int(match[1])))
        else:
            raise RefusedError(HTTPStatus.NOT_FOUND, UNKNOWN)

    def _post(self, path: str) -> None:
        routes = self.routes
        if path == "motions":
            name = unquote(self.headers.get("X-File-Name", ""), errors="replace")
            number = routes.files.receive(name, self._length(), self.rfile)
            self._send_job(OpenMotion(number))
        elif path == "sample":
            self._send_job(OpenMotion(None))
        elif path == "variations":
            self._send_job(variations_in(self._values()))
        elif path == "files":
            self._send_job(file_in(self._values()))
        elif match := _CANCEL.fullmatch(path):
            if not routes.jobs.cancel(int(match[1])):
                raise RefusedError(HTTPStatus.NOT_FOUND, GONE)
            self._send_values({})
        elif path == "quit":
            try:
                self._send_values({})
            finally:
                routes.jobs.cancel_all()
                routes.quit.set()
        else:
            raise RefusedError(HTTPStatus.NOT_FOUND, UNKNOWN)

    def _length(self) -> int:
        lengths = self.headers.get_all("Content-Length", [])
        if (
            len(lengths) != 1
            or not re.fullmatch(r"\d{1,15}", lengths[0], re.ASCII)
            or "Transfer-Encoding" in self.headers
        ):
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "A request must have a Content-Length.")
        return int(lengths[0])

    def _values(self) -> Any:
        """Return the JSON of a request. Raises RefusedError if it is too large or not valid."""
        length = self._length()
        if length > LONGEST_REQUEST:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
        try:
            return parse_json(self.rfile.read(length), longest=LONGEST_REQUEST)
        except Malformed as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "The request is not valid JSON.") from error

    def _send_job(self, task: Any) -> None:
        self._send_values({"job": self.routes.jobs.add(task).number})

    def _send_values(self, values: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(json.dumps(values, allow_nan=False).encode("ascii"), "application/json", NO_CONTENT, status)

    def _send(self, body: bytes, kind: str, policy: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        self.wfile.write(body)

    def _send_file(self, path: Path | None) -> None:
        if path is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, GONE)
        with path.open("rb") as file:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(path.stat().st_size))
            self.send_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(path.name, safe='')}")
            self.send_header("Content-Security-Policy", NO_CONTENT)
            self.end_headers()
            shutil.copyfileobj(file, self.wfile)

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        """Answer with a message, and receive the rest of the request, since browsers otherwise ignore the answer."""
        with suppress(OSError):
            self._send_values({"error": text}, status)
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            left = MOST_DRAINED
            while left > 0 and (piece := self.connection.recv(PIECE)):
                left -= len(piece)


def handler_of(routes: Routes | None) -> type[Handler]:
    """Return the handler class for a server's requests."""
    return type("ServedHandler", (Handler,), {"routes": routes})

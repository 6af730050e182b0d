# SPDX-License-Identifier: GPL-3.0-or-later
"""The server of `genmm serve`: whom it answers, what it accepts, and that it leaves nothing; without Blender."""

import http.client
import io
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from genmm_addon.core import InputError, Loop
from genmm_addon.pages.serving.address import ServerAddress
from genmm_addon.pages.serving.jobs import JobQueue, State
from genmm_addon.pages.serving.novice_page import novice_page
from genmm_addon.pages.serving.routes import Routes
from genmm_addon.pages.serving.server import LoopbackServer, running
from genmm_addon.pages.serving.session_files import MOST_FILES, SessionFiles
from genmm_addon.pages.serving.tasks import Choices, MakeVariations, OpenMotion, variations_in

pytestmark = pytest.mark.processes
LIMIT = 2**20
HOSTILE = '../../<img src=x onerror="alert(1)">\u2028.bvh'
WISHES = {
    "motion": 1, "action": 0, "seconds": 2.5, "count": 2, "seed": 5, "loop": "off", "free": [1], "kept": [],
}  # fmt: skip


@dataclass
class Answer:
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def values(self) -> Any:
        """Return the answer's JSON."""
        return json.loads(self.body)


@dataclass
class Served:
    """A running server, and requests in the form of its own page's."""

    routes: Routes

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str | None) -> Answer:
        """Request a path after the token; headers replace a browser's, and None leaves one out."""
        return self.ask_for(method, f"/{self.routes.address.token}/{path}", body, **headers)

    def ask_for(self, method: str, path: str, body: bytes = b"", **headers: str | None) -> Answer:
        """Request a whole path."""
        address = self.routes.address
        said: dict[str, str | None] = {"Host": address.host}
        if method == "POST":
            said |= {"Origin": address.origin, "Content-Length": str(len(body))}
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(address.loopback, address.port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in said.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        answer = Answer(response.status, dict(response.getheaders()), response.read())
        connection.close()
        return answer


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    server = LoopbackServer(0, ipv6=False)
    page, policy = novice_page(LIMIT, {})
    routes = Routes(server.address, page, policy, JobQueue(), SessionFiles(tmp_path, LIMIT))
    with running(server, routes):
        yield Served(routes)


def test_the_page_is_there_with_a_policy_that_lets_nothing_else_in(served: Served) -> None:
    answer = served.ask("GET", "")
    assert answer.status == 200 and answer.body.startswith(b"<!DOCTYPE html>")
    policy = answer.headers["Content-Security-Policy"]
    for word in ("default-src 'none'", "script-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'"):
        assert word in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "Python" not in answer.headers["Server"]


def test_requests_without_the_token_learn_nothing(served: Served) -> None:
    token = served.routes.address.token
    for path in ("/", "/favicon.ico", "/wrong/", f"/{token}x/", f"/{token}", f"/../{token}/", f"/{token[:-1]}/"):
        answer = served.ask_for("GET", path)
        assert answer.status == 403, path
        assert "printed by the command" in answer.values["error"] and token not in answer.body.decode()


def test_other_hosts_are_refused_though_they_have_the_token(served: Served) -> None:
    port = served.routes.address.port
    for host in ("evil.example", f"evil.example:{port}", f"localhost:{port}", "127.0.0.1", "127.0.0.1:1", None):
        assert served.ask("GET", "", Host=host).status == 403, host
        assert served.ask("POST", "sample", Host=host).status == 403, host
    assert served.routes.jobs.next(0) is None


def test_other_origins_can_change_nothing(served: Served) -> None:
    port = served.routes.address.port
    for origin in ("null", "https://evil.example", f"http://localhost:{port}", "http://127.0.0.1", None):
        for path in ("sample", "motions", "variations", "files", "jobs/1/cancel", "quit"):
            assert served.ask("POST", path, b"{}", Origin=origin, X_File_Name="a.bvh").status == 403, (origin, path)
        assert origin is None or served.ask("GET", "jobs/1", Origin=origin).status == 403
    assert served.routes.jobs.next(0) is None and not served.routes.quit.is_set()


def test_no_path_leads_to_a_file(served: Served) -> None:
    for path in (
        "../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "files/../1",
        "files/1/../../x",
        "dropped-1/a",
        "files/x",
    ):
        assert served.ask("GET", path).status == 404, path


def test_file_of_any_name_stays_in_its_folder(served: Served, tmp_path: Path) -> None:
    names = (HOSTILE, "..\\..\\a.bvh", "/etc/passwd.bvh", "con\0trol.bvh", "\ud800.bvh", "." * 300 + ".bvh")
    for name in names:
        answer = served.ask("POST", "motions", b"HIERARCHY", X_File_Name=quote(name, errors="replace"))
        assert answer.status == 200, name
    places = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(places) == len(names)
    for path in places:
        assert path.parent.parent == tmp_path and path.parent.name.startswith("dropped-")
        assert path.read_bytes() == b"HIERARCHY" and path.suffix == ".bvh"


def test_unusable_uploads_are_rejected_with_one_sentence(served: Served, tmp_path: Path) -> None:
    for name, size, sentence in (
        ("walk.bvh", 3 * LIMIT, '"walk.bvh" has 3 MB, more than the limit of 1 MB; cut it'),
        ("walk.mov", 10, '"walk.mov" is not a motion file; drop a BVH, FBX, glTF or glb file.'),
        ("", 10, '"" is not a motion file'),
        ("walk.bvh", 0, '"walk.bvh" is empty; save or download it again.'),
    ):
        answer = served.ask("POST", "motions", b"x" * size, X_File_Name=name)
        assert answer.status == 422 and answer.values["error"].startswith(sentence)
    assert list(tmp_path.iterdir()) == [] and served.routes.jobs.next(0) is None


def test_a_file_that_is_cut_on_its_way_leaves_nothing(served: Served, tmp_path: Path) -> None:
    address = served.routes.address
    with socket.create_connection((address.loopback, address.port), timeout=20) as connection:
        head = f"POST /{address.token}/motions HTTP/1.0\r\nHost: {address.host}\r\nOrigin: {address.origin}\r\n"
        connection.sendall(f"{head}X-File-Name: a.bvh\r\nContent-Length: 500\r\n\r\nHIER".encode())
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert b"was not transferred completely" in answer and list(tmp_path.iterdir()) == []


def test_request_body_needs_a_length_within_the_limit(served: Served) -> None:
    for length, encoding, status in (
        (None, None, 411),
        ("-5", None, 411),
        ("5", "chunked", 411),
        ("99999999", None, 413),
    ):
        answer = served.ask("POST", "variations", b"", Content_Length=length, Transfer_Encoding=encoding)
        assert answer.status == status


def test_invalid_requests_are_rejected(served: Served) -> None:
    for changed in (
        {"seconds": 0}, {"seconds": 1e9}, {"seconds": "2"}, {"seconds": True}, {"seconds": None}, {"count": 0},
        {"count": 13}, {"count": 1.5}, {"seed": -1}, {"seed": 2**31}, {"loop": "x"}, {"loop": ["off"]}, {"free": "1"},
        {"free": [-1]}, {"free": [1], "kept": [1]}, {"kept": [True]}, {"motion": "../x"}, {"action": None},
    ):  # fmt: skip
        with pytest.raises(InputError):
            variations_in(WISHES | changed)
    for body in (b"", b"[]", b"null", b"{", b"\xff", b"[" * 60_000, b'{"seconds": NaN}'):
        assert served.ask("POST", "variations", body).status in (400, 422), body[:20]
    assert served.routes.jobs.next(0) is None


def test_wishes_become_a_job() -> None:
    assert variations_in(WISHES) == MakeVariations(Choices(1, 0, 2.5, Loop.OFF, (1,), ()), (5, 6))


def test_jobs_wait_for_each_other_and_are_cancelled(served: Served) -> None:
    numbers = [served.ask("POST", "sample").values["job"] for _ in range(3)]
    jobs = served.routes.jobs
    working = jobs.next(0)
    assert working is not None and working.number == numbers[0]
    told = served.ask("GET", f"jobs/{numbers[2]}").values
    assert (told["state"], told["before"]) == ("waiting", 1)
    assert served.ask("POST", f"jobs/{numbers[1]}/cancel", b"{}").status == 200
    assert served.ask("GET", f"jobs/{numbers[1]}").values["state"] == "cancelled"
    assert working.go_on(0.5)
    served.ask("POST", f"jobs/{numbers[0]}/cancel", b"{}")
    assert not working.go_on(0.6), "the worker hears of it"
    working.results.append("late")
    jobs.end(working, State.DONE)
    told = served.ask("GET", f"jobs/{numbers[0]}").values
    assert (told["state"], told["results"]) == ("cancelled", [])
    following = jobs.next(0)
    assert following is not None and following.number == numbers[2]
    following.results += [1, 2, 3]
    assert served.ask("GET", f"jobs/{numbers[2]}?from=2").values["results"] == [3]
    assert served.ask("GET", "jobs/999").status == 404


def test_no_more_than_a_few_jobs_wait() -> None:
    jobs = JobQueue()
    for _ in range(MOST_FILES):
        jobs.add(OpenMotion(None))
    with pytest.raises(InputError, match="Too many jobs"):
        jobs.add(OpenMotion(None))


def test_the_oldest_files_go_when_others_come(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path, LIMIT)
    numbers = [files.receive("a.bvh", 4, io.BytesIO(b"abcd")) for _ in range(MOST_FILES + 2)]
    assert files.dropped(numbers[0]) is None and files.dropped(numbers[-1]) is not None
    assert len(list(tmp_path.iterdir())) == MOST_FILES


def test_generated_file_is_downloaded_under_its_name(served: Served) -> None:
    path = served.routes.files.place_for('walk "1"\r\nX: y_0001.bvh')
    path.write_bytes(b"HIERARCHY")
    answer = served.ask("GET", f"files/{served.routes.files.keep_made(path)}")
    assert answer.body == b"HIERARCHY" and "X" not in answer.headers
    said = answer.headers["Content-Disposition"]
    assert said.startswith("attachment; filename*=UTF-8''walk") and said.isascii() and '"' not in said


def test_the_entrance_for_the_browser_opens_once(served: Served) -> None:
    path = served.routes.ticket.path
    answer = served.ask_for("GET", path)
    assert (answer.status, answer.headers["Location"]) == (303, served.routes.address.page)
    assert served.routes.address.token not in path
    assert served.ask_for("GET", path).status == 403


def test_tokens_are_long_and_new_each_time() -> None:
    one, other = ServerAddress("127.0.0.1", 1), ServerAddress("127.0.0.1", 1)
    assert len(one.token) >= 32 and one.token != other.token and one.token not in repr(one)


def test_only_the_loopback_address_listens(served: Served) -> None:
    assert served.routes.address.loopback == "127.0.0.1"
    if socket.has_ipv6:
        try:
            server = LoopbackServer(0, ipv6=True)
        except InputError:
            pytest.skip("This machine has no ::1.")
        assert server.address.host == f"[::1]:{server.address.port}"
        server.server_close()


def test_occupied_port_is_reported(served: Served) -> None:
    with pytest.raises(InputError, match="is not available"):
        LoopbackServer(served.routes.address.port, ipv6=False)


def test_no_thread_is_left_though_a_connection_waits(tmp_path: Path) -> None:
    server = LoopbackServer(0, ipv6=False)
    before = threading.active_count()
    page, policy = novice_page(LIMIT, {})
    with running(server, Routes(server.address, page, policy, JobQueue(), SessionFiles(tmp_path, LIMIT))):
        waiting = socket.create_connection((server.address.loopback, server.address.port), timeout=20)
        waiting.sendall(b"GET / HTTP/1.0\r\n")
    assert threading.active_count() == before
    waiting.close()


def test_quit_ends_it(served: Served) -> None:
    assert served.ask("POST", "quit", b"{}").status == 200
    assert served.routes.quit.wait(10)


def silent(served: Served, count: int, sent: bytes = b"") -> list[socket.socket]:
    address = served.routes.address
    opened = [socket.create_connection((address.loopback, address.port), timeout=20) for _ in range(count)]
    for one in opened:
        one.sendall(sent)
    return opened


HEADER = b"GET / HTTP/1.0\r\nHost: "


@pytest.mark.parametrize("sent", [b"", HEADER, b"GET /" + b"x" * 9000], ids=["silent", "half a header", "long"])
@pytest.mark.parametrize("count", [32, 300])
def test_silent_connections_do_not_block_the_page(
    served: Served, monkeypatch: pytest.MonkeyPatch, sent: bytes, count: int
) -> None:
    # They stay for longer than a request waits for its response.
    monkeypatch.setattr("genmm_addon.pages.serving.server.PATIENCE", 600.0)
    opened = silent(served, count, sent)
    for _ in range(3):
        assert served.ask("GET", "").status == 200
    for one in opened:
        one.close()


def test_a_header_that_comes_a_byte_at_a_time_has_one_deadline(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genmm_addon.pages.serving.server.PATIENCE", 0.5)
    (slow,) = silent(served, 1, HEADER)
    until, ended = time.monotonic() + 60, False
    while not ended and time.monotonic() < until:
        time.sleep(0.1)
        try:
            slow.sendall(b"a")
            slow.setblocking(False)
            ended = slow.recv(10) == b""
        except BlockingIOError:
            pass
        except OSError:
            ended = True
    assert ended
    slow.close()


def test_rejected_request_that_never_ends_has_the_same_deadline(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genmm_addon.pages.serving.server.PATIENCE", 0.5)
    address = served.routes.address
    head = f"POST /wrong/motions HTTP/1.0\r\nHost: {address.host}\r\nContent-Length: 100000\r\n\r\n".encode()
    (slow,) = silent(served, 1, head)
    until, ended = time.monotonic() + 60, False
    while not ended and time.monotonic() < until:
        time.sleep(0.1)
        try:
            slow.sendall(b"a")
        except OSError:
            ended = True
    assert ended
    slow.close()


def test_an_upload_longer_than_the_deadline_of_headers_arrives(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genmm_addon.pages.serving.server.PATIENCE", 1.5)
    address = served.routes.address
    head = (
        f"POST /{address.token}/motions HTTP/1.0\r\nHost: {address.host}\r\nOrigin: {address.origin}\r\n"
        "X-File-Name: a.bvh\r\nContent-Length: 10\r\n\r\n"
    ).encode()
    (slow,) = silent(served, 1, head)
    for _ in range(10):
        time.sleep(0.2)
        slow.sendall(b"a")
    assert slow.recv(100).startswith(b"HTTP/1.0 200")
    slow.close()


def test_ending_the_session_cancels_all_work_even_if_the_answer_is_never_read(served: Served) -> None:
    working, waiting = served.routes.jobs.add(OpenMotion(None)), served.routes.jobs.add(OpenMotion(None))
    assert served.routes.jobs.next(0) is working
    opened = silent(served, 100)
    address = served.routes.address
    head = (
        f"POST /{address.token}/quit HTTP/1.0\r\nHost: {address.host}\r\nOrigin: {address.origin}\r\n"
        "Content-Length: 0\r\n\r\n"
    ).encode()
    (gone,) = silent(served, 1, head)
    gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    gone.close()
    assert served.routes.quit.wait(5)
    assert not working.go_on(0.5) and waiting.state is State.CANCELLED
    for one in opened:
        one.close()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The standard library's server on the loopback address; its connections end with it."""

import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import ThreadingHTTPServer
from typing import Any

from ...core import InputError
from .address import IPV4, IPV6, ServerAddress
from .routes import PATIENCE, Routes, handler_of

MOST_CONNECTIONS = 32
"""Maximum number of simultaneous connections; a browser opens about six."""


class LoopbackServer(ThreadingHTTPServer):
    """A server with a thread per connection; it waits for all threads before it ends, since Blender ends after it."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 128
    # On Windows, reuse would let another program take the port.
    allow_reuse_address = os.name == "posix"

    def __init__(self, port: int, *, ipv6: bool) -> None:
        self.address_family = socket.AF_INET6 if ipv6 else socket.AF_INET
        self._open: dict[Any, float] = {}  # deadlines by connection, the oldest first; infinite for the page's own
        self._lock = threading.Lock()
        loopback = IPV6 if ipv6 else IPV4
        try:
            super().__init__((loopback, port), handler_of(None))
        except (OSError, OverflowError) as error:
            raise InputError(
                f"Port {port} of {loopback} is not available ({getattr(error, 'strerror', None) or error}); "
                "choose another --port, or leave it out."
            ) from error
        self.address = ServerAddress(loopback, self.server_address[1])

    def server_bind(self) -> None:
        """Bind without looking up this machine's name on the network, unlike the server of the standard library."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Return whether to accept a connection, which must be from this machine.

        Beyond MOST_CONNECTIONS, the oldest one without the token is closed, so that none can block others.
        """
        if client_address[0] not in (IPV4, IPV6):
            return False
        with self._lock:
            if len(self._open) >= MOST_CONNECTIONS:
                waiting = (connection for connection, deadline in self._open.items() if deadline < math.inf)
                self._end(next(waiting, next(iter(self._open))))
            self._open[request] = time.monotonic() + PATIENCE
        return True

    def is_own(self, request: Any) -> None:
        """Exempt a connection that has shown the token from the deadline."""
        with self._lock:
            if request in self._open:
                self._open[request] = math.inf

    def service_actions(self) -> None:
        """Close connections whose deadline has passed; called twice a second."""
        with self._lock:
            for request in [connection for connection, deadline in self._open.items() if deadline < time.monotonic()]:
                self._end(request)

    def _end(self, request: Any) -> None:
        """Shut a connection down, which ends its thread; requires the lock."""
        self._open.pop(request, None)
        with suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing, for example for pages that were closed during an answer."""

    def end_connections(self) -> None:
        """Close all open connections, including waiting ones."""
        with self._lock:
            for request in tuple(self._open):
                self._end(request)


@contextmanager
def running(server: LoopbackServer, routes: Routes) -> Iterator[None]:
    """Serve in threads during the block, and end all of them after it."""
    server.RequestHandlerClass = handler_of(replace(routes, is_own=server.is_own))
    thread = threading.Thread(target=server.serve_forever, name="genmm serve")
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.end_connections()
        server.server_close()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The standard library's server on the loopback address; its connections end with it."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import ThreadingHTTPServer
from typing import Any

from ...core import InputError
from .address import IPV4, IPV6, Address
from .routes import Routes, handler_of

MOST_CONNECTIONS = 32
"""Most connections at a time; a browser opens about six."""
POLLED_SECONDS = 0.05
"""Seconds between two checks whether the server should end."""


class LoopbackServer(ThreadingHTTPServer):
    """A server with a thread for each connection; its end waits for them, since Blender must not end before."""

    daemon_threads = False
    block_on_close = True
    # On Windows, reuse would let another program take the port.
    allow_reuse_address = os.name == "posix"

    def __init__(self, port: int, *, ipv6: bool) -> None:
        self.address_family = socket.AF_INET6 if ipv6 else socket.AF_INET
        self._open: set[Any] = set()
        self._lock = threading.Lock()
        loopback = IPV6 if ipv6 else IPV4
        try:
            super().__init__((loopback, port), handler_of(None))
        except (OSError, OverflowError) as error:
            raise InputError(
                f"Port {port} of {loopback} cannot be had ({getattr(error, 'strerror', None) or error}); "
                "give another --port, or leave it out."
            ) from error
        self.address = Address(loopback, self.server_address[1])

    def server_bind(self) -> None:
        """Bind without looking up this machine's name on the network, which the standard library's server does."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Return whether to accept a connection: from this machine, and within MOST_CONNECTIONS."""
        with self._lock:
            if len(self._open) >= MOST_CONNECTIONS or client_address[0] not in (IPV4, IPV6):
                return False
            self._open.add(request)
            return True

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing, as about pages that were closed during an answer."""

    def end_connections(self) -> None:
        """Close all open connections, even waiting ones."""
        with self._lock:
            for request in self._open:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)


@contextmanager
def running(server: LoopbackServer, routes: Routes) -> Iterator[None]:
    """Serve in threads during the block, and end them all after it."""
    server.RequestHandlerClass = handler_of(routes)
    thread = threading.Thread(target=server.serve_forever, args=(POLLED_SECONDS,), name="genmm serve")
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.end_connections()
        server.server_close()

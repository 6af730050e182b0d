# SPDX-License-Identifier: GPL-3.0-or-later
"""The server's address, and the checks that a request comes from the page that the server sent."""

import hmac
import secrets
from dataclasses import dataclass, field

IPV4, IPV6 = "127.0.0.1", "::1"
"""Loopback addresses, whose connections never leave the machine."""


@dataclass(frozen=True)
class ServerAddress:
    """The address of the server. token: the first part of each path; requests without it are rejected.

    >>> ServerAddress("::1", 8080, "secret").page
    'http://[::1]:8080/secret/'
    """

    loopback: str
    port: int
    token: str = field(default_factory=secrets.token_urlsafe, repr=False)

    @property
    def host(self) -> str:
        """Return the Host header that browsers send."""
        return f"[{self.loopback}]:{self.port}" if ":" in self.loopback else f"{self.loopback}:{self.port}"

    @property
    def origin(self) -> str:
        """Return the Origin header that browsers send."""
        return f"http://{self.host}"

    @property
    def page(self) -> str:
        """Return the address of the page."""
        return f"{self.origin}/{self.token}/"

    def is_asked(self, host: str | None) -> bool:
        """Return whether a request's Host is this server, not another name that resolves to this computer.

        >>> ServerAddress("127.0.0.1", 8080).is_asked("evil.example:8080")
        False
        """
        return host is not None and host.lower() == self.host

    def is_asked_by_itself(self, origin: str | None, *, changes: bool) -> bool:
        """Return whether a request comes from the server's page. changes: whether it is more than reading (POST)."""
        return not changes if origin is None else origin == self.origin

    def path_within(self, path: str) -> str | None:
        """Return the path after the token, compared in constant time; None if the token is wrong."""
        token, slash, remainder = path.removeprefix("/").partition("/")
        is_same = hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode("utf-8"))
        return remainder if is_same and slash else None


class Ticket:
    """A path that opens the page once, so that the browser's command line, visible to others, contains no token."""

    def __init__(self) -> None:
        self._token: str | None = secrets.token_urlsafe()

    @property
    def path(self) -> str:
        """Return the path to open; "" after its use."""
        return "" if self._token is None else f"/enter-{self._token}"

    def use(self, path: str) -> bool:
        """Return whether the path is that of the ticket, and if so, invalidate the ticket."""
        token = self._token
        if token is None or not hmac.compare_digest(path.encode("utf-8", "replace"), f"/enter-{token}".encode()):
            return False
        self._token = None
        return True

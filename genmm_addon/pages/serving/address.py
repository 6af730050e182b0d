# SPDX-License-Identifier: GPL-3.0-or-later
"""The address of the server, and the checks of who asks: none but the page that it has served itself."""

import hmac
import secrets
from dataclasses import dataclass, field

IPV4, IPV6 = "127.0.0.1", "::1"
"""The loopback addresses: nothing of them leaves the machine."""
TOKEN_BYTES = 24
"""Random bytes of a token: 192 bits, which nobody guesses."""


def _new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Address:
    """The place of the server. token: the first part of each path; who does not know it gets nothing.

    >>> Address("::1", 8080, "secret").page
    'http://[::1]:8080/secret/'
    """

    loopback: str
    port: int
    token: str = field(default_factory=_new_token, repr=False)

    @property
    def host(self) -> str:
        """Return what browsers send as Host."""
        return f"[{self.loopback}]:{self.port}" if ":" in self.loopback else f"{self.loopback}:{self.port}"

    @property
    def origin(self) -> str:
        """Return what browsers send as Origin."""
        return f"http://{self.host}"

    @property
    def page(self) -> str:
        """Return the page's own address."""
        return f"{self.origin}/{self.token}/"

    def is_asked(self, host: str | None) -> bool:
        """Return whether a request's Host is this server, and no name that somebody has led to this machine.

        >>> Address("127.0.0.1", 8080).is_asked("evil.example:8080")
        False
        """
        return host is not None and host.lower() == self.host

    def is_asked_by_itself(self, origin: str | None, *, changes: bool) -> bool:
        """Return whether a request comes from the server's own page. changes: it is no mere reading (POST)."""
        return not changes if origin is None else origin == self.origin

    def path_within(self, path: str) -> str | None:
        """Return what follows the token, compared in constant time; None where it is another one."""
        token, slash, rest = path.removeprefix("/").partition("/")
        is_same = hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode("utf-8"))
        return rest if is_same and slash else None


class Ticket:
    """An entrance that can be used once: the command line of a browser, which others can read, has no token then."""

    def __init__(self) -> None:
        self._token: str | None = _new_token()

    @property
    def path(self) -> str:
        """Return the path to open; "" when it has been used."""
        return "" if self._token is None else f"/enter-{self._token}"

    def use(self, path: str) -> bool:
        """Return whether the path is this entrance, which it is no longer then."""
        token = self._token
        if token is None or not hmac.compare_digest(path.encode("utf-8", "replace"), f"/enter-{token}".encode()):
            return False
        self._token = None
        return True

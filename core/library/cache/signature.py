# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures of kept files, so that those of strangers are made again and never decoded (HMAC: RFC 2104)."""

import hmac
import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

from ...storage import whole_file

KEY = "GENMM_PREPARATIONS_KEY"
"""Environment variable with the key of all who read each other's files, such as the machines of a farm."""


@cache
def signing_key() -> bytes:
    """Return the key that signs files: the one in the environment, or else a random one in the user's own folder.

    Where that cannot be written, the key is this process's own, so that files are read again by this process only.
    """
    given = os.environ.get(KEY, "")
    if given:
        return given.encode()
    with suppress(OSError, RuntimeError):
        own = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        path = Path(own) / "genmm" / "key"
        with suppress(FileExistsError):
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            with whole_file(path, may_replace=False) as unfinished:
                unfinished.chmod(0o600)
                unfinished.write_text(secrets.token_hex())
        return path.read_bytes()
    return secrets.token_bytes()


def signature(text: bytes) -> bytes:
    """Return the signature of bytes, 32 long.

    >>> from genmm_addon.core.library.cache.signature import signature
    >>> len(signature(b"text"))
    32
    """
    return hmac.digest(signing_key(), text, "sha256")

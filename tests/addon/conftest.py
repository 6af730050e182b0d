# SPDX-License-Identifier: GPL-3.0-or-later
"""Every test begins in an empty file, each process with factory settings; seeds are the same in every run."""

import random
import secrets
from collections.abc import Iterator

import bpy
import pytest
from interface import registered


@pytest.fixture(scope="session")
def factory_settings() -> None:
    """Reset the preferences, once: that enables Cycles anew, which takes four times as long as an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(autouse=True)
def empty_blender(factory_settings: None) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture(autouse=True)
def same_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A panel that draws a new seed draws the same ones in every run, since two seeds may give one motion."""
    monkeypatch.setattr(secrets, "randbelow", random.Random(0).randrange)


@pytest.fixture
def extension(empty_blender: None) -> Iterator[None]:
    """Enabled for the test; a whole module says `pytestmark = pytest.mark.usefixtures("extension")`."""
    with registered():
        yield

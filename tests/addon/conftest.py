# SPDX-License-Identifier: GPL-3.0-or-later
"""Every test begins in an empty file with factory settings, and draws the same seeds in every run."""

import random
import secrets
from collections.abc import Iterator

import bpy
import pytest
from interface import registered

from genmm_addon.libraries.kept_preparation import forget_preparation


def read_factory_settings() -> None:
    """Read preferences and an empty file as Blender comes with them, and count no preference as changed."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.is_dirty = False


@pytest.fixture(scope="session")
def factory_settings() -> None:
    """Preferences as Blender comes with them, whatever the profile has."""
    read_factory_settings()


@pytest.fixture(autouse=True)
def empty_blender(factory_settings: None) -> Iterator[None]:
    """An empty file; preferences are read anew after a test that changed them, since they take 29 ms and the file 6."""
    if bpy.context.preferences.is_dirty:
        read_factory_settings()
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    # What another test prepared of the same examples would be found again.
    forget_preparation()
    yield


@pytest.fixture(autouse=True)
def same_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A panel that draws a new seed draws the same ones in every run, since two seeds may give one motion."""
    monkeypatch.setattr(secrets, "randbelow", random.Random(0).randrange)


@pytest.fixture
def extension(empty_blender: None) -> Iterator[None]:
    """Enabled for the test; a whole module says `pytestmark = pytest.mark.usefixtures("extension")`."""
    with registered():
        yield

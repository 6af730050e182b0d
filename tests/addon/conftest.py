# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the add-on's tests: each test begins in an empty file with factory settings and draws the same seeds."""

import random
import secrets
from collections.abc import Iterator

import bpy
import pytest
from bpy.app.handlers import persistent
from interface import registered

from genmm_addon.libraries.kept_preparation import forget_preparation


@persistent  # type: ignore[untyped-decorator]
def give_context_to_scene(_path: str) -> None:
    """Make the scene of a file that was opened the owner of Blender 4.2's context.

    In 4.2, reading `context.layer_collection`, as Rigify does, makes the scene the owner of the context and of its
    window, even after the scene was freed with its file. A change of the window's scene, as by the importer and the
    exporter of glTF, then accesses the freed scene. In newer releases, reading it has no such effect.
    """
    _ = bpy.context.layer_collection


bpy.app.handlers.load_post.append(give_context_to_scene)


def read_factory_settings() -> None:
    """Load factory preferences and an empty file, and mark no preference as changed."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.is_dirty = False


@pytest.fixture(scope="session")
def factory_settings() -> None:
    """Load factory preferences in place of those of the profile."""
    read_factory_settings()


@pytest.fixture(autouse=True)
def empty_blender(factory_settings: None) -> Iterator[None]:
    """Provide an empty file; preferences, which take 29 ms and the file 6, are loaded again only after a change."""
    if bpy.context.preferences.is_dirty:
        read_factory_settings()
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    # Otherwise another test's preparation of the same examples would be found.
    forget_preparation()
    yield


@pytest.fixture(autouse=True)
def same_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make new seeds in the panel the same in every run, since two different seeds may give the same motion."""
    monkeypatch.setattr(secrets, "randbelow", random.Random(0).randrange)


@pytest.fixture
def extension(empty_blender: None) -> Iterator[None]:
    """Enable the extension for a test; for a whole module, `pytestmark = pytest.mark.usefixtures("extension")`."""
    with registered():
        yield

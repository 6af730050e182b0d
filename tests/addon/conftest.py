# SPDX-License-Identifier: GPL-3.0-or-later
"""Every test begins in an empty file with factory settings."""

from collections.abc import Iterator

import bpy
import pytest
from interface import registered


@pytest.fixture(autouse=True)
def empty_blender() -> Iterator[None]:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    yield


@pytest.fixture
def extension(empty_blender: None) -> Iterator[None]:
    """Enabled for the test; a whole module says `pytestmark = pytest.mark.usefixtures("extension")`."""
    with registered():
        yield

# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound strips of the sequencer in tests."""

from pathlib import Path
from typing import Any

import bpy
import pytest

needs_sound = pytest.mark.skipif(bpy.app.version < (4, 5), reason="Blender 4.2 as a module is built without sound")


def new_strip(path: Path, name: str, frame: int) -> Any:
    """Add a sound strip on a channel of its own, and return it."""
    editor = bpy.context.scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    return strips.new_sound(name, str(path), len(strips) + 1, frame)

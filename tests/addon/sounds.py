# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound files and strips of the sequencer in tests."""

import wave
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

RATE = 8000
"""Samples per second of files."""
needs_sound = pytest.mark.skipif(bpy.app.version < (4, 5), reason="Blender 4.2 as a module is built without sound")


def write_wav(path: Path, samples: NDArray[np.float64], width: int = 2, channels: int = 1) -> Path:
    """Write samples, -1 to 1, to a WAV file of whole numbers."""
    whole = np.round(np.clip(samples, -1, 1) * ((1 << (8 * width - 1)) - 1)).astype(np.int64)
    whole = np.repeat(whole[:, None], channels, axis=1) + (128 if width == 1 else 0)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(RATE)
        file.writeframes(whole.astype(f"<{'u' if width == 1 else 'i'}{width}").tobytes())
    return path


def new_strip(path: Path, name: str, frame: int) -> Any:
    """Add a sound strip on a channel of its own, and return it."""
    editor = bpy.context.scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    return strips.new_sound(name, str(path), len(strips) + 1, frame)

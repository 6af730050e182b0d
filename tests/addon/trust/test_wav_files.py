# SPDX-License-Identifier: GPL-3.0-or-later
"""WAV files of any width and rate, read in any Blender, with little memory."""

import tracemalloc
from pathlib import Path

import bpy
import numpy as np
import pytest

from bench.motions.sounds import write_wav
from genmm_addon.animation.signals.sound import DECODED_RATE, read_sound

pytestmark = pytest.mark.usefixtures("extension")


@pytest.mark.parametrize(("width", "channels", "rate"), [(1, 1, 22050), (2, 2, 96000), (3, 2, 48000), (4, 1, 8000)])
@pytest.mark.every_case
def test_wav_files_are_read_piece_by_piece(tmp_path: Path, width: int, channels: int, rate: int) -> None:
    heard, averaged = 0.5 * np.sin(2.0 * np.pi * np.arange(12 * rate) * 500.0 / rate), max(rate // DECODED_RATE, 1)
    path, scene = write_wav(tmp_path / "a.wav", heard, width, channels, rate), bpy.context.scene
    tracemalloc.start()
    samples, found = read_sound(str(path), scene, 1, 12 * scene.render.fps)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == rate / averaged and len(samples) == 12 * found
    assert np.allclose(samples, heard.reshape(-1, averaged).mean(axis=1), atol=0.01)
    # A second of the file as several arrays, and each sample in three.
    assert most < 16 * 4 * averaged * channels * DECODED_RATE + 3 * samples.nbytes


def test_a_file_that_ends_before_its_header_says_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path, scene = write_wav(tmp_path / "a.wav", np.full(96_000, 0.5), 3, 2, 48_000), bpy.context.scene
    path.write_bytes(path.read_bytes()[:-48_001])
    samples, rate = read_sound(str(path), scene, 1, 2 * scene.render.fps)
    assert len(samples) == 2 * rate and np.count_nonzero(samples > 0.4) == (6 * 96_000 - 48_001) // 12

# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound of the sequencer as it is heard: the oracle is Blender's own mixdown, which a module of Blender waits for."""

import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray
from sounds import needs_sound, new_strip

from bench.motions.sounds import SOUND_RATE, write_wav
from genmm_addon.animation.signals.sound import DECODED_RATE, read_sound
from genmm_addon.core import InputError

pytestmark = [pytest.mark.usefixtures("extension"), needs_sound]
FRAMES = 120


@pytest.fixture
def song(tmp_path: Path) -> Path:
    """Return a file of four seconds with tones that grow louder."""
    time = np.arange(4 * SOUND_RATE) / SOUND_RATE
    samples = np.sin(2 * np.pi * 220 * time) * np.where(time % 0.25 < 0.1, 0.2 + 0.15 * time, 0.0)
    return write_wav(tmp_path / "song.wav", samples)


def new_music(song: Path, frame: int = 13) -> Any:
    return new_strip(song, "Music", frame)


def loudness_of(samples: NDArray[np.floating], rate: float) -> NDArray[np.float64]:
    """Return the loudness in each twentieth of a second."""
    span = round(rate / 20)
    whole = np.asarray(samples[: len(samples) // span * span], np.float64).reshape(-1, span)
    return np.asarray(np.sqrt((whole**2).mean(axis=1)))


def mixed(folder: Path) -> NDArray[np.float64]:
    """Return the loudness of what Blender mixes."""
    scene, path = bpy.context.scene, folder / "mixed.wav"
    scene.frame_start, scene.frame_end = 1, 1 + FRAMES
    bpy.ops.sound.mixdown(
        filepath=str(path), container="WAV", codec="PCM", mixrate=DECODED_RATE, channels="MONO", accuracy=1024
    )
    with wave.open(str(path)) as file:
        return loudness_of(np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768.0, DECODED_RATE)


def trimmed(strip: Any) -> None:
    strip.frame_final_start, strip.frame_final_end = 30, 80


def moved_before(strip: Any) -> None:
    strip.frame_start = -20


def softer(strip: Any) -> None:
    strip.volume = 0.4


def fading(strip: Any) -> None:
    for frame, volume in ((13, 0.0), (100, 1.0)):
        strip.volume = volume
        strip.keyframe_insert("volume", frame=frame)


def in_meta(strip: Any) -> None:
    editor = bpy.context.scene.sequence_editor
    metas = editor.strips if hasattr(editor, "strips") else editor.sequences
    meta = metas.new_meta("Meta", 5, 13)
    strip.move_to_meta(meta)
    meta.frame_final_start, meta.frame_final_end = 40, 90


def packed(strip: Any) -> None:
    path = Path(strip.sound.filepath)
    strip.sound.pack()
    path.unlink()


def beside_another(strip: Any) -> None:
    other = new_strip(Path(strip.sound.filepath), "Other", 31)
    strip.volume = other.volume = 0.4  # together they must not be cut off


def as_it_is(_strip: Any) -> None:
    pass


@pytest.mark.parametrize(
    "change",
    [as_it_is, trimmed, moved_before, softer, fading, in_meta, packed, beside_another],
    ids=lambda f: f.__name__,
)
def test_strips_are_heard_as_blender_mixes_them(tmp_path: Path, song: Path, change: Callable[[Any], None]) -> None:
    change(new_music(song))
    samples, rate = read_sound("", bpy.context.scene, 1, FRAMES)
    ours, theirs = loudness_of(samples, rate), mixed(tmp_path)
    count = min(len(ours), len(theirs))
    assert theirs.max() > 0.05
    assert np.abs(ours[:count] - theirs[:count]).max() < 0.1 * theirs.max()


@pytest.mark.skipif(bpy.app.version < (5, 2), reason="earlier modules end when a script adds a retiming key")
def test_a_strip_at_another_speed_is_heard_at_it(song: Path) -> None:
    strip = new_music(song, 1)
    strip.retiming_keys.add(timeline_frame=strip.frame_final_end)
    strip.retiming_keys[1].timeline_frame = 49
    samples, rate = read_sound("Music", bpy.context.scene, 1, FRAMES)
    begins = np.flatnonzero(np.diff((loudness_of(samples, rate) > 0.03).astype(int)) > 0)
    assert len(samples) / rate == pytest.approx(FRAMES / 24, abs=0.01)
    assert not np.any(np.abs(samples[int(2.1 * rate) :]) > 0.01) and len(begins) >= 7
    strip.retiming_keys.add(timeline_frame=25)
    with pytest.raises(InputError, match='"Music" has several speeds'):
        read_sound("Music", bpy.context.scene, 1, FRAMES)


@pytest.mark.parametrize("by_channel", [False, True])
def test_a_muted_meta_strip_or_channel_mutes_what_it_holds(song: Path, by_channel: bool) -> None:
    in_meta(strip := new_music(song))
    meta = strip.parent_meta()
    (bpy.context.scene.sequence_editor.channels[meta.channel] if by_channel else meta).mute = True
    for name, sentence in (("Music", '"Music" is muted'), ("", "Every sound strip of the sequencer is muted")):
        with pytest.raises(InputError, match=sentence):
            read_sound(name, bpy.context.scene, 1, FRAMES)


def test_a_file_without_sound_and_a_missing_one_are_named(tmp_path: Path, song: Path) -> None:
    text = tmp_path / "notes.ogg"
    text.write_text("no sound", encoding="utf-8")
    with pytest.raises(InputError, match=r'notes.ogg" has no sound that Blender can read'):
        read_sound(str(text), bpy.context.scene, 1, FRAMES)
    new_music(song)
    song.unlink()
    with pytest.raises(InputError, match=r'song.wav" of the sound "Music" is missing'):
        read_sound("Music", bpy.context.scene, 1, FRAMES)


def test_reading_leaves_the_file_as_it_was(song: Path) -> None:
    strip = new_music(song)
    scenes, sounds = len(bpy.data.scenes), len(bpy.data.sounds)
    read_sound("Music", bpy.context.scene, 1, FRAMES)
    assert (len(bpy.data.scenes), len(bpy.data.sounds)) == (scenes, sounds) and not strip.mute

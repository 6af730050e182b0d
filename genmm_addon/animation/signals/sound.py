# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound over scene frames: WAV files read directly, and strips, sounds and other files mixed by Blender as heard."""

import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Scene, Sound
from numpy.typing import NDArray

from ...core import InputError
from ...core.storage import new_folder
from ..scene_time import scene_rate

Samples = NDArray[np.float32]

MIXED_RATE = 22_050
"""Samples per second of mixed sound: enough for what is heard as rhythm."""
LONGEST_SECONDS = 3600.0
"""Longest sound that is read, in seconds; an hour takes 320 MB."""


def read_sound(name: str, scene: Scene, first: float, frames: int) -> tuple[Samples, float]:
    """Return the mono samples `(S,)` that are heard over `frames` scene frames from `first` on, and their rate.

    name: of a strip of the sequencer, else of a sound of the file, else a path; "" is all that the sequencer plays. A
    sound or file begins at `first`. Raises InputError, with the name, where there is no such sound or it is silent.
    """
    seconds = frames / scene_rate(scene)
    if seconds > LONGEST_SECONDS:
        raise InputError(f"The motion lasts {seconds / 60:.0f} minutes; sound can be followed for up to an hour.")
    if not name:
        samples, rate = _mixed(scene, None, first, frames)
    elif (strip := _strips(scene).get(name)) is not None:
        samples, rate = _mixed(scene, strip, first, frames)
    else:
        samples, rate = _of_sound_or_file(name, scene, frames)
    samples = np.pad(samples, (0, max(round(seconds * rate) - len(samples), 0)))
    if not np.any(np.abs(samples) > SILENCE):
        raise InputError(f"{_said(name)} is silent over the frames of the motion; choose frames with sound.")
    return samples, rate


SILENCE = 1e-4
"""Largest sample that is not heard: -80 dB."""


def _said(name: str) -> str:
    return f'The sound "{name}"' if name else "The sequencer"


def _of_sound_or_file(name: str, scene: Scene, frames: int) -> tuple[Samples, float]:
    """Return the beginning of a sound of the file, or of a file on disk."""
    sound: Sound | None = bpy.data.sounds.get(name)
    path = Path(bpy.path.abspath(name if sound is None else sound.filepath))
    is_packed = sound is not None and sound.packed_file is not None
    if not is_packed and not path.is_file():
        raise InputError(f'There is no strip, sound or file "{name}"; choose one in the sequencer or a file.')
    if not is_packed and path.suffix.lower() == ".wav":
        wav = _read_wav(path, frames / scene_rate(scene))
        if wav is not None:
            return wav
    with _sounding_scene(scene) as temporary:
        strip = _new_strip(temporary, path, name)
        if sound is not None:
            strip.sound = sound
        return _mixed(temporary, strip, 1.0, frames)


def _read_wav(path: Path, seconds: float) -> tuple[Samples, float] | None:
    """Return the first seconds of a WAV file of whole numbers; None for other files, which Blender may read."""
    try:
        with wave.open(str(path), "rb") as file:
            rate, width, channels = file.getframerate(), file.getsampwidth(), file.getnchannels()
            data = file.readframes(min(file.getnframes(), int(np.ceil(seconds * rate))))
    except (wave.Error, EOFError, OSError):
        return None
    if width not in (1, 2, 4) or not data:
        return None
    kind, whole = "u" if width == 1 else "i", len(data) // (width * channels) * width * channels
    values = np.frombuffer(data[:whole], f"<{kind}{width}").astype(np.float32)
    scaled = values / np.float32(1 << (8 * width - 1)) - np.float32(1.0 if width == 1 else 0.0)
    return scaled.reshape(-1, channels).mean(axis=1), float(rate)


def _editor_of(scene: Scene) -> Any:
    """Return the sequence editor that the animator hears with a scene; None without one."""
    workspace = bpy.context.workspace
    heard = getattr(workspace, "sequencer_scene", None) or scene
    return heard.sequence_editor or scene.sequence_editor


def _strips(scene: Scene) -> dict[str, Any]:
    """Return the sound strips of the sequencer by name, also those in meta strips."""
    editor = _editor_of(scene)
    if editor is None:
        return {}
    every = editor.strips_all if hasattr(editor, "strips_all") else editor.sequences_all
    return {strip.name: strip for strip in every if strip.type == "SOUND"}


def strip_names(scene: Scene) -> list[str]:
    """Return the names of the sound strips that can be followed."""
    return sorted(_strips(scene))


@contextmanager
def _sounding_scene(scene: Scene) -> Iterator[Scene]:
    """Yield a temporary scene at the rate of `scene` whose sequencer is empty; sounds loaded for it are removed."""
    temporary, known = bpy.data.scenes.new("GenMM Sound"), set(bpy.data.sounds)
    try:
        temporary.render.fps, temporary.render.fps_base = scene.render.fps, scene.render.fps_base
        temporary.sequence_editor_create()
        yield temporary
    finally:
        bpy.data.scenes.remove(temporary)
        for sound in set(bpy.data.sounds) - known:
            bpy.data.sounds.remove(sound)


def _new_strip(scene: Scene, path: Path, name: str) -> Any:
    editor = scene.sequence_editor
    strips: Any = editor.strips if hasattr(editor, "strips") else getattr(editor, "sequences")  # noqa: B009
    try:
        strip = strips.new_sound("Sound", str(path), 1, 1)
    except RuntimeError as error:
        raise InputError(f'The sound "{name}" cannot be read here: {_reason(error)}; use a WAV file.') from error
    if strip.sound is None or strip.sound.channels == "INVALID":
        raise InputError(f'"{name}" has no sound that Blender can read; choose another file.')
    return strip


def _reason(error: RuntimeError) -> str:
    text = str(error).removeprefix("Error: ").strip().rstrip(".")
    return "this Blender is built without sound" if "compiled" in text else text[:1].lower() + text[1:]


def _mixed(scene: Scene, only: Any, first: float, frames: int) -> tuple[Samples, float]:
    """Return what a scene's sequencer plays over scene frames, or one strip of it alone, at its volume and speed.

    The scene's frame range and the muting of its strips are restored.
    """
    editor = _editor_of(scene)
    if editor is None:
        raise InputError("The sequencer has no sound; add a sound strip or choose a file.")
    owner: Scene = editor.id_data
    strips = _strips(scene)
    if only is not None and only.mute:
        raise InputError(f'The sound strip "{only.name}" is muted; unmute it or choose another sound.')
    before = owner.frame_start, owner.frame_end, {name: strip.mute for name, strip in strips.items()}
    begin = int(np.floor(first))
    folder = new_folder()
    try:
        if only is not None:
            for strip in strips.values():
                strip.mute = strip != only
        owner.frame_start, owner.frame_end = begin, begin + frames
        path = folder.path / "mixed.wav"
        with bpy.context.temp_override(scene=owner):
            bpy.ops.sound.mixdown(
                filepath=str(path), container="WAV", codec="PCM", mixrate=MIXED_RATE, channels="MONO", accuracy=1024
            )
        mixed = _read_wav(path, frames / scene_rate(scene))
    except RuntimeError as error:
        raise InputError(f"The sequencer's sound cannot be mixed: {_reason(error)}.") from error
    finally:
        owner.frame_start, owner.frame_end = before[:2]
        for name, muted in before[2].items():
            strips[name].mute = muted
        folder.remove()
    if mixed is None:
        raise InputError("The sequencer's sound could not be mixed; choose a WAV file.")
    return mixed

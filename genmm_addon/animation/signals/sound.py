# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound over scene frames: strips of the sequencer as they are heard, sounds of the file, and files on disk.

Blender's own mixdown is not used, since from Blender 5.2 on it ends only after the operator that asks for it.
"""

import wave
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Scene, Sound

from ...core import Float32, InputError
from ...core.storage import new_folder
from ..actions import values_of_property
from ..scene_time import scene_rate

Samples = Float32

DECODED_RATE = 22_050
"""Samples per second of decoded sound: enough for what is heard as rhythm."""
LONGEST_SECONDS = 3600.0
"""Longest sound that is read, in seconds; an hour takes 320 MB."""
SILENCE = 1e-4
"""Largest sample that is not heard: -80 dB."""


def read_sound(name: str, scene: Scene, first: float, frames: int) -> tuple[Samples, float]:
    """Return the mono samples `(S,)` that are heard over `frames` scene frames from `first` on, and their rate.

    name: of a strip of the sequencer, else of a sound of the file, else a path; "" is all that the sequencer plays. A
    sound or file begins at `first`. Raises InputError, with the name, where there is no such sound, it is silent, or
    it has samples that are not numbers.
    """
    seconds = frames / scene_rate(scene)
    if seconds > LONGEST_SECONDS:
        raise InputError(f"The motion lasts {seconds / 60:.0f} minutes; sound can be followed for up to an hour.")
    strips = _strips(scene)
    if not name or name in strips:
        samples, rate = _heard(_audible(strips, name), scene, first, frames), float(DECODED_RATE)
    else:
        samples, rate = _of_sound_or_file(name, seconds)
    samples = np.pad(samples, (0, max(round(seconds * rate) - len(samples), 0)))
    said = f'The sound "{name}"' if name else "The sequencer"
    if not np.isfinite(samples).all():
        raise InputError(f"{said} has samples that are not numbers (NaN) or infinite; export it again.")
    if not np.any(np.abs(samples) > SILENCE):
        raise InputError(f"{said} is silent over the frames of the motion; choose frames with sound.")
    return samples, rate


def _of_sound_or_file(name: str, seconds: float) -> tuple[Samples, float]:
    """Return the beginning of a sound of the file, or of a file on disk."""
    sound: Sound | None = bpy.data.sounds.get(name)
    path = Path(bpy.path.abspath(name))
    if sound is None and not path.is_file():
        raise InputError(f'There is no strip, sound or file "{name}"; choose one in the sequencer or a file.')
    with _file_of(name, sound, path) as file:
        wav = _read_wav(file, seconds)
        return wav if wav is not None else (_decoded(name, file, 0.0, seconds, DECODED_RATE), float(DECODED_RATE))


@contextmanager
def _file_of(name: str, sound: Sound | None, path: Path = Path()) -> Iterator[Path]:
    """Yield the file of a sound, or else the path; a packed sound is written to a file while it is read."""
    if sound is None or sound.packed_file is None:
        file = path if sound is None else Path(bpy.path.abspath(sound.filepath, library=sound.library))
        if not file.is_file():
            raise InputError(f'The file "{file}" of the sound "{name}" is missing; choose it again in Blender.')
        yield file
        return
    folder = new_folder()
    try:
        packed = folder.path / f"packed{Path(sound.filepath).suffix}"
        packed.write_bytes(sound.packed_file.data)
        yield packed
    finally:
        folder.remove()


def _read_wav(path: Path, seconds: float) -> tuple[Samples, float] | None:
    """Return the first seconds of a WAV file of whole numbers, in any Blender; None for other files.

    It is read piece by piece, at a rate of less than twice DECODED_RATE, so that memory depends on its length alone.
    """
    pieces = []
    try:
        with wave.open(str(path), "rb") as file:
            rate, width, channels = file.getframerate(), file.getsampwidth(), file.getnchannels()
            averaged = max(rate // DECODED_RATE, 1)
            left = min(file.getnframes(), int(np.ceil(seconds * rate))) if width <= np.dtype(np.int32).itemsize else 0
            while left > 0 and (data := file.readframes(min(left, averaged * DECODED_RATE))):
                pieces.append(_mono(data, width, averaged * channels))
                left -= averaged * DECODED_RATE
    except (wave.Error, EOFError, OSError):
        return None
    return (np.concatenate(pieces), rate / averaged) if pieces else None


def _mono(data: bytes, width: int, averaged: int) -> Samples:
    """Return the means of each `averaged` whole numbers of `width` bytes, in -1 to 1."""
    size = width * averaged
    numbers = np.frombuffer(data[: len(data) // size * size], np.uint8).reshape(-1, width)
    wide = np.zeros((len(numbers), np.dtype(np.int32).itemsize), np.uint8)
    wide[:, -width:] = numbers
    if width == 1:
        wide[:, -1] ^= 1 << 7  # Single bytes have no sign.
    values = wide.view("<i4").astype(np.float32) / np.float32(1 << 31)
    return np.asarray(values.reshape(-1, averaged).mean(axis=1))


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


def heard_as(scene: Scene) -> Hashable:
    """Return all that decides when, how loud and whether the sequencer's sounds are heard, unless volumes have keys."""
    return tuple(
        (
            *((part.frame_final_start, part.frame_final_end) for part in _with_metas(strip)),
            (
                _is_muted(strip),
                name,
                strip.volume,
                strip.sound and strip.sound.filepath,
                getattr(strip, "sound_offset", 0.0),
            ),
            (*(key.timeline_frame for key in strip.retiming_keys), strip.frame_offset_start),
        )
        for name, strip in _strips(scene).items()
    )


def strip_names(scene: Scene) -> list[str]:
    """Return the names of the sound strips that can be followed."""
    return sorted(_strips(scene))


def _audible(strips: dict[str, Any], name: str) -> list[Any]:
    """Return the strip of a name, else all that are not muted. Raises InputError where none is heard."""
    heard = {key: strip for key, strip in strips.items() if not _is_muted(strip)}
    if name and name not in heard:
        raise InputError(f'The sound strip "{name}" is muted; unmute it or choose another sound.')
    if strips and not heard:
        raise InputError("Every sound strip of the sequencer is muted; unmute one or choose another sound.")
    if not heard:
        raise InputError("The sequencer has no sound; add a sound strip or choose a file.")
    return [heard[name]] if name else list(heard.values())


def _is_muted(strip: Any) -> bool:
    """Return whether a strip, a meta strip that contains it, or the channel of one of them is muted."""
    return any(
        part.mute or (part.parent_meta() or strip.id_data.sequence_editor).channels[part.channel].mute
        for part in _with_metas(strip)
    )


def _with_metas(strip: Any) -> Iterator[Any]:
    """Yield a strip and the meta strips that contain it."""
    part = strip
    while part is not None:
        yield part
        part = part.parent_meta()


def _heard(strips: Sequence[Any], scene: Scene, first: float, frames: int) -> Samples:
    """Return what strips play together over scene frames, at their volumes and speeds."""
    owner: Scene = _editor_of(scene).id_data
    rate = scene_rate(owner)
    total = np.zeros(round(frames / rate * DECODED_RATE), np.float32)
    for strip in strips:
        ends = [(part.frame_final_start, part.frame_final_end) for part in _with_metas(strip)]
        start, end = max(first, *(start for start, _ in ends)), min(first + frames, *(end for _, end in ends))
        if start < end:
            samples = _played(strip, start, end, rate)
            begin = round((start - first) / rate * DECODED_RATE)
            samples = (
                samples[: len(total) - begin] * _volumes(strip, owner, start, end, len(samples))[: len(total) - begin]
            )
            total[begin : begin + len(samples)] += samples
    return total


def _played(strip: Any, start: float, end: float, rate: float) -> Samples:
    """Return what a strip plays from one frame to another, at full volume; rate: scene frames per second."""
    name, keys = strip.name, [key.timeline_frame for key in strip.retiming_keys]
    if len(keys) > 2:
        raise InputError(f'The sound strip "{name}" has several speeds; mix it down to a file and follow this one.')
    with _file_of(name, strip.sound) as file:
        if keys:
            origin, speed = keys[0], _seconds_of(name, file) * rate / max(keys[-1] - keys[0], 1)
        else:
            origin, speed = strip.content_start if hasattr(strip, "content_start") else strip.frame_start, 1.0
        begin = (start - origin) / rate * speed + getattr(strip, "sound_offset", 0.0)
        silent = min(max(-begin, 0.0), (end - start) / rate * speed)
        length = (end - start) / rate * speed - silent
        samples = _decoded(name, file, max(begin, 0.0), length, DECODED_RATE / speed)
    return np.pad(samples, (round(silent / speed * DECODED_RATE), 0))


def _volumes(strip: Any, owner: Scene, start: float, end: float, count: int) -> Samples:
    """Return the volume of a strip at each of `count` samples from one frame to another."""
    frames = np.arange(np.floor(start), np.ceil(end) + 1)
    volumes = values_of_property(owner, strip.path_from_id("volume"), frames)
    if volumes is None:
        return np.full(count, strip.volume, np.float32)
    return np.interp(np.linspace(start, end, count), frames, volumes).astype(np.float32)


def _decoded(name: str, file: Path, begin: float, seconds: float, rate: float) -> Samples:
    """Return the mono samples of a part of a file, in its own seconds, at a rate. Raises InputError if it has none."""
    if seconds <= 0.0:
        return np.zeros(0, np.float32)
    # The part comes before all else, so that an hour-long file takes no more memory than the part.
    part = _opened(name, file).limit(begin, begin + seconds).rechannel(1)
    return np.asarray(part.resample(rate, 1).data(), np.float32)[:, 0]


def _seconds_of(name: str, file: Path) -> float:
    """Return the length of a sound file in seconds."""
    opened = _opened(name, file)
    return float(opened.length / opened.specs[0])


def _opened(name: str, file: Path) -> Any:
    """Return a sound file as Blender's audio library has it.

    Raises InputError for a file without sound, and in a Blender without that library.
    """
    try:
        import aud
    except ImportError as error:
        reason = "this Blender is built without sound; use a WAV file of whole numbers"
        raise InputError(f'The sound "{name}" cannot be read here: {reason}.') from error
    # The library ends Blender as a Python module where it cannot read a file; a data-block tells that before.
    probe = bpy.data.sounds.load(str(file))
    channels = probe.channels
    bpy.data.sounds.remove(probe)
    if channels == "INVALID":
        raise InputError(f'"{name}" has no sound that Blender can read; choose another file.')
    return aud.Sound.file(str(file))

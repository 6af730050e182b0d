# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals to follow as rows of a list: `sound Music drives energy, property Lamp location[2] drives travel`."""

import re
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene

from ...core import Drive, Float64, Follow, InputError, OnBeat
from ...core.constraints import Constraint
from ...core.features import HEARD_CHANGE, loudness
from ..row_lists import NAME, ResultFrames, RowList, quoted, unquoted
from .beat_markers import beats_in_sound, marked_beats
from .sampled import read_character, read_property, read_stroke, read_waveform
from .sound import read_sound

SOURCES = (
    ("SOUND", "Sound", "A strip of the sequencer, a sound of this file, or a sound file; empty for all that is heard"),
    ("PROPERTY", "Property", "An animated property of an object, such as location[2]"),
    ("STROKE", "Stroke", "A curve or Grease Pencil stroke, from its beginning to its end"),
    ("CHARACTER", "Character", "The motion of another armature, or of one of its bones"),
)
ICONS = {"SOUND": "SOUND", "PROPERTY": "FCURVE", "STROKE": "GREASEPENCIL", "CHARACTER": "ARMATURE_DATA"}
DRIVEN = (
    ("ENERGY", "Energy", "How fast the whole body moves"),
    ("HEIGHT", "Height", "The height of a bone"),
    ("REACH", "Reach", "The distance of a bone from the body"),
    ("TURNING", "Turning", "How fast the character turns"),
    ("TRAVEL", "Travel", "How fast the character travels"),
    ("ANYTHING", "Anything", "Whatever varies as the signal does; moments that are alike show motion that is alike"),
    ("BEATS", "Beats", "Accents of the motion fall on the beats of the sound"),
)
_RESERVED = r"\S\s+\S|\s(drives|of|in|by)\s"
_WORDS = "|".join(identifier.lower() for identifier, _, _ in DRIVEN)


@dataclass(frozen=True)
class FollowedSignal:
    """A signal over the whole result.

    signal: one of SOURCES. named: the strip, object or file. detail: a property's path, or a bone of a character.
    driven: one of DRIVEN; bone: that it belongs to. strength: as of `Follow`. part: the only one that follows; "" for
    all.
    """

    signal: str
    named: str
    detail: str
    driven: str
    bone: str = ""
    strength: float = Follow.strength
    part: str = ""

    def __str__(self) -> str:
        words = [self.signal.lower(), quoted(self.named, _RESERVED) if self.named else '""']
        words += [quoted(self.detail, _RESERVED)] if self.detail else []
        words += ["drives", self.driven.lower()]
        words += ["of", quoted(self.bone, _RESERVED)] if self.bone else []
        words += ["in", quoted(self.part, _RESERVED)] if self.part else []
        # A text without a strength follows the signal at any cost, as texts that were saved do.
        words += [f"by {self.strength:g}"] if self.strength != 1.0 else []
        return " ".join(words)

    @property
    def said(self) -> str:
        """Return the name of the signal for a sentence."""
        return f'The signal "{self}"'

    @property
    def shown(self) -> str:
        """Return the text of the row in a panel."""
        driven = f"{self.driven.lower()} of {self.bone}" if self.bone else self.driven.lower()
        part = f"in {self.part}" if self.part else ""
        return " ".join(filter(None, (self.named or "All sound", self.detail, "drives", driven, part)))

    @property
    def icon(self) -> str:
        """Return the icon of the row."""
        return ICONS[self.signal]


def _read(match: re.Match[str]) -> FollowedSignal:
    name, detail = unquoted(match["name"]), unquoted(match["detail"] or "")
    bone, strength = unquoted(match["bone"] or ""), float(match["strength"] or 1.0)
    part = unquoted(match["part"] or "")
    return FollowedSignal(match["source"].upper(), name, detail, match["driven"].upper(), bone, strength, part)


def _constraints(signals: tuple[FollowedSignal, ...], result: ResultFrames) -> tuple[Constraint, ...]:
    return tuple(_follow(signal, result) for signal in signals)


def _follow(signal: FollowedSignal, result: ResultFrames) -> Constraint:
    """Return the constraint of one row. Raises InputError where it cannot be followed."""
    if not 0.0 < signal.strength <= 1.0:
        raise InputError(f"{signal.said} has a strength of {signal.strength:g}; choose one above 0 and up to 1.")
    if signal.driven == "BEATS":
        if signal.part:
            raise InputError(f"{signal.said} has beats, which the whole body keeps; remove the part.")
        return OnBeat(_beats(signal, result.scene, result.start, result.frames))
    drive = Drive(signal.driven.lower())
    if drive.needs_joint and not signal.bone:
        raise InputError(f'{signal.said} needs a bone; add it, such as "of hand.R".')
    joint = result.joint(signal.bone, "the followed signals") if drive.needs_joint else None
    values, level = _values(signal, result.character, result.scene, result.start, result.frames)
    return Follow(values, signal.strength, drive, joint, signal.part, level)


def _values(
    signal: FollowedSignal, character: Object, scene: Scene, start: float, frames: int
) -> tuple[Float64, Float64 | None]:
    """Return the values `(F, C)` of a signal at the frames of a result, and their level `(F,)`, None for the mean."""
    at = start + np.arange(frames, dtype=np.float64)
    if signal.signal == "SOUND":
        samples, _ = read_sound(signal.named, scene, start, frames)
        levels = loudness(samples, frames)
        if np.ptp(levels) <= HEARD_CHANGE * levels.max():
            levels[:] = levels.max()  # Nobody hears that a tone changes.
        return levels[:, None], None
    if signal.signal == "PROPERTY":
        return read_property(signal.named, signal.detail, character, scene, at), None
    if signal.signal == "STROKE":
        read = read_stroke if signal.driven == "ANYTHING" else read_waveform
        return read(signal.named, frames), None
    pose, speed = read_character(signal.named, signal.detail, character, scene, at)
    return pose, speed if signal.driven == "ENERGY" else None


@dataclass(frozen=True, eq=False)
class PlottedSignal:
    """A signal for drawing: values `(F,)` from 0 to 1 at the frames of a result, and beats in these frames."""

    values: Float64
    beats: Float64


def plotted(signal: FollowedSignal, character: Object, scene: Scene, start: float, frames: int) -> PlottedSignal:
    """Return a signal as it is drawn over `frames` frames from scene frame `start` on.

    Raises InputError where it cannot be followed.
    """
    values, level = _values(signal, character, scene, start, frames)
    if signal.driven == "BEATS":
        beats = _beats(signal, scene, start, frames)
    else:
        Follow(values, level=level)  # Raises InputError for a signal that is constant.
        beats = np.zeros(0)
    line = values.mean(axis=1) if level is None else level
    lowest, spread = line.min(), np.ptp(line)
    return PlottedSignal((line - lowest) / (spread if spread > 0 else 1.0), beats)


def _beats(signal: FollowedSignal, scene: Scene, start: float, frames: int) -> Float64:
    """Return the beats in frames of the result: those of markers, else those found in the sound."""
    if signal.signal != "SOUND":
        raise InputError(f"{signal.said} has no beats; choose a sound.")
    marked = marked_beats(scene, start, frames)
    return marked if len(marked) else beats_in_sound(scene, signal.named, start, frames)


FOLLOWS = RowList(
    "followed signal",
    'sound "Music" drives energy, or property Lamp location[2] drives height of hand.R',
    FollowedSignal,
    rf"(?P<source>sound|property|stroke|character)\s+(?P<name>{NAME[1:-1]})(?:\s+(?P<detail>{NAME[1:-1]}))?"
    rf"\s+drives\s+(?P<driven>{_WORDS})(?:\s+of\s+(?P<bone>{NAME[1:-1]}))?(?:\s+in\s+(?P<part>{NAME[1:-1]}))?(?:\s+by\s+(?P<strength>[\d.]+))?",
    _read,
    _constraints,
)

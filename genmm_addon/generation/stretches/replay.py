# SPDX-License-Identifier: GPL-3.0-or-later
"""Regeneration of a synthesis's stretches, one after another, as its recipe says."""

from dataclasses import replace

import numpy as np

from ...core import InputError, Motion, Prepared, Synthesis
from ...core.infill import Replanned, Surroundings
from ..directing import ResolvedConstraints
from .material import Material, StretchPlace, material_of, next_alternative
from .redone import Redone, parse_redone


def as_asked(synthesis: Synthesis, redone: str, prepared: Prepared, resolved: ResolvedConstraints) -> Synthesis:
    """Return a synthesis with the stretches of a text regenerated. Raises InputError for one outside of it."""
    stretches = parse_redone(redone)
    material = material_of(prepared, resolved) if stretches else None
    for stretch in stretches:
        assert material is not None
        synthesis = _with_stretch(synthesis, stretch, material)
    return synthesis


def check_stretch(first: int, last: int, frames: int) -> None:
    """Raise InputError unless a stretch, counted from 1, lies in a motion of `frames` frames and is not all of it."""
    if not 1 <= first <= last <= frames:
        raise InputError(f"Frames {first} to {last} lie outside the motion, which has {frames}; choose others.")
    if last - first + 1 == frames:
        raise InputError("The stretch is the whole motion; regenerate that, or choose less of it.")


def place_in(motion: Motion, first: int, last: int) -> StretchPlace:
    """Return the place of a stretch of a motion, counted from 1. Raises InputError where it is the whole motion."""
    check_stretch(first, last, motion.frames)
    before = motion.slice(0, first - 1) if first > 1 else None
    after = motion.slice(last, motion.frames) if last < motion.frames else None
    return StretchPlace(Surroundings(before, after), first - 1, last - first + 1)


def _with_stretch(synthesis: Synthesis, stretch: Redone, material: Material) -> Synthesis:
    motion, inside = synthesis.motion, slice(stretch.first - 1, stretch.last)
    place = place_in(motion, stretch.first, stretch.last)
    known: list[Replanned] = []
    for _ in range(stretch.number):
        known.append(next_alternative(material, place, motion.slice(inside.start, inside.stop), known))
    replanned = known[-1]
    channels = {name: values.copy() for name, values in motion.channels().items()}
    for name, values in replanned.motion.channels().items():
        channels[name][inside] = values
    examples, frames = synthesis.source_examples.copy(), synthesis.source_frames.copy()
    examples[inside], frames[inside] = replanned.source_examples, replanned.source_frames
    rates = synthesis.source_rates
    if rates is not None or replanned.source_rates is not None:
        rates = np.ones(frames.shape) if rates is None else rates.copy()
        rates[inside] = 1.0 if replanned.source_rates is None else replanned.source_rates
    return replace(
        synthesis,
        motion=motion.with_channels(channels),
        source_examples=examples,
        source_frames=frames,
        source_rates=rates,
        weighted_sources=None,
    )

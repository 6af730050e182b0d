# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that can follow a path: of a library with bows and walks, those that go somewhere, and the way most do."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core import Facing, rotations
from ..core.clips import ClipLibrary
from ..core.motion import RootPlan, find_root, place_and_heading

LOOKED_AT = 9
"""Frames of a clip, evenly spread, between which its way is taken as straight."""
LEAST_WAY = 0.5
"""A clip that goes less far, in sizes of the skeleton, stays in place: as the engine counts it."""
LEAST_COSINE = 0.5
"""A clip whose way is more than 60 degrees off that of most is of another gait: sideways, or backwards."""
CLIPS_FOR_ROOT = 50
"""Clips, evenly spread, by which the joint that travels is found."""


def traveling(library: ClipLibrary, numbers: Sequence[int]) -> list[int]:
    """Return those of some clips, by number, that travel as most of them do; all of them where none travels."""
    if not numbers:
        return []
    ways = _ways(library, numbers)
    far = np.linalg.norm(ways, axis=1) >= LEAST_WAY
    if not far.any():
        return list(numbers)
    main = ways[far].sum(axis=0)
    along = ways @ main >= LEAST_COSINE * np.linalg.norm(ways, axis=1) * np.linalg.norm(main)
    return [number for number, kept in zip(numbers, far & along, strict=True) if kept] or list(numbers)


def _ways(library: ClipLibrary, numbers: Sequence[int]) -> NDArray[np.float64]:
    """Return how far each clip goes `(C, 2)`, seen from where the body faces, in sizes of the skeleton."""
    starts, stops = library.starts[list(numbers)], library.stops[list(numbers)]
    shares = np.linspace(0.0, 1.0, LOOKED_AT)
    frames = np.round(starts[:, None] + (stops - 1 - starts)[:, None] * shares).astype(np.int64)
    some = numbers[:: max(len(numbers) // CLIPS_FOR_ROOT, 1)]
    root = find_root([library.motion(number) for number in some])
    motion = library.at(frames.ravel())
    places, turns = place_and_heading(motion, RootPlan(root, (), Facing.FREE, False))
    axes = rotations.ground_axes(motion.skeleton.up)
    ground = (places.astype(np.float64) @ axes.T).reshape(*frames.shape, 2)
    steps, angles = np.diff(ground, axis=1), -turns.reshape(frames.shape)[:, :-1]
    cosine, sine = np.cos(angles), np.sin(angles)
    seen = np.stack((cosine * steps[..., 0] - sine * steps[..., 1], sine * steps[..., 0] + cosine * steps[..., 1]), -1)
    return np.asarray(seen.sum(axis=1) / motion.skeleton.size)

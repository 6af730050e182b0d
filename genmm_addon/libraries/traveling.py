# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the clips that can follow a path: in a library of bows and walks, those that travel as most do."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core import Facing, rotations
from ..core.library import ClipLibrary
from ..core.motion import IN_PLACE_NET, RootPlan, find_root, place_and_heading

LOOKED_AT = 9
"""Number of frames of a clip, evenly spread, between which its path is taken as straight."""
LEAST_COSINE = 0.5
"""Least cosine of the angle, 60 degrees, to most clips' direction; others have another gait, such as backward."""
CLIPS_FOR_ROOT = 50
"""Number of clips, evenly spread, from which the traveling joint is found."""


def traveling(library: ClipLibrary, numbers: Sequence[int]) -> list[int]:
    """Return those of the clips, by number, that travel in the direction of most; all of them if none travels."""
    if not numbers:
        return []
    displacements = _displacements(library, numbers)
    far = np.linalg.norm(displacements, axis=1) >= IN_PLACE_NET
    if not far.any():
        return list(numbers)
    main = displacements[far].sum(axis=0)
    along = displacements @ main >= LEAST_COSINE * np.linalg.norm(displacements, axis=1) * np.linalg.norm(main)
    return [number for number, kept in zip(numbers, far & along, strict=True) if kept] or list(numbers)


def _displacements(library: ClipLibrary, numbers: Sequence[int]) -> NDArray[np.float64]:
    """Return the displacement of each clip `(C, 2)` relative to the body's facing, in sizes of the skeleton."""
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

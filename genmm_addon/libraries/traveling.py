# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the clips that can follow a path: in a library of bows and walks, those that travel as most do."""

from collections.abc import Sequence

import numpy as np

from ..core import Facing, Float64, rotations, same_values
from ..core.library import ClipLibrary
from ..core.motion import IN_PLACE_NET, RootPlan, evenly, find_root, place_and_heading
from .one_skeleton import with_channels

LOOKED_AT = 9
"""Number of frames of a clip, evenly spread, between which its path is taken as straight."""
LEAST_COSINE = 0.5
"""Least cosine of the angle, 60 degrees, to most clips' direction; others have another gait, such as backward."""


Entry = tuple[ClipLibrary, int]
"""A library, and the number of one of its clips."""


def traveling(entries: Sequence[Entry]) -> list[Entry]:
    """Return the clips that travel in the direction of most on the same skeleton; all of a skeleton if none travels."""
    going: set[tuple[int, int]] = set()
    for group in _by_skeleton(entries):
        going |= {(id(library), number) for library, number in _traveling(group)}
    return [(library, number) for library, number in entries if (id(library), number) in going]


def _by_skeleton(entries: Sequence[Entry]) -> list[list[Entry]]:
    groups: list[list[Entry]] = []
    of_library: dict[int, list[Entry]] = {}
    for library, number in entries:
        if id(library) not in of_library:
            same = (group for group in groups if same_values(group[0][0].skeleton, library.skeleton))
            group = next(same, [])
            groups += [] if group else [group]
            of_library[id(library)] = group
        of_library[id(library)].append((library, number))
    return groups


def _traveling(entries: Sequence[Entry]) -> Sequence[Entry]:
    displacements = _displacements(entries)
    far = np.linalg.norm(displacements, axis=1) >= IN_PLACE_NET
    if not far.any():
        return entries
    main = displacements[far].sum(axis=0)
    along = displacements @ main >= LEAST_COSINE * np.linalg.norm(displacements, axis=1) * np.linalg.norm(main)
    return [entry for entry, kept in zip(entries, far & along, strict=True) if kept] or entries


def _displacements(entries: Sequence[Entry]) -> Float64:
    """Return the displacement of each clip `(C, 2)` relative to the body's facing, in sizes of the skeleton."""
    some = [entries[number] for number in evenly(len(entries)).tolist()]
    channels = np.array(sorted({joint for library, _ in entries for joint in library.translated.tolist()}), np.int64)
    root = find_root([with_channels(library.motion(number), channels) for library, number in some])
    seen = np.empty((len(entries), 2))
    for library in {id(library): library for library, _ in entries}.values():
        rows = [row for row, (other, _) in enumerate(entries) if other is library]
        seen[rows] = _displacements_in(library, [entries[row][1] for row in rows], root)
    return seen


def _displacements_in(library: ClipLibrary, numbers: Sequence[int], root: int) -> Float64:
    starts, stops = library.starts[list(numbers)], library.stops[list(numbers)]
    shares = np.linspace(0.0, 1.0, LOOKED_AT)
    frames = np.round(starts[:, None] + (stops - 1 - starts)[:, None] * shares).astype(np.int64)
    motion = library.at(frames.ravel())
    places, turns = place_and_heading(motion, RootPlan(root, (), Facing.FREE, False))
    axes = rotations.ground_axes(motion.skeleton.up)
    ground = (places.astype(np.float64) @ axes.T).reshape(*frames.shape, 2)
    steps, angles = np.diff(ground, axis=1), -turns.reshape(frames.shape)[:, :-1]
    return np.asarray(rotations.turn_on_ground(steps, angles).sum(axis=1) / motion.skeleton.size)

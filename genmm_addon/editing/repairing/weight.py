# SPDX-License-Identifier: GPL-3.0-or-later
"""The weight of a character over the action that it plays: center of mass, support and flights."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object, Scene

from ...character.flesh import flesh_of_character
from ...core import Float64, InputError, Skeleton
from ...core.evaluation import (
    Flight,
    Support,
    center_of_mass,
    extrapolated_center,
    find_flights,
    find_gravity,
    find_support,
)
from ...core.feet import standing_of
from ..edit_task import EditTask
from .reading import RepairRequest, read_flawed


@dataclass(frozen=True, eq=False)
class WeightOverTime:
    """The center of mass of T frames, from scene frame `first` on, in the space of the skeleton's roots.

    center, ahead: `(T, 3)` the center of mass and the extrapolated one. outside: `(T,)` distance of the latter from the
    support, negative inside, and nan without support. arcs: `(F, 3)` points of each flight along gravity.
    """

    skeleton: Skeleton
    first: float
    center: Float64
    ahead: Float64
    outside: Float64
    support: Support
    arcs: tuple[Float64, ...]


def read_weight(character: Object, scene: Scene, action: Action, slot: str) -> WeightOverTime | None:
    """Return the weight of a character over an action; None for an action that cannot be read or is too short."""
    try:
        read = read_flawed(EditTask(character, scene, action, slot, None), RepairRequest(kinds=frozenset()))
    except InputError:
        return None
    motion, standing = read.motion, standing_of(read.motion)
    model, up = flesh_of_character(character, motion.skeleton, scene).masses, motion.skeleton.up
    center = center_of_mass(motion, model)
    flights, support = find_flights(motion, center, standing), find_support(motion, standing)
    gravity, rate = find_gravity(motion.skeleton, model, flights), motion.frames_per_second
    ahead = extrapolated_center(center, support.level, up, gravity, rate)
    arcs = tuple(_arc(center, flight, gravity / rate**2, np.array(up)) for flight in flights)
    return WeightOverTime(
        motion.skeleton, float(read.frames[0]), center, ahead, support.outside(ahead)[0], support, arcs
    )


def _arc(center: Float64, flight: Flight, gravity: float, up: Float64) -> Float64:
    """Return the points `(F, 3)` of the center of mass from take-off to landing; gravity: per frame squared."""
    # Flights neither begin with the first frame nor end with the last one.
    start, end = flight.first - 1, flight.last + 1
    steps = np.arange(end - start + 1)[:, None]
    chord = center[start] + steps / (end - start) * (center[end] - center[start])
    return np.asarray(chord + gravity / 2 * steps * (end - start - steps) * up)

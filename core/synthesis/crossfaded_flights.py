# SPDX-License-Identifier: GPL-3.0-or-later
"""Flights within crossfades: the body falls as it does on both sides, whose heights differ."""

import numpy as np

from ..arrays import Float64, Mask
from ..evaluation.body.center import center_of_mass
from ..evaluation.body.flights import gravity_of_flight
from ..evaluation.body.segments import BodyModel, find_body_model
from ..examples.example_data import Examples
from ..motion.motion import Motion
from ..motion.spans import spans
from ..planning.crossfades import LONGEST_CROSSFADE_SECONDS, Crossfades


def lifts_in_flights(
    motion: Motion, examples: Examples, crossfades: Crossfades, in_air: Mask, fixed: Mask, largest: float
) -> Float64:
    """Return vertical moves `(T, 3)` of the body that leave to flights within crossfades what both sides accelerate.

    A mean of two flights whose weights change would push the body off in the air. Here only the line between its
    heights at take-off and landing depends on these weights. A body that lies, sits or hangs does not fly, and is
    left alone. in_air: `(T,)` frames without a planted foot. fixed: `(T,)` frames at which the root is fixed; flights
    with one stay as they are. largest: acceleration of the body, in units per frame squared, up to which a lift may
    change its speed at take-off and landing.
    """
    up, lifts = np.array(motion.skeleton.up), np.zeros((motion.frames, 3))
    faded = np.zeros(motion.frames, bool)
    faded[crossfades.frames] = True
    # A body stays up for longer only if something holds it, and a loop's neighboring rounds reach no farther.
    longest = LONGEST_CROSSFADE_SECONDS / 2 * motion.frames_per_second
    flights = [
        (first, end)
        for first, end in spans(in_air)
        if first > 0 and end < min(motion.frames, first + longest)
        if faded[first:end].any() and not fixed[first - 1 : end + 1].any()
    ]
    if not flights:
        return lifts
    model = find_body_model(motion.skeleton)
    flown = np.concatenate([np.arange(first, end) for first, end in flights])
    inside = np.isin(crossfades.frames, flown)
    goal, weights = np.full(motion.frames, np.nan), crossfades.weights[inside].astype(np.float64)
    sides = _accelerations(examples, crossfades, inside, model)
    goal[crossfades.frames[inside]] = (1.0 - weights) * sides[0] + weights * sides[1]
    around = np.unique(np.clip(flown + np.arange(-2, 3)[:, None], 0, motion.frames - 1))
    heights = np.zeros(motion.frames)
    heights[around] = center_of_mass(motion.take(around), model) @ up
    rate, size = motion.frames_per_second, motion.skeleton.size
    for first, end in flights:
        natural = np.diff(heights[first - 1 : end + 1], 2)
        target = np.where(np.isnan(goal[first:end]), natural, goal[first:end])
        lift = lift_of_flight(heights, first, target, largest)
        if gravity_of_flight(heights[first:end] + lift[1:-1], rate, size) is not None:
            lifts[first - 1 : end + 1] = lift[:, None] * up
    return lifts


def lift_of_flight(heights: Float64, first: int, target: Float64, largest: float) -> Float64:
    """Return how far a body in a flight of T frames has to be lifted `(T + 2)` to accelerate by the target `(T,)`.

    Take-off and landing, the frames beside it, stay. heights: of the center of mass. first: the first frame of the
    flight. largest: see lifts_in_flights.
    """
    end = first + len(target)
    missing = target - np.diff(heights[first - 1 : end + 1], 2)
    # Twice summed, less the line that leaves take-off and landing where they are.
    summed = np.concatenate(([0.0, 0.0], np.cumsum(np.cumsum(missing))))
    lift = summed - np.linspace(0.0, 1.0, len(summed)) * summed[-1]
    return np.asarray(lift * _calm_share(heights, lift, first, end, largest))


def _calm_share(heights: Float64, lift: Float64, first: int, end: int, largest: float) -> float:
    """Return the share, 0 to 1, of a flight's lift at which take-off and landing accelerate at most `largest`."""
    share = 1.0
    for at, change in ((first - 1, lift[1]), (end, lift[-2])):
        if 0 < at < len(heights) - 1 and change:
            now = heights[at - 1] - 2.0 * heights[at] + heights[at + 1]
            room = max(largest - np.sign(change) * now, 0.0)
            share = min(share, room / abs(change))
    return share


def _accelerations(
    examples: Examples, crossfades: Crossfades, inside: Mask, model: BodyModel
) -> tuple[Float64, Float64]:
    """Return the vertical accelerations `(K,)` of the center of mass on both sides of K frames of crossfades."""
    needed = np.unique(np.concatenate((crossfades.before[inside], crossfades.after[inside])))
    up, bounds = np.array(examples.skeleton.up), examples.bounds
    which, found = bounds.example_of(needed), np.zeros(len(needed))
    for number in np.unique(which).tolist():
        here, motion = which == number, examples.motions[number]
        # The first and the last frame have no acceleration, but their neighbors do.
        at = np.clip(needed[here] - bounds.starts[number], 1, max(motion.frames - 2, 1))
        around = np.clip(at + np.arange(-1, 2)[:, None], 0, motion.frames - 1)
        heights = (center_of_mass(motion.take(around.reshape(-1)), model) @ up).reshape(3, -1)
        found[here] = heights[0] - 2.0 * heights[1] + heights[2]
    before, after = (found[np.searchsorted(needed, of[inside])] for of in (crossfades.before, crossfades.after))
    if crossfades.sides is not None:
        paces = [side[0].rates[inside] for side in crossfades.sides]
        before, after = before * paces[0] ** 2, after * paces[1] ** 2
    return before, after

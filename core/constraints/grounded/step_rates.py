# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates at which examples are played on stairs, so that the character takes one step for each tread."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...environment import Surface
from ...environment.ground.soles import flat_level
from ...environment.ground.steps import step_lengths
from ...errors import counted
from ...examples.example_data import ExampleFeet, Examples
from ...feet.calm_knees import MOST_RATE
from ...motion.filters import smooth
from ...motion.ground_travel import SWAY_SECONDS


@dataclass(frozen=True, eq=False)
class StepRates:
    """Rates `(F,)` of the examples on a route over stairs, and those `needed` `(F,)` for one step on each tread."""

    rates: Float64
    needed: Float64

    def notes(self, first_frame: float) -> tuple[str, ...]:
        """Return a sentence on stairs that are climbed by twos; first_frame: the number of the first frame."""
        frames, most = np.flatnonzero(self.needed > MOST_RATE), float(self.needed.max())
        if not len(frames):
            return ()
        more = counted(int(np.ceil(len(frames) * (most / MOST_RATE - 1.0))), "frame")
        first, last = (f"{first_frame + frame:g}" for frame in frames[[0, -1]])
        return (
            f"From frame {first} to {last}, a step on each stair would take {most:.1f} times as many steps as the "
            f"examples have, so some steps go over two stairs; add {more} there.",
        )


def step_rates(examples: Examples, feet: ExampleFeet, surface: Surface, route: Float64) -> StepRates | None:
    """Return the rates on a route `(F, 3)`; None if the examples' own steps fit the ground."""
    places, steps = surface.to_ground(route)[:, :2], _steps(examples, feet)
    if len(places) < 2 or not len(steps):
        return None
    speeds = np.linalg.norm(np.gradient(places, axis=0), axis=1)
    size, level = examples.skeleton.size, _level(examples, feet, surface)
    own = np.minimum(speeds * _durations(steps, speeds), size)
    lengths = step_lengths(surface, places, level, size, float(own.max())) if own.any() else None
    if lengths is None or (lengths >= own).all():
        return None
    needed = np.maximum(own / lengths, 1.0)
    # At a rate in between, steps on one stair and on two would alternate.
    fitted = np.where(needed > MOST_RATE, 1.0, needed)
    rates = smooth(fitted[:, None], SWAY_SECONDS, examples.frames_per_second)[:, 0]
    return StepRates(np.clip(rates, 1.0, MOST_RATE), needed)


def _level(examples: Examples, feet: ExampleFeet, surface: Surface) -> float:
    number, legs = examples.leading[0], _legs(feet)
    contacts = feet.contacts[int(examples.bounds.starts[number]) : int(examples.bounds.ends[number])]
    return flat_level(examples.motions[number], [feet.feet[leg] for leg in legs], contacts[:, legs], surface)


def _legs(feet: ExampleFeet) -> list[int]:
    return [index for index, foot in enumerate(feet.feet) if foot.has_leg]


def _steps(examples: Examples, feet: ExampleFeet) -> Float64:
    """Return the travel and the duration, in frames, `(K, 2)` of the examples' steps, from one landing to the next."""
    legs = _legs(feet)
    found = [np.zeros((0, 2))]
    for number in examples.leading:
        first, end = int(examples.bounds.starts[number]), int(examples.bounds.ends[number])
        stands = feet.contacts[first:end][:, legs]
        landings = np.flatnonzero((stands[1:] & ~stands[:-1]).any(axis=1)) + 1
        traveled = np.linalg.norm(examples.ground_velocity(number).astype(np.float64), axis=1)
        covered = np.concatenate(([0.0], np.cumsum(traveled)))
        steps = np.stack((np.diff(covered[landings]), np.diff(landings).astype(np.float64)), axis=1)
        found.append(steps[steps[:, 0] > 0])
    return np.concatenate(found)


def _durations(steps: Float64, speeds: Float64) -> Float64:
    """Return the median duration `(F,)` of the quarter of the steps whose speed is nearest to each of `speeds`."""
    order = np.argsort(steps[:, 0] / steps[:, 1], kind="stable")
    own, durations = (steps[:, 0] / steps[:, 1])[order], steps[order, 1]
    count = max(1, len(steps) // 4)
    first = np.clip(np.searchsorted(own, speeds) - count // 2, 0, len(own) - count)
    medians = np.median(np.lib.stride_tricks.sliding_window_view(durations, count), axis=1)
    return np.asarray(medians[first])

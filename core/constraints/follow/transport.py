# SPDX-License-Identifier: GPL-3.0-or-later
"""Transport plan between a signal and the examples, by the distances within each of the two.

Moments of the signal that resemble each other are matched with moments of the examples that resemble each other. The
distances are compared within each domain, so no mapping between the domains is needed (fused Gromov-Wasserstein
transport: Vayer et al. 2019; for motion: Agata and Igarashi, SIGGRAPH 2025). Each moment of the signal has one unit of
mass; how much of the examples is shown is only softly even.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...features.principal_axes import principal_axes
from ...motion.piecewise import PAIRED, evenly

ROUNDS = 20
"""Largest number of rounds in which the cost is linearized at the present plan, until the plan settles, and number of
Sinkhorn rounds for each of these, which continue from the potentials of the round before."""
ENTROPY = 0.02
"""Entropy of the plan, as a share of the mean squared difference of distances: the smallest at which 64-bit kernels of
normalized costs do not vanish."""
EVENNESS = 0.1
"""Weight of an even use of the examples, in the same unit. If it were strict, a signal that is mostly calm would have
to show lively motion as often as the examples do."""


@dataclass(frozen=True, eq=False)
class Matching:
    """A transport plan between landmarks of a signal and of the examples.

    signal_rows: `(m, a)` and example_rows: `(n, b)` of the landmarks, in units of their mean distances. plan: `(m, n)`,
    each of whose rows sums to 1 / m.
    """

    signal_rows: Float64
    example_rows: Float64
    plan: Float64

    def costs(self, signal: Float64, examples: Float64) -> Float64:
        """Return the cost `(F, N)` of showing each example moment at each moment of the signal, without cross costs.

        signal: `(F, a)` and examples: `(N, b)`, in the units of the landmarks.
        """
        signal_distances = distances(signal, self.signal_rows)
        example_distances = distances(examples, self.example_rows)
        return linearized(signal_distances, example_distances, self.plan)


def match(signal: Float64, examples: Float64, cross: Float64 | None, cross_weight: float) -> Matching:
    """Return the transport plan between rows `(F, a)` of a signal and `(N, b)` of the examples.

    cross: `(F, N)` cost between the domains, 1 in the mean; None: there is none, and either direction of the signal is
    as good. cross_weight: its weight, from 0 to 1; the distances have the rest.
    """
    rows, columns = evenly(len(signal), PAIRED), evenly(len(examples), PAIRED)
    signal_rows, example_rows = signal[rows], examples[columns]
    within = distances(signal_rows, signal_rows), distances(example_rows, example_rows)
    if cross is None:
        # Which end of the signal is matched with which end of the examples at first is as good either way.
        start, between = np.square(_order(signal_rows)[:, None] - _order(example_rows)), np.zeros((1, 1))
        cross_weight = 0.0
    else:
        start = between = cross[np.ix_(rows, columns)]
    potential = np.zeros(len(columns))
    plan, potential = _sinkhorn(start, potential)
    for _ in range(ROUNDS):
        costs = (1.0 - cross_weight) * linearized(*within, plan) + cross_weight * between
        before, (plan, potential) = plan, _sinkhorn(costs, potential)
        if np.abs(plan - before).sum() < 1e-4:
            break
    return Matching(signal_rows, example_rows, plan)


def _order(rows: Float64) -> Float64:
    """Return the ranks `(F,)` of rows along their principal axis, from 0 to 1."""
    along = rows @ principal_axes(rows - rows.mean(axis=0), 1)[:, 0]
    return np.asarray(along.argsort(kind="stable").argsort(kind="stable") / max(len(rows) - 1, 1))


def linearized(signal_distances: Float64, example_distances: Float64, plan: Float64) -> Float64:
    """Return the mean squared difference of distances `(F, N)` to the landmarks that a plan `(m, n)` matches.

    signal_distances: `(F, m)`. example_distances: `(N, n)` (Peyré, Cuturi, Solomon 2016, proposition 1).
    """
    of_signal = signal_distances**2 @ plan.sum(axis=1)
    of_examples = example_distances**2 @ plan.sum(axis=0)
    return np.asarray(of_signal[:, None] + of_examples - 2.0 * (signal_distances @ plan @ example_distances.T))


def distances(first: Float64, second: Float64) -> Float64:
    """Return the distances `(F, N)` between rows `(F, C)` and `(N, C)`."""
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2.0 * (first @ second.T)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def normalized(rows: Float64) -> Float64:
    """Return rows `(F, C)` centered, in units of their root mean square distance; zeros if all are the same."""
    centered = rows - rows.mean(axis=0)
    unit = np.sqrt(2.0 * (centered**2).sum(axis=1).mean())
    varies = unit > 1e-9 * max(float(np.abs(rows).max(initial=0.0)), np.finfo(float).tiny)
    return np.asarray(centered / unit if varies else np.zeros_like(centered))


def _sinkhorn(costs: Float64, potential: Float64) -> tuple[Float64, Float64]:
    """Return the plan of least cost whose rows are even and whose columns nearly are, and its column potential `(n,)`.

    (Cuturi 2013; soft columns: Chizat et al. 2018.)
    """
    count, columns = costs.shape
    kernel = np.exp(-(costs - costs.min(axis=1, keepdims=True)) / ENTROPY)
    scaling, softness = np.exp(potential), EVENNESS / (EVENNESS + ENTROPY)
    for _ in range(ROUNDS):
        rows = 1.0 / (count * np.maximum(kernel @ scaling, 1e-300))
        scaling = (1.0 / (columns * np.maximum(rows @ kernel, 1e-300))) ** softness
    rows = 1.0 / (count * np.maximum(kernel @ scaling, 1e-300))
    return rows[:, None] * kernel * scaling, np.log(np.maximum(scaling, 1e-300))

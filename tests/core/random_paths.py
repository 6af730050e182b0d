# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths through two examples of random rows, for tests of segments and transitions."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from genmm_addon.core.examples.transition_costs import Bounds
from genmm_addon.core.planning.segments import Segments

few = settings(max_examples=40, deadline=None)
BOUNDS = Bounds.of_lengths(np.array([40, 30]))
ROWS = np.cumsum(np.random.default_rng(4).normal(size=(70, 4)), axis=0).astype(np.float32)
RATE = 10.0


@st.composite
def paths(draw: st.DrawFn, bounds: Bounds = BOUNDS) -> np.ndarray:
    """Return a path of some segments through the examples."""
    pieces = []
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, bounds.frames - 1))
        end = int(bounds.ends[bounds.example_of(np.array(start))])
        pieces.append(np.arange(start, draw(st.integers(start + 1, end))))
    return np.concatenate(pieces)


def lies_in_examples(segments: Segments, bounds: Bounds) -> bool:
    last = segments.sources + segments.lengths - 1
    return bool(
        np.all(segments.lengths > 0)
        and segments.starts[0] == 0
        and np.all(segments.sources >= 0)
        and np.all(last < bounds.frames)
        and np.array_equal(bounds.example_of(segments.sources), bounds.example_of(last))
    )

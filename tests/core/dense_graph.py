# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of all pairs of frames, as an oracle for the sparse graph."""

import numpy as np

from genmm_addon.core import Prepared
from genmm_addon.core.arrays import Rows
from genmm_addon.core.examples.transition_costs import find_transitions
from genmm_addon.core.examples.transition_graph import TransitionGraph


def graph_of(prepared: Prepared) -> TransitionGraph:
    """Return the graph of the first part."""
    return prepared.parts[0].graph


def all_costs(graph: TransitionGraph) -> Rows:
    """Return the transition costs `(N, N)` of all pairs of frames."""
    return find_transitions(graph.windows.rows, graph.bounds, graph.rate).costs


def all_similarities(graph: TransitionGraph) -> Rows:
    """Return the share `(N, N)` of the row's frame that is seen when the column's is shown."""
    return find_transitions(graph.windows.rows, graph.bounds, graph.rate).similarity


def all_edge_costs(graph: TransitionGraph) -> Rows:
    """Return the edge costs `(N, N)` of all pairs of frames, computed by the graph one by one."""
    leaves, arrivals = np.divmod(np.arange(graph.frames**2), graph.frames)
    return graph.edge_costs(leaves, arrivals).reshape(graph.frames, graph.frames)

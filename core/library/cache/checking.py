# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of decoded preparations: the types that their classes declare, and indices within what they point into.

A file is bound to its content by a digest, which does not keep anyone from writing one with values of their own.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ...examples.coupling import Coupling
from ...examples.coverage import Coverage
from ...examples.edges import Edges, Nearness
from ...examples.example_data import Examples
from ...examples.part_plans import PartPlan, Stage
from ...examples.preparing import Prepared
from ...examples.transition_costs import Bounds
from ...examples.transition_graph import Predecessors, SampledBodies, TransitionGraph
from ...examples.transition_windows import TransitionWindows
from ...features.cells import Cells, Lists
from ...library.indexed_motions import IndexedMotions
from ...motion.motion import Motion
from ...motion.npz import check_stored, joints_in
from ...motion.skeleton import Skeleton
from ..pose_index import PoseIndex

Array = NDArray[Any]


def is_sound(made: Any) -> bool:
    """Return whether an object of a kept class has the attributes that its class declares, with values in range."""
    kind: type = type(made)
    hints, values = _hints(kind), vars(made)
    required = {one.name for one in fields(made)}
    if not required <= values.keys() <= hints.keys():
        return False
    return all(is_a(value, hints[name]) for name, value in values.items()) and _RANGES.get(kind, _any)(made)


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the types of a class's fields and cached properties, by name."""
    found = {name: hint for name, hint in get_type_hints(kind).items() if name in {one.name for one in fields(kind)}}
    for parent in kind.__mro__:
        for name, own in vars(parent).items():
            if isinstance(own, cached_property):
                found.setdefault(name, get_type_hints(own.func).get("return", Any))
    return found


def is_a(value: Any, hint: Any) -> bool:
    """Return whether a value is of an annotated type; numbers must not be NaN.

    >>> is_a((1, 2), tuple[int, ...]), is_a((1, "2"), tuple[int, ...])
    (True, False)
    """
    origin, kinds = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(is_a(value, kind) for kind in kinds)
    if hint in (None, NoneType):
        return value is None
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _is_of(value, get_args(kinds[1])[0])
    if origin is tuple and kinds[-1] is not Ellipsis:
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(is_a, value, kinds))
    if origin in (tuple, list, Sequence):
        return isinstance(value, list | tuple) and all(is_a(one, kinds[0]) for one in value)
    if origin in (dict, Mapping):
        return isinstance(value, dict) and all(
            is_a(key, kinds[0]) and is_a(one, kinds[1]) for key, one in value.items()
        )
    if hint is float:
        return isinstance(value, int | float | np.number) and not isinstance(value, bool) and not math.isnan(value)
    if hint is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    return isinstance(value, origin or hint)


def _is_of(values: Array, scalar: type) -> bool:
    """Return whether an array has numbers of a kind, none of them NaN."""
    if not np.issubdtype(values.dtype, scalar if isinstance(scalar, type) else np.generic):
        kinds = {np.dtype(scalar).kind} if scalar is not np.floating else {"f"}
        if values.dtype.kind not in kinds:
            return False
    return values.dtype.kind != "f" or not values.size or not np.isnan(np.min(values))


def _within(values: Array, low: int, high: int) -> bool:
    return not values.size or bool(values.min() >= low and values.max() < high)


def _are_offsets(offsets: Array, count: int) -> bool:
    """Return whether offsets cut a list of `count` entries into pieces."""
    return bool(len(offsets) and offsets[0] == 0 and offsets[-1] == count and (np.diff(offsets) >= 0).all())


def _any(_: Any) -> bool:
    return True


def _bounds(one: Bounds) -> bool:
    return (
        one.starts.ndim == 1
        and len(one.starts) == len(one.ends)
        and _are_offsets(np.append(one.starts[:1], one.ends), int(one.ends[-1]))
        and bool((one.starts[1:] == one.ends[:-1]).all())
    )


def _coverage(one: Coverage) -> bool:
    clusters = len(one.similarity)
    return one.similarity.shape == (clusters, clusters) and _within(one.cluster_of, 0, clusters)


def _edges(one: Edges) -> bool:
    count = len(one.arrivals)
    return _are_offsets(one.offsets, count) and len(one.costs) == count and _within(one.arrivals, 0, one.frames)


def _graph(one: TransitionGraph) -> bool:
    count, ends = one.bounds.frames, np.concatenate((one.begins, one.ends))
    lengths = {len(one.predecessors.frames), one.edges.frames, len(one.sampled.poses), len(one.coverage.cluster_of)}
    return lengths == {count} and _within(ends, 0, count + 1) and min(one.shortest, one.longest, one.lookahead) >= 0


def _skeleton(one: Skeleton) -> bool:
    one.__post_init__()
    return one.carriers is None or _within(one.carriers, -1, len(one.names))


def _motion(one: Motion) -> bool:
    one.__post_init__()
    joints_in(one.translated, one.skeleton)
    joints_in(one.scaled, one.skeleton)
    check_stored(one)
    return True


def _index(one: PoseIndex) -> bool:
    sizes = {len(values) for values in (one.rows, one.squares, one.ground, one.turns, one.clips)}
    bounds = Bounds(one.starts, one.stops)
    return sizes == {bounds.frames} and _bounds(bounds) and _within(one.clips, 0, len(one.starts))


def _examples(one: Examples) -> bool:
    count = len(one.motions)
    joints = np.array([one.root.joint, *one.root.companions])
    return (
        count == len(one.positions) == len(one.tracks) == len(one.bounds.starts)
        and [motion.frames for motion in one.motions] == (one.bounds.ends - one.bounds.starts).tolist()
        and _within(joints, 0, len(one.motions[0].skeleton.names))
    )


def _prepared(one: Prepared) -> bool:
    joints = len(one.examples.motions[0].skeleton.names)
    used = [joint for foot in one.example_feet.feet for joint in (foot.joint, *foot.leg)]
    used += [joint for part in one.planning.parts for joint in part.part.joints]
    finest = one.planning.stages[-1]
    return (
        _within(np.array(used, np.int64), 0, joints)
        and 0 <= one.planning.root_part < len(one.planning.parts)
        and all(_within(part.source_frames, 0, finest.bounds.frames) for part in one.planning.parts)
        and all(stage.rows.shape[1] == finest.rows.shape[1] for stage in one.planning.stages)
    )


def _filling(one: IndexedMotions) -> bool:
    used = [joint for foot in one.standing.feet for joint in (foot.joint, *foot.leg)]
    joints = [*used, one.standing.plan.joint, *one.standing.plan.companions, one.index.space.plan.joint]
    return [motion.frames for motion in one.motions] == (one.index.stops - one.index.starts).tolist() and _within(
        np.array(joints), 0, len(one.motions[0].skeleton.names)
    )


_RANGES: dict[type, Callable[[Any], bool]] = {
    Bounds: _bounds,
    Cells: lambda one: len(one.cell_of) == len(one.vectors) and _within(one.cell_of, 0, len(one.centers)),
    Coupling: lambda one: _within(one.own, 0, len(one.rows)),
    Coverage: _coverage,
    Edges: _edges,
    Examples: _examples,
    IndexedMotions: _filling,
    Lists: lambda one: _are_offsets(one.offsets, len(one.members)) and _within(one.members, 0, 2**62),
    Motion: _motion,
    Nearness: lambda one: len(one.keys) == len(one.least) == len(one.factors) and bool((np.diff(one.keys) > 0).all()),
    PartPlan: lambda one: len(one.source_frames) == one.bounds.frames,
    PoseIndex: _index,
    Predecessors: lambda one: one.frames.shape == one.costs.shape and _within(one.frames, 0, len(one.frames)),
    Prepared: _prepared,
    SampledBodies: lambda one: len(one.poses) == len(one.headings) == len(one.paces),
    Skeleton: _skeleton,
    TransitionGraph: _graph,
    Stage: lambda one: len(one.rows) == one.bounds.frames,
    TransitionWindows: lambda one: len(one.rows) == one.bounds.frames and one.half >= 0,
}
"""Conditions on the values of a class, by which they can be used together."""

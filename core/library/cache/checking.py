# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of decoded preparations: types as their classes declare, shapes that fit together, and indices within them.

A file is bound to its content by a digest, which does not keep anyone from writing one with values of their own.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ...examples.coupling import Coupling
from ...examples.coverage import Coverage
from ...examples.edges import Edges, Nearness
from ...examples.example_data import ExampleFeet, Examples
from ...examples.part_plans import PartPlan, Stage
from ...examples.preparing import Prepared
from ...examples.speeds import Speeds
from ...examples.transition_costs import Bounds, gap_frames, half_window
from ...examples.transition_graph import Predecessors, TransitionGraph
from ...examples.transition_windows import TransitionWindows
from ...features.cells import Cells
from ...features.features import FeatureRows, Scale
from ...feet.calm_knees import Knees
from ...feet.contact_detection import Foot
from ...library.indexed_motions import IndexedMotions
from ...motion.channels import Channels
from ...motion.motion import Motion
from ...motion.npz import FARTHEST, check_stored, joints_in
from ...motion.root_motion import RootTrack
from ...motion.skeleton import Skeleton
from ...same_values import same_values
from ...settings import Settings
from ..pose_index import PoseIndex, PoseSpace

Array = NDArray[Any]


UNIT = 1e-3
"""Largest deviation of a unit quaternion's squared length from 1."""
INFINITE = {(Predecessors, "costs"), (Edges, "costs"), (Nearness, "least"), (Knees, "foot_acceleration")}
"""Fields with costs that are infinite where there is no transition, and with limits that are infinite for none."""
SIGNED = {Skeleton, Settings}
"""Classes with numbers that may be negative; those of all others are speeds, rates, weights and units."""


def is_sound(made: Any) -> bool:
    """Return whether an object of a kept class can be used: types, shapes, and values in range.

    >>> is_sound(skeleton), is_sound(prepared)
    (True, True)
    """
    kind: type = type(made)
    typed = all(
        is_a(value := getattr(made, name), hint) and _is_in_range(value, kind, name) for name, hint in _hints(kind)
    )
    return typed and _have_shapes(made, _SHAPES.get(kind, {})) and _CONDITIONS.get(kind, _any)(made)


def same_bodies(motions: Sequence[Motion], examples: Sequence[Motion]) -> bool:
    """Return whether motions read from a file are as many as the examples, on their skeleton and with its channels.

    >>> same_bodies([swing], [swing]), same_bodies([swing], [])
    (True, False)
    """
    names = ("names", "parents", "rest_rotations", "rest_translations", "up", "carriers", "inheritance")
    return len(motions) == len(examples) and all(
        same_values([getattr(one.skeleton, name) for name in names], [getattr(own.skeleton, name) for name in names])
        and same_values((one.translated, one.scaled, one.scalar_names), (own.translated, own.scaled, own.scalar_names))
        for one, own in zip(motions, examples, strict=True)
    )


@cache
def _hints(kind: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((one.name, hints[one.name]) for one in fields(kind))


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
        return False
    return bool(values.dtype.kind != "f" or not np.isnan(values.min(initial=np.inf)))


def _is_in_range(value: Any, kind: type, name: str) -> bool:
    """Return whether the numbers of a field are finite and of a usual size, and not negative where none is."""
    if isinstance(value, float | np.floating):
        least = -FARTHEST if kind in SIGNED else 0.0
        return bool(least <= value <= FARTHEST) or (kind, name) in INFINITE
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.size:
        return True
    return bool(value.min() >= -FARTHEST and (value.max() <= FARTHEST or (kind, name) in INFINITE))


def _reached(value: Any, path: str) -> Iterator[Any]:
    """Yield what is found along a path of attributes, of every object where they are several; not None or slices."""
    name, _, rest = path.partition(".")
    for one in value if isinstance(value, tuple | list) else (value,):
        found = getattr(one, name)
        if found is None or isinstance(found, slice):
            continue
        if rest:
            yield from _reached(found, rest)
        else:
            yield found


def _have_shapes(made: Any, shapes: Mapping[str, str]) -> bool:
    """Return whether arrays and tuples have shapes that agree, and indices are below the size that they point into.

    Each is described as "N J 3" or, of indices, "N < J"; a "_" fits any size, and the size "N+1" is one more.
    """
    sizes: dict[str, int] = {}
    for path, shape in shapes.items():
        names, _, below = shape.partition("<")
        for found in _reached(made, path):
            own = (
                found.shape
                if isinstance(found, np.ndarray)
                else (len(found),)
                if isinstance(found, tuple | list)
                else ()
            )
            if len(own) != len(names.split()):
                return False
            for size, name in zip(own, names.split(), strict=True):
                least = size - 1 if name.endswith("+1") else size
                if name != "_" and least != (int(name) if name.isdigit() else sizes.setdefault(name[0], least)):
                    return False
            if below and not _within(np.asarray(found, np.int64), 0, sizes[below.strip()]):
                return False
    return True


def _within(values: Array, low: int, high: int) -> bool:
    return not values.size or bool(values.min() >= low and values.max() < high)


def _are_units(values: Array) -> bool:
    return bool((np.abs(np.einsum("...c,...c->...", values, values) - 1.0) <= UNIT).all())


def _lengths(bounds: Bounds) -> list[int]:
    found: list[int] = (bounds.ends - bounds.starts).tolist()
    return found


def _any(_: Any) -> bool:
    return True


def _bounds(one: Bounds) -> bool:
    same = one.starts[0] == 0 and np.array_equal(one.starts[1:], one.ends[:-1])
    return bool(same and (one.ends > one.starts).all())


def _edges(one: Edges) -> bool:
    return bool(one.offsets[0] == 0 and one.offsets[-1] == len(one.arrivals) > 0 and (np.diff(one.offsets) >= 0).all())


def _graph(one: TransitionGraph) -> bool:
    frames, examples, windows = one.bounds.frames, len(one.bounds.starts), one.windows
    example = one.bounds.example_of(np.arange(frames))
    return bool(
        frames == len(one.begins) == windows.bounds.frames == one.coverage.bounds.frames
        and np.array_equal(one.begins, one.bounds.starts[example])
        and np.array_equal(one.ends, one.bounds.ends[example])
        and 1 <= one.shortest < one.longest <= frames + 1
        and 1 <= one.lookahead <= frames
        and (one.usual > 0).all()
        and 0 < one.rate <= one.full_rate
        and one.unit > 0
        and (windows.half, windows.gap) == (half_window(one.rate), gap_frames(one.rate, frames))
        and _within(one.nearness.keys, 0, examples**2)
        and one.leaving is one.arriving is None
    )


def _windows(one: TransitionWindows) -> bool:
    cells = vars(one).get("cells")
    positions = len(one.rows) + len(one.bounds.starts)
    return one.unit > 0 and (cells is None or (isinstance(cells, Cells) and len(cells.cell_of) == positions))


def _skeleton(one: Skeleton) -> bool:
    return one.carriers is None or _within(one.carriers, -1, len(one.names))


def _motion(one: Motion) -> bool:
    joints_in(one.translated, one.skeleton)
    joints_in(one.scaled, one.skeleton)
    check_stored(one)
    return one.frames_per_second <= FARTHEST


def _index(one: PoseIndex) -> bool:
    bounds = Bounds(one.starts, one.stops)
    lengths = _lengths(bounds)
    clips = np.repeat(np.arange(len(lengths)), lengths) if min(lengths, default=0) > 0 else one.clips
    return bool(_bounds(bounds) and np.array_equal(clips, one.clips) and one.frames_per_second > 0)


def _space(one: PoseSpace) -> bool:
    joints = np.array([one.plan.joint, *one.plan.companions])
    return len(one.center) == 6 * len(one.joints) and _within(joints, 0, len(one.joints))


def _indexed(one: IndexedMotions) -> bool:
    skeleton, plan = one.motions[0].skeleton, one.standing.plan
    return (
        [motion.frames for motion in one.motions] == _lengths(Bounds(one.index.starts, one.index.stops))
        and {motion.frames_per_second for motion in one.motions} == {one.index.frames_per_second}
        and one.index.space.joints == skeleton.names
        and _are_feet(one.standing.feet, skeleton)
        and _within(plan.anchored, 0, len(skeleton.names))
    )


def _examples(one: Examples) -> bool:
    joints, names, motion = one.root.anchored, one.skeleton.names, one.motions[0]
    lengths, root = _lengths(one.bounds), 3 * len(joints)
    linear = root + 4 + 3 * (len(motion.translated) + len(motion.scaled)) + len(motion.scalar_names)
    return (
        lengths == [other.frames for other in one.motions]
        and [(length,) for length in lengths] == [positions.shape for positions in one.positions]
        and lengths == [len(track.yaw_rate) for track in one.tracks]
        and len({other.frames_per_second for other in one.motions}) == 1
        and one.channels.linear.shape == (one.bounds.frames, linear)
        and one.channels.rates == slice(root, root + 4)
        and all(track.body.shape[1] == len(joints) for track in one.tracks)
        and _within(joints, 0, len(names))
        and len(set(joints.tolist())) == len(joints)
    )


def _are_feet(feet: Sequence[Foot], skeleton: Skeleton) -> bool:
    """Return whether feet are joints of a skeleton, below the joints of their legs, which follow each other."""
    for foot in feet:
        if not 0 <= foot.joint < len(skeleton.names) or 0 < len(foot.leg) < 3:
            return False
        chain = skeleton.chain(foot.joint)
        if list(foot.leg) != [joint for joint in chain if joint in foot.leg]:
            return False
    return True


def _prepared(one: Prepared) -> bool:
    examples, planning, skeleton = one.examples, one.planning, one.examples.skeleton
    parts = [plan.part for plan in planning.parts]
    full = one.frames_per_second
    return (
        examples.bounds.frames == len(planning.rows)
        and _are_feet(one.feet, skeleton)
        and 0 <= planning.root_part < len(parts)
        and examples.root.joint in parts[planning.root_part].joints
        and all(len(stage.bounds.starts) == len(one.motions) for stage in planning.stages)
        and all(_plays(plan, planning.finest, full) for plan in planning.parts)
        and len(examples.speeds.sampled) == planning.finest.bounds.frames
    )


def _plays(plan: PartPlan, finest: Stage, rate: float) -> bool:
    """Return whether a part's frames are those of its examples at the finest stage, at the stage's rate."""
    if plan.part.examples is not None and not plan.part.examples:
        return False
    frames = np.flatnonzero(plan.may_show(finest))
    return np.array_equal(frames, plan.source_frames) and plan.graph.full_rate == rate


_SHAPES: dict[type, dict[str, str]] = {
    Bounds: {"starts": "E", "ends": "E"},
    Cells: {"vectors": "P D", "centers": "G D", "cell_of": "P < G"},
    Channels: {"orientations": "N J 4", "linear": "N C"},
    Coupling: {"rows": "N C", "own": "M < N"},
    Coverage: {"similarity": "G G", "cluster_of": "N < G"},
    Edges: {"offsets": "N+1", "arrivals": "X < N", "costs": "X"},
    ExampleFeet: {
        "feet": "F", "contacts": "N F", "heights": "N F", "footing.drifts": "N F 3", "footing.knees.hinges": "F 3",
    },
    Examples: {
        "motions": "E", "bounds.starts": "E", "positions": "E", "tracks": "E", "leading": "_ < E",
        "channels.orientations": "N J 4", "motions.rotations": "_ J 4", "speeds.highest_turns": "J",
        "speeds.poses": "_ J 3", "speeds.sampled": "_ < N",
    },
    FeatureRows: {"rows": "N C", "scale.weights": "J", "joints": "C < J", "kinds": "C", "scale.kept": "C"},
    IndexedMotions: {
        "motions.rotations": "_ J 4", "motions": "M", "index.starts": "M", "index.space.weights": "J",
        "standing.feet": "F", "standing.ground": "F", "standing.knees.hinges": "F 3",
    },
    Nearness: {"keys": "K", "least": "K", "factors": "K"},
    PartPlan: {
        "source_frames": "N", "graph.ends": "N", "bounds.starts": "E", "graph.bounds.starts": "E", "coupling.own": "N",
    },
    PoseIndex: {
        "rows": "N C", "squares": "N", "ground": "N 2", "turns": "N", "clips": "N", "starts": "M", "stops": "M",
        "space.axes": "_ C",
    },
    PoseSpace: {"joints": "J", "weights": "J", "center": "W", "axes": "W C"},
    Predecessors: {"frames": "N M < N", "costs": "N M"},
    Prepared: {
        "examples.motions": "E", "examples.motions.rotations": "_ J 4", "planning.features.rows": "N C",
        "planning.features.scale.weights": "J", "planning.stages.rows": "_ C", "planning.stages.bounds.starts": "E",
        "planning.parts.columns": "_ < C", "planning.parts.gait_columns": "_ < C", "example_feet.contacts": "N F",
        "planning.parts.graph.sampled.poses": "_ J 3", "planning.parts.part.examples": "_ < E",
        "planning.parts.part.joints": "_ < J",
    },
    RootTrack: {
        "heading": "T 4", "ground": "T 3", "velocity": "T 3", "yaw_rate": "T", "body": "T A 4", "offset": "T A 3",
    },
    Scale: {"kept": "C", "center": "C", "weights": "_"},
    Skeleton: {"names": "J", "typical_positions": "J 3", "carriers": "J", "up": "3"},
    TransitionGraph: {
        "begins": "N", "ends": "N", "usual": "N", "predecessors.frames": "N M", "coverage.cluster_of": "N",
        "sampled.poses": "N J 3", "sampled.headings": "N", "sampled.paces": "N", "edges.offsets": "N+1",
        "windows.rows": "N C", "bounds.starts": "E", "windows.bounds.starts": "E", "coverage.bounds.starts": "E",
    },
    Speeds: {
        "highest_turns": "J", "highest_angular_accelerations": "J", "sampled": "M", "poses": "M J 3", "fastest": "M",
    },
    Stage: {"rows": "N C"},
    TransitionWindows: {"rows": "N C"},
}  # fmt: skip
"""Shapes of the arrays and tuples of a class and of the objects in it, see `_have_shapes`."""

_CONDITIONS: dict[type, Callable[[Any], bool]] = {
    Bounds: _bounds,
    Channels: lambda one: _are_units(one.orientations),
    Coupling: lambda one: one.unit > 0,
    Coverage: lambda one: len(one.cluster_of) == one.bounds.frames and _within(one.similarity, 0, 2),
    Edges: _edges,
    Examples: _examples,
    IndexedMotions: _indexed,
    Motion: _motion,
    Nearness: lambda one: bool((np.diff(one.keys) > 0).all() and (one.factors > 0).all()),
    PoseIndex: _index,
    PoseSpace: _space,
    Prepared: _prepared,
    RootTrack: lambda one: _are_units(one.heading) and _are_units(one.body),
    Skeleton: _skeleton,
    TransitionGraph: _graph,
    Speeds: lambda one: bool((np.diff(one.sampled) >= 0).all()),
    Stage: lambda one: len(one.rows) == one.bounds.frames and 0 < one.ratio <= 1,
    TransitionWindows: _windows,
}
"""Further conditions on the values of a class, by which they can be used together."""

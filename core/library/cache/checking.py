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
from ...motion.npz import check_stored, joints_in
from ...motion.root_motion import RootTrack
from ...motion.skeleton import UNIT, Skeleton
from ...same_values import same_values
from ...settings import Settings
from ...storage import LARGEST_NUMBER, ArrayInFile
from ..pose_index import PoseIndex, PoseSpace, coarse_columns
from .motions_file import KeptMotions

Array = NDArray[Any]

INFINITE = {
    (Predecessors, "costs"),
    (Edges, "costs"),
    (Nearness, "least"),
    (Knees, "foot_acceleration"),
    (Examples, "rounds"),
}
"""Fields with costs, limits and rounds, which are infinite where there is no transition, no limit and no cycle."""
SIGNED = {Skeleton, Settings}
"""Classes with numbers that may be negative; those of all others are speeds, rates, weights and units."""


def is_sound(value: Any) -> bool:
    """Return whether an object of a kept class can be used: types, shapes, and values in range.

    >>> is_sound(skeleton), is_sound(prepared)
    (True, True)
    """
    kind: type = type(value)
    typed = all(
        is_a(member := getattr(value, name), hint) and _is_in_range(member, kind, name) for name, hint in _hints(kind)
    )
    return typed and _have_shapes(value, _SHAPES.get(kind, {})) and _CONDITIONS.get(kind, _any)(value)


def same_bodies(motions: Sequence[Motion], examples: Sequence[Motion]) -> bool:
    """Return whether motions read from a file are as many as the examples, on their skeleton and with its channels.

    >>> same_bodies([swing], [swing]), same_bodies([swing], [])
    (True, False)
    """
    names = ("names", "parents", "rest_rotations", "rest_translations", "up", "carriers", "inheritance")
    return len(motions) == len(examples) and all(
        same_values(
            [getattr(motion.skeleton, name) for name in names], [getattr(example.skeleton, name) for name in names]
        )
        and same_values(
            (motion.translated, motion.scaled, motion.scalar_names),
            (example.translated, example.scaled, example.scalar_names),
        )
        for motion, example in zip(motions, examples, strict=True)
    )


@cache
def _hints(kind: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(kind))


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
        return isinstance(value, np.ndarray | ArrayInFile) and _is_of(value, get_args(kinds[1])[0])
    if origin is tuple and kinds[-1] is not Ellipsis:
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(is_a, value, kinds))
    if origin in (tuple, list, Sequence):
        kept = isinstance(value, KeptMotions) and kinds[0] is Motion
        return kept or (isinstance(value, list | tuple) and all(is_a(item, kinds[0]) for item in value))
    if origin in (dict, Mapping):
        return isinstance(value, dict) and all(
            is_a(key, kinds[0]) and is_a(item, kinds[1]) for key, item in value.items()
        )
    if hint is float:
        return isinstance(value, int | float | np.number) and not isinstance(value, bool) and not math.isnan(value)
    if hint is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    return isinstance(value, origin or hint)


def _is_of(values: Array | ArrayInFile, scalar: type) -> bool:
    """Return whether an array has numbers of a kind, none of them NaN."""
    if not np.issubdtype(values.dtype, scalar if isinstance(scalar, type) else np.generic):
        return False
    if isinstance(values, ArrayInFile):  # whose values are checked where they are read
        return True
    return bool(values.dtype.kind != "f" or not np.isnan(values.min(initial=np.inf)))


def _is_in_range(value: Any, kind: type, name: str) -> bool:
    """Return whether the numbers of a field are finite and of a usual size, and not negative where none is."""
    if isinstance(value, float | np.floating):
        least = -LARGEST_NUMBER if kind in SIGNED else 0.0
        return bool(least <= value <= LARGEST_NUMBER) or (kind, name) in INFINITE
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.size:
        return True
    return bool(value.min() >= -LARGEST_NUMBER and (value.max() <= LARGEST_NUMBER or (kind, name) in INFINITE))


def _reached(value: Any, path: str) -> Iterator[Any]:
    """Yield what is found along a path of attributes, of every object where they are several; not None or slices."""
    name, _, remainder = path.partition(".")
    for item in value if isinstance(value, tuple | list) else (value,):
        member = getattr(item, name)
        if member is None or isinstance(member, slice):
            continue
        if remainder:
            yield from _reached(member, remainder)
        else:
            yield member


def _have_shapes(value: Any, shapes: Mapping[str, str]) -> bool:
    """Return whether arrays and tuples have shapes that agree, and indices are below the size that they point into.

    Each is described as "N J 3" or, of indices, "N < J"; a "_" fits any size, and the size "N+1" is one more.
    """
    sizes: dict[str, int] = {}
    for path, shape in shapes.items():
        names, _, below = shape.partition("<")
        for member in _reached(value, path):
            lengths = (
                member.shape
                if isinstance(member, np.ndarray | ArrayInFile)
                else (len(member),)
                if isinstance(member, tuple | list)
                else ()
            )
            if len(lengths) != len(names.split()):
                return False
            for size, name in zip(lengths, names.split(), strict=True):
                least = size - 1 if name.endswith("+1") else size
                if name != "_" and least != (int(name) if name.isdigit() else sizes.setdefault(name[0], least)):
                    return False
            if below and not _within(np.asarray(member, np.int64), 0, sizes[below.strip()]):
                return False
    return True


def _within(values: Array, low: int, high: int) -> bool:
    return not values.size or bool(values.min() >= low and values.max() < high)


def _are_units(values: Array) -> bool:
    return bool((np.abs(np.einsum("...c,...c->...", values, values) - 1.0) <= UNIT).all())


def _lengths(bounds: Bounds) -> list[int]:
    lengths: list[int] = (bounds.ends - bounds.starts).tolist()
    return lengths


def _any(_: Any) -> bool:
    return True


def _bounds(bounds: Bounds) -> bool:
    same = bounds.starts[0] == 0 and np.array_equal(bounds.starts[1:], bounds.ends[:-1])
    return bool(same and (bounds.ends > bounds.starts).all())


def _edges(edges: Edges) -> bool:
    return bool(
        edges.offsets[0] == 0 and edges.offsets[-1] == len(edges.arrivals) > 0 and (np.diff(edges.offsets) >= 0).all()
    )


def _graph(graph: TransitionGraph) -> bool:
    frames, examples, windows = graph.bounds.frames, len(graph.bounds.starts), graph.windows
    example = graph.bounds.example_of(np.arange(len(graph.begins)))
    return bool(
        frames == len(graph.begins) == windows.bounds.frames == graph.coverage.bounds.frames
        and np.array_equal(graph.begins, graph.bounds.starts[example])
        and np.array_equal(graph.ends, graph.bounds.ends[example])
        and 1 <= graph.shortest < graph.longest <= frames + 1
        and 1 <= graph.lookahead <= frames
        and (graph.usual > 0).all()
        and 0 < graph.rate <= graph.full_rate
        and graph.unit > 0
        and (windows.half, windows.gap) == (half_window(graph.rate), gap_frames(graph.rate, frames))
        and _within(graph.nearness.keys, 0, examples**2)
        and graph.leaving is graph.arriving is None
    )


def _windows(windows: TransitionWindows) -> bool:
    cells = vars(windows).get("cells")
    positions = len(windows.rows) + len(windows.bounds.starts)
    return windows.unit > 0 and (cells is None or (isinstance(cells, Cells) and len(cells.cell_of) == positions))


def _skeleton(skeleton: Skeleton) -> bool:
    return skeleton.carriers is None or _within(skeleton.carriers, -1, len(skeleton.names))


def _motion(motion: Motion) -> bool:
    joints_in(motion.translated, motion.skeleton)
    joints_in(motion.scaled, motion.skeleton)
    check_stored(motion)
    return motion.frames_per_second <= LARGEST_NUMBER


def _index(index: PoseIndex) -> bool:
    # Numbers of frames are those of arrays in the file, since a forged one could fill the memory.
    bounds, coarse = Bounds(index.starts, index.stops), vars(index).get("coarse_rows")
    shape = (index.frames, coarse_columns(index.rows.shape[1]) + 2)
    known = coarse is None or (coarse.dtype == np.float32 and coarse.shape == shape)
    return bool(known and _bounds(bounds) and bounds.frames == index.frames and index.frames_per_second > 0)


def _space(space: PoseSpace) -> bool:
    joints = np.array([space.plan.joint, *space.plan.companions])
    return len(space.center) == 6 * len(space.joints) and _within(joints, 0, len(space.joints))


def _indexed(indexed: IndexedMotions) -> bool:
    motions, plan = indexed.motions, indexed.standing.plan
    if not isinstance(motions, KeptMotions):
        return False
    skeleton = motions.skeleton
    return (
        motions.lengths == _lengths(Bounds(indexed.index.starts, indexed.index.stops))
        and {*motions.rates} == {indexed.index.frames_per_second}
        and indexed.index.space.joints == skeleton.names
        and _are_feet(indexed.standing.feet, skeleton)
        and _within(plan.anchored, 0, len(skeleton.names))
    )


def _examples(examples: Examples) -> bool:
    joints, names, motion = examples.root.anchored, examples.skeleton.names, examples.motions[0]
    lengths, root = _lengths(examples.bounds), 3 * len(joints)
    linear = root + 4 + 3 * (len(motion.translated) + len(motion.scaled)) + len(motion.scalar_names)
    return (
        lengths == [clip.frames for clip in examples.motions]
        and [(length,) for length in lengths] == [positions.shape for positions in examples.positions]
        and lengths == [len(track.yaw_rate) for track in examples.tracks]
        and examples.rounds.min() >= 1
        and len({clip.frames_per_second for clip in examples.motions}) == 1
        and examples.channels.linear.shape == (examples.bounds.frames, linear)
        and examples.channels.rates == slice(root, root + 4)
        and all(track.body.shape[1] == len(joints) for track in examples.tracks)
        and _within(joints, 0, len(names))
        and len(set(joints.tolist())) == len(joints)
    )


def _are_feet(feet: Sequence[Foot], skeleton: Skeleton) -> bool:
    """Return whether feet are joints of a skeleton, below those of their legs and copies, which follow each other."""
    for foot in feet:
        if len(foot.leg) == 2:
            return False
        for end, joints in ((foot.joint, foot.leg), *((copy[-1], copy) for copy in foot.copies)):
            if not 0 <= end < len(skeleton.names) or list(joints) != [j for j in skeleton.chain(end) if j in joints]:
                return False
    return True


def _prepared(prepared: Prepared) -> bool:
    examples, planning, skeleton = prepared.examples, prepared.planning, prepared.examples.skeleton
    parts = [plan.part for plan in planning.parts]
    full = prepared.frames_per_second
    return (
        examples.bounds.frames == len(planning.rows)
        and _are_feet(prepared.feet, skeleton)
        and 0 <= planning.root_part < len(parts)
        and examples.root.joint in parts[planning.root_part].joints
        and all(len(stage.bounds.starts) == len(prepared.motions) for stage in planning.stages)
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
        "feet": "F", "contacts": "N F", "heights": "N F", "footing.drifts": "N F 3", "footing.grounds": "N 3",
        "footing.knees.hinges": "F 3",
    },
    Examples: {
        "motions": "E", "bounds.starts": "E", "positions": "E", "rounds": "E", "tracks": "E", "leading": "_ < E",
        "channels.orientations": "N J 4", "motions.rotations": "_ J 4", "speeds.highest_turns": "J",
        "speeds.poses": "_ J 3", "speeds.sampled": "_ < N",
    },
    FeatureRows: {"rows": "N C", "scale.weights": "J", "joints": "C < J", "kinds": "C", "scale.kept": "C"},
    IndexedMotions: {"standing.feet": "F", "standing.ground": "F", "standing.knees.hinges": "F 3"},
    Nearness: {"keys": "K", "least": "K", "factors": "K"},
    PartPlan: {
        "source_frames": "N", "graph.ends": "N", "bounds.starts": "E", "graph.bounds.starts": "E", "coupling.own": "N",
    },
    PoseIndex: {
        "rows": "N C", "squares": "N", "ground": "N 2", "turns": "N", "starts": "M", "stops": "M",
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
    Channels: lambda value: _are_units(value.orientations),
    Coupling: lambda value: value.unit > 0,
    Coverage: lambda value: len(value.cluster_of) == value.bounds.frames and _within(value.similarity, 0, 2),
    Edges: _edges,
    Examples: _examples,
    IndexedMotions: _indexed,
    Motion: _motion,
    Nearness: lambda value: bool((np.diff(value.keys) > 0).all() and (value.factors > 0).all()),
    PoseIndex: _index,
    PoseSpace: _space,
    Prepared: _prepared,
    RootTrack: lambda value: _are_units(value.heading) and _are_units(value.body),
    Skeleton: _skeleton,
    TransitionGraph: _graph,
    Speeds: lambda value: bool((np.diff(value.sampled) >= 0).all()),
    Stage: lambda value: len(value.rows) == value.bounds.frames and 0 < value.ratio <= 1,
    TransitionWindows: _windows,
}
"""Further conditions on the values of a class, by which they can be used together."""

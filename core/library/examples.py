# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples made ready once, for any number of seeds and lengths."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..features import body_parts, pyramid
from ..features.body_parts import Part
from ..features.features import Contacts, FeatureRows, encode
from ..features.nearest_patches import frame_distances
from ..feet.contact_detection import Foot, feet_by_name, find_feet, foot_heights, ground_heights, label_contacts
from ..memory.estimates import BodySize, ExampleSize, Purpose, check_examples
from ..memory.limits import memory_errors_told
from ..motion import rotations
from ..motion.channels import Channels, root_columns
from ..motion.motion import Motion, resample
from ..motion.natural_pose import with_typical_pose
from ..motion.root_motion import RootPlan, RootTrack, encode_root, plan_root
from ..motion.skeleton import Skeleton
from ..settings import Settings
from ..values import instance, items, number, optional, text
from .dense_graph import build_transition_graph
from .example_lengths import check_lengths
from .speeds import Speeds
from .transition_costs import Bounds, find_transitions, movement_unit
from .transition_graph import Groups, Sampled, TransitionGraph

Rows = NDArray[np.float32]

REST_TOLERANCE = 1e-3
"""Rest poses this near to each other, in radians and in shares of the size, are the same."""
COUPLING_COST = 0.1
"""Votes that a frame loses where what it shares with the root's part is one unit of movement (squared) off ..."""
MOST_COUPLING_COST = 10.0
"""... up to this many."""


@dataclass(frozen=True, eq=False)
class Stage:
    """The examples at one stage: rows `(N, C)`, where each lies, and the stage's share of the full rate."""

    rows: Rows
    bounds: Bounds
    ratio: float


@dataclass(frozen=True, eq=False)
class PartPlan:
    """One part: its feature columns, and the transition graph of the n frames at the finest stage that it may show.

    source_frames: `(n,)` which of the N frames of the finest stage these are; bounds: where each of its examples lies
    in them. coupling_cost: `(N, n)` how ill a frame of this part (column) fits one of the root's part (row) in what the
    two share, in votes; None where they share nothing, or for the root's part itself.
    """

    part: Part
    columns: NDArray[np.int64] | slice
    graph: TransitionGraph
    source_frames: NDArray[np.int64]
    bounds: Bounds
    coupling_cost: Rows | None

    def graph_of(self, groups: Groups) -> TransitionGraph:
        """Return the part's graph, with predecessors of each group of examples for every frame.

        groups: numbers of the examples as `prepare` was given them; those that the part does not draw from are left
        out.
        """
        if self.part.examples is None:
            return self.graph.with_groups(groups)
        own = {number: index for index, number in enumerate(sorted(set(self.part.examples)))}
        return self.graph.with_groups([[own[number] for number in group if number in own] for group in groups])

    def own(self, frames: NDArray[np.int64]) -> NDArray[np.int64]:
        """Frames of the finest stage, all of them this part's, as it numbers them itself."""
        return np.searchsorted(self.source_frames, frames)

    def may_show(self, stage: Stage) -> NDArray[np.bool_]:
        """Return a mask `(N,)` of the frames of a stage that are of this part's examples."""
        if self.part.examples is None:
            return np.ones(stage.bounds.frames, bool)
        return np.isin(stage.bounds.example_of(np.arange(stage.bounds.frames)), np.array(self.part.examples))


@dataclass(frozen=True, eq=False)
class Prepared:
    """Examples on one skeleton, at one rate, with all that does not depend on seed or length; made by `prepare`.

    motions: the examples at the output's rate; positions: the frame of the original each frame was taken at.
    features: of all N frames, at the full rate. channels, tracks: what the result is put together from.
    leading: the numbers of the examples that the root's part draws from. highest_root_speed: units per frame.
    feet: the joints that stand; contacts `(N, feet)` when they do; foot_heights `(N, feet)` how high they are.

    >>> prepared.frames_per_second, prepared.rows.shape[0]
    (30.0, 60)
    """

    motions: tuple[Motion, ...]
    positions: tuple[NDArray[np.float64], ...]
    settings: Settings
    root: RootPlan
    bounds: Bounds
    features: FeatureRows
    stages: tuple[Stage, ...]
    parts: tuple[PartPlan, ...]
    channels: Channels
    tracks: tuple[RootTrack, ...]
    speeds: Speeds
    leading: tuple[int, ...]
    highest_root_speed: float
    feet: tuple[Foot, ...]
    contacts: NDArray[np.bool_]
    foot_heights: NDArray[np.float64]

    @property
    def rows(self) -> Rows:
        """The features `(N, C)` at the full rate."""
        return self.features.rows

    @property
    def root_part(self) -> int:
        """The index of the part that has the root."""
        return next(index for index, plan in enumerate(self.parts) if self.root.joint in plan.part.joints)

    @property
    def mean_root_speed(self) -> float:
        """The mean speed of the root along the ground in the examples that its part draws from, units per frame."""
        velocities = np.concatenate([self.tracks[number].velocity for number in self.leading])
        return float(np.mean(np.linalg.norm(velocities, axis=1)))

    @property
    def frames_per_second(self) -> float:
        """The rate of examples and result."""
        return self.motions[0].frames_per_second


@memory_errors_told()
def prepare(
    examples: Sequence[Motion],
    *,
    frames_per_second: float | None = None,
    names: Sequence[str] | None = None,
    parts: Sequence[Part] | None = None,
    settings: Settings = Settings(),
) -> Prepared:
    """Check the examples, bring them to one rate (default: the first one's), and build their pyramid (paper, 3.2).

    frames_per_second: of examples and result. names: what to call the examples in messages. parts: None is the whole
    body as one.
    Raises InputError where examples are missing, too short, not finite, or differ in skeleton or channels, for values
    of other types, and where the tables would take more memory than may be used.

    >>> prepare([swing, swing.slice(10, 50)], frames_per_second=24).motions[1].frames
    32
    """
    examples = items(instance(Motion, "a list of motions"), "a list of motions")(examples, "examples")
    frames_per_second = optional(number)(frames_per_second, "frames_per_second")
    if frames_per_second is not None and not 0 < frames_per_second < math.inf:
        raise InputError("frames_per_second must be above 0.")
    instance(Settings, "Settings")(settings, "settings")
    parts = optional(items(instance(Part, "a list of parts"), "a list of parts"))(parts, "parts")
    names = optional(items(text, "a list of names"))(names, "names")
    if names is not None and len(names) != len(examples):
        raise InputError(f"names must be as many as the examples: {len(examples)}, not {len(names)}.")
    called = list(names) if names is not None else [f"Example {number}" for number in range(1, len(examples) + 1)]
    _check(examples, called)
    rate = frames_per_second or examples[0].frames_per_second
    sizes = [ExampleSize(name, one.frames, one.frames_per_second) for one, name in zip(examples, called, strict=True)]
    drawn = tuple(part.examples for part in parts) if parts else (None,)
    check_examples(sizes, body_size(examples[0]), Purpose(rate, drawn, settings))
    resampled = [resample(example, rate) for example in examples]
    motions = with_typical_pose([motion for motion, _ in resampled])
    check_lengths(motions, called)
    skeleton = motions[0].skeleton
    chosen = body_parts.complete(parts, skeleton) if parts else body_parts.whole_body(skeleton)
    _check_examples_of(chosen, called)
    root, leading = _plan_root(motions, chosen, settings)
    leading_examples = tuple(range(len(motions))) if leading.examples is None else leading.examples
    tracks = tuple(encode_root(motion, root) for motion in motions)
    feet = find_feet(motions) if settings.feet is None else feet_by_name(skeleton, settings.feet)
    ground = ground_heights(motions, feet)
    contacts = np.concatenate([label_contacts(motion, feet, ground) for motion in motions])
    with_contacts = not root.in_place if settings.contact_features is None else settings.contact_features
    labels = Contacts(np.array([foot.joint for foot in feet]), contacts) if with_contacts and feet else None
    features = encode(motions, tracks, root, labels, settings.joint_weights)
    lengths = np.array([motion.frames for motion in motions])
    bounds = Bounds.of_lengths(lengths)
    stages = _stages(features.rows, bounds, rate, settings)
    channels = channels_of(motions, tracks, root)
    speeds, sampled = _measure_speeds(motions, tracks, channels, bounds, stages[-1])
    planning = (features.joints, stages[-1], sampled, rate, settings)
    return Prepared(
        motions=motions,
        positions=tuple(positions for _, positions in resampled),
        settings=settings,
        root=root,
        bounds=bounds,
        features=features,
        stages=stages,
        parts=tuple(_plan_part(part, leading, *planning) for part in chosen),
        channels=channels,
        tracks=tracks,
        speeds=speeds,
        leading=leading_examples,
        highest_root_speed=max(float(np.linalg.norm(tracks[one].velocity, axis=1).max()) for one in leading_examples),
        feet=feet,
        contacts=contacts,
        foot_heights=np.concatenate([foot_heights(motion, feet) for motion in motions]),
    )


def body_size(motion: Motion) -> BodySize:
    """Return how many channels a frame of a motion has."""
    scalars = -(-len(motion.scalar_names) // 3)
    return BodySize(len(motion.skeleton.names), len(motion.translated) + len(motion.scaled) + scalars)


def purpose_of(prepared: Prepared) -> Purpose:
    """Return what the examples were prepared for."""
    drawn = tuple(plan.part.examples for plan in prepared.parts)
    return Purpose(prepared.frames_per_second, drawn, prepared.settings)


def _check(examples: Sequence[Motion], names: Sequence[str]) -> None:
    if not examples:
        raise InputError("There is no example to learn from; add an action to the list.")
    first = examples[0]
    for example, name in zip(examples, names, strict=True):
        if example.frames == 0:
            raise InputError(f"{name} has no frames; choose a range with motion in it.")
        example.check_finite(name)
        same = (
            example.skeleton.names == first.skeleton.names
            and np.array_equal(example.skeleton.parents, first.skeleton.parents)
            and np.array_equal(example.translated, first.translated)
            and np.array_equal(example.scaled, first.scaled)
            and example.scalar_names == first.scalar_names
        )
        if not same:
            raise InputError(f"{name} has other joints or channels than {names[0]}; all examples need the same.")
        if not _same_rest_pose(example.skeleton, first.skeleton):
            raise InputError(f"{name} has another rest pose than {names[0]}; all examples need the same.")


def _check_examples_of(parts: Sequence[Part], names: Sequence[str]) -> None:
    for part in parts:
        if part.examples is None:
            continue
        if not part.examples:
            raise InputError(f"The part '{part.name}' draws from no example; choose one for it.")
        if not all(0 <= number < len(names) for number in part.examples):
            raise InputError(f"The part '{part.name}' draws from an example that is not there; choose others for it.")


def _plan_root(motions: Sequence[Motion], parts: Sequence[Part], settings: Settings) -> tuple[RootPlan, Part]:
    """Return the root plan, and the part that contains the root, whose own examples decide."""
    skeleton = motions[0].skeleton
    whole = plan_root(motions, settings.facing, settings.root)
    leading = next(part for part in parts if whole.joint in part.joints)
    if leading.examples is None:
        return whole, leading
    own = [motions[number] for number in leading.examples]
    return plan_root(own, settings.facing, skeleton.names[whole.joint]), leading


def _same_rest_pose(one: Skeleton, other: Skeleton) -> bool:
    turned = rotations.angle_between(one.rest_rotations, other.rest_rotations).max(initial=0.0)
    moved = np.abs(one.rest_translations - other.rest_translations).max(initial=0.0)
    return bool(turned < REST_TOLERANCE and moved < REST_TOLERANCE * other.size)


def _stages(rows: Rows, bounds: Bounds, rate: float, settings: Settings) -> tuple[Stage, ...]:
    lengths = bounds.ends - bounds.starts
    stages = []
    for ratio in pyramid.stage_ratios(lengths, rate, settings):
        pieces = [
            pyramid.resample_rows(rows[start:end], pyramid.stage_length(int(end - start), ratio))
            for start, end in zip(bounds.starts, bounds.ends, strict=True)
        ]
        stage_bounds = Bounds.of_lengths(np.array([len(piece) for piece in pieces]))
        stages.append(Stage(np.concatenate(pieces), stage_bounds, ratio))
    return tuple(stages)


def _plan_part(
    part: Part,
    leading: Part,
    column_joints: NDArray[np.int64],
    finest: Stage,
    sampled: Sampled,
    rate: float,
    settings: Settings,
) -> PartPlan:
    columns = np.flatnonzero(np.isin(column_joints, np.array(part.joints)))
    stage_rate = finest.ratio * rate
    source_frames, bounds = _frames_of(part, finest)
    own = finest.rows[source_frames][:, columns]
    transitions = find_transitions(own, bounds, stage_rate)
    seen = Sampled(sampled.poses[source_frames], sampled.headings[source_frames], sampled.paces[source_frames])
    graph = build_transition_graph(transitions, seen, bounds, stage_rate, rate, settings)
    shared = columns[np.isin(column_joints[columns], np.array(leading.joints))]
    if part is leading or not len(shared):
        whole = len(columns) == finest.rows.shape[1]
        return PartPlan(part, slice(None) if whole else columns, graph, source_frames, bounds, None)
    unit = movement_unit(own, bounds, stage_rate)
    distances = frame_distances(finest.rows[:, shared], finest.rows[source_frames][:, shared]) / unit**2
    coupling_cost = COUPLING_COST * np.minimum(distances, MOST_COUPLING_COST)
    return PartPlan(part, columns, graph, source_frames, bounds, coupling_cost)


def _frames_of(part: Part, stage: Stage) -> tuple[NDArray[np.int64], Bounds]:
    """The frames of a stage that a part may show, and where each of its examples lies in them."""
    if part.examples is None:
        return np.arange(stage.bounds.frames), stage.bounds
    numbers = sorted(set(part.examples))
    source_frames = [np.arange(stage.bounds.starts[number], stage.bounds.ends[number]) for number in numbers]
    return np.concatenate(source_frames), Bounds.of_lengths(np.array([len(frames) for frames in source_frames]))


def _measure_speeds(
    motions: Sequence[Motion], tracks: Sequence[RootTrack], channels: Channels, bounds: Bounds, finest: Stage
) -> tuple[Speeds, Sampled]:
    """Return the examples' speeds, and their bodies at the frames of the finest stage."""
    poses, headings, sampled, steps = [], [], [], []
    up = np.array(motions[0].skeleton.up, np.float32)
    lengths = finest.bounds.ends - finest.bounds.starts
    for motion, track, start, length in zip(motions, tracks, bounds.starts, lengths, strict=True):
        frames = np.minimum(((np.arange(length) + 0.5) * motion.frames / length).astype(np.int64), motion.frames - 1)
        _, positions = motion.take(frames).pose()
        moved = np.linalg.norm(np.diff(positions, axis=0), axis=2) / np.maximum(np.diff(frames), 1)[:, None]
        steps.append(np.concatenate((moved, moved[-1:])) if len(moved) else np.zeros((length, len(positions[0]))))
        seen_from = rotations.inverse(track.heading[frames])[:, None]
        poses.append(rotations.rotate(seen_from, positions - track.ground[frames][:, None]))
        headings.append(rotations.angle_about(track.heading[frames], up))
        sampled.append(frames + start)
    fastest = np.concatenate(steps).max(axis=1)
    highest_turns, highest_angular_accelerations = _highest_turns(channels, bounds)
    speeds = Speeds(
        highest_turns=highest_turns,
        highest_angular_accelerations=highest_angular_accelerations,
        highest=float(fastest.max()),
        sampled=np.concatenate(sampled),
        poses=np.concatenate(poses).astype(np.float32),
        fastest=fastest.astype(np.float32),
    )
    paces = np.concatenate(steps).mean(axis=1).astype(np.float32)
    return speeds, Sampled(speeds.poses, np.concatenate(headings).astype(np.float32), paces)


def channels_of(motions: Sequence[Motion], tracks: Sequence[RootTrack], root: RootPlan) -> Channels:
    """Return the channels of motions, one after another; tracks: those of their roots."""
    orientations = []
    for motion, track in zip(motions, tracks, strict=True):
        posed = motion.rotations.copy()
        posed[:, root.anchored] = track.body
        orientations.append(rotations.make_continuous(posed))
    linear = [
        np.concatenate(
            (
                root_columns(track),
                motion.translations.reshape(motion.frames, -1),
                motion.scales.reshape(motion.frames, -1),
                motion.scalars,
            ),
            axis=1,
        )
        for motion, track in zip(motions, tracks, strict=True)
    ]
    count = 3 * len(root.anchored)
    rates = slice(count, count + 4)
    return Channels(np.concatenate(orientations).astype(np.float32), np.concatenate(linear).astype(np.float32), rates)


def _highest_turns(channels: Channels, bounds: Bounds) -> tuple[Rows, Rows]:
    """The highest angular speed of each orientation, and its highest change; at least a fifth of the highest of all."""
    steps = rotations.multiply(rotations.inverse(channels.orientations[:-1]), channels.orientations[1:])
    # The way of a small turn is twice the vector part of its quaternion.
    ways = 2.0 * steps[..., 1:] * np.where(steps[..., :1] < 0, -1.0, 1.0)
    turns = rotations.angle_between(channels.orientations[:-1], channels.orientations[1:])
    angular_accelerations = np.linalg.norm(np.diff(ways, axis=0), axis=2)
    inner = bounds.ends[:-1]
    turns[inner - 1] = 0.0
    angular_accelerations[inner - 1] = angular_accelerations[inner - 2] = 0.0
    return _with_floor(turns.max(axis=0, initial=0.0)), _with_floor(angular_accelerations.max(axis=0, initial=0.0))


def _with_floor(highest: NDArray[np.floating]) -> Rows:
    """Values `(J,)` raised to a fifth of the highest, so that a joint that hardly moves sets no limit."""
    return np.asarray(np.maximum(highest, max(0.2 * float(highest.max(initial=0.0)), 1e-6)), np.float32)

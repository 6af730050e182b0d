# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples prepared once, for any number of seeds and lengths."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Float64, Rows
from ..computation import computing
from ..errors import InputError
from ..features import body_parts
from ..features.body_parts import Part
from ..features.features import Contacts, encode
from ..feet.contact_detection import (
    Foot,
    feet_by_name,
    find_feet,
    foot_heights,
    ground_heights,
    label_contacts,
    with_copies,
)
from ..feet.footing import find_footing
from ..fields.values import instance, items, number, one_of, optional, text
from ..motion.climbing import climbs, encode_climb, ground_velocity, leveled
from ..motion.comparing import same_channels, same_rest_pose
from ..motion.kept_poses import poses_kept
from ..motion.motion import Motion, pose_short_ones_together, resample
from ..motion.natural_pose import with_typical_pose
from ..motion.root_motion import RootPlan, RootTrack, encode_root, plan_root
from ..settings import Facing, Settings
from . import graph_building
from .cycles import Repetition, unrolled
from .example_data import ExampleFeet, Examples, channels_of
from .example_lengths import check_lengths
from .foot_travel import with_foot_travel
from .memory.estimates import BodySize, ExampleSize, Purpose, check_examples
from .memory.freed_memory import keep_freed_memory
from .part_plans import PartPlan, PlanningData, Stage, plan_part, stages_of
from .speeds import measure_speeds
from .transition_costs import Bounds


@dataclass(frozen=True, eq=False)
class Prepared:
    """Examples with all data that does not depend on seed or length; made by `prepare`.

    examples: the motions, and the channels of which a result is composed. planning: tables by which paths are planned.
    example_feet: the feet and their contacts. settings: as given. Functions take only the field that they need; the
    properties are for callers that hold all of them.

    >>> prepared.frames_per_second, prepared.rows.shape[0]
    (30.0, 60)
    """

    examples: Examples
    planning: PlanningData
    example_feet: ExampleFeet
    settings: Settings

    @property
    def motions(self) -> tuple[Motion, ...]:
        """The examples at the output's rate."""
        return self.examples.motions

    @property
    def root(self) -> RootPlan:
        """The joint that carries the travel, and its encoding."""
        return self.examples.root

    @property
    def frames_per_second(self) -> float:
        """The rate of examples and result."""
        return self.examples.frames_per_second

    @property
    def bounds(self) -> Bounds:
        """The ranges of the examples among all N frames."""
        return self.examples.bounds

    @property
    def feet(self) -> tuple[Foot, ...]:
        """The feet."""
        return self.example_feet.feet

    @property
    def rows(self) -> Rows:
        """The features `(N, C)` at the full rate."""
        return self.planning.rows

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages from the coarsest to the finest."""
        return self.planning.stages

    @property
    def parts(self) -> tuple[PartPlan, ...]:
        """The plan of each part."""
        return self.planning.parts


@computing()
@poses_kept()
def prepare(
    examples: Sequence[Motion],
    *,
    frames_per_second: float | None = None,
    names: Sequence[str] | None = None,
    parts: Sequence[Part] | None = None,
    repetitions: Sequence[Repetition] | None = None,
    settings: Settings = Settings(),
    travels: bool = False,
) -> Prepared:
    """Check the examples, bring them to one rate (default: the first one's), and build their pyramid (paper, 3.2).

    frames_per_second: of examples and result. names: the examples' names in messages. parts: None is the whole body as
    one. repetitions: whether each example is taken as a cycle; None decides it for all. A cycle is unrolled (see
    `cycles`), and results count its frames within one round. travels: results are to cover ground, so that examples
    that walk in place travel as well, see `with_foot_travel`.
    Raises InputError if examples are missing, too short, not finite, or differ in skeleton or channels, for values
    of other types, and if the tables would need too much memory.

    >>> prepare([swing, swing.slice(10, 50)], frames_per_second=24).motions[1].frames
    32
    """
    keep_freed_memory()
    examples, rounds, rate, called, chosen, facing = _checked(
        examples, frames_per_second, names, parts, repetitions, settings
    )
    given = examples
    examples = with_foot_travel(given, rounds, settings.root, settings.feet) if travels else given
    from_feet = tuple(called[number] for number, example in enumerate(examples) if example is not given[number])
    resampled = [resample(example, rate) for example in examples]
    motions = with_typical_pose([motion for motion, _ in resampled])
    pose_short_ones_together(motions)
    check_lengths(motions, called)
    root, leading = _plan_root(motions, chosen, replace(settings, facing=facing))
    leading_examples = tuple(range(len(motions))) if leading.examples is None else leading.examples
    tracks = tuple((encode_climb if root.climbs else encode_root)(motion, root) for motion in motions)
    climbing = motions
    if root.climbs:
        motions = tuple(leveled(motion, root, track) for motion, track in zip(motions, tracks, strict=True))
    example_feet = _feet_of(motions, climbing, tracks, root, settings)
    features = encode(motions, tracks, root, _contact_rows(example_feet, root, settings), settings.joint_weights)
    bounds = Bounds.of_lengths(np.array([motion.frames for motion in motions]))
    stages = stages_of(features.rows, bounds, rate, settings)
    channels = channels_of(motions, tracks, root)
    speeds, sampled = measure_speeds(motions, tracks, root, channels, bounds, stages[-1].bounds)
    in_step = settings.parts_in_step and not root.in_place
    planning = (features.joints, stages[-1], sampled, rate, settings, in_step)
    plans = tuple(plan_part(part, leading, *planning) for part in chosen)
    velocities = [ground_velocity(tracks[index], root, motions[0].skeleton.up) for index in leading_examples]
    return Prepared(
        examples=Examples(
            motions=motions,
            positions=tuple(positions for _, positions in resampled),
            rounds=rounds,
            root=root,
            bounds=bounds,
            channels=channels,
            tracks=tracks,
            speeds=speeds,
            leading=leading_examples,
            highest_root_speed=max(float(np.linalg.norm(velocity, axis=1).max()) for velocity in velocities),
            from_feet=from_feet,
        ),
        planning=PlanningData(features, stages, plans, chosen.index(leading)),
        example_feet=example_feet,
        settings=settings,
    )


def _checked(
    examples: Sequence[Motion],
    frames_per_second: float | None,
    names: Sequence[str] | None,
    parts: Sequence[Part] | None,
    repetitions: Sequence[Repetition] | None,
    settings: Settings,
) -> tuple[Sequence[Motion], Float64, float, list[str], tuple[Part, ...], Facing]:
    """Return the examples with cycles unrolled, their rounds, the rate, the names, the parts and the facing.

    Whether transitions turn visibly is decided by the examples as they are: the rounds of an unrolled cycle lead past
    every heading between its ends, and yet a cut between two of them would turn the body.
    """
    examples = items(instance(Motion, "a list of motions"), "a list of motions")(examples, "examples")
    frames_per_second = optional(number)(frames_per_second, "frames_per_second")
    if frames_per_second is not None and not 0 < frames_per_second < math.inf:
        raise InputError("frames_per_second must be above 0.")
    instance(Settings, "Settings")(settings, "settings")
    parts = optional(items(instance(Part, "a list of parts"), "a list of parts"))(parts, "parts")
    names = optional(items(text, "a list of names"))(names, "names")
    if names is not None and len(names) != len(examples):
        raise InputError(f"names must hold one name for each of the {len(examples)} examples, not {len(names)}.")
    choices = optional(items(one_of(Repetition), "a list of repetitions"))(repetitions, "repetitions")
    if choices is not None and len(choices) != len(examples):
        raise InputError(f"repetitions must hold one for each of the {len(examples)} examples, not {len(choices)}.")
    called = list(names) if names is not None else [f"Example {number}" for number in range(1, len(examples) + 1)]
    _check(examples, called)
    rate = frames_per_second or examples[0].frames_per_second
    pose_short_ones_together(examples)
    skeleton = examples[0].skeleton
    chosen = body_parts.complete(parts, skeleton) if parts else body_parts.whole_body(skeleton)
    _check_examples_of(chosen, called)
    facing = _plan_root(with_typical_pose(examples), chosen, settings)[0].facing
    examples, rounds = unrolled(examples, choices, settings.root, facing)
    sizes = [
        ExampleSize(name, example.frames, example.frames_per_second)
        for example, name in zip(examples, called, strict=True)
    ]
    drawn = tuple(part.examples for part in chosen)
    check_examples(sizes, body_size(examples[0]), Purpose(rate, drawn, settings))
    return examples, rounds, rate, called, chosen, facing


def _feet_of(
    motions: Sequence[Motion],
    climbing: Sequence[Motion],
    tracks: Sequence[RootTrack],
    root: RootPlan,
    settings: Settings,
) -> ExampleFeet:
    """Return the feet that were found or named, and their contacts, heights and footing in the examples.

    climbing: the motions as they are, before they are brought to level ground.
    """
    names, skeleton = settings.feet, motions[0].skeleton
    feet = find_feet(motions, treadmill=True) if names is None else with_copies(motions, feet_by_name(skeleton, names))
    ground = ground_heights(motions, feet)
    contacts = np.concatenate(
        [label_contacts(motion, feet, ground, treadmill=True, climbs=root.climbs) for motion in climbing]
    )
    heights = np.concatenate([foot_heights(motion, feet) for motion in motions])
    footing = find_footing(motions, feet, [track.heading for track in tracks], contacts, root.joint, ground)
    return ExampleFeet(feet, contacts, heights, footing)


def _contact_rows(example_feet: ExampleFeet, root: RootPlan, settings: Settings) -> Contacts | None:
    """Return the contacts that are features of the examples; None for none. By default, they are where these travel."""
    included = not root.in_place if settings.contact_features is None else settings.contact_features
    if not included or not example_feet.feet:
        return None
    return Contacts(np.array([foot.joint for foot in example_feet.feet]), example_feet.contacts)


def with_noise(prepared: Prepared, noise: float) -> Prepared:
    """Return the same examples prepared with another noise; this is immediate, since no table depends on the noise.

    Raises InputError for a noise that settings do not allow.

    >>> with_noise(prepare([swing]), 0.5).settings.noise
    0.5
    """
    settings = replace(prepared.settings, noise=noise)
    parts = tuple(replace(plan, graph=graph_building.with_noise(plan.graph, settings)) for plan in prepared.parts)
    return replace(prepared, planning=replace(prepared.planning, parts=parts), settings=settings)


def body_size(motion: Motion) -> BodySize:
    """Return the numbers of channels in a frame of a motion.

    >>> body_size(swing).joints
    2
    """
    scalars = -(-len(motion.scalar_names) // 3)
    return BodySize(len(motion.skeleton.names), len(motion.translated) + len(motion.scaled) + scalars)


def purpose_of(prepared: Prepared) -> Purpose:
    """Return the purpose for which the examples were prepared.

    >>> purpose_of(prepared).rate
    30.0
    """
    drawn = tuple(plan.part.examples for plan in prepared.parts)
    return Purpose(prepared.frames_per_second, drawn, prepared.settings)


def _check(examples: Sequence[Motion], names: Sequence[str]) -> None:
    if not examples:
        raise InputError("There is no example to learn from; add an action to the list.")
    first = examples[0]
    for example, name in zip(examples, names, strict=True):
        if example.frames == 0:
            raise InputError(f"{name} has no frames; choose a range with motion in it.")
        example.check_values(name)
        if not same_channels(example, first):
            raise InputError(
                f"The joints or channels of {name} differ from those of {names[0]}; use examples of one character."
            )
        if not same_rest_pose(example.skeleton, first.skeleton):
            raise InputError(
                f"The rest pose of {name} differs from that of {names[0]}; use examples with the same rest pose."
            )


def _check_examples_of(parts: Sequence[Part], names: Sequence[str]) -> None:
    for part in parts:
        if part.examples is None:
            continue
        if not part.examples:
            raise InputError(f"The part '{part.name}' has no examples; choose at least one for it.")
        if not all(0 <= number < len(names) for number in part.examples):
            raise InputError(f"The part '{part.name}' uses an example that does not exist; choose another one for it.")


def _plan_root(motions: Sequence[Motion], parts: Sequence[Part], settings: Settings) -> tuple[RootPlan, Part]:
    """Return the root plan, decided by the examples of the part that contains the root, and this part."""
    skeleton = motions[0].skeleton
    plan = plan_root(motions, settings.facing, settings.root)
    leading = next(part for part in parts if plan.joint in part.joints)
    drawn = motions
    if leading.examples is not None:
        drawn = [motions[number] for number in leading.examples]
        plan = plan_root(drawn, settings.facing, skeleton.names[plan.joint])
    if any(climbs(motion, plan) for motion in drawn):
        plan = replace(plan, climbs=True)
    return plan, leading

# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing of a motion's attributes to requested values within the range of its examples."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ...arrays import Float64
from ...computation import computing
from ...errors import InputError
from ...feet.calm_paths import ALLOWED
from ...library.indexed_motions import index_motions
from ...motion import rotations
from ...motion.motion import Motion, joint_accelerations
from ...progress import Progress, report_progress
from ..frames import played_by
from ..registering import CLIPS, SAME_ACTION, register_motion
from ..restyle import STRONGEST
from . import kinds
from .body import AttributeBody
from .deviations import with_rotations
from .examples import ActionExamples, Range
from .kinds import Attribute, with_unit
from .measuring import measured, swinging
from .solving import MISSED, solve
from .targets import Target
from .warping import Warped, warp

FAR = 0.25
"""Change, as a share of the range, above which heights are taken from the examples. On two captured clips of each
action these were then mostly nearer to real motion than warps; for all other changes mostly not."""
NEARER = 0.35
"""Largest distance of their values from the target, as a share of the requested change."""


class Means(Enum):
    """Means by which a value was reached.

    >>> [means.value for means in Means]
    ['warp', 'examples']
    """

    WARP = "warp"
    EXAMPLES = "examples"


@dataclass(frozen=True)
class Outcome:
    """An edited attribute: its values before and after the edit, the requested value, and the means.

    >>> made = edit(find_examples(swing, index_motions([swing])), parse_targets("swing:leg=1x"))
    >>> isinstance(made.outcomes[0], Outcome)
    True
    """

    attribute: Attribute
    before: float
    asked: float
    got: float
    means: Means


@dataclass(frozen=True, eq=False)
class EditedMotion:
    """An edited motion; positions: the moment `(T,)` of the content that each of its frames shows.

    >>> isinstance(edit(find_examples(swing, index_motions([swing])), parse_targets("swing:leg=1x")), EditedMotion)
    True
    """

    motion: Motion
    positions: Float64
    outcomes: tuple[Outcome, ...]


@computing()
def edit(examples: ActionExamples, targets: Sequence[Target], progress: Progress | None = None) -> EditedMotion:
    """Return the content of examples with attributes brought to their targets, one after another in the given order.

    Raises InputError, before any edit, for an attribute that the content does not have and for a value beyond those of
    the examples; Cancelled as `progress` asks.

    >>> edit(find_examples(swing, index_motions([swing])), parse_targets("swing:leg=1x")).motion.frames
    60
    """
    report_progress(progress, 0.0)
    asked = [(target.attribute, _within(examples, target)) for target in targets]
    keep_steps = any(attribute.kind == kinds.STEP_LENGTH for attribute, _ in asked)
    motion, positions = examples.content, np.arange(examples.content.frames, dtype=np.float64)
    outcomes: list[Outcome] = []
    for number, (attribute, value) in enumerate(asked):
        report_progress(progress, (1 + number) / (1 + len(asked)))
        before = measured(motion, examples.body, attribute)
        if before is None:
            raise InputError(f"{attribute.label} cannot be measured any more after the other changes; ask for fewer.")
        edited, means = _edited(replace(examples, content=motion), attribute, (before, value), keep_steps)
        motion, positions = edited.motion, np.interp(edited.positions, np.arange(len(positions)), positions)
        outcomes.append(Outcome(attribute, before, value, before, means))
    # Values are measured after all edits, since later edits may change what earlier ones reached.
    values = [measured(motion, examples.body, outcome.attribute) for outcome in outcomes]
    reached = [
        outcome if value is None else replace(outcome, got=value)
        for outcome, value in zip(outcomes, values, strict=True)
    ]
    return EditedMotion(motion, positions, tuple(reached))


def _within(examples: ActionExamples, target: Target) -> float:
    """Return the value that a target requests. Raises InputError if it is beyond the examples."""
    now, attribute = examples.own_value(target.attribute), target.attribute
    value, among = target.of(now), examples.range(attribute)
    if not among.contains(value) and examples.recorded_range(attribute).contains(value):
        raise InputError(
            f"{attribute.label} of {value:.3g} would move the knees of this motion more suddenly than in any example; "
            f"choose {range_text(attribute, among)}, or edit a motion that is nearer to it."
        )
    if not among.contains(value):
        raise InputError(
            f"{attribute.label} of {value:.3g} is beyond the examples, which have {range_text(attribute, among)}; "
            "choose a value between, or more examples of this action."
        )
    return value


def range_text(attribute: Attribute, among: Range) -> str:
    """Return a range in words, with its unit.

    >>> range_text(parse_targets("speed=1")[0].attribute, Range(0.25, 0.5))
    '0.25 to 0.5 body sizes/s'
    """
    return with_unit(f"{among.lowest:.3g} to {among.highest:.3g}", attribute.kind.unit)


def outcome_text(outcome: Outcome) -> str:
    """Return the outcome for an attribute in words.

    >>> made = edit(find_examples(swing, index_motions([swing])), parse_targets("swing:leg=1x"))
    >>> outcome_text(made.outcomes[0])
    'Swing of leg 19.9 to 19.9° by a warp'
    """
    before, got, asked = (f"{value:.3g}" for value in (outcome.before, outcome.got, outcome.asked))
    values = with_unit(f"{before} to {got}", outcome.attribute.kind.unit)
    missed = "" if got == asked else f" ({asked} was asked for)"
    means = "a warp" if outcome.means is Means.WARP else "frames of the examples"
    return f"{outcome.attribute.label} {values}{missed} by {means}"


def _edited(
    examples: ActionExamples, attribute: Attribute, change: tuple[float, float], keep_steps: bool
) -> tuple[Warped, Means]:
    """Return the motion that comes nearest to a value, by the means that suits the change, and the means."""
    now, target = change
    content, body = examples.content, examples.body
    warped = warp(content, body, attribute, target, keep_steps=keep_steps)
    gap = max(abs(target - now), 1e-9)
    missed = _gap(measured(warped.motion, body, attribute), target) / gap
    if attribute.kind in (kinds.SPEED, kinds.STEP_LENGTH, kinds.TURN_RATE, kinds.CROUCH) or gap <= 1e-6:
        return warped, Means.WARP
    if missed <= MISSED and not _suits_examples(examples, attribute, change):
        return warped, Means.WARP
    taken = take_from_examples(examples, attribute, target)
    if taken is None or _gap(measured(taken, body, attribute), target) / gap > max(missed, MISSED):
        return warped, Means.WARP
    if not _is_calm(taken, examples):
        return warped, Means.WARP
    return Warped(taken, np.arange(content.frames, dtype=np.float64)), Means.EXAMPLES


def _suits_examples(examples: ActionExamples, attribute: Attribute, change: tuple[float, float]) -> bool:
    """Return whether examples show a change better than a warp does."""
    now, target = change
    among = examples.range(attribute)
    is_far = abs(target - now) > FAR * (among.highest - among.lowest)
    return is_far and attribute.kind.name in (kinds.ARM_HEIGHT.name, kinds.HEIGHT)


def _is_calm(motion: Motion, examples: ActionExamples) -> bool:
    """Return whether no joint accelerates visibly more than in the examples, the motion to edit among them.

    Matched frames that skip from one stride to another would jerk the arms.
    """
    recorded = [joint_accelerations(example).max(axis=0) for example in (examples.content, *examples.motions)]
    return bool((joint_accelerations(motion).max(axis=0) <= ALLOWED * np.max(recorded, axis=0)).all())


def _gap(value: float | None, target: float) -> float:
    return np.inf if value is None else abs(value - target)


def take_from_examples(examples: ActionExamples, attribute: Attribute, target: float) -> Motion | None:
    """Return the motion mixed with matched frames of the examples so that it has the target value.

    The result is None if no example comes near enough to the target, or if none matches the motion.
    """
    now, body = examples.own_value(attribute), examples.body
    values = examples.values(attribute)
    away = np.array([np.abs(numbers - target).min(initial=np.inf) for numbers in values])
    nearest = [
        number for number in np.argsort(away, kind="stable")[:CLIPS] if away[number] <= NEARER * abs(target - now)
    ]
    if not nearest:
        return None
    ready = index_motions([examples.motions[number] for number in nearest], body.plan.joint)
    costs = np.concatenate(
        [_frame_costs(values[number], examples.motions[number], (now, target)) for number in nearest]
    )
    registration = register_motion(examples.content, ready, costs)
    if registration.cost > SAME_ACTION + NEARER**2:
        return None
    joints = _joints(body, attribute)
    played = played_by(registration.theirs, registration.time_map).rotations[:, joints]
    return solve(
        lambda share: _mixed(examples.content, played, joints, share),
        (0.0, 1.0),
        (now, target),
        lambda motion: measured(motion, body, attribute),
        (0.0, STRONGEST),
    )


def _frame_costs(values: Float64, motion: Motion, change: tuple[float, float]) -> Float64:
    """Return the cost `(T,)` of each frame of an example, by the value of its piece; change: now and target."""
    now, target = change
    pieces = np.minimum(np.arange(motion.frames) * len(values) // motion.frames, len(values) - 1)
    return np.asarray(np.minimum(((values[pieces] - target) / (now - target)) ** 2, 1.0))


def _mixed(content: Motion, played: Float64, joints: list[int], share: float) -> Motion:
    """Return the motion with a share of the rotations `(T, K, 4)` that are played for some joints."""
    turns = content.rotations[:, joints].astype(np.float64)
    away = rotations.to_vector(rotations.multiply(rotations.inverse(turns), played))
    turned = rotations.multiply(turns, rotations.from_vector(share * away))
    return with_rotations(content, joints, rotations.normalize(turned))


def _joints(body: AttributeBody, attribute: Attribute) -> list[int]:
    """Return the joints that an attribute concerns, without those of legs."""
    if attribute.kind == kinds.ENERGY:
        return list(body.above)
    if attribute.kind in (kinds.ARM_HEIGHT, kinds.ARM_SWING):
        below = np.any([body.skeleton.descendants(arm.hip) for arm in body.arms], axis=0)
        return np.flatnonzero(below).tolist()
    return list(swinging(body, attribute))

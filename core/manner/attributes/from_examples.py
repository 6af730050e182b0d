# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes taken from frames of examples that have them, matched to the motion, for the joints that they concern."""

import numpy as np

from ...arrays import Float64
from ...library.indexed_motions import index_motions
from ...motion import rotations
from ...motion.motion import Motion
from ..fitting import CLIPS, SAME_ACTION
from ..frames import played_by
from ..registering import register_motion
from ..restyle import STRONGEST
from . import kinds
from .body import AttributeBody
from .deviations import with_rotations
from .examples import ActionExamples
from .kinds import Attribute
from .measuring import measured, swinging
from .solving import solve

NEARER = 0.35
"""Largest distance of their values from the target, as a share of the requested change."""


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Warps of a motion to the value of an attribute: changes of its steps, its tempo, its hips or its joints."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from ...feet.leg_ik import move_root
from ...feet.standing_legs import foot_targets, with_feet_at
from ...motion.motion import Motion, sample
from . import kinds
from .body import AttributeBody
from .deviations import scaled_swing
from .elevation import hanging, raised
from .kinds import Attribute
from .measuring import measured, raising, swinging
from .root_paths import with_path
from .solving import MISSED, solve

TEMPO_SHARE = 0.5
"""Exponent of the tempo in a change of speed; the rest comes from longer steps. People who walk faster change both
about equally (Grieve 1968)."""

Warp = Callable[[float], Motion]


@dataclass(frozen=True, eq=False)
class Warped:
    """A warped motion; positions: the moment `(T,)` of the content that each of its frames shows."""

    motion: Motion
    positions: Float64


def warp(
    motion: Motion, body: AttributeBody, attribute: Attribute, target: float, *, keep_steps: bool = False
) -> Warped:
    """Return a motion warped to the value of an attribute that it has.

    keep_steps: its speed is changed only by its tempo.
    """
    now = measured(motion, body, attribute)
    positions = np.arange(motion.frames, dtype=np.float64)
    if now is None or np.isclose(now, target, rtol=1e-6, atol=1e-9):
        return Warped(motion, positions)
    if attribute.kind == kinds.SPEED:
        ratio = target / max(now, 1e-9)
        tempo = ratio if keep_steps or not body.steps else ratio**TEMPO_SHARE
        positions = np.arange(0.0, motion.frames - 1 + 1e-6, tempo)
        stepped = motion if tempo == ratio else with_path(motion, body, ratio / tempo, 0.0)
        return Warped(sample(stepped, positions, motion.frames_per_second), positions)
    apply, first, neutral = _warp_of(motion, body, attribute, now, target)
    warped = solve(apply, (neutral, first), (now, target), lambda motion: measured(motion, body, attribute))
    if attribute.kind.name in (kinds.ARM_HEIGHT.name, kinds.HEIGHT) and target < now:
        got = measured(warped, body, attribute)
        if got is None or abs(got - target) > MISSED * abs(target - now):
            # Such as for arms that hang while the trunk bows: each frame has its own angle.
            warped = motion
            for joint, end in raising(body, attribute):
                warped = hanging(warped, joint, end, 1.0 - target / now)
    return Warped(warped, positions)


def _warp_of(
    motion: Motion, body: AttributeBody, attribute: Attribute, now: float, target: float
) -> tuple[Warp, float, float]:
    """Return a function that warps by an amount, the first amount to try, and the amount that changes nothing."""
    kind, ratio = attribute.kind, target / now if abs(now) > 1e-9 else 1.0
    if kind == kinds.STEP_LENGTH:
        return lambda amount: with_path(motion, body, amount, 0.0), ratio, 1.0
    if kind == kinds.TURN_RATE:
        seconds = (motion.frames - 1) / motion.frames_per_second
        return lambda amount: with_path(motion, body, 1.0, amount), float(np.radians(target - now) * seconds), 0.0
    if kind == kinds.CROUCH:
        return lambda amount: _lowered(motion, body, amount), target - now, 0.0
    if kind == kinds.ENERGY:
        return lambda amount: scaled_swing(motion, body.above, amount), ratio, 1.0
    if kind.name in (kinds.ARM_SWING.name, kinds.SWING):
        joints = swinging(body, attribute)
        return lambda amount: scaled_swing(motion, joints, amount), ratio, 1.0
    bones = raising(body, attribute)

    def lifted(amount: float) -> Motion:
        lifted_motion = motion
        for joint, end in bones:
            lifted_motion = raised(lifted_motion, joint, end, amount)
        return lifted_motion

    return lifted, float(np.radians(target - now)), 0.0


def _lowered(motion: Motion, body: AttributeBody, amount: float) -> Motion:
    """Return the motion with its hips lowered by a share of the leg's length, and its feet in place."""
    down = -amount * body.leg_length * np.array(motion.skeleton.up)
    moved = move_root(motion, body.plan.joint, np.broadcast_to(down, (motion.frames, 3)))
    return with_feet_at(moved, body.standing, foot_targets(motion, body.feet))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of a motion replanned between what stays: its path is guided by both sides, and its feet are planted.

The path through the examples is planned as for any result (paper, 3.2 and 5), with constraints for the poses beside the
stretch. Remaining differences at both ends are eased in over the whole stretch, so that poses and speeds meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Float32, Float64, Int64
from ..computation import computing
from ..constraints import Constraint, Constraints, PoseConstraint
from ..constraints.pose_targets import CONTEXT_SECONDS
from ..constraints.unlike import UnlikeMotions
from ..errors import InputError
from ..examples.preparing import Prepared
from ..feet.calm_paths import ALLOWED
from ..feet.contact_detection import ground_heights
from ..feet.planting import Standing
from ..feet.soft_footing import planted
from ..motion.comparing import check_comparable
from ..motion.motion import Motion, joined
from ..motion.root_motion import RootPlan
from ..settings import Facing
from ..synthesis.result import Synthesis
from ..synthesis.synthesize import synthesize
from .alternatives import DIFFERENCE, body_places, difference
from .easing import SPEED_SECONDS, eased_softly
from .laying import going_on, lay_window
from .seams import highest_acceleration
from .surroundings import Surroundings

ATTEMPTS = 3
"""Largest number of paths that are tried until one meets both sides softly and differs enough, each in about 0.06 s."""


@dataclass(frozen=True, eq=False)
class Replanned:
    """New motion of a stretch of F frames, with its sources.

    source_examples, source_frames, source_rates: `(F, P)` for P parts as in `Synthesis`. acceleration: the highest of a
    joint at the seams, as a share of the examples' highest. difference: the least `difference` from the
    motions that it should differ from; infinite if there are none.

    >>> isinstance(replan(prepared, Surroundings(before=swing), 20), Replanned)
    True
    """

    motion: Motion
    source_examples: Int64
    source_frames: Float64
    source_rates: Float64 | None
    acceleration: float
    difference: float


@computing()
def replan(
    prepared: Prepared,
    around: Surroundings,
    frames: int,
    *,
    seed: int = 0,
    unlike: Sequence[Motion] = (),
    others: Sequence[Constraint] = (),
) -> Replanned:
    """Return new motion of `frames` frames that leads from the motion before a stretch to the motion after it.

    unlike: motions of as many frames from which it should differ. others: further constraints, on the stretch together
    with its `context_frames`. The same values give the same motion.
    Raises InputError for fewer than one frame, and for surroundings on another skeleton or at another rate.

    >>> sides = Surroundings(swing.slice(0, 20), swing.slice(40, 60))
    >>> found = replan(prepared, sides, 20, unlike=[swing.slice(20, 40)])
    >>> isinstance(found, Replanned), found.motion.frames
    (True, 20)
    """
    if frames < 1:
        raise InputError("A stretch to plan again needs at least one frame; choose a longer one.")
    _check(prepared, around, unlike, frames)
    head, tail = context_frames(prepared, around)
    sides = _poses_beside(around, frames, head, tail)
    avoided, weights = tuple(_padded(motion, head, tail) for motion in unlike), _weights(prepared, frames, head, tail)
    plan = replace(prepared.root, facing=Facing.FREE, in_place=False)
    highest = highest_acceleration(prepared.motions)
    attempts: list[Replanned] = []
    for attempt in range(ATTEMPTS):
        constraints = Constraints(sides, others=(UnlikeMotions(avoided, (1 + attempt) * weights), *others))
        synthesis = synthesize(prepared, head + frames + tail, constraints=constraints, seed=ATTEMPTS * seed + attempt)
        attempts.append(_laid(prepared, plan, around, synthesis, head, frames, unlike, highest))
        if _shortfall(attempts[-1]) == 0.0:
            break
    return min(attempts, key=_shortfall)


def context_frames(prepared: Prepared, around: Surroundings) -> tuple[int, int]:
    """Return the numbers of frames before and after a stretch with which its path is planned; at least two each.

    >>> context_frames(prepared, Surroundings(before=swing))
    (15, 2)
    """
    most = max(2, round(CONTEXT_SECONDS * prepared.frames_per_second))
    head, tail = (0 if side is None else side.frames for side in (around.before, around.after))
    return max(2, min(head, most)), max(2, min(tail, most))


def _shortfall(result: Replanned) -> float:
    """Return the sum of a stretch's shortfalls in softness and difference; 0 if it has both."""
    return max(result.acceleration - ALLOWED, 0.0) + max(DIFFERENCE - result.difference, 0.0)


def _check(prepared: Prepared, around: Surroundings, unlike: Sequence[Motion], frames: int) -> None:
    """Raise InputError for motions that do not fit the examples."""
    example = prepared.motions[0]
    for motion in (*around.sides, *unlike):
        check_comparable(motion, example.skeleton.names, example.frames_per_second, "the examples")
        if not np.array_equal(motion.translated, example.translated):
            raise InputError("The motion has other channels than the examples; use the same character's.")
    if any(motion.frames != frames for motion in unlike):
        raise InputError(f"Motions to differ from need {frames} frames, as many as the stretch.")


def _poses_beside(around: Surroundings, frames: int, head: int, tail: int) -> PoseConstraint:
    """Return the poses on both sides as constraints, for the stretch with its context."""
    first = around.sides[0]
    total, joints = head + frames + tail, len(first.skeleton.names)
    at, known = np.zeros(total, np.int64), np.zeros(total, bool)
    together = first if around.before is None or around.after is None else joined([around.before, around.after])
    if around.before is not None:
        count = min(head, around.before.frames)
        at[head - count : head] = np.arange(around.before.frames - count, around.before.frames)
        known[head - count : head] = True
    if around.after is not None:
        count = min(tail, around.after.frames)
        offset = together.frames - around.after.frames
        at[head + frames : head + frames + count] = offset + np.arange(count)
        known[head + frames : head + frames + count] = True
    return PoseConstraint(together.take(at), np.repeat(known[:, None], joints, axis=1), known)


def _padded(motion: Motion, head: int, tail: int) -> Motion:
    """Return a motion with its first and last pose repeated for the context, where it is given no weight."""
    return motion.take(np.clip(np.arange(-head, motion.frames + tail), 0, motion.frames - 1))


def _weights(prepared: Prepared, frames: int, head: int, tail: int) -> Float32:
    """Return the required difference `(F,)` of an alternative at each frame, context included, from 0 to 1.

    It grows over the time in which a difference of speeds decays.
    """
    eased = min(SPEED_SECONDS * prepared.frames_per_second, frames / 3)
    at = np.arange(frames) + 0.5
    inside = np.minimum(np.minimum(at, frames - at) / max(eased, 1.0), 1.0)
    return np.concatenate((np.zeros(head), inside, np.zeros(tail))).astype(np.float32)


def _laid(
    prepared: Prepared,
    plan: RootPlan,
    around: Surroundings,
    synthesis: Synthesis,
    head: int,
    frames: int,
    unlike: Sequence[Motion],
    highest: float,
) -> Replanned:
    """Return the motion of the stretch from a synthesis with its context, laid between the sides."""
    # Frames of the synthesis beyond the stretch may belong to another segment, so speeds at the ends are extrapolated.
    window = going_on(synthesis.motion.slice(head - 2, head + frames + 2), at_start=True, at_end=True)
    gap = around.closed(window, plan)
    standing = Standing(
        prepared.feet, ground_heights(prepared.motions, prepared.feet), prepared.example_feet.footing.knees, plan
    )
    played = window.slice(1, window.frames - 1)
    motion, worst = eased_softly(
        lambda seconds: planted(standing, played, lay_window(window, gap, plan, seconds)).slice(1, frames + 1),
        lambda laid: _acceleration_at_seams(around, laid) / highest,
        ALLOWED,
    )
    made = body_places(motion, plan)
    stretch, rates = slice(head, head + frames), synthesis.source_rates
    return Replanned(
        motion,
        synthesis.source_examples[stretch],
        synthesis.source_frames[stretch],
        None if rates is None else rates[stretch],
        worst,
        min((difference(body_places(other, plan), made) for other in unlike), default=np.inf),
    )


def _acceleration_at_seams(around: Surroundings, motion: Motion) -> float:
    """Return the highest acceleration of a joint at the seams, in units per frame squared."""
    # Accelerations are second differences, so those across a seam reach two frames into both sides.
    worst = 0.0
    if around.before is not None:
        side = around.before
        before = side.slice(max(side.frames - 2, 0), side.frames)
        worst = highest_acceleration([joined([before, motion.slice(0, 2)])])
    if around.after is not None:
        end = motion.slice(max(motion.frames - 2, 0), motion.frames)
        worst = max(worst, highest_acceleration([joined([end, around.after.slice(0, 2)])]))
    return worst

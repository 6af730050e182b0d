# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting of feet: in motion laid between poses, they stand when they do in the original motion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Float64, Mask
from ..motion import rotations
from ..motion.climbing import climbs
from ..motion.filters import smoothstep
from ..motion.gap import Gap
from ..motion.ground_travel import STRIDE_SECONDS
from ..motion.motion import Motion, joint_path
from ..motion.root_motion import RootPlan, place_and_heading
from .calm_knees import Knees, find_knees
from .contact_detection import Foot, find_feet, foot_heights, ground_heights, label_contacts
from .footsteps import MOST_RISE, STEP_SECONDS
from .leg_ik import ik_weights_beside, lock_feet

EASES = (0.0, 0.1, 0.17, 0.25, 0.4, 0.6)
"""Times, in seconds, in which feet that stand up to an end ease toward the pose there, tried shortest first."""
GROUND_SECONDS = 2 * STEP_SECONDS
"""Shortest motion beside a gap, in seconds, that shows the ground's height: in two steps each foot is put down."""


@dataclass(frozen=True, eq=False)
class Standing:
    """Joints that are feet, the height `(len(feet),)` of each on the ground, their knees, and the root's plan."""

    feet: tuple[Foot, ...]
    ground: Float64
    knees: Knees
    plan: RootPlan


def find_standing(motions: Sequence[Motion], plan: RootPlan) -> Standing:
    """Return the feet of motions on one skeleton, the height of the ground under them, and their knees."""
    feet = find_feet(motions)
    plan = replace(plan, climbs=any(climbs(motion, plan) for motion in motions))
    return Standing(feet, ground_heights(motions, feet), find_knees(motions, feet), plan)


def firmly_planted(standing: Standing, played: Motion, laid: Motion, gap: Gap) -> Motion | None:
    """Return a laid motion `(T)` with feet planted up to both ends; None if the ground is not known.

    Feet are as high above the ground as they were in the motion `played` `(T)`.
    """
    heights = _heights_as_played(standing, played, gap)
    if heights is None:
        return None
    contacts, movement = footing_as_played(standing, played, laid)
    return planted_around(standing, contacts, laid, only_ends(laid), movement, heights)


def footing_as_played(standing: Standing, played: Motion, laid: Motion) -> tuple[Mask, Float64]:
    """Return the contacts `(T, len(feet))` of a played motion, and the movements of standing feet in the laid one."""
    climbs = standing.plan.climbs or None
    contacts = label_contacts(played, standing.feet, standing.ground, treadmill=True, climbs=climbs)
    return contacts, own_movements(standing, played, laid, contacts)


def only_ends(motion: Motion) -> Mask:
    """Return the mask `(T, J)` of all joints at the first and the last frame."""
    ends = np.zeros(motion.rotations.shape[:2], bool)
    ends[[0, -1]] = True
    return ends


def _heights_as_played(standing: Standing, played: Motion, gap: Gap) -> Float64 | None:
    """Return the heights `(T, len(feet))` of feet that are as high above the ground beside the gap as they were played.

    Easing toward a pose with other legs would move feet through the ground, or so near to it that swings slide. The
    result is None for short gaps, and if the motion beside the gap does not show the ground.
    """
    rate, sides = played.frames_per_second, (gap.before, gap.after)
    if not standing.feet or played.frames < STRIDE_SECONDS * rate:
        return None
    if min(side.frames for side in sides) < GROUND_SECONDS * rate:
        return None
    level, before, after = (_ground_level(standing, motion) for motion in (played, *sides))
    if max(abs(before - level), abs(after - level)) > MOST_RISE * played.skeleton.size:
        return None
    rise = np.linspace(before - level, after - level, played.frames)
    return np.asarray(foot_heights(played, standing.feet) + rise[:, None])


def _ground_level(standing: Standing, motion: Motion) -> float:
    """Return the height of the ground under a motion, by its lowest foot, above the ground of the examples."""
    return float((foot_heights(motion, standing.feet) - standing.ground).min())


def planted_around(
    standing: Standing,
    contacts: Mask,
    laid: Motion,
    fixed: Mask,
    movement: Float64 | None = None,
    heights: Float64 | None = None,
) -> Motion:
    """Return a laid motion `(T)` with feet planted at `contacts` `(T, len(feet))`, around poses that stay.

    fixed: `(T, J)` joints whose poses stay; a foot stands at its place in them. movement: `(T, len(feet), 3)`
    of each foot by itself while it stands; None means none. heights: `(T, len(feet))` of the feet; None are those
    of the laid motion.
    """
    feet, joint = standing.feet, standing.plan.joint
    if not feet:
        return laid
    weights = ik_weights_beside(fixed, feet, joint, laid.frames_per_second)
    heights = foot_heights(laid, feet) if heights is None else heights
    nowhere = np.zeros(0, np.int64)
    return lock_feet(laid, feet, contacts, heights, nowhere, joint, weights, standing.knees, movement)


def calmly_eased(
    laid: Motion, firm: Motion, quickest: Callable[[Motion], tuple[float, float]], limit: float
) -> Motion | None:
    """Return the motion with firmly planted feet, eased toward each end in the shortest time that is calm enough.

    quickest: function that returns the largest acceleration in each half of a motion. limit: the largest allowed one.
    The result is None if no time is calm enough.
    """
    chosen: list[float | None] = [None, None]
    for seconds in EASES:
        tried = firm if seconds == 0.0 else eased_at_ends(laid, firm, (seconds, seconds))
        for side, largest in enumerate(quickest(tried)):
            if chosen[side] is None and largest <= limit:
                chosen[side] = seconds
        start, end = chosen
        if start is not None and end is not None:
            return tried if start == end else eased_at_ends(laid, firm, (start, end))
    return None


def eased_at_ends(laid: Motion, locked: Motion, seconds: tuple[float, float]) -> Motion:
    """Return the locked motion, eased into the laid one before its first and last frame within some seconds."""
    frames, rate = np.arange(laid.frames), laid.frames_per_second
    ends = zip((frames, laid.frames - 1 - frames), seconds, strict=True)
    away = np.min([np.minimum(beside / max(ease * rate, 1.0), 1.0) for beside, ease in ends], axis=0)
    weights = smoothstep(away).astype(np.float32)
    turns = rotations.slerp(
        laid.rotations, locked.rotations, np.broadcast_to(weights[:, None], laid.rotations.shape[:2])
    )
    moves = laid.translations + weights[:, None, None] * (locked.translations - laid.translations)
    return replace(laid, rotations=rotations.make_continuous(turns).astype(np.float32), translations=moves)


def own_movements(standing: Standing, played: Motion, laid: Motion, contacts: Mask) -> Float64:
    """Return the movements `(T, len(feet), 3)` of feet along the ground by themselves while they stand."""
    up = np.array(laid.skeleton.up)
    turns = [place_and_heading(motion, standing.plan)[1] for motion in (laid, played)]
    facing = rotations.from_axis_angle(up, turns[0] - turns[1])
    movements = np.zeros((*contacts.shape, 3))
    for index, foot in enumerate(standing.feet):
        places = joint_path(played, foot.joint)
        steps = np.diff(places, axis=0)
        turned = rotations.rotate(facing[:-1], steps - (steps @ up)[:, None] * up)
        stands = contacts[:-1, index] & contacts[1:, index]
        movements[1:, index] = np.cumsum(turned * stands[:, None], axis=0)
    return movements

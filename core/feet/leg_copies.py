# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of a leg: the chains of a control rig for deformation, inverse and forward kinematics, which move as one leg.

They are found by where their joints are, at rest and in the motions, and never by name.
"""

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..motion import rotations
from ..motion.motion import Motion, joint_path
from ..motion.skeleton import SAME_PLACE, Skeleton

THIGH_SHARE = 0.2
"""Shortest thigh, as a share of the leg; a shorter bone above the knee is an offset of the hip."""
STIFF = 0.2
"""Least turn of a leg's first joint, as a share of the most that one of its joints turns. Bones of the pelvis and
shoulder blades of game animals turn by less, and the first joints of all other legs by 0.3 or more."""

Bends = tuple[int, int, int]
"""Hip, knee and end of a leg, or of a copy of it: joints, or places in a chain of joints."""


def places_of_bends(lengths: Array) -> Bends:
    """Return the places of hip, knee and end in a leg whose bones have these lengths `(K - 1,)`, two or more."""
    along = np.cumsum(lengths)
    knee = 1 + int(np.argmin(np.abs(along[:-1] - along[-1] / 2)))
    before = np.concatenate(([0.0], along))
    thighs = (place for place in range(knee) if along[place] - before[place] > THIGH_SHARE * along[-1])
    return next(thighs, 0), knee, len(lengths)


def from_hip(motions: Sequence[Motion], leg: tuple[int, ...]) -> tuple[int, ...]:
    """Return a leg from the first joint that turns in the motions, the hip; three joints remain."""
    if len(leg) <= 3:
        return leg
    turns = [max(_largest_turn(motion.rotations[:, joint]) for motion in motions) for joint in leg]
    hip = next(place for place, turn in enumerate(turns) if turn >= STIFF * max(turns))
    return leg[min(hip, len(leg) - 3) :]


def _largest_turn(turns: Array) -> float:
    return float(rotations.angle_between(turns, turns[:1]).max())


def limb_of(skeleton: Skeleton, joint: int) -> list[int]:
    """Return the joints from the first of the limb that a joint is part of down to that joint."""
    chain = skeleton.chain(joint)
    # Below the last joint at which limbs branch.
    forks = [place for place, above in enumerate(chain[:-1], 1) if skeleton.limbs_at[above] >= 2]
    return chain[forks[-1] if forks else 0 :]


def on_control(motions: Sequence[Motion], joint: int) -> tuple[tuple[int, ...], tuple[Bends, ...]]:
    """Return the control that carries a foot, alone, and hip, knee and end of the legs that go along with it.

    Without any, it is the leg that inverse kinematics brings to the control: one that rests with its end there. Both
    are empty for other feet.
    """
    skeleton, translated = motions[0].skeleton, motions[0].translated
    control = next((above for above in reversed(skeleton.chain(joint)) if above in translated), None)
    if control is None:
        return (), ()
    places = skeleton.rest_positions
    near = np.linalg.norm(places - places[control], axis=1) <= SAME_PLACE * skeleton.size
    resting, along = list[Bends](), dict[int, Bends]()
    for end in np.flatnonzero(near).tolist():
        limb = limb_of(skeleton, end)
        if len(limb) < 3 or control in skeleton.chain(end):
            continue
        hip, knee, _ = places_of_bends(np.linalg.norm(np.diff(places[limb], axis=0), axis=1))
        resting.append((limb[hip], limb[knee], end))
        if share_together(motions, control, end) == 1.0:
            along[limb[hip]] = resting[-1]
    return ((control,), tuple(along.values() if along else resting[:1])) if resting else ((), ())


def find_copies(motions: Sequence[Motion], leg: Sequence[int]) -> tuple[Bends, ...]:
    """Return the copies of a leg that end where it ends in all frames of the motions; leg: joints from first to end.

    A copy has joints where hip, knee and end of the leg rest. It does not carry the leg, which would turn twice.
    """
    skeleton = motions[0].skeleton
    first: dict[int, Bends] = {}
    for copy in copies_at_rest(skeleton, leg):
        is_above = copy[0] in skeleton.chain(leg[0])
        if not is_above and copy[0] not in first and share_together(motions, leg[-1], copy[-1]) == 1.0:
            first[copy[0]] = copy
    return tuple(first.values())


def copies_at_rest(skeleton: Skeleton, leg: Sequence[int]) -> list[Bends]:
    """Return the other chains with joints where hip, knee and end of a leg rest; none for a leg of two joints."""
    if len(leg) < 3:
        return []
    places = skeleton.rest_positions
    bends = [leg[place] for place in places_of_bends(np.linalg.norm(np.diff(places[list(leg)], axis=0), axis=1))]
    at_hip, at_knee, at_end = np.linalg.norm(places - places[bends, None], axis=2) <= SAME_PLACE * skeleton.size
    copies: list[Bends] = []
    for end in np.flatnonzero(at_end).tolist():
        chain = skeleton.chain(end)
        hips = [place for place, joint in enumerate(chain) if at_hip[joint]]
        if bends[0] in chain or not hips:
            continue
        # Of several joints at the hip, those above the last one may carry other copies.
        knees = [joint for joint in chain[hips[-1] + 1 :] if at_knee[joint]]
        if knees:
            copies.append((chain[hips[-1]], knees[0], end))
    return copies


def share_together(motions: Sequence[Motion], joint: int, other: int) -> float:
    """Return the share of the frames in which two joints are at one place."""
    distances = [np.linalg.norm(joint_path(motion, joint) - joint_path(motion, other), axis=1) for motion in motions]
    return float(np.mean(np.concatenate(distances) <= SAME_PLACE * motions[0].skeleton.size))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Locking of planted feet: inverse kinematics on the leg keeps the foot in one place for each stance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.filters import smooth, smoothstep
from ..motion.motion import Motion, pose_along
from ..motion.spans import nearest_marks
from .calm_knees import Knees, calm_solved, solve_calmly
from .calm_paths import ALLOWED
from .contact_detection import Foot, foot_heights
from .foot_moves import EASE_SECONDS
from .footsteps import LONGEST_STEP, STEP_SECONDS, SwingHeights, calm_step_acceleration
from .locked_feet import LockedFeet
from .stance_moves import FeetToMove, stance_moves
from .two_bone_ik import NEARLY_STRAIGHT, Leg, find_hinges, knee_path, pose_leg, reached_distances, write_turns

UNSEEN = 1e-3
"""Largest invisible acceleration of a knee or foot, as a share of the size per frame squared at 30 frames per second; a
lower bound, since the examples' feet may stand still."""


@dataclass(frozen=True, eq=False)
class IkWeights:
    """Weights of inverse kinematics near fixed poses: of each foot `(T, len(feet))`, of the pelvis `(T,)`, 0 to 1."""

    feet: Float64
    pelvis: Float64


def ik_weights_beside(
    joints: Mask, feet: Sequence[Foot], root: int, rate: float, lengths: Float64 | None = None
) -> IkWeights:
    """Return weights that rise from 0, at frames at which `joints` `(T, J)` of a leg or the root are fixed, to 1.

    lengths: `(T, len(feet))`, the frames in which they rise beside a fixed frame; None is the shortest time.
    """
    legs = [np.asarray(joints[:, [foot.joint, *foot.leg]].any(axis=1)) for foot in feet]
    if lengths is None:
        lengths = np.full((len(joints), len(feet)), EASE_SECONDS * rate)
    away = [_away_from(fixed, lengths[:, index]) for index, fixed in enumerate(legs)]
    of_feet = np.stack(away, axis=1) if away else np.zeros((len(joints), 0))
    return IkWeights(of_feet, _away_from(joints[:, root], lengths.max(axis=1, initial=EASE_SECONDS * rate)))


def calm_lengths(motion: Motion, feet: Sequence[Foot], heights: Array, largest: Float64) -> Float64:
    """Return the frames `(T, len(feet))` in which each foot, fixed at its height, calmly returns to that of its plan.

    heights: `(T, len(feet))` of the plan. largest: `(len(feet),)` the largest acceleration of each in the examples, in
    units per frame squared.
    """
    rate, size = motion.frames_per_second, motion.skeleton.size
    off = np.abs(foot_heights(motion, feet) - heights)
    # The largest acceleration of a smoothstep.
    calm = np.sqrt(6.0 * off / (ALLOWED * np.maximum(largest, UNSEEN * size)))
    return np.clip(calm, EASE_SECONDS * rate, LONGEST_STEP * STEP_SECONDS * rate)


def _away_from(fixed: Mask, lengths: Float64) -> Float64:
    """Return weights `(T,)` that rise from 0 at `fixed` `(T,)` frames to 1 within some lengths `(T,)` from them."""
    if not fixed.any():
        return np.ones(len(fixed))
    at, nearest = np.arange(len(fixed)), nearest_marks(np.flatnonzero(fixed), len(fixed))
    share = np.clip(np.abs(at - nearest) / np.maximum(lengths[nearest], 1.0), 0.0, 1.0)
    return np.asarray(smoothstep(share))


def lock_feet(
    motion: Motion,
    feet: Sequence[Foot],
    contacts: Mask,
    heights: Array,
    transitions: Int64,
    root: int,
    ik_weights: IkWeights | None = None,
    knees: Knees | None = None,
    movement: Float64 | None = None,
    longest_drift: float = np.inf,
    of_swings: SwingHeights | None = None,
    locked: LockedFeet | None = None,
    detours: Float64 | None = None,
    *,
    in_place: bool = False,
) -> Motion:
    """Return the motion with every stance in one place, and feet at their target heights.

    Feet whose leg is too short for inverse kinematics do not change. A control moves itself, within its leg's reach.
    contacts: `(T, len(feet))`. heights: `(T, len(feet))` target heights of the feet's joints. transitions: the frames
    at which another segment begins. root: the joint whose translation carries the pelvis, which gives way if a leg
    would be overstretched. ik_weights: None is full weight. knees: of the examples; None: the motion's own, with
    unlimited acceleration. movement: `(T, len(feet), 3)` of each foot along the ground while it stands; None is none.
    longest_drift: the longest such movement in a stance with a transition or a fixed pose. of_swings: of the examples,
    for swings that crossfades flatten; None leaves these as they are. locked: feet that stay in one place over given
    frames. detours: see detours_of_feet; None for a root that is not guided. in_place: overwrite the given rotations,
    if nothing else needs them.
    """
    solvable = [index for index, foot in enumerate(feet) if foot.movable]
    if not solvable:
        return motion
    if knees is None:
        knees = Knees(find_hinges([motion], feet), *np.full((2, len(feet)), np.inf))
    legs = {index: pose_leg(motion, feet[index]) for index in solvable}
    rate, size, up = motion.frames_per_second, motion.skeleton.size, np.array(motion.skeleton.up)
    stepping = replace(knees, acceleration=np.maximum(knees.acceleration, calm_step_acceleration(size, rate)))
    weights = np.ones(contacts.shape) if ik_weights is None else ik_weights.feet
    moves = stance_moves(
        FeetToMove(
            paths={index: leg.positions[:, -1] for index, leg in legs.items()},
            contacts=contacts,
            heights=heights,
            movement=np.zeros((motion.frames, len(feet), 3)) if movement is None else movement,
            weights=weights,
            transitions=transitions,
            largest=ALLOWED * np.maximum(knees.foot_acceleration, UNSEEN * size),
            longest_drift=longest_drift,
            of_swings=of_swings,
            lands=movement is not None,
            locked=locked,
            detours=detours,
            up=up,
            rate=rate,
            size=size,
        )
    )
    sink = pelvis_moves(motion, legs, moves, root)
    if ik_weights is not None:
        sink = sink * ik_weights.pelvis[:, None]
    motion = move_root(motion, root, sink)
    # One copy for all legs, since each copy takes a tenth of the memory of a long result.
    motion = motion if in_place else replace(motion, rotations=motion.rotations.copy())
    for index in solvable:
        if legs[index].control is not None:
            motion, moves[index] = _move_control(motion, legs[index], moves[index], sink, root, weights[:, index])
            if not legs[index].goes_along(size):
                continue
        moved = replace(legs[index], positions=legs[index].positions + sink[:, None])
        # A fixed leg moves with the pelvis.
        reached = np.where(weights[:, index, None] > 0, moves[index] - sink, 0.0)
        lifts = (legs[index].positions[:, -1] + moves[index]) @ up - heights[:, index] > UNSEEN * size
        # Knees of examples that only stand may be too calm for a step.
        of_steps = stepping if lifts[contacts[:, index]].any() else knees
        _turn_leg(motion, feet[index], moved, reached, of_steps, index, weights[:, index], weights[:, index])
    # A new motion, because poses cached for the previous one are outdated.
    return replace(motion, rotations=motion.rotations)


def follow_paths(
    motion: Motion, feet: Sequence[Foot], paths: Float64, contacts: Mask, root: int, knees: Knees
) -> Motion:
    """Return the motion with the joints of feet, each with a leg of three joints or more, on paths `(T, F, 3)`.

    contacts: `(T, F)`, frames at which a foot stays on its path even if its knee accelerates too much. root: the joint
    whose translation carries the pelvis, which gives way if a leg would be overstretched. knees: their hinges and
    largest accelerations.
    """
    legs = {index: pose_leg(motion, foot) for index, foot in enumerate(feet)}
    moves = {index: paths[:, index] - leg.positions[:, -1] for index, leg in legs.items()}
    sink = pelvis_moves(motion, legs, moves, root)
    motion = move_root(motion, root, sink)
    motion = replace(motion, rotations=motion.rotations.copy())
    for index, leg in legs.items():
        moved = replace(leg, positions=leg.positions + sink[:, None])
        free = np.ones(motion.frames)
        loose = _away_from(contacts[:, index], EASE_SECONDS * motion.frames_per_second * free)
        _turn_leg(motion, feet[index], moved, moves[index] - sink, knees, index, free, loose)
    # A new motion, because poses cached for the previous one are outdated.
    return replace(motion, rotations=motion.rotations)


def _turn_leg(
    motion: Motion,
    foot: Foot,
    leg: Leg,
    moves: Float64,
    knees: Knees,
    index: int,
    weights: Array,
    loose: Array,
) -> None:
    """Bend a leg in place so that its foot moves as planned and its knee is calm; loose: see solve_calmly."""
    rate, size = motion.frames_per_second, motion.skeleton.size
    solution = solve_calmly(leg, moves, knees, index, weights, rate, size, loose=loose)
    write_turns(motion, leg, solution)
    # A new motion, because poses cached for the previous one are outdated.
    turned = replace(motion, rotations=motion.rotations)
    calm_solved(turned, foot, knee_path(leg, solution), knees, index, loose)


def _move_control(
    motion: Motion, leg: Leg, moves: Float64, sink: Float64, root: int, weights: Array
) -> tuple[Motion, Float64]:
    """Return the motion with a leg's control moved as planned, where the leg reaches with a calm knee; and its moves.

    leg: before the pelvis moved by `sink` `(T, 3)`. moves: `(T, 3)` of the control. weights: `(T,)`, 0 where it is
    fixed.
    """
    control = leg.control
    assert control is not None
    carried = root in motion.skeleton.chain(control)
    hip = leg.positions[:, leg.hip] + sink
    after = leg.target + moves - hip
    then = np.asarray(rotations.lengths(after), np.float64)
    distance = reached_distances(leg, then, weights, motion.frames_per_second)
    within = hip + after * (distance / np.maximum(then, 1e-12))[:, None] - leg.target
    moves = np.where(weights[:, None] > 0, within, 0.0)
    return move_root(motion, control, moves - sink if carried else moves), moves


def pelvis_moves(motion: Motion, legs: dict[int, Leg], moves: dict[int, Float64], root: int) -> Float64:
    """Return the pelvis's moves `(T, 3)` that keep every leg within its length, or within its original extension."""
    total = np.zeros((motion.frames, 3))
    if root not in motion.translated:
        return total
    for index, leg in legs.items():
        if leg.chain[0] != root and root not in leg.chain[: leg.hip]:
            continue
        hip, end = leg.positions[:, leg.hip], leg.target
        now = rotations.lengths(end - hip)
        target = end + moves[index] - hip
        target_distance = rotations.lengths(target)
        beyond = np.maximum(target_distance - np.maximum(now, NEARLY_STRAIGHT * leg.reach), 0.0)
        needed = beyond[:, None] * target / np.maximum(target_distance, 1e-12)[:, None]
        larger = rotations.lengths(needed) > rotations.lengths(total)
        total[larger] = needed[larger]
    return smooth(total, EASE_SECONDS, motion.frames_per_second)


def move_root(motion: Motion, root: int, moves: Float64) -> Motion:
    """Return the motion with a joint, if translated, moved by `(T, 3)` in the space of the roots.

    >>> up = np.tile([0.0, 0.0, 0.1], (swing.frames, 1))
    >>> moved = move_root(swing, int(swing.translated[0]), up)
    >>> bool(np.allclose((moved.pose()[1] - swing.pose()[1])[..., 2], 0.1))
    True
    """
    if root not in motion.translated or not moves.any():
        return motion
    chain = motion.skeleton.chain(root)
    inside: Array = moves
    if len(chain) > 1:
        above = pose_along(motion, chain[:-1])[0][:, -1].astype(np.float64)
        inside = rotations.in_axes_of(above, moves)
    from_rest = rotations.inverse(motion.skeleton.rest_rotations[root])
    slot = int(np.searchsorted(motion.translated, root))
    translations = motion.translations.copy()
    translations[:, slot] += rotations.rotate(np.broadcast_to(from_rest, (len(inside), 4)), inside).astype(np.float32)
    return replace(motion, translations=translations)


def turn_joint(motion: Motion, joint: int, turns: Array) -> Motion:
    """Return the motion with a joint turned in place by rotations `(T, 4)` in the space of the roots.

    >>> half = np.tile([0.0, 0.0, 0.0, 1.0], (swing.frames, 1))
    >>> turned = turn_joint(swing, 0, half)
    >>> bool(np.allclose(turned.pose()[1][:, 0], swing.pose()[1][:, 0]))
    True
    """
    frames = np.flatnonzero(np.abs(turns[:, 1:]).max(axis=1) > ROUNDING)
    if not len(frames):
        return motion
    matrices = pose_along(motion.take(frames), motion.skeleton.chain(joint))[0][:, -1].astype(np.float64)
    now = rotations.from_matrix(rotations.without_scale(matrices))
    inside = rotations.multiply(rotations.inverse(now), rotations.multiply(turns[frames], now))
    local = motion.rotations.copy()
    before = local[frames, joint]
    after = rotations.normalize(rotations.multiply(before, inside))
    local[frames, joint] = np.where(np.sum(after * before, axis=1, keepdims=True) < 0, -after, after)
    return replace(motion, rotations=local)


def move_together(motion: Motion, joints: Iterable[int], moves: Float64) -> Motion:
    """Return the motion with several joints, such as the root and its companions, moved by `(T, 3)`; see move_root."""
    for joint in joints:
        motion = move_root(motion, int(joint), moves)
    return motion

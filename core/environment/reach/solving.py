# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints brought to their places at all frames: the trunk gives way, feet stay, and limbs are closed exactly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, Float64, Mask
from ...computation import computing
from ...feet.calm_knees import Knees, solve_calmly
from ...feet.calm_paths import ALLOWED, accelerations
from ...feet.foot_moves import EASE_SECONDS
from ...feet.leg_ik import ik_weights_beside
from ...feet.two_bone_ik import Leg, Solution, hip_to_end, knee_path, pose_leg, turn_leg
from ...motion import rotations
from ...motion.filters import smooth
from ...motion.motion import Motion, joint_path
from ...motion.skeleton import SAME_PLACE
from .approach import approach_places
from .balance import CenterGoal
from .body import ReachBody
from .closing import close_limb
from .ends import ReachTask, carried, detour_of, end_places, orientations_of, places_of
from .folded_legs import moves_along
from .limbs import Limb, find_limb, is_of_foot
from .quickest import Quickest, quickest_in
from .reach import Reach
from .swing import calm_swivel
from .trunk_ik import ROUNDS, Trunk, TrunkTask, leg_goal, limb_goal

Attempt = tuple[float, float, bool]
"""Parameters of an attempt: the share of the allowed acceleration with which approaches are planned; the deviation, in
seconds, of the Gaussian that smooths the trunk's movement; and whether the trunk's goals are tightened until all places
are met in spite of smoothing."""
ATTEMPTS: tuple[Attempt, ...] = (
    (1.0, 0.05, False),
    (1.0, 0.05, True),
    (1.0, 0.12, True),
    (1.0, 0.2, True),
    (0.6, 0.12, False),
    (0.6, 0.2, True),
)
"""Attempts, made in this order until all places are met and no joint exceeds the allowed acceleration. They were chosen
from all with shares of 1, 0.6 and 0.3 and these deviations (`bench --places DIR --clips hands --list chosen`)."""


@dataclass(frozen=True, eq=False)
class Met:
    """A motion brought to its places; missing: `(R, T)` distance of each joint from its place, 0 at other frames.

    quickest: the quickest joint of the changed frames; None if nothing changed. attempt: the one that was chosen.

    >>> float(Met(swing, np.zeros((1, 60))).missing.max())
    0.0
    """

    motion: Motion
    missing: Float64
    quickest: Quickest | None = None
    attempt: Attempt = ATTEMPTS[0]


@dataclass(frozen=True, eq=False)
class _Kept:
    """Poses that stay: of joints `always` `(J,)` at every frame; free: `(T,)`, 0 at fixed frames, below 1 near them."""

    always: Mask
    free: Float64


@dataclass(frozen=True, eq=False)
class _Piece:
    """Frames of a motion, from `first` on, that tasks change.

    turned: `(F, 4)` target orientation of the end of each task's limb. ends: `(F, 3)` its target places. legs: legs
    that keep their feet in place, with the numbers of these feet. moves: the trunk's turns and shifts before smoothing.
    """

    motion: Motion
    first: int
    tasks: list[ReachTask]
    turned: list[Array]
    ends: list[Float64]
    legs: list[tuple[Leg, int]]
    trunk: TrunkTask | None
    moves: Float64 | None
    kept: _Kept

    @property
    def end(self) -> int:
        """Return the frame after the last one."""
        return self.first + self.motion.frames

    @property
    def is_smoothed(self) -> bool:
        """Return whether the trunk moves and may be smoothed: a joint without a limb would then miss its place."""
        return self.trunk is not None and all(task.limb is not None for task in self.tasks)

    def smoothed(self, seconds: float) -> Motion:
        """Return the motion with its trunk moved, and smoothed by a deviation in seconds if it may be."""
        if self.trunk is None or self.moves is None:
            return self.motion
        return self.trunk.smoothed(self.moves, seconds) if self.is_smoothed else self.trunk.moved(self.moves)

    def tightened(self, seconds: float) -> Motion | None:
        """Return the smoothed motion with the trunk's goals tightened; None if tightening changes nothing."""
        if self.trunk is None or self.moves is None or not self.is_smoothed:
            return None
        return self.trunk.tightened(self.moves, seconds)

    def trunk_moved(self, seconds: float, tightened: bool) -> Motion:
        """Return the motion with its trunk moved and smoothed; its goals are tightened if asked and of any use."""
        moved = self.tightened(seconds) if tightened else None
        return self.smoothed(seconds) if moved is None else moved

    def met(self, motion: Motion, reaches: Sequence[Reach], body: ReachBody, attempt: Attempt, part: Motion) -> Met:
        """Return a motion with the piece solved and put into it; part: the piece after its trunk moved."""
        changed = np.flatnonzero(self.kept.free > 0)
        moved = motion.with_frames(self.first + changed, _solved(self, part, body).take(changed))
        missing = np.stack([_missing(moved, reach) for reach in reaches])
        return Met(moved, missing, quickest_in(moved, max(self.first - 2, 0), self.end + 2), attempt)


@computing()
def meet_places(
    motion: Motion,
    reaches: Sequence[Reach],
    body: ReachBody,
    fixed: Mask | None = None,
    attempt: Attempt | None = None,
) -> Met:
    """Return the motion with each joint at its places, approached over as many frames as a calm movement needs.

    Feet that have no places stay where they are. fixed: `(T, J)` joints that keep their poses; frames at which joints
    are fixed that are free elsewhere do not change at all. Places that are out of reach are approached as nearly as
    possible, see `missing`. If the body has a balance, quiet frames keep it as far as places and calm joints allow.
    attempt: chosen for similar places; it is made first, and is the only one if it meets these places too.

    >>> active = np.arange(60) == 30
    >>> reach = Reach(1, active, np.tile([0.0, 0.0, 0.15], (60, 1)))
    >>> bool(meet_places(swing, [reach], find_body([swing], [1])).missing.max() < 1e-3)
    True
    """
    motion.check_values("The motion to bring to places")
    fixed = np.zeros(motion.rotations.shape[:2], bool) if fixed is None else fixed
    always = np.asarray(fixed.all(axis=0))
    free = np.asarray(~(fixed & ~always).any(axis=1))
    paths = [joint_path(motion, reach.joint) for reach in reaches]
    limbs = [limb_for(motion, reach, body, always) for reach in reaches]
    detours = [None if limb is None else detour_of(motion, limb, hinge, rigid) for limb, hinge, rigid in limbs]
    weights = ik_weights_beside(~free[:, None], (), 0, motion.frames_per_second).pelvis
    limit = ALLOWED * body.acceleration

    def piece_at(share: float) -> _Piece:
        approaches = [
            approach_places(path, reach, free, motion.frames_per_second, share * limit, detour)
            for path, reach, detour in zip(paths, reaches, detours, strict=True)
        ]
        tasks = [
            ReachTask(reach, approach, *limb) for reach, approach, limb in zip(reaches, approaches, limbs, strict=True)
        ]
        return _piece_of(motion, tasks, body, _Kept(always, weights))

    best: tuple[tuple[bool, float], Met] | None = None
    pieces, done = dict[float, _Piece](), set[Attempt]()
    for tried in _attempts(attempt):
        share, seconds, tightened = tried
        if share not in pieces:
            pieces[share] = piece_at(share)
        piece = pieces[share]
        trunk = piece.tightened(seconds) if tightened else None
        effective = share, seconds if piece.is_smoothed else 0.0, trunk is not None
        if effective in done:
            continue
        done.add(effective)
        met = piece.met(motion, reaches, body, tried, piece.smoothed(seconds) if trunk is None else trunk)
        acceleration = 0.0 if met.quickest is None else met.quickest.acceleration
        grade = bool(met.missing.max(initial=0.0) > SAME_PLACE * motion.skeleton.size), max(acceleration, limit)
        if best is None or grade < best[0]:
            best = grade, met
        if not grade[0] and (acceleration <= limit or tried == attempt):
            break
    assert best is not None
    (is_missed, _), met = best
    return met if is_missed else _in_balance(motion, reaches, body, pieces[met.attempt[0]], met, limit)


def _in_balance(
    motion: Motion, reaches: Sequence[Reach], body: ReachBody, piece: _Piece, met: Met, limit: float
) -> Met:
    """Return a solution whose center of mass is less outside of the support; steps that cost more are halved."""
    balance = body.balance
    if balance is None or piece.trunk is None or not piece.is_smoothed or met.quickest is None:
        return met
    before = np.maximum(balance.outside(motion)[0], 0.0)

    def measured(moved: Motion) -> tuple[Float64, Float64, bool]:
        distance, outward = balance.outside(moved)
        is_off = distance > np.maximum(before, balance.tolerance)
        return np.maximum(distance - before, 0.0), outward, bool(is_off.any())

    def of_legs(moved: Motion) -> Float64:
        moves = [joint_path(moved, foot.joint) - joint_path(motion, foot.joint) for foot in body.feet]
        knees = [accelerations(joint_path(moved, leg.chain[leg.knee])) for leg, _ in piece.legs]
        return np.array([np.max(np.abs(moves), initial=0.0), np.max(knees, initial=body.knees.quickest)])

    beyond, outward, is_off = measured(met.motion)
    if not is_off:
        return met
    size, rate, (_, seconds, tightened) = motion.skeleton.size, motion.frames_per_second, met.attempt
    quickest = met.quickest.acceleration
    highest, most = (
        limit if quickest <= limit else ALLOWED * quickest,
        of_legs(met.motion) * (1.0, ALLOWED) + (SAME_PLACE * size, 0),
    )
    # Legs whose feet stand follow the pelvis only in part.
    upper = balance.without([motion.skeleton.descendants(leg.chain[leg.hip]) for leg, _ in piece.legs])
    sums = upper.moments(piece.trunk_moved(seconds, tightened)).sum(axis=1)
    moves, gain = np.zeros((motion.frames, 3)), 1.0
    for _ in range(ROUNDS):
        further = moves - gain * beyond[:, None] * outward
        eased = smooth(further, EASE_SECONDS, rate)[piece.first : piece.end]
        task = replace(piece.trunk, center=CenterGoal(upper, sums, eased))
        balanced = replace(piece, trunk=task, moves=task.solved())
        tried = balanced.met(motion, reaches, body, met.attempt, balanced.trunk_moved(seconds, tightened))
        excess, direction, is_off = measured(tried.motion)
        if (
            excess.sum() >= beyond.sum()
            or tried.missing.max() > SAME_PLACE * size
            or (tried.quickest is not None and tried.quickest.acceleration > highest)
            or np.any(of_legs(tried.motion) > most)
        ):
            gain /= 2
            continue
        met, moves, beyond, outward = tried, further, excess, direction
        if not is_off:
            break
    return met


def _attempts(given: Attempt | None) -> Iterator[Attempt]:
    """Yield all attempts, each once, the given one first."""
    if given is not None:
        yield given
    yield from (attempt for attempt in ATTEMPTS if attempt != given)


def _missing(motion: Motion, reach: Reach) -> Float64:
    away = np.linalg.norm(joint_path(motion, reach.joint) - reach.positions, axis=1)
    return np.where(reach.active, away, 0.0)


def _piece_of(motion: Motion, tasks: Sequence[ReachTask], body: ReachBody, kept: _Kept) -> _Piece:
    """Return the frames that the tasks change, with all values that do not depend on how the trunk is smoothed."""
    changed = np.flatnonzero(np.any([task.approach.shares > 0 for task in tasks], axis=0))
    if not len(changed):
        return _Piece(motion.slice(0, 0), 0, [], [], [], [], None, None, _Kept(kept.always, kept.free[:0]))
    # Three deviations hold nearly all of the Gaussian that smooths the trunk.
    spread = round(3 * max(seconds for _, seconds, _ in ATTEMPTS) * motion.frames_per_second)
    first, end = max(int(changed[0]) - spread, 0), min(int(changed[-1]) + 1 + spread, motion.frames)
    part, part_tasks = motion.slice(first, end), [task.at(slice(first, end)) for task in tasks]
    legs = standing_legs(part, part_tasks, body)
    turned = [orientations_of(part, task) for task in part_tasks]
    ends = [end_places(part, task, places_of(part, task), turn) for task, turn in zip(part_tasks, turned, strict=True)]
    goals = [
        limb_goal(part, task, end) for task, end in zip(part_tasks, ends, strict=True) if asks_of_trunk(part, task)
    ]
    goals += [leg_goal(leg, body.knees.hinges[number]) for leg, number in legs]
    trunk = (
        TrunkTask(part, trunk_of(part, part_tasks, body, kept.always), goals, kept.free[first:end]) if goals else None
    )
    inside = _Kept(kept.always, kept.free[first:end])
    return _Piece(part, first, part_tasks, turned, ends, legs, trunk, None if trunk is None else trunk.solved(), inside)


def limb_for(motion: Motion, reach: Reach, body: ReachBody, always: Mask) -> tuple[Limb | None, Float64, bool]:
    """Return the limb that brings a joint to its places, its hinge, and whether the joint turns rigidly with it."""
    limb = find_limb(motion.skeleton, reach.joint)
    if limb is None or always[limb.hip] or always[limb.knee]:
        return None, np.zeros(3), True
    for index, foot in enumerate(body.feet):
        if foot.has_leg and is_of_foot(motion.skeleton, reach.joint, foot):
            leg = pose_leg(motion.slice(0, 1), foot)
            leg_limb = replace(limb, hip=leg.chain[leg.hip], knee=leg.chain[leg.knee], wrist=leg.chain[leg.end])
            return leg_limb, body.knees.hinges[index], False
    return limb, body.elbows[reach.joint], reach.orientations is None


def _solved(piece: _Piece, moved: Motion, body: ReachBody) -> Motion:
    """Return the piece with its tasks solved; moved: the piece after its trunk moved."""
    rate, size = moved.frames_per_second, moved.skeleton.size
    for leg, number in piece.legs:
        now = pose_leg(moved, body.feet[number])
        back = leg.positions[:, leg.end] - now.positions[:, leg.end]
        back = back + moves_along(leg, now, np.array(moved.skeleton.up), rate, size)
        solution = solve_calmly(now, back, body.knees, number, np.ones(moved.frames), rate, size)
        moved = turn_leg(moved, now, solution, _orientation(leg)[solution.frames])
    for task, end, turn in zip(piece.tasks, piece.ends, piece.turned, strict=True):
        if task.limb is None:
            moved = carried(moved, task, end, turn)
            continue
        now = task.limb.posed(moved, rigid=task.rigid)
        solution = _closed_calmly(now, end - now.positions[:, now.end], task, body, piece.kept, rate, size)
        moved = turn_leg(moved, now, solution, None if task.rigid else turn, carried=task.rigid)
    return moved


def _closed_calmly(
    now: Leg, moves: Float64, task: ReachTask, body: ReachBody, kept: _Kept, rate: float, size: float
) -> Solution:
    """Return the turns that close a limb: exactly at its places, and as calmly as the elbow needs beside them."""

    def solve(leg: Leg, moves: Float64, hinge: Float64, _rate: float, _size: float, weights: Array) -> Solution:
        return close_limb(leg, moves, hinge, 1.0 - weights)

    elbow, limit = Knees(task.hinge[None], *np.full((2, 1), body.acceleration)), ALLOWED * body.acceleration
    shares, kept_shares = task.approach.shares * kept.free, (1.0 - task.approach.shares) * kept.free
    best: tuple[float, Solution] | None = None
    # Smoothing the hand's path may calm the elbow, but sometimes the unsmoothed path is calmer.
    for smoothed in (True, False):
        closed = (
            solve_calmly(now, moves, elbow, 0, kept_shares, rate, size, solve)
            if smoothed
            else solve(now, moves, task.hinge, rate, size, kept_shares)
        )
        solution = calm_swivel(now, closed, shares, limit)
        ratio = float(_acceleration_ratios_of(now, solution).max(initial=0.0))
        if best is None or ratio < best[0]:
            best = ratio, solution
        if best[0] <= limit:
            break
    assert best is not None
    return best[1]


def _acceleration_ratios_of(leg: Leg, solution: Solution) -> Float64:
    """Return the larger of the accelerations `(T,)` of a turned limb's middle joint and end."""
    end = leg.positions[:, leg.hip] + hip_to_end(leg, solution)
    return np.maximum(accelerations(knee_path(leg, solution)), accelerations(end))


def asks_of_trunk(motion: Motion, task: ReachTask) -> bool:
    """Return whether the trunk must help: not if a joint has no limb but a translation, as a rig control has."""
    return task.limb is not None or task.reach.joint not in motion.translated


def standing_legs(motion: Motion, tasks: Sequence[ReachTask], body: ReachBody) -> list[tuple[Leg, int]]:
    """Return the posed legs that keep their feet in place, with the numbers of these feet."""
    brought = {task.limb.knee for task in tasks if task.limb is not None}
    posed = []
    for index, foot in enumerate(body.feet):
        if foot.has_leg:
            leg = pose_leg(motion, foot)
            if leg.chain[leg.knee] not in brought:
                posed.append((leg, index))
    return posed


def trunk_of(motion: Motion, tasks: Sequence[ReachTask], body: ReachBody, always: Mask) -> Trunk:
    """Return the joints from the pelvis up to each limb."""
    skeleton = motion.skeleton
    ends = [foot.joint for foot in body.feet] or [body.root]
    pelvis = _common(motion, [*ends, *(task.reach.joint for task in tasks)]) if body.feet else body.root
    legs = {joint for foot in body.feet for joint in foot.leg}
    joints: set[int] = set()
    for task in (task for task in tasks if asks_of_trunk(motion, task)):
        beginning = task.reach.joint if task.limb is None else task.limb.hip
        chain = skeleton.chain(beginning)
        if pelvis in chain:
            joints |= set(chain[chain.index(pelvis) : -1]) - legs
    kept = tuple(sorted(joint for joint in joints if not always[joint]))
    return Trunk(kept, body.root, 0.0 if always[body.root] else 1.0)


def _common(motion: Motion, joints: Sequence[int]) -> int:
    """Return the last joint in the chains of all given joints."""
    chains = [motion.skeleton.chain(joint) for joint in joints]
    shared = [joint for joint in chains[0][:-1] if all(joint in chain for chain in chains)]
    return shared[-1] if shared else chains[0][0]


def _orientation(leg: Leg) -> Array:
    return rotations.from_matrix(rotations.without_scale(leg.matrices[:, leg.end]))

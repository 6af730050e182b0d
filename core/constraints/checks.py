# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints together: which contradict each other, what they ask of each part, what cannot quite be had."""

import numpy as np
from numpy.typing import NDArray

from ..counted import counted
from ..errors import InputError
from ..library.examples import Prepared
from ..motion import rotations
from ..motion.filters import SMOOTHSTEP_SLOPE, wrap_angle
from ..motion.root_motion import encode_root
from ..planning.frame_cost import FREE, FrameCost, PathCosts
from .costs import PoseTargets, easiest_to_reach, frame_cost_of_closing, frame_cost_of_rates, frame_costs_of_poses
from .root_path import target_rates
from .spec import Constraints, Loop, PoseConstraint

HIGHEST_PIN_SPEED = 1.5
"""Pins may ask for this many times the examples' highest speed, at the middle of the smooth step between two."""
FAR = 0.8
"""A pose is far from the examples when the nearest frame is this many deviations of them away."""
CLOSING_SECONDS = 1.0
"""A loop begins where a transition leads to with ease, within this time of where the seed would have it."""


def check_constraints(prepared: Prepared, frames: int, constraints: Constraints) -> None:
    """Raise InputError where constraints do not fit the result's length, or contradict each other."""
    poses, path, loop = constraints.poses, constraints.path, constraints.loop
    if poses is not None and poses.motion.frames != frames:
        raise InputError(
            f"What is held has {counted(poses.motion.frames, 'frame')}, and the result {frames}; make them the same."
        )
    if poses is not None and path is not None and poses.place.any():
        raise InputError(
            "The path says where the character is, and so does what is held; "
            "pin the pose alone, give a part without the root, or switch the path off."
        )
    if path is not None and path.progress is not None and len(path.progress) != frames:
        raise InputError(
            f"The path tells {counted(len(path.progress), 'frame')}, and the result has {frames}; make them the same."
        )
    if loop is Loop.OFF:
        return
    if frames < 2:
        raise InputError("A loop needs 2 frames or more.")
    if poses is not None and poses.joints.all(axis=0).any():
        raise InputError("A given part does not lead back to its beginning; switch the loop or the given part off.")
    if poses is not None and np.count_nonzero(poses.place) > 1:
        raise InputError("A loop can hold the place of the root at one frame alone; pin the other poses without it.")
    if path is not None and path.progress is not None:
        raise InputError("A loop goes round its path at the examples' speed; choose that speed or switch the loop off.")


def path_costs_of(
    prepared: Prepared,
    part: int,
    initial_path: NDArray[np.int64],
    frames: int,
    targets: PoseTargets | None,
    constraints: Constraints,
) -> PathCosts:
    """Return the constraints' costs of a part's path; `initial_path` `(F',)` is in the part's own frames."""
    plan, length = prepared.parts[part], len(initial_path)
    frame_costs: list[FrameCost] = [] if targets is None else frame_costs_of_poses(prepared, plan, targets, length)
    poses = bool(frame_costs)
    leads = part == prepared.root_part and not prepared.root.in_place
    if leads and constraints.path is not None:
        up = prepared.motions[0].skeleton.up
        speed, turn = target_rates(constraints.path, frames, prepared.mean_root_speed, up)
        frame_costs.append(frame_cost_of_rates(prepared, plan, speed, turn, length))
    elif leads and constraints.poses is not None and np.count_nonzero(constraints.poses.place) > 1:
        frame_costs.append(frame_cost_of_rates(prepared, plan, *_rates_between(prepared, constraints.poses), length))
    if constraints.loop is Loop.OFF:
        return PathCosts(tuple(frame_costs), poses=poses) if frame_costs else FREE
    first = _beginning(prepared, part, int(initial_path[0]), frame_costs)
    return PathCosts((*frame_costs, frame_cost_of_closing(plan, first, length)), first, poses)


def _beginning(prepared: Prepared, part: int, first: int, frame_costs: list[FrameCost]) -> int:
    """The part's frame that a loop begins with: one that a pose asks for, or one that a transition leads
    to with ease."""
    plan = prepared.parts[part]
    against = np.zeros(len(plan.source_frames), np.float32)
    for frame_cost in frame_costs:
        if frame_cost.rows[0] >= 0:
            against = against + frame_cost.table[frame_cost.rows[0]]
    if against.any():
        return int(np.argmin(against))
    stage_rate = prepared.stages[-1].ratio * prepared.frames_per_second
    return easiest_to_reach(plan, first, max(1, round(CLOSING_SECONDS * stage_rate)))


def _rates_between(prepared: Prepared, poses: PoseConstraint) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least speed and turn `(F,)` of the root from one pinned place to the next; nan before and after."""
    placed = np.flatnonzero(poses.place)
    track = encode_root(poses.motion.take(placed), prepared.root)
    up, spans = np.array(poses.motion.skeleton.up), np.diff(placed)
    ways = np.linalg.norm(np.diff(track.ground, axis=0), axis=1)
    turned = rotations.multiply(track.heading[1:], rotations.inverse(track.heading[:-1]))
    angles = wrap_angle(rotations.angle_about(turned, up))
    speed, turn = np.full((2, poses.motion.frames), np.nan)
    speed[placed[0] : placed[-1]] = np.repeat(ways / spans, spans)
    turn[placed[0] : placed[-1]] = np.repeat(angles / spans, spans)
    return speed, turn


def notes_on(prepared: Prepared, targets: PoseTargets | None, constraints: Constraints) -> tuple[str, ...]:
    """Sentences on poses that are far from all examples, and on such as are too near to each other in time."""
    if targets is None or constraints.poses is None:
        return ()
    return (*_far_poses(prepared, targets), *_hasty_pairs(prepared, constraints.poses, targets))


def _far_poses(prepared: Prepared, targets: PoseTargets) -> list[str]:
    far = []
    for frame in targets.moments:
        columns = targets.mask[frame] & ~targets.given & (prepared.features.kinds == 0)
        if not columns.any():
            continue
        distances = np.sum((prepared.rows[:, columns] - targets.rows[frame, columns]) ** 2, axis=1)
        spread = float(np.sum(np.var(prepared.rows[:, columns], axis=0)))
        if float(distances.min()) > FAR**2 * spread:
            far.append(int(frame))
    if not far:
        return []
    which = _listed([str(frame + 1) for frame in far])
    return [f"Far from anything in the examples: the pose pinned at frame {which} of the motion."]


def _hasty_pairs(prepared: Prepared, poses: PoseConstraint, targets: PoseTargets) -> list[str]:
    """Pairs of poses that leave less time than the examples' highest speed needs from one to the other."""
    frames = poses.frames if len(targets.moments) else targets.moments
    if len(frames) < 2 or len(frames) == poses.motion.frames:
        return []
    posed = poses.motion.take(frames)
    track = encode_root(posed, prepared.root)
    _, positions = posed.pose()
    if not poses.place[frames].all():
        # What is pinned without its place is compared in its own frame.
        back = rotations.inverse(track.heading)[:, None]
        positions = rotations.rotate(back, positions - track.ground[:, None])
    both = poses.joints[frames[1:]] & poses.joints[frames[:-1]]
    way = np.where(both, np.linalg.norm(np.diff(positions, axis=0), axis=2), 0.0).max(axis=1)
    spans = np.diff(frames)
    hasty = np.flatnonzero((spans > 1) & (way / spans > HIGHEST_PIN_SPEED / SMOOTHSTEP_SLOPE * prepared.speeds.highest))
    if not len(hasty):
        return []
    pairs = _listed([f"{frames[one] + 1} and {frames[one + 1] + 1}" for one in hasty])
    return [f"Too near to each other for the examples' speed: the pins at frames {pairs} of the motion."]


def _listed(names: list[str]) -> str:
    listed = names[:5]
    rest = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(listed) + rest

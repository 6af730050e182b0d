# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories through a range of an action: their search in the examples, and the filling with one of them."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from ...animation.points import placed
from ...animation.rig import OBJECT_JOINT, roots_to_world
from ...core import Float64, InputError, Motion, computing
from ...core.infill import GapTrajectory, Timing, choose_duration, trajectories_through
from ..edit_task import EditTask
from .filling import Filled, FillRequest, OpenRange, open_range

TIMINGS = (Timing.FAST, Timing.AUTOMATIC, Timing.SLOW)
"""Durations to compare, besides the range's own, where later keys may move."""


@dataclass(frozen=True, eq=False)
class FoundTrajectory:
    """A trajectory: its motion, its example, and its points `(T, 3)` on the ground in the world.

    moved: the bones that the motion moves. to_world: the matrix `(4, 4)` from the space of the motion to the world.
    """

    trajectory: GapTrajectory
    source: str
    points: Float64
    moved: frozenset[str]
    to_world: Float64

    @property
    def motion(self) -> Motion:
        """Return the motion along the trajectory, from pose to pose at the scene's rate."""
        return self.trajectory.filling.motion


_last: list[tuple[Hashable, tuple[GapTrajectory, ...]]] = []
"""The trajectories that were found last, which taking one needs again."""


@computing()
def find_trajectories(task: EditTask, request: FillRequest) -> tuple[FoundTrajectory, ...]:
    """Return the trajectories from the first pose of a range to the last one, the usual one first.

    All last as long as the range or, where later keys may move, as long as in the examples. Raises InputError.
    """
    opened = open_range(task, request)
    trajectories = _trajectories(opened)
    names = trajectories[0].filling.motion.skeleton.names
    to_world = np.array(roots_to_world(task.character, names[0] == OBJECT_JOINT), np.float64)
    keyed = opened.examples.reading.keyed
    moved = frozenset((*keyed.rotations, *keyed.locations))
    return tuple(
        FoundTrajectory(
            trajectory,
            opened.examples.names[trajectory.filling.clip],
            placed(to_world, trajectory.ground),
            moved,
            to_world,
        )
        for trajectory in trajectories
    )


@computing()
def take_trajectory(task: EditTask, request: FillRequest, asked: int | str) -> Filled:
    """Fill a range with the motion of a trajectory, by its number from 1 or its name; all outside plays as before.

    Raises InputError, with nothing changed, also where there is no such trajectory.
    """
    opened = open_range(task, request)
    trajectory = trajectory_named(_trajectories(opened), asked)
    costs = opened.costs()
    last = opened.write(trajectory.filling, trajectory.frames)
    source = opened.examples.names[trajectory.filling.clip]
    return Filled(request.first, last, 1, costs, source, task.kept_notes(opened.examples))


def trajectory_named(trajectories: tuple[GapTrajectory, ...], asked: int | str) -> GapTrajectory:
    """Return a trajectory by its number, from 1, or by its name. Raises InputError where there is none."""
    if isinstance(asked, str):
        matches = [trajectory for trajectory in trajectories if asked in {name.value for name in trajectory.names}]
        if not matches:
            raise InputError(f'No trajectory is called "{asked}"; choose usual, fastest or widest.')
        return matches[0]
    if not 1 <= asked <= len(trajectories):
        raise InputError(f"There is no trajectory {asked}; choose one of the {len(trajectories)} through this range.")
    return trajectories[asked - 1]


def _trajectories(opened: OpenRange) -> tuple[GapTrajectory, ...]:
    durations = {opened.frames}
    if opened.request.moves_following:
        costs = opened.costs()
        durations |= {choose_duration(costs, timing) for timing in TIMINGS}
    key = (opened.key, tuple(sorted(durations)))
    if not _last or _last[0][0] != key:
        _last[:] = [(key, trajectories_through(opened.examples.prepared, opened.gap, sorted(durations)))]
    return _last[0][1]

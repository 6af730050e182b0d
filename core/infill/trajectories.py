# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories through a gap: paths over the ground that a library's motions take from one pose to the other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..arrays import Array, Float64, Mask
from ..computation import computing
from ..errors import InputError
from ..feet.fixed_stances import LEAST_DRIFT
from ..library.indexed_motions import IndexedMotions
from ..library.pose_index import PoseIndex, ground_and_turns
from ..motion import rotations
from ..motion.gap import Gap
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, place_and_heading
from .agreement import slides_more
from .alternatives import MOST_TRIED, ROWS
from .fill import fill_window, rank_gap
from .fillings import Filling, GapWindow
from .seams import is_smooth, most_calm, quickest_halves

MOST_COST, COST_BESIDE = 3.0, 0.25
"""Largest cost of a trajectory: this multiple of the cheapest, or this much more in squared sizes, whichever is larger.
More costly ones would have to be bent too far to meet the poses."""
BEND, BEND_BESIDE = 0.3, 0.1
"""Largest shift of the end of a window's own trajectory: this share of the distance through the gap, plus this many
sizes. A clip that stands still has no trajectory to bend, and its feet would slide."""
MOST_COMPARED = 300
"""Number of windows of each duration that are compared, the cheapest first."""


class TrajectoryName(Enum):
    """Names of trajectories that stand out.

    >>> TrajectoryName("fastest") is TrajectoryName.FASTEST
    True
    """

    USUAL = "usual"
    """The trajectory of most windows of the library."""
    FASTEST = "fastest"
    """The trajectory that takes the least time in the gap, or, if equal, as recorded."""
    WIDEST = "widest"
    """The trajectory that departs farthest from the straight line."""


@dataclass(frozen=True, eq=False)
class GapTrajectory:
    """A trajectory through a gap, and a filling along it.

    ground: `(T, 3)` places of the root along the ground, in the space of the skeleton's roots. frames: from pose to
    pose. seconds: recorded duration. length: of the trajectory, in units. width: its largest distance from the straight
    line, in units. taken: number of windows along it.

    >>> gap = Gap(swing.slice(0, 20), swing.slice(40, 60))
    >>> trajectory = trajectories_through(index_motions([swing]), gap, [21])[0]
    >>> isinstance(trajectory, GapTrajectory), trajectory.ground.shape
    (True, (22, 3))
    """

    filling: Filling
    ground: Float64
    frames: int
    seconds: float
    length: float
    width: float
    taken: int
    names: tuple[TrajectoryName, ...] = ()

    @property
    def said(self) -> str:
        """Return the names in a few words, "" for none."""
        return ", ".join(name.value for name in self.names)


@dataclass(eq=False)
class _Candidate:
    """A window for one duration, its trajectory `(ROWS, 2)` relative to the pose before, and how many share it."""

    window: GapWindow
    frames: int
    line: Float64
    taken: int = 1


@computing()
def trajectories_through(
    library: IndexedMotions,
    gap: Gap,
    durations: Sequence[int],
    most: int = 6,
    allowed: Mask | None = None,
) -> tuple[GapTrajectory, ...]:
    """Return up to `most` different trajectories, of any of the durations in frames: the usual one first, then by cost.

    allowed: `(M,)` the motions that may be used; None is all. Raises InputError for a duration below two frames, and
    if no motion is long enough.

    >>> gap = Gap(swing.slice(0, 20), swing.slice(40, 60))
    >>> [trajectory.said for trajectory in trajectories_through(index_motions([swing]), gap, [21])]
    ['usual, fastest, widest']
    """
    candidates = _distinct(_candidates(library.index, gap, library, durations, allowed))
    trajectories, rough = list[GapTrajectory](), list[GapTrajectory]()
    for candidate in candidates[:MOST_TRIED]:
        filling = fill_window(library, gap, candidate.frames, candidate.window)
        trajectory = _trajectory_of(filling, candidate, library.index.space.plan)
        calm = _is_calm(filling, library, gap) and not _slides(filling, library, gap)
        (trajectories if calm else rough).append(trajectory)
        if len(trajectories) == most:
            break
    # The cheapest filling is better than none, even if joints or feet are too quick.
    return _named(trajectories or rough[:1])


def _is_calm(filling: Filling, library: IndexedMotions, gap: Gap) -> bool:
    """Return whether joints are about as calm as in the filling's source, at the seams and between them."""
    source = library.motions[filling.clip]
    quickest = max(quickest_halves(filling, gap))
    return is_smooth(filling, gap, source) and quickest <= most_calm(filling, gap, source)


def _slides(filling: Filling, library: IndexedMotions, gap: Gap) -> bool:
    """Return whether feet slide more than in the filling's source and beside the gap."""
    source = library.motions[filling.clip].slice(filling.first, filling.first + filling.length + 1)
    return all(slides_more(library.standing, filling.motion, other) for other in (source, gap.before, gap.after))


def _candidates(
    index: PoseIndex, gap: Gap, library: IndexedMotions, durations: Sequence[int], allowed: Mask | None
) -> list[_Candidate]:
    """Return the windows of all durations with low cost, the cheapest first.

    Raises InputError if there are none.
    """
    candidates, problem = list[_Candidate](), None
    places, turns = ground_and_turns(index.space, gap.before)
    offset = rotations.turn_on_ground(ground_and_turns(index.space, gap.after)[0][0] - places[-1], -turns[-1])
    for frames in sorted(set(durations)):
        try:
            windows = rank_gap(library, gap, frames, allowed).windows[:MOST_COMPARED]
        except InputError as error:
            problem = error
            continue
        lines = [(window, *_line(index, window, offset)) for window in windows]
        most = BEND * float(np.linalg.norm(offset)) + BEND_BESIDE
        candidates += [_Candidate(window, frames, line) for window, line, bend in lines if bend <= most] or [
            _Candidate(window, frames, line) for window, line, _ in lines[:1]
        ]
    if not candidates:
        raise problem or InputError("A gap needs a duration; choose one or more.")
    least = min(candidate.window.cost for candidate in candidates)
    candidates = [
        candidate for candidate in candidates if candidate.window.cost <= max(MOST_COST * least, least + COST_BESIDE)
    ]
    return sorted(candidates, key=lambda candidate: candidate.window.cost)


def _line(index: PoseIndex, window: GapWindow, offset: Array) -> tuple[Float64, float]:
    """Return the places `(ROWS, 2)` along a window, in sizes, bent to end at `offset`, and the size of the bend.

    The places are relative to the window's first pose.
    """
    share = np.linspace(0.0, 1.0, ROWS)
    at = window.start + np.round(share * window.length).astype(np.int64)
    places = rotations.turn_on_ground(
        index.ground[at].astype(np.float64) - index.ground[window.start], -index.turns[window.start]
    )
    bend = offset - places[-1]
    return np.asarray(places + share[:, None] * bend), float(np.linalg.norm(bend))


def _distinct(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Return the candidates that differ from all cheaper ones in trajectory or duration; each counts those like it."""
    kept = list[_Candidate]()
    for candidate in candidates:
        same = (
            other
            for other in kept
            if other.frames == candidate.frames
            and np.linalg.norm(other.line - candidate.line, axis=1).mean() < LEAST_DRIFT
        )
        near = next(same, None)
        if near is None:
            kept.append(candidate)
        else:
            near.taken += 1
    return kept


def _trajectory_of(filling: Filling, candidate: _Candidate, plan: RootPlan) -> GapTrajectory:
    motion = filling.motion
    ground = _ground_of(motion, plan)
    chord = ground[-1] - ground[0]
    reach = float(np.linalg.norm(chord))
    off = ground - ground[0]
    along = off @ chord / max(reach, 1e-9) ** 2
    aside = off - np.clip(along, 0.0, 1.0)[:, None] * chord if reach > 1e-9 else off
    return GapTrajectory(
        filling,
        ground,
        candidate.frames,
        filling.length / motion.frames_per_second,
        float(np.linalg.norm(np.diff(ground, axis=0), axis=1).sum()),
        float(np.linalg.norm(aside, axis=1).max()),
        candidate.taken,
    )


def _ground_of(motion: Motion, plan: RootPlan) -> Float64:
    places, _ = place_and_heading(motion, plan)
    up = np.array(motion.skeleton.up)
    return np.asarray(places - (places @ up)[:, None] * up, np.float64)


def _named(trajectories: Sequence[GapTrajectory]) -> tuple[GapTrajectory, ...]:
    """Return the trajectories with their names, the usual one first."""
    usual = max(trajectories, key=lambda trajectory: trajectory.taken)
    fastest = min(trajectories, key=lambda trajectory: (trajectory.frames, trajectory.seconds, trajectory.length))
    widest = max(trajectories, key=lambda trajectory: trajectory.width)
    standing_out = ((TrajectoryName.USUAL, usual), (TrajectoryName.FASTEST, fastest), (TrajectoryName.WIDEST, widest))
    named = [
        replace(trajectory, names=tuple(name for name, best in standing_out if best is trajectory))
        for trajectory in trajectories
    ]
    return tuple(sorted(named, key=lambda trajectory: TrajectoryName.USUAL not in trajectory.names))

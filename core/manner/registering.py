# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration of a motion with examples: descriptions of both, and the time map between them."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Int64
from ..errors import InputError, counted
from ..examples.example_lengths import SHORTEST_FRAMES
from ..feet.fixed_stances import LEAST_DRIFT
from ..library.indexed_motions import IndexedMotions
from ..library.pose_index import SAME_PLACE_SECONDS, PoseIndex
from ..motion.comparing import check_comparable
from ..motion.motion import Motion
from ..motion.piecewise import pieces
from ..progress import Progress, report_progress
from .frames import Described, describe
from .matching import TEMPOS, Jumps, Match, MatchCosts, cheapest_match
from .style_free_rows import costs_of_columns, match_columns, style_free_rows
from .time_map import TimeMap, make_time_map

OTHER_ACTION = 1.2
"""Cost of a match above which the examples show another action. Measured on captured motion of five actions in five
styles: 0.3 to 1.0 within an action, 0.5 to 1.5 between gaits, 1.3 to 2.6 between gaits and gestures."""
SOURCES = 12
"""Largest number of transitions into each frame that are considered."""
BASE_COST = 3.0
"""Cost of any transition; a match of unlike frames costs 2 per frame. The shortest visible distance of poses adds 1, a
larger one in proportion to its square."""
CLIPS = 8
"""Largest number of clips of a style that are prepared for matching."""
SECONDS = 0.4
"""Time, in seconds, over which moments are compared, so that a gesture differs from a pose in passing."""
SAME_ACTION = 0.7
"""Largest cost of the best moments of a clip that shows the same action. On captured motion in five styles: 0.2 to 0.7
within walks and runs, 0.7 to 1.1 between a walk and a run, 1.3 and more between gaits and gestures."""


@dataclass(frozen=True, eq=False)
class Registration:
    """A motion registered with examples on one skeleton and at one rate; cost: of the match, see OTHER_ACTION.

    >>> isinstance(register_motion(swing, index_motions([swing])), Registration)
    True
    """

    content: Motion
    library: IndexedMotions
    ours: Described
    theirs: Described
    time_map: TimeMap
    cost: float

    @property
    def is_other_action(self) -> bool:
        """Return whether the examples show another action than the motion."""
        return self.cost > OTHER_ACTION


def register_motion(
    content: Motion,
    library: IndexedMotions,
    frame_costs: Float64 | None = None,
    progress: Progress | None = None,
) -> Registration:
    """Return a motion registered with examples.

    frame_costs: `(N,)` of the examples' frames, for any frame of the motion (unary costs). Raises InputError for other
    skeletons or rates and for motions that are too short; Cancelled as `progress` asks.

    >>> register_motion(swing, index_motions([swing])).time_map.frames
    60
    """
    content.check_values("The motion to match in time")
    check_actions(content, library)
    plan, feet, index = library.index.space.plan, library.standing.feet, library.index
    ours, theirs = describe([content], plan, feet), describe(library.motions, plan, feet)
    columns = match_columns(
        style_free_rows([content], plan, ours.contacts),
        style_free_rows(library.motions, plan, theirs.contacts),
        content.skeleton.reaches,
    )
    of_frames = np.zeros(index.frames) if frame_costs is None else frame_costs
    costs = MatchCosts(*columns, of_frames.astype(np.float32))
    jumps = find_jumps(index)
    matches: list[Match] = []
    for number, tempo in enumerate(TEMPOS):
        report_progress(progress, (1 + number) / (2 + len(TEMPOS)))  # more work follows
        at = _frames_at(tempo, index.starts, index.stops)
        match = cheapest_match(costs, at, index.clips[at], at_frames(jumps, at))
        matches.append(Match(at[match.frames], match.cost))
    best = min(matches, key=lambda match: match.cost)
    limits = theirs.firsts, theirs.lasts
    clips = index.clips[best.frames].astype(np.int64)
    rate = content.frames_per_second
    time_map = make_time_map(best.frames, clips, limits, (ours.events, theirs.events), ours.contacts[0], rate)
    return Registration(content, library, ours, theirs, time_map, best.cost)


def check_actions(content: Motion, library: IndexedMotions) -> None:
    """Raise InputError for a motion that cannot be compared with the examples, or if either is too short."""
    check_comparable(content, library.index.space.joints, library.index.frames_per_second, "the examples")
    longest = max(motion.frames for motion in library.motions)
    for who, frames in (("The motion", content.frames), ("The longest of the examples", longest)):
        if frames < SHORTEST_FRAMES:
            raise InputError(
                f"{who} has {counted(frames, 'frame')}, too few for an action; choose one of {SHORTEST_FRAMES} or more."
            )


def _frames_at(tempo: float, starts: Int64, stops: Int64) -> Int64:
    """Return the frames that are shown when clips are played at a tempo."""
    return np.concatenate(
        [
            np.floor(np.arange(start, stop - 1e-6, tempo)).astype(np.int64)
            for start, stop in zip(starts, stops, strict=True)
        ]
    )


def find_jumps(index: PoseIndex) -> Jumps:
    """Return the cheapest transitions into each of the N frames of an index."""
    rows, squares, clips = index.rows, index.squares, index.clips
    count, frames = index.frames, np.arange(index.frames)
    most = min(SOURCES, count)
    near = SAME_PLACE_SECONDS * index.frames_per_second
    sources, costs = np.empty((count, most), np.int64), np.empty((count, most), np.float32)
    for block in pieces(count, columns=count):
        distances = np.maximum(squares[block, None] + squares - 2 * rows[block] @ rows.T, 0.0)
        distances[(clips[block, None] == clips) & (np.abs(frames[block, None] - frames) < near)] = np.inf
        nearest = np.argpartition(distances, most - 1, axis=1)[:, :most]
        sources[block], costs[block] = nearest, np.take_along_axis(distances, nearest, axis=1)
    # A stretch is left one frame before the frame that resembles the place of arrival.
    before = np.maximum(sources - 1, 0)
    costs = np.where(clips[before] == clips[sources], BASE_COST + costs / LEAST_DRIFT**2, np.inf)
    return Jumps(before, costs.astype(np.float32))


def at_frames(jumps: Jumps, frames: Int64) -> Jumps:
    """Return the transitions among frames `(F,)`, ascending: each begins at the last of them before its own source."""
    places = np.maximum(np.searchsorted(frames, jumps.sources[frames], side="right") - 1, 0)
    return Jumps(places, jumps.costs[frames])


def fitting_clips(content: Motion, style: IndexedMotions, progress: Progress | None = None) -> Int64:
    """Return the numbers, ascending, of up to CLIPS motions of a style that fit the content best.

    progress: see `core.Progress`. Raises InputError for another skeleton or rate, and Cancelled as `progress` asks.

    >>> fitting_clips(swing, index_motions([swing])).tolist()
    [0]
    """
    check_actions(content, style)
    costs = fitting_costs(content, style, progress)
    best = np.argsort(costs, kind="stable")[:CLIPS]
    return np.sort(best[costs[best] <= max(SAME_ACTION, costs[best[0]])])


def fitting_costs(content: Motion, style: IndexedMotions, progress: Progress | None = None) -> Float64:
    """Return the mean cost `(M,)` of each motion's best moments for those of the content; see `costs_of_columns`."""
    plan, feet = style.index.space.plan, style.standing.feet
    ours = style_free_rows([content], plan, describe([content], plan, feet).contacts)
    costs = np.empty(len(style.motions))
    half = max(1, round(SECONDS / 2 * content.frames_per_second))
    compared = np.arange(0, content.frames, half)
    for number, motion in enumerate(style.motions):
        theirs = style_free_rows([motion], plan, describe([motion], plan, feet).contacts)
        left, right = match_columns(ours, theirs, content.skeleton.reaches)
        nearest = []
        for piece in pieces(len(compared), columns=motion.frames):
            report_progress(progress, (number + piece.start / len(compared)) / len(style.motions))
            rows = compared[piece]
            total = np.zeros((len(rows), motion.frames))
            for away in (-half, 0, half):
                near = left[np.clip(rows + away, 0, len(left) - 1)]
                pair_costs = costs_of_columns(near, right)
                total += pair_costs[:, np.clip(np.arange(motion.frames) + away, 0, motion.frames - 1)] / 3
            nearest.append(total.min(axis=1))
        costs[number] = np.concatenate(nearest).mean()
    return costs

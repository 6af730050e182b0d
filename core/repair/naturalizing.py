# SPDX-License-Identifier: GPL-3.0-or-later
"""Rough stretches made natural: they are drawn softly toward the examples, meet both ends, and keep their feet planted.

The nearest patches of the examples at their full rate vote for each frame, as in the finest stage of the pyramid
(paper, 3.2). The existing motion is the initial motion, and a strength states how far it gives way.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..feet.contact_detection import foot_heights
from ..feet.planting import GROUND_SECONDS, MOST_RISE, Standing
from ..feet.soft_footing import accelerations, planted_softly
from ..infill.laying import going_on, meet_ends
from ..library.indexed_motions import IndexedMotions
from ..motion import rotations
from ..motion.comparing import check_comparable
from ..motion.gap import Gap
from ..motion.motion import Motion, joined
from .local_projection import Projection, ProjectionSettings, project

SHORTEST = 4
"""Number of frames of the shortest stretch, its ends included."""
ROUNDS = 2
"""Number of searches for examples: by the motion itself, then by the result."""
END_SECONDS = 0.4
"""Time, in seconds, in which the differences at the stretch's ends decay."""
SETTINGS = ProjectionSettings(seconds=0.9, count=3, noise=0.02)
"""Settings with long windows, and few for each: a mean of shorter or more windows has blurred steps, and its feet
slide. Chosen on 75 walks and runs with a key left on every ninth frame."""
SHORTEST_SECONDS, FITTING = 0.5, 0.1
"""Shortest length of windows, in seconds, and the largest share of examples that may be shorter than the windows;
windows are shortened for other examples."""


def naturalize(
    library: IndexedMotions,
    motion: Motion,
    first: int,
    last: int,
    strength: float = 1.0,
    allowed: NDArray[np.bool_] | None = None,
) -> Motion:
    """Return a motion `(T)` whose frames between `first` and `last` are drawn toward the examples.

    strength: 0 changes nothing, 1 follows the examples. The frames `first` and `last`, and all outside, do not change.
    allowed: `(M,)` the motions of the library that may be used; None is all.
    Raises InputError for a stretch that is too short or outside of the motion, a strength outside of 0 to 1, a motion
    on another skeleton or at another rate, and if no example is long enough.

    >>> from genmm_addon.core.library import index_motions
    >>> naturalize(index_motions([swing]), swing, 10, 50, strength=0.5).frames
    60
    """
    motion.check_values("The motion to make natural")
    _check(library, motion, first, last, strength)
    if strength == 0.0:
        return motion
    goal, settings = motion, _settings_for(library, allowed)
    for _ in range(ROUNDS):
        projection = project(library, motion, goal, settings, allowed)
        goal = projection.motion
    inside = np.zeros(motion.rotations.shape[:2], bool)
    inside[first + 1 : last] = True
    laid = _laid(library, motion, goal, first, last)
    drawn = drawn_to(motion, laid, strength * inside)
    # The rough motion's own accelerations are not a measure: keys with straight lines between them jerk at every key.
    highest = float(accelerations(goal).max(initial=0.0))
    heights = _heights_of_feet(library.standing, motion, laid, projection, (first, last))
    if heights is not None and strength < 1.0:
        now = foot_heights(drawn, library.standing.feet)
        heights = now + strength * (heights - now)
    return planted_softly(library.standing, projection.contacts, drawn, ~inside, highest, heights=heights)


def _settings_for(library: IndexedMotions, allowed: NDArray[np.bool_] | None) -> ProjectionSettings:
    """Return the settings, with windows short enough for examples of one or two steps beside long examples."""
    index = library.index
    lengths = np.sort((index.stops - index.starts) if allowed is None else (index.stops - index.starts)[allowed])
    if not len(lengths):
        return SETTINGS
    fitting = (int(lengths[int(FITTING * len(lengths))]) - 1) / index.frames_per_second
    return replace(SETTINGS, seconds=min(SETTINGS.seconds, max(SHORTEST_SECONDS, fitting)))


def _heights_of_feet(
    standing: Standing, motion: Motion, laid: Motion, projection: Projection, stretch: tuple[int, int]
) -> NDArray[np.float64] | None:
    """Return the heights `(T, len(feet))` of the examples' feet above the ground of the motion beside the stretch.

    Meeting the poses at both ends bends the legs, and swings would be as low as stances. If too little motion is known
    beside the stretch, the median height of the laid feet counts there. The result is None if there are no feet, and if
    the ends differ so much in height that they do not give the ground, as in a leap.
    """
    first, last = stretch
    contacts = projection.contacts[first : last + 1]
    if not contacts.any():
        return None
    side = round(GROUND_SECONDS * motion.frames_per_second)
    beside, goes = foot_heights(motion, standing.feet), projection.heights
    lies = foot_heights(laid, standing.feet)
    inside = goes[first : last + 1]
    level = float((inside - standing.ground).min())
    as_laid = float(np.median((lies[first : last + 1] - inside)[contacts]))
    ends = [
        as_laid if len(outside) < side else float((outside - standing.ground).min()) - level
        for outside in (beside[max(first - side, 0) : first + 1], beside[last : last + side + 1])
    ]
    if abs(ends[1] - ends[0]) > MOST_RISE * motion.skeleton.size:
        return None
    return np.asarray(goes + np.interp(np.arange(motion.frames), stretch, ends)[:, None])


def drawn_to(motion: Motion, goal: Motion, weights: NDArray[np.floating]) -> Motion:
    """Return a motion `(T)` with each joint drawn toward a goal `(T)` by its weight; weights: `(T, J)`, 0 to 1.

    A joint keeps its values where its weight is 0. Values of no joint have the largest weight of the frame.

    >>> half = drawn_to(swing, swing.take(np.zeros(60, np.int64)), np.full((60, 2), 0.5))
    >>> half.frames
    60
    """
    away = weights > 0
    channels = {name: values.copy() for name, values in motion.channels().items()}
    turned = rotations.slerp(motion.rotations, goal.rotations, weights.astype(np.float32))
    aligned = np.where(np.sum(turned * motion.rotations, axis=-1, keepdims=True) < 0, -turned, turned)
    channels["rotations"] = np.where(away[..., None], aligned, motion.rotations).astype(np.float32)
    for name, owners in (("translations", motion.translated), ("scales", motion.scaled)):
        target, present, share = getattr(goal, name), getattr(motion, name), weights[:, owners, None]
        channels[name] = np.where(share > 0, present + share * (target - present), present).astype(np.float32)
    most = weights.max(axis=1, keepdims=True)
    scalars = motion.scalars + most * (goal.scalars - motion.scalars)
    channels["scalars"] = np.where(most > 0, scalars, motion.scalars).astype(np.float32)
    return motion.with_channels(channels)


def _laid(library: IndexedMotions, motion: Motion, goal: Motion, first: int, last: int) -> Motion:
    """Return the goal `(T)` in the stretch, with poses and speeds met at both ends, and the motion outside of it.

    The goal keeps its trajectory. If this were bent over the whole stretch, as for a window in a gap, differences of
    speed at the ends would move it, and farther the longer it is.
    """
    positions = np.arange(first - 1, last + 2)
    window = goal.take(np.clip(positions, 0, motion.frames - 1))
    window = going_on(window, at_start=first == 0, at_end=last == motion.frames - 1)
    gap = Gap(motion.slice(max(first - 1, 0), first + 1), motion.slice(last, last + 2))
    stretch = meet_ends(window, gap, library.index.space.plan, END_SECONDS)
    return joined([motion.slice(0, first), stretch, motion.slice(last + 1, motion.frames)])


def _check(library: IndexedMotions, motion: Motion, first: int, last: int, strength: float) -> None:
    if not (first >= 0 and last < motion.frames and last - first + 1 >= SHORTEST):
        raise InputError(
            f"A stretch to make natural has at least {SHORTEST} frames of the motion; choose a longer one."
        )
    if not 0.0 <= strength <= 1.0:
        raise InputError("The strength must lie between 0, unchanged, and 1, as in the examples.")
    check_comparable(motion, library.index.space.joints, library.index.frames_per_second, "the examples")

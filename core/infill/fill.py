# SPDX-License-Identifier: GPL-3.0-or-later
"""Filling of gaps from a library: the best windows between two poses are laid there, and feet are planted."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..arrays import Mask
from ..computation import computing
from ..constraints.pose_targets import CONTEXT_SECONDS
from ..errors import InputError
from ..evaluation.body.center import center_of_mass
from ..evaluation.body.flights import Flight, find_flights, find_gravity, frames_in_air, gravity_of_flight
from ..evaluation.body.segments import find_body_model
from ..feet.leg_ik import move_root
from ..feet.planting import calmly_eased, firmly_planted
from ..feet.soft_footing import planted
from ..library.indexed_motions import IndexedMotions
from ..motion.gap import Gap
from ..motion.motion import Motion, joined, sample
from ..motion.spans import spans
from ..synthesis.crossfaded_flights import lift_of_flight
from .agreement import MOST_DIFFERENCES, agreeing_mean, differences, slides_more, weighted_windows
from .alternatives import distinct_fillings
from .easing import eased_softly
from .fillings import Filling, GapWindow
from .gap_search import Ranking, measure_ends, rank_windows
from .laying import going_on, lay_window
from .regression_adjustment import adjusted
from .seams import is_smooth, most_calm, quickest_halves


@computing()
def fill_gap(
    library: IndexedMotions,
    gap: Gap,
    frames: int,
    count: int = 1,
    allowed: Mask | None = None,
) -> tuple[Filling, ...]:
    """Return up to `count` motions of `frames` frames from pose to pose, the best first, each from another clip, and
    then from other places of the clips.

    The best is the mean of the largest group of well-fitting windows that agree; the others are in the order of their
    costs.

    allowed: mask `(M,)` of the motions that may be used; None is all. Raises InputError for a gap below two frames, and
    if no motion is long enough.

    >>> gap = Gap(swing.slice(0, 20), swing.slice(40, 60))
    >>> fill_gap(index_motions([swing]), gap, frames=21)[0].motion.frames
    22
    """
    ranked = rank_gap(library, gap, frames, allowed)
    best, windows = fill_best(library, gap, frames, ranked)
    return (best, *(fill_window(library, gap, frames, window) for window in windows[1:count]))[:count]


@computing()
def alternatives(library: IndexedMotions, gap: Gap, frames: int) -> Iterator[Filling]:
    """Yield fillings as of `fill_gap`, each made on demand, without those that hardly differ from earlier ones.

    Fillings whose seams are rougher than the examples come last. Raises InputError at once, as `fill_gap` does.

    >>> gap = Gap(swing.slice(0, 20), swing.slice(40, 60))
    >>> next(alternatives(index_motions([swing]), gap, frames=21)).motion.frames
    22
    """
    ranked = rank_gap(library, gap, frames)
    best, windows = fill_best(library, gap, frames, ranked)
    return distinct_fillings(
        windows,
        lambda window: best if window is windows[0] else fill_window(library, gap, frames, window),
        lambda filling: is_smooth(filling, gap, library.motions[filling.clip]),
        library.index,
    )


def rank_gap(library: IndexedMotions, gap: Gap, frames: int, allowed: Mask | None = None) -> Ranking:
    """Return the windows for a gap, the best first. Raises InputError as `fill_gap` does."""
    if frames < 2:
        raise InputError(
            "A gap to fill lasts at least two frames from pose to pose; choose keys farther from each other."
        )
    ranked = rank_windows(library.index, measure_ends(library.index, gap), frames, allowed)
    if not ranked.windows:
        raise InputError(f"No example is as long as the gap of {frames} frames; choose a shorter gap.")
    return ranked


def fill_best(library: IndexedMotions, gap: Gap, frames: int, ranked: Ranking) -> tuple[Filling, list[GapWindow]]:
    """Return the mean of the largest group of well-fitting windows that agree, and all windows, its leading one first.

    The mean is moved for what the motion around its windows differs from that around the gap. If feet then slide more
    than in the cheapest window alone, or seams are rougher, windows that agree more closely are averaged, and if that
    fails as well, the cheapest one is returned.
    """
    windows, weights = weighted_windows(ranked.windows)
    laid = [_laid(library, gap, frames, window) for window in windows]
    motions = [laid_window.motion for laid_window in laid]
    cheapest = _standing(library, gap, windows[0], laid[0])
    distances = differences(motions, library.index.space.plan)
    for limit in MOST_DIFFERENCES:
        agreement = agreeing_mean(windows, weights, motions, distances, limit)
        motion = adjusted(library.motions, library.index, gap, agreement, ranked.similar)
        leading = windows[agreement.leading]
        filling = _standing(library, gap, leading, replace(laid[agreement.leading], motion=motion))
        if not _is_worse(library, gap, filling, cheapest):
            others = (window for window in ranked.windows if window is not leading)
            return _falling(library, gap, filling), [leading, *others]
    return _falling(library, gap, cheapest), ranked.windows


def _is_worse(library: IndexedMotions, gap: Gap, filling: Filling, other: Filling) -> bool:
    """Return whether a filling's feet slide more than another one's, only the other one has smooth seams, or a joint
    accelerates more than in the other one and in the examples: poses far from each other have no smooth mean.
    """
    smooth, other_is = (is_smooth(candidate, gap, library.motions[candidate.clip]) for candidate in (filling, other))
    if (other_is and not smooth) or slides_more(library.standing, filling.motion, other.motion):
        return True
    quickest, others = (max(quickest_halves(candidate, gap)) for candidate in (filling, other))
    return quickest > max(most_calm(filling, gap, library.motions[filling.clip]), others)


def fill_window(library: IndexedMotions, gap: Gap, frames: int, window: GapWindow) -> Filling:
    """Return the motion of one window, laid through the gap, with planted feet."""
    return _falling(library, gap, _standing(library, gap, window, _laid(library, gap, frames, window)))


@dataclass(frozen=True, eq=False)
class _Laid:
    """A window as it was played, and the motion as it was laid, both of T + 1 frames."""

    played: Motion
    motion: Motion


def _laid(library: IndexedMotions, gap: Gap, frames: int, window: GapWindow) -> _Laid:
    index = library.index
    clip = int(index.clips[window.start])
    first, motion = window.start - int(index.starts[clip]), library.motions[clip]
    positions = first + np.arange(-1, frames + 2) * (window.length / frames)
    last = motion.frames - 1.0
    played = sample(motion, np.clip(positions, 0.0, last), gap.before.frames_per_second)
    played = going_on(played, at_start=positions[0] < 0.0, at_end=positions[-1] > last)
    softest, _ = eased_softly(
        lambda seconds: lay_window(played, gap, index.space.plan, seconds),
        lambda laid: max(quickest_halves(_filling_of(library, window, laid), gap)),
        most_calm(_filling_of(library, window, played), gap, motion),
    )
    return _Laid(played.slice(1, frames + 2), softest)


def _filling_of(library: IndexedMotions, window: GapWindow, motion: Motion) -> Filling:
    """Return a motion that was made of a window as a filling."""
    clip = int(library.index.clips[window.start])
    return Filling(motion, clip, window.start - int(library.index.starts[clip]), window.length, window.cost)


def _standing(library: IndexedMotions, gap: Gap, window: GapWindow, laid: _Laid) -> Filling:
    """Return a laid motion whose feet have the contacts of the window as it was played."""
    filling_of = partial(_filling_of, library, window)
    firm = firmly_planted(library.standing, laid.played, laid.motion, gap)
    if firm is not None:
        filling = filling_of(firm)
        limit = most_calm(filling, gap, library.motions[filling.clip])
        calm = calmly_eased(laid.motion, firm, lambda motion: quickest_halves(filling_of(motion), gap), limit)
        if calm is not None:
            return filling_of(calm)
    return filling_of(planted(library.standing, laid.played, laid.motion))


def _falling(library: IndexedMotions, gap: Gap, filling: Filling) -> Filling:
    """Return a filling whose center of mass, in flights, falls as beside the gap and in its clip near the window.

    Poses that are eased into each other, played faster or averaged do not.
    """
    standing, motion, clip = library.standing, filling.motion, library.motions[filling.clip]
    if not standing.feet:
        return filling
    rate, size, up = motion.frames_per_second, motion.skeleton.size, np.array(motion.skeleton.up)
    beside = round(CONTEXT_SECONDS * rate)
    before, inner = gap.before.slice(max(gap.before.frames - beside, 0), gap.before.frames), motion.frames - 2
    whole = joined([before, motion.slice(1, 1 + inner), gap.after.slice(0, beside)])
    in_air = spans(frames_in_air(whole, standing))
    start, stop = before.frames, before.frames + inner
    model = find_body_model(motion.skeleton)
    heights = center_of_mass(whole, model) @ up if in_air else np.zeros(whole.frames)
    inside = [(max(first, start), min(end, stop)) for first, end in in_air]
    flights = [flown for flown in inside if gravity_of_flight(heights[slice(*flown)], rate, size) is not None]
    if not flights:
        return filling
    near = clip.slice(max(filling.first - beside, 0), min(filling.first + filling.length + beside, clip.frames))
    center = center_of_mass(near, model)
    measured = list(find_flights(near, center, standing))
    for first, end in in_air:
        gravity = gravity_of_flight(heights[first:end], rate, size)
        if gravity is not None and (0 < first < end < start or stop < first < end < whole.frames):
            measured.append(Flight(first, end - 1, gravity))
    if not measured:
        return filling
    fall = -find_gravity(motion.skeleton, model, measured) / rate**2
    largest, lifts = float(np.abs(np.diff(center @ up, 2)).max(initial=0.0)), np.zeros((whole.frames, 3))
    for first, end in flights:
        lift = lift_of_flight(heights, first, np.full(end - first, fall), largest)
        lifts[first - 1 : end + 1] = lift[:, None] * up
    return replace(filling, motion=move_root(motion, standing.plan.joint, lifts[start - 1 : stop + 1]))

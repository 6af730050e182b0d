# SPDX-License-Identifier: GPL-3.0-or-later
"""Rough stretches made natural: their keys stay, and motion between them gets the detail of the examples.

The nearest patches of the examples at their full rate vote for each frame, as in the finest stage of the pyramid
(paper, 3.2). The result differs from the examples at the keys, and these differences, interpolated between the keys,
are taken off. Each limb follows as far as the examples explain how it moves from key to key, so that examples of
another motion change little.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Float64, Indices, Mask
from ..computation import computing
from ..errors import InputError
from ..features.body_parts import limb_partition
from ..feet.contact_detection import foot_heights
from ..feet.footsteps import MOST_RISE
from ..feet.planting import GROUND_SECONDS, Standing
from ..feet.soft_footing import accelerations, planted_softly
from ..infill.laying import going_on, meet_ends
from ..library.indexed_motions import IndexedMotions
from ..manner.time_map import CROSSFADE_SECONDS
from ..motion import rotations
from ..motion.comparing import check_comparable
from ..motion.gap import Gap
from ..motion.interpolation import monotone_cubic
from ..motion.motion import Motion, joined, repeated_poses
from .local_projection import Projection, ProjectionSettings, project

SHORTEST = 4
"""Number of frames of the shortest stretch, its ends included."""
ROUNDS = 2
"""Number of searches for examples: by the motion itself, then by the result."""
SETTINGS = ProjectionSettings(seconds=0.9, count=3, noise=0.02)
"""Settings with long windows, and few for each: a mean of shorter or more windows has blurred steps, and its feet
slide. Chosen on 75 walks and runs with a key left on every ninth frame."""
CONTRAST = 10.0
"""Factor by which curves bend more sharply at a key than beside it. In captured motion without keys none is found."""
SPREAD = 4.0
"""Ratio of the squared misfit over two spans between keys to that within one: misfits grow in proportion to time."""
SHORTEST_SECONDS, FITTING = 0.5, 0.1
"""Shortest length of windows, in seconds, and the largest share of examples that may be shorter than the windows;
windows are shortened for other examples."""


@computing()
def naturalize(
    library: IndexedMotions,
    motion: Motion,
    first: int,
    last: int,
    strength: float = 1.0,
    allowed: Mask | None = None,
) -> Motion:
    """Return a motion `(T)` whose frames between `first` and `last` have the examples' detail between their keys.

    strength: 0 changes nothing, 1 follows the examples as far as they explain the motion. The frames `first` and
    `last`, and all outside, do not change.
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
    motion = _between_poses(motion, first, last)
    goal, settings = motion, _settings_for(library, allowed)
    for _ in range(ROUNDS):
        projection = project(library, motion, goal, settings, allowed)
        goal = projection.motion
    inside = np.zeros(motion.rotations.shape[:2], bool)
    inside[first + 1 : last] = True
    keys, laid = key_frames(motion, first, last), _laid(library, motion, goal, first, last)
    detailed = _through_keys(motion, laid, keys)
    shares = strength * _explained(motion, laid, detailed, keys, library.index.space.plan.joint)
    drawn = drawn_to(motion, detailed, shares * inside)
    # A joint of a motion that is natural already keeps to its own accelerations and those of the examples. Keys with
    # straight lines between them jerk at every key, and are no measure beyond the quickest joint of the examples.
    quickest = accelerations(goal).max(axis=0)
    highest = np.minimum(np.maximum(quickest, accelerations(motion).max(axis=0)), quickest.max(initial=0.0))
    heights = _heights_of_feet(library.standing, motion, detailed, projection, (first, last))
    of_feet = shares[:, [foot.joint for foot in library.standing.feet]]
    if heights is not None:
        now = foot_heights(drawn, library.standing.feet)
        heights = now + of_feet * (heights - now)
    fixed = ~inside | (shares < 0.5 * strength)
    for stay in (keys[:0], keys):
        fixed[stay] = True
        made = planted_softly(library.standing, projection.contacts, drawn, fixed, highest, heights=heights)
        if _changes(motion, made)[keys].mean() <= _changes(motion, drawn)[first:last].mean():
            break
    return made


def _between_poses(motion: Motion, first: int, last: int) -> Motion:
    """Return the motion, with a stretch that jumps from hold to hold led from each pose to the next instead."""
    repeats = repeated_poses(motion.slice(first, last + 1))
    begins = ~repeats
    if 2 * np.count_nonzero(begins[1:-1] & repeats[2:]) <= np.count_nonzero(begins[1:-1]):
        return motion
    keys = np.append(first + np.flatnonzero(begins[:-1]), last)
    at, inside = np.arange(first, last + 1.0), slice(first, last + 1)
    channels = {name: values.copy() for name, values in motion.channels().items()}
    channels["rotations"][inside] = rotations.make_continuous(channels["rotations"][inside])
    for values in channels.values():
        if values.size:
            values[inside] = monotone_cubic(keys.astype(np.float64), values[keys].astype(np.float64), at)
    channels["rotations"][inside] = rotations.normalize(channels["rotations"][inside])
    return motion.with_channels(channels)


def _changes(motion: Motion, made: Motion) -> Float64:
    """Return the mean distance `(T,)` by which joints are moved."""
    return np.asarray(np.linalg.norm(made.pose()[1] - motion.pose()[1], axis=2).mean(axis=1), np.float64)


def key_frames(motion: Motion, first: int, last: int) -> Indices:
    """Return the frames from `first` to `last`, both included, at which a motion's curves bend as they do at keys.

    Between keys, curves are lines or cubics, whose fourth differences vanish. A motion without keys is divided evenly.

    >>> key_frames(swing, 10, 50).tolist()
    [10, 23, 37, 50]
    """
    frames = last - first + 1
    turns = rotations.make_continuous(motion.rotations[first : last + 1]).astype(np.float64)
    bends = np.square(np.diff(turns, 4, axis=0)).sum(axis=2)
    # A joint counts as much as any other, unless its bends are rounding errors.
    relative = bends / (bends.sum(axis=0) + frames * np.square(16 * np.finfo(np.float32).eps))
    sharpness = np.convolve(np.pad(relative.sum(axis=1), 2), np.ones(3), "same") if frames > 4 else np.zeros(frames)
    beside = np.pad(sharpness[1:-1], 4, constant_values=np.inf)
    near = np.max([np.pad(sharpness, 2)[shift : shift + frames] for shift in range(5)], axis=0)
    peaks = np.flatnonzero(
        (sharpness > 0) & (sharpness >= near) & (sharpness > CONTRAST * np.minimum(beside[:-6], beside[6:]))
    )
    if not len(peaks):
        spans = max(1, round((frames - 1) / (CROSSFADE_SECONDS * motion.frames_per_second)))
        return np.unique(np.round(np.linspace(first, last, spans + 1)).astype(np.int64))
    return np.unique([first, *(first + peaks), last])


def _through_keys(motion: Motion, laid: Motion, keys: Indices) -> Motion:
    """Return the motion `(T)` with the detail of a laid one: their difference without its course from key to key."""
    inside, at, knots = slice(keys[0], keys[-1] + 1), np.arange(keys[0], keys[-1] + 1.0), keys.astype(np.float64)
    channels = {name: values.copy() for name, values in motion.channels().items()}
    for name, values in channels.items():
        own, target = values[inside].astype(np.float64), getattr(laid, name)[inside].astype(np.float64)
        if name == "rotations":
            away = rotations.to_vector(rotations.multiply(rotations.inverse(own), target))
            detail = away - monotone_cubic(knots, away[keys - keys[0]], at)
            values[inside] = rotations.multiply(own, rotations.from_vector(detail))
        elif values.size:
            away = target - own
            values[inside] = own + away - monotone_cubic(knots, away[keys - keys[0]], at)
    return motion.with_channels(channels)


def _explained(motion: Motion, laid: Motion, detailed: Motion, keys: Indices, root: int) -> Float64:
    """Return the share `(T, J)` of each joint's movement that the laid motion explains, 0 to 1, the same in a limb.

    The movement of a key is its distance from the line between its neighbors. What the laid motion misses of it is
    compared with the movement, of the limb and of the whole body (coefficient of determination), and with the detail.
    Nothing is explained between keys where the root would turn by more than a right angle, as in a somersault that the
    examples lack, whose keys may show standing alone.
    """
    own, theirs, detail = (version.pose()[1].astype(np.float64) for version in (motion, laid, detailed))
    moves = _movements(own, keys)
    centers = keys[1:-1] if len(keys) > 2 else keys[:1]
    missed, moved = (np.square(vectors).sum(axis=2) for vectors in (_movements(theirs, keys) - moves, moves))
    added = np.add.reduceat(np.square(detail - own)[: keys[-1]].sum(axis=2), keys[:-1])
    added /= np.maximum(np.diff(keys) - 1, 1)[:, None]
    missed, moved = (_around(keys, centers, squares, motion.frames_per_second) for squares in (missed, moved))
    added = _around(keys, 0.5 * (keys[1:] + keys[:-1]), added, motion.frames_per_second)
    shares = np.zeros_like(missed)
    for part in reversed(limb_partition(motion.skeleton, legs_apart=True)):
        joints = list(part.joints)
        most = np.minimum(moved[:, joints].sum(axis=1), SPREAD * added[:, joints].sum(axis=1))
        shares[:, joints] = _share(missed[:, joints].sum(axis=1), most)[:, None]
    shares *= _share(missed.sum(axis=1), moved.sum(axis=1))[:, None]
    turned = rotations.angle_between(motion.rotations[: keys[-1], root], detailed.rotations[: keys[-1], root])
    is_other = np.maximum.reduceat(turned, keys[:-1]) > np.pi / 2
    shares[:-1][is_other] = shares[1:][is_other] = 0.0
    return monotone_cubic(keys.astype(np.float64), shares, np.arange(float(motion.frames)))


def _around(keys: Indices, at: NDArray[Any], values: Float64, rate: float) -> Float64:
    """Return the means `(K, J)` around keys of values `(N, J)` at frames `at`; weights fall to 1 / e in a window."""
    weights = np.exp(-np.abs(keys[:, None] - at) / (SETTINGS.seconds * rate))
    return np.asarray((weights / weights.sum(axis=1, keepdims=True)) @ values)


def _movements(places: Float64, keys: Indices) -> Float64:
    """Return the movements `(K - 2, J, 3)` of keys; of two keys alone, that from one to the other."""
    if len(keys) == 2:
        return np.asarray(np.diff(places[keys], axis=0))
    before, at, after = keys[:-2], keys[1:-1], keys[2:]
    share = ((at - before) / (after - before))[:, None, None]
    return np.asarray(places[at] - (1 - share) * places[before] - share * places[after])


def _share(missed: Float64, whole: Float64) -> Float64:
    return np.clip(1.0 - missed / np.maximum(whole, np.finfo(np.float64).tiny), 0.0, 1.0)


def _settings_for(library: IndexedMotions, allowed: Mask | None) -> ProjectionSettings:
    """Return the settings, with windows short enough for examples of one or two steps beside long examples."""
    index = library.index
    lengths = np.sort((index.stops - index.starts) if allowed is None else (index.stops - index.starts)[allowed])
    if not len(lengths):
        return SETTINGS
    fitting = (int(lengths[int(FITTING * len(lengths))]) - 1) / index.frames_per_second
    return replace(SETTINGS, seconds=min(SETTINGS.seconds, max(SHORTEST_SECONDS, fitting)))


def _heights_of_feet(
    standing: Standing, motion: Motion, laid: Motion, projection: Projection, stretch: tuple[int, int]
) -> Float64 | None:
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


def drawn_to(motion: Motion, goal: Motion, weights: Array) -> Motion:
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
    stretch = meet_ends(window, gap, library.index.space.plan, CROSSFADE_SECONDS)
    return joined([motion.slice(0, first), stretch, motion.slice(last + 1, motion.frames)])


def _check(library: IndexedMotions, motion: Motion, first: int, last: int, strength: float) -> None:
    if not (first >= 0 and last < motion.frames and last - first + 1 >= SHORTEST):
        raise InputError(
            f"A stretch to make natural has at least {SHORTEST} frames of the motion; choose a longer one."
        )
    if not 0.0 <= strength <= 1.0:
        raise InputError("The strength must lie between 0, unchanged, and 1, as in the examples.")
    check_comparable(motion, library.index.space.joints, library.index.frames_per_second, "the examples")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Projection of a motion onto its nearest examples: overlapping windows, each estimated from the windows nearest to it.

The nearest windows of the examples are laid along the ground onto a window of the motion. Their mean and their
variation around it (local principal components) describe real motion; the window is then estimated with white noise on
the places of joints (Wiener filter; denoising by local principal components: Zhang et al. 2010). The result is a
weighted sum of windows of examples, so that places, rotations and all other channels belong together.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Float64, Indices, Mask
from ..errors import InputError
from ..feet.contact_detection import foot_heights, label_contacts
from ..infill.alternatives import ROWS
from ..library.indexed_motions import IndexedMotions
from ..library.pose_index import SAME_PLACE_SECONDS, PoseIndex, rows_of
from ..motion import rotations
from ..motion.motion import Motion, joined
from ..motion.piecewise import pieces
from ..motion.root_motion import RootPlan, RootTrack, apply_root, encode_root, place_and_heading

ROUNDS = 3
"""Number of rounds in which the components' weights and their misfit are estimated in turn."""
MISFIT = 30.0
"""Factor on the variance of misfits, since neighboring frames and joints deviate together: this many count as one."""
MOST_NUMBERS = 2**23
"""Distances, or numbers of windows, that are held at a time: 64 MB at most."""


@dataclass(frozen=True, eq=False)
class WindowLayout:
    """Windows of L frames that cover a motion; starts: their first frames `(Q,)`, ascending."""

    starts: Indices
    length: int


def lay_windows(frames: int, length: int, step: int) -> WindowLayout:
    """Return windows of `length` frames, or of the whole motion if shorter, that begin at most `step` frames apart.

    >>> lay_windows(20, 9, 4).starts.tolist()
    [0, 4, 8, 11]
    """
    length = min(length, frames)
    last = frames - length
    return WindowLayout(np.unique(np.append(np.arange(0, last, step), last)), length)


def nearest_windows(
    index: PoseIndex, rows: Float32, layout: WindowLayout, count: int, allowed: Mask | None = None
) -> Indices:
    """Return the first frames `(Q, K)` in the index of the windows nearest to each window of `rows` `(T, C)`.

    K is `count`, or less if there are fewer windows. allowed: `(M,)` the motions that may be used; None is all.
    Raises InputError if no motion is long enough.
    """
    starts, possible = layout.starts, _possible(index, layout.length, allowed)
    offsets = np.unique(np.linspace(0, layout.length - 1, ROWS).round().astype(np.int64))
    spacing = max(1, round(SAME_PLACE_SECONDS * index.frames_per_second))
    places = np.flatnonzero(possible)
    if not len(places):
        raise InputError("No example is long enough to compare with; learn from longer ones.")
    constant = sum(index.squares[places + offset] for offset in offsets)
    chosen: list[list[int]] = []
    block = max(1, MOST_NUMBERS // len(places))
    for first in range(0, len(starts), block):
        queries = starts[first : first + block]
        distances = np.broadcast_to(constant, (len(queries), len(places))).copy()
        for offset in offsets:
            for piece in pieces(len(places)):
                distances[:, piece] -= 2 * (rows[queries + offset] @ index.rows[places[piece] + offset].T)
        chosen += [_spread(line, places, count, spacing) for line in distances]
    fewest = min(len(numbers) for numbers in chosen)
    return np.array([numbers[:fewest] for numbers in chosen], np.int64)


def _possible(index: PoseIndex, length: int, allowed: Mask | None) -> Mask:
    """Return a mask `(N,)` of the frames at which a window within one motion may begin."""
    last = np.arange(index.frames) + length <= index.stops[index.clips]
    return np.asarray(last if allowed is None else last & allowed[index.clips])


def _spread(distances: Float32, places: Indices, count: int, spacing: int) -> list[int]:
    """Return the places with the least distances, at least `spacing` frames apart."""
    # Each window that is taken excludes those that begin within the spacing on either side.
    most = min((2 * spacing - 1) * count, len(places))
    best = np.argpartition(distances, most - 1)[:most] if most < len(places) else np.arange(len(places))
    ascending = places[best[np.argsort(distances[best], kind="stable")]]
    taken: list[int] = []
    while len(taken) < count and len(ascending):
        taken.append(int(ascending[0]))
        ascending = ascending[np.abs(ascending - taken[-1]) >= spacing]
    return taken


@dataclass(frozen=True)
class ProjectionSettings:
    """Settings of the windows of a projection.

    seconds: length of a window. overlap: number of windows through each frame. count: number of examples' windows for
    each. noise: deviation of the joints' places, as a share of the skeleton's size.
    """

    seconds: float = 0.7
    overlap: int = 5
    count: int = 16
    noise: float = 0.03


@dataclass(frozen=True, eq=False)
class Projection:
    """A motion of T frames projected onto its examples.

    body: `(B,)` the joints from the root downward; joints above the root do not affect the pose. places: `(T, B, 3)` of
    these joints, before rotations were averaged. contacts: `(T, len(feet))` of the library's feet. heights:
    `(T, len(feet))` of these feet, which lift off as late and as steeply as in the examples.
    """

    motion: Motion
    body: Indices
    places: Float64
    contacts: Mask
    heights: Float64


def project(
    library: IndexedMotions,
    motion: Motion,
    guide: Motion,
    settings: ProjectionSettings,
    allowed: Mask | None = None,
) -> Projection:
    """Return the projection of a motion `(T)`; guide: `(T)` the motion by which the examples' windows are found.

    allowed: `(M,)` the motions of the library that may be used; None is all. Raises InputError if there is none.
    """
    index = library.index
    lengths = index.stops - index.starts if allowed is None else (index.stops - index.starts)[allowed]
    # Windows are no longer than the longest example.
    length = min(round(settings.seconds * motion.frames_per_second) | 1, int(lengths.max(initial=1)))
    layout = lay_windows(motion.frames, length, max(1, length // settings.overlap))
    nearest = nearest_windows(index, rows_of(index.space, guide), layout, settings.count, allowed)
    axes = np.vstack((rotations.ground_axes(motion.skeleton.up), np.array(motion.skeleton.up)))
    body = body_joints(motion, index.space.plan)
    target = motion.pose()[1][:, body].astype(np.float64) @ axes.T
    noise = settings.noise * motion.skeleton.size
    joints, inside = motion.rotations.shape[1], np.arange(layout.length)
    hill = np.hanning(layout.length + 2)[1:-1]
    block = max(1, MOST_NUMBERS // (nearest.shape[1] * layout.length * 12 * joints))
    sums, total = None, np.zeros(motion.frames)
    for first in range(0, len(nearest), block):
        starts = layout.starts[first : first + block]
        frames = starts[:, None] + inside
        windows = _estimate(library, nearest[first : first + block], target[frames], noise, axes, body)
        if sums is None:
            sums = np.zeros((motion.frames, windows.shape[2]))
        for start, window in zip(starts, windows, strict=True):
            sums[start : start + layout.length] += hill[:, None] * window
            total[start : start + layout.length] += hill
    assert sums is not None
    return _decoded(motion, index.space.plan, sums / total[:, None], axes, body, len(library.standing.feet))


def body_joints(motion: Motion, plan: RootPlan) -> Indices:
    """Return the joints at the root and below it, and those of its companions, ascending."""
    below = np.any([motion.skeleton.descendants(int(joint)) for joint in plan.anchored], axis=0)
    return np.flatnonzero(below)


def _estimate(
    library: IndexedMotions, nearest: Indices, target: Float64, noise: float, axes: Float64, body: Indices
) -> Float64:
    """Return the channels `(Q, L, C)` of the most likely windows; found: `(Q, K)` first frames of the nearest ones.

    target: `(Q, L, B, 3)` places of the body's joints along two axes of the ground and up. noise: their deviation.
    """
    queries, length = target.shape[:2]
    flat, inverse = np.unique(nearest[..., None] + np.arange(length), return_inverse=True)
    examples, contacts = _frames_of(library, flat)
    heights = foot_heights(examples, library.standing.feet)
    channels: Float64 = np.concatenate((_channels(examples, library.index.space.plan, axes), contacts, heights), axis=1)
    inverse = inverse.reshape(*nearest.shape, length)
    places = (examples.pose()[1][:, body].astype(np.float64) @ axes.T)[inverse]
    turns, moves = _laid(places, target)
    # The root's heading and place, the first channels, are laid together with the window.
    laid: Float64 = channels[inverse]
    places[..., :2] = rotations.turn_on_ground(places[..., :2], turns[..., None, None]) + moves[:, :, None, None]
    laid[..., :2] = rotations.turn_on_ground(laid[..., :2], turns[..., None])
    laid[..., 2:4] = rotations.turn_on_ground(laid[..., 2:4], turns[..., None]) + moves[:, :, None]
    shares = _shares(places.reshape(*nearest.shape, -1), target.reshape(queries, -1), noise)
    windows: Float64 = np.concatenate((laid, places.reshape(*inverse.shape, -1)), axis=-1)
    mean = np.asarray(np.einsum("qk,qklc->qlc", shares, windows, optimize=True))
    feet = slice(laid.shape[-1] - heights.shape[1], laid.shape[-1])
    mean[..., feet] = quantile_mean(mean[..., feet], shares, laid[..., feet])
    return mean


def quantile_mean(mean: Float64, shares: Float64, windows: Float64) -> Float64:
    """Return a weighted mean `(Q, L, F)` of windows `(Q, K, L, F)`, with its values spread as theirs are on average.

    A mean of steps that are some frames apart is drawn out: the foot lifts off earlier and lower than in any of them.
    Therefore the mean's values, in order of size, are replaced by the means of the windows' values in that order
    (averaged quantiles). shares: `(Q, K)` of the windows, with sum 1.

    >>> early, late = np.eye(4)[1], np.eye(4)[2]
    >>> windows, half = np.stack((early, late))[None, :, :, None], np.full((1, 2), 0.5)
    >>> quantile_mean(windows.mean(axis=1), half, windows).ravel().tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    ordered = np.einsum("qk,qklf->qlf", shares, np.sort(windows, axis=2))
    ranks = np.argsort(np.argsort(mean, axis=1, kind="stable"), axis=1, kind="stable")
    return np.take_along_axis(ordered, ranks, axis=1)


def _shares(windows: Float64, target: Float64, noise: float) -> Float64:
    """Return the shares `(Q, K)`, of sum 1, of windows `(Q, K, N)` in the most likely window for a target `(Q, N)`.

    A misfit of the windows' components beyond the noise lasts for many frames, and has more weight than noise.
    """
    count = windows.shape[1]
    mean = windows.mean(axis=1)
    around = windows - mean[:, None]
    squares = around @ np.swapaxes(around, 1, 2)
    residual = target - mean
    rises = np.einsum("qkn,qn->qk", around, residual, optimize=True)
    misfit = np.square(residual).mean(axis=1)
    for _ in range(ROUNDS):
        variance = noise**2 + MISFIT * np.maximum(misfit - noise**2, 0.0)
        damped = squares + (variance * count)[:, None, None] * np.eye(count)
        added = np.linalg.solve(damped, rises[..., None])[..., 0]
        misfit = np.square(residual - np.einsum("qk,qkn->qn", added, around, optimize=True)).mean(axis=1)
    return np.asarray(1.0 / count + added - added.mean(axis=1, keepdims=True))


def _laid(places: Float64, target: Float64) -> tuple[Float64, Float64]:
    """Return the turns `(Q, K)` and moves `(Q, K, 2)` along the ground that bring windows nearest to the target.

    places: `(Q, K, L, J, 3)`. target: `(Q, L, J, 3)`. See Kovar, Gleicher, Pighin 2002, section 3.1.
    """
    flat, target_centered = places[..., :2], target[:, None, ..., :2]
    centers, aims = flat.mean(axis=(2, 3)), target_centered.mean(axis=(2, 3))
    centered, target_centered = flat - centers[:, :, None, None], target_centered - aims[:, :, None, None]
    along = (centered * target_centered).sum(axis=(2, 3, 4))
    across = (centered[..., 0] * target_centered[..., 1] - centered[..., 1] * target_centered[..., 0]).sum(axis=(2, 3))
    turns = np.arctan2(across, along)
    return turns, aims - rotations.turn_on_ground(centers, turns)


def _frames_of(library: IndexedMotions, frames: Indices) -> tuple[Motion, Mask]:
    """Return frames `(U,)` of an index, ascending, as one motion, and the contacts `(U, len(feet))` of its feet."""
    index, standing = library.index, library.standing
    clips = index.clips[frames]
    firsts = np.flatnonzero(np.diff(clips, prepend=-1))
    pieces, contacts = [], []
    for first, part in zip(firsts, np.split(frames, firsts[1:]), strict=True):
        clip = int(clips[first])
        motion, numbers = library.motions[clip], part - index.starts[clip]
        pieces.append(motion.take(numbers))
        contacts.append(label_contacts(motion, standing.feet, standing.ground)[numbers])
    return joined(pieces), np.concatenate(contacts)


def _channels(motion: Motion, plan: RootPlan, axes: Float64) -> Float64:
    """Return the channels `(T, C)`: the root's heading as a vector, its place, and the values that are averaged."""
    track, turns = encode_root(motion, plan), place_and_heading(motion, plan)[1]
    heading = np.stack((np.cos(turns), np.sin(turns)), axis=1)
    parts = (
        heading,
        track.ground @ axes[:2].T,
        rotations.to_6d(track.body).reshape(motion.frames, -1),
        track.offset.reshape(motion.frames, -1),
        rotations.to_6d(motion.rotations).reshape(motion.frames, -1),
        *(values.reshape(motion.frames, -1) for values in (motion.translations, motion.scales, motion.scalars)),
    )
    return np.concatenate(parts, axis=1, dtype=np.float64)


def _decoded(
    motion: Motion, plan: RootPlan, channels: Float64, axes: Float64, members: Indices, feet: int
) -> Projection:
    """Return the projection for channels of `_channels`, contacts, heights and places, on the skeleton of a motion."""
    frames, joints, anchored = motion.frames, motion.rotations.shape[1], len(plan.anchored)
    widths = (2, 2, 6 * anchored, 3 * anchored, 6 * joints, *(
        values[0].size for values in (motion.translations, motion.scales, motion.scalars)
    ), feet, feet, 3 * len(members))  # fmt: skip
    heading, ground, body, offset, turned, translations, scales, scalars, contacts, heights, places = np.split(
        channels, np.cumsum(widths)[:-1], axis=1
    )
    up = np.array(motion.skeleton.up)
    angles = np.arctan2(heading[:, 1], heading[:, 0])
    track = RootTrack(
        heading=rotations.from_axis_angle(up, angles).astype(np.float32),
        ground=(ground @ axes[:2]).astype(np.float32),
        velocity=np.zeros((frames, 3), np.float32),
        yaw_rate=np.zeros(frames, np.float32),
        body=rotations.from_6d(body.reshape(frames, anchored, 6)).astype(np.float32),
        offset=offset.reshape(frames, anchored, 3).astype(np.float32),
    )
    relative = motion.with_channels(
        {
            "rotations": rotations.from_6d(turned.reshape(frames, joints, 6)).astype(np.float32),
            "translations": translations.reshape(motion.translations.shape).astype(np.float32),
            "scales": scales.reshape(motion.scales.shape).astype(np.float32),
            "scalars": scalars.astype(np.float32),
        }
    )
    laid = apply_root(relative, plan, track)
    continuous = rotations.make_continuous(laid.rotations)
    finished = laid.with_channels({**laid.channels(), "rotations": continuous})
    return Projection(finished, members, places.reshape(frames, -1, 3) @ axes, contacts > 0.5, heights)

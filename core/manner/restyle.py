# SPDX-License-Identifier: GPL-3.0-or-later
"""Style transfer by matched replacement: a style's frames for a motion's moments, along the motion's own trajectory."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64
from ..computation import computing
from ..errors import InputError
from ..features.body_parts import limb_partition
from ..feet.calm_paths import ALLOWED, ROUNDS
from ..library.indexed_motions import IndexedMotions
from ..motion import rotations
from ..motion.filters import smooth, spread_smoothly
from ..motion.motion import Motion, joint_accelerations, sample
from ..motion.root_motion import without_heading
from ..progress import Progress
from .composition import composed, trajectory_along_content
from .frames import played_by
from .matching import FASTEST, SLOWEST
from .registering import Registration, register_motion
from .style_free_rows import mean_rotations, style_free_rows
from .time_map import SMOOTH_SECONDS

STRONGEST = 1.5
"""Largest strength: half more than the style has. More is beyond what legs and spines can do."""


@dataclass(frozen=True)
class StyleSettings:
    """A style's strength, from 0, the unchanged content, through 1, the style, to 1.5, exaggerated.

    keep_timing: steps and gestures keep their times; otherwise they have the style's tempo. posture_only: only the
    posture of the trunk and, without `keep_timing`, the tempo are taken, from any action.
    Raises InputError for another strength.

    >>> StyleSettings(strength=0.5).keep_timing
    True
    """

    strength: float = 1.0
    keep_timing: bool = True
    posture_only: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= STRONGEST:
            raise InputError(f"The strength of a style must lie between 0 and {STRONGEST}.")


@dataclass(frozen=True, eq=False)
class Restyled:
    """A motion in a style; positions: `(T,)` the moment of the content that each frame shows, in its frames.

    cost: of the match, see `registering.OTHER_ACTION`; 0 without a match. segments: number of stretches of the style.
    tempo: usual rate at which the style is played to keep the timing, in multiples of its recorded one; otherwise 1.

    >>> isinstance(restyle(swing, index_motions([swing])), Restyled)
    True
    """

    motion: Motion
    positions: Float64
    cost: float
    segments: int
    tempo: float = 1.0


@computing()
def restyle(
    content: Motion, style: IndexedMotions, settings: StyleSettings | None = None, progress: Progress | None = None
) -> Restyled:
    """Return a motion in the style of examples of the same action, along its own trajectory.

    progress: see `core.Progress`. Raises InputError for examples of another action, skeleton or rate; Cancelled as
    `progress` asks.

    >>> restyle(swing, index_motions([swing])).motion.frames
    60
    """
    content.check_values("The motion to restyle")
    settings = settings or StyleSettings()
    everywhere = np.arange(content.frames, dtype=np.float64)
    if settings.posture_only:
        motion, positions = posture_and_tempo(content, style, settings.strength, settings.keep_timing)
        return Restyled(motion, positions, 0.0, 0)
    registration = register_motion(content, style, progress=progress)
    check_action(registration, instead="take Posture Only")
    if settings.strength == 0:
        return Restyled(content, everywhere, registration.cost, 0)
    positions = everywhere
    if not settings.keep_timing:
        positions = retimed(1 + settings.strength * (registration.time_map.rate - 1))
    motion = _restyled(registration, positions, settings.strength)
    tempo = registration.time_map.usual_rate if settings.keep_timing else 1.0
    return Restyled(motion, positions, registration.cost, registration.time_map.segments, tempo)


def check_action(registration: Registration, instead: str) -> None:
    """Raise InputError if the examples show another action than the motion; instead: what else the user can do."""
    if registration.is_other_action:
        raise InputError(
            f"The examples show another action than the motion; choose some of the same action, or {instead}."
        )


def retimed(durations: Float64) -> Float64:
    """Return the positions `(T',)` shown at consecutive frames if each frame lasts `durations` `(T,)` frames.

    The total is rounded to whole frames, so that the last position is the last frame.
    """
    clock = np.concatenate(([0.0], np.cumsum(np.maximum(durations[:-1], SLOWEST))))
    moments = np.linspace(0.0, clock[-1], round(clock[-1]) + 1)
    return np.interp(moments, clock, np.arange(len(durations), dtype=np.float64))


def _restyled(registration: Registration, positions: Float64, strength: float) -> Motion:
    content, size = registration.content, registration.content.skeleton.size
    rate = content.frames_per_second
    seconds = np.gradient(positions)
    ours = registration.ours.frames.at(positions, seconds)
    time_map = registration.time_map.at(positions, seconds)
    played = played_by(registration.theirs, time_map)
    mixed = ours.mixed(played, np.full(len(positions), strength))
    every_frame, scale = registration.ours.frames, (size, rate)
    trajectory, turns = trajectory_along_content(every_frame, ours, played, seconds, strength, scale)
    like = sample(content, positions, rate)
    return _calmed(composed(like, registration, mixed, trajectory, turns, time_map.usual_rate), registration)


def _calmed(motion: Motion, registration: Registration) -> Motion:
    """Return the motion with limbs smoothed where they accelerate more than in the content and in the style.

    A style that is played faster than it was recorded accelerates with the square of the rate. Legs stay as planted.
    """
    recorded = (registration.content, *registration.library.motions)
    limit = ALLOWED * max(float(joint_accelerations(example).max(initial=0.0)) for example in recorded)
    parts = limb_partition(motion.skeleton, legs_apart=True)
    feet, rate = {foot.joint for foot in registration.library.standing.feet}, motion.frames_per_second
    limbs = [sorted({*part.joints} - {*parts[0].joints}) for part in parts[1:] if feet.isdisjoint(part.joints)]
    for _ in range(ROUNDS):
        quick = np.pad(joint_accelerations(motion) > limit, ((1, 1), (0, 0)))
        turns = motion.rotations.astype(np.float64)
        for joints in limbs:
            marked = np.asarray(quick[:, joints].any(axis=1), np.float64)
            weights = spread_smoothly(marked, round(SMOOTH_SECONDS * rate))[:, None, None]
            calm = smooth(turns[:, joints].reshape(len(turns), -1), SMOOTH_SECONDS / 2, rate)
            turns[:, joints] += weights * (calm.reshape(len(turns), -1, 4) - turns[:, joints])
        if np.array_equal(turns, motion.rotations):
            break
        motion = motion.with_channels({**motion.channels(), "rotations": rotations.normalize(turns).astype(np.float32)})
    return motion


def posture_and_tempo(
    content: Motion, style: IndexedMotions, strength: float, keep_timing: bool
) -> tuple[Motion, Float64]:
    """Return a motion with its trunk held as in the style, and the positions `(T,)` of the content that it shows.

    Legs, arms and the root do not change. Without `keep_timing`, its tempo is that of the style: each joint's speed
    divided by its swing, averaged over the joints.
    """
    plan = style.index.space.plan
    example = style.motions[0].skeleton
    trunk = [joint for joint in limb_partition(example, legs_apart=True)[0].joints if joint not in plan.anchored]
    means = [
        mean_rotations(
            np.concatenate([without_heading(motion, plan).rotations.astype(np.float64) for motion in motions])
        )
        for motions in ([content], style.motions)
    ]
    away = rotations.to_vector(rotations.multiply(rotations.inverse(means[0]), means[1])) * strength
    turned = content.rotations.astype(np.float64).copy()
    turned[:, trunk] = rotations.multiply(turned[:, trunk], rotations.from_vector(away)[trunk])
    channels = content.channels() | {"rotations": rotations.make_continuous(turned).astype(np.float32)}
    positions = np.arange(content.frames, dtype=np.float64)
    posed = content.with_channels(channels)
    if keep_timing:
        return posed, positions
    ratio = _tempo(style.motions, style) / max(_tempo([content], style), 1e-9)
    tempo = float(np.clip(ratio, SLOWEST, FASTEST)) ** strength
    positions = np.arange(0.0, content.frames - 1 + 1e-6, tempo)
    return sample(posed, positions, content.frames_per_second), positions


def _tempo(motions: Sequence[Motion], style: IndexedMotions) -> float:
    """Return the mean ratio of joints' speed to swing, in radians per frame and radian, weighted by swing."""
    plan = style.index.space.plan
    feet = [np.zeros((motion.frames, 0), bool) for motion in motions]
    rows = style_free_rows(motions, plan, feet)
    return float(np.average(rows.speeds / np.maximum(rows.swings, 1e-6), weights=rows.swings + 1e-9))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion: a skeleton, a frame rate, and every animated channel over time."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..errors import InputError
from . import rotations, skeleton
from .kept_poses import once, pose_together
from .piecewise import PIECE, pieces
from .skeleton import UNIT, Skeleton

STEPPED = 0.125
"""Smallest share of a motion's frames that begin a hold where it is stepped: on ones and twos, a quarter do."""
POSES = ("rotations", "translations", "scales")
"""Channels that are repeated: further values, such as a face's, may go on."""


def _no_joints() -> Int64:
    return np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Motion:
    """Channels of T frames; only what is animated is stored per frame.

    rotations: `(T, J, 4)` float32, unit quaternions w, x, y, z, relative to the rest pose.
    translated: `(M,)` indices of the joints with animated translations, ascending.
    translations: `(T, M, 3)` float32, relative to the rest pose, in the rest pose's axes.
    scaled: `(K,)` indices of the joints with animated scales, ascending.
    scales: `(T, K, 3)` float32.
    scalar_names: names of C further animated values (custom properties).
    scalars: `(T, C)` float32.
    Raises InputError for arrays of other shapes and for a rate that is not above zero.

    >>> swing.frames, swing.slice(10, 50).frames
    (60, 40)
    >>> matrices, positions = swing.pose()
    >>> matrices.shape, positions.shape
    ((60, 2, 3, 3), (60, 2, 3))
    """

    skeleton: Skeleton
    frames_per_second: float
    rotations: Float32
    translated: Int64 = field(default_factory=_no_joints)
    translations: Float32 = None  # type: ignore[assignment]  # filled in: nothing animated
    scaled: Int64 = field(default_factory=_no_joints)
    scales: Float32 = None  # type: ignore[assignment]  # filled in: nothing animated
    scalar_names: tuple[str, ...] = ()
    scalars: Float32 = None  # type: ignore[assignment]  # filled in: nothing animated

    def __post_init__(self) -> None:
        frames = len(self.rotations)
        for name, width in (("translations", len(self.translated)), ("scales", len(self.scaled))):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros((frames, width, 3), np.float32))
        if self.scalars is None:
            object.__setattr__(self, "scalars", np.zeros((frames, len(self.scalar_names)), np.float32))
        expected = {
            "rotations": (frames, len(self.skeleton.names), 4),
            "translations": (frames, len(self.translated), 3),
            "scales": (frames, len(self.scaled), 3),
            "scalars": (frames, len(self.scalar_names)),
        }
        for name, shape in expected.items():
            if getattr(self, name).shape != shape:
                raise InputError(f"The motion's {name} have shape {getattr(self, name).shape}, expected {shape}.")
        if not self.frames_per_second > 0:
            raise InputError("The motion's frames per second must be above zero.")

    @property
    def frames(self) -> int:
        """Return the number of frames, T."""
        return len(self.rotations)

    @property
    def is_finite(self) -> bool:
        """Return whether every value is a finite number."""
        return all(bool(np.isfinite(values).all()) for values in self.channels().values())

    def check_values(self, name: str, first: float = 0.0) -> None:
        """Raise InputError for values that are not finite and for rotations that are not unit quaternions.

        name: the subject of the message. first: the number of the first frame in the scene.
        """
        for channel, values in self.channels().items():
            broken = ~np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
            if broken.any():
                frame = first + int(np.argmax(broken))
                raise InputError(
                    f"{name} has a {channel[:-1]} that is not a finite number at frame {frame:g}; repair its keys."
                )
        squares = np.einsum("tjc,tjc->tj", self.rotations, self.rotations)
        off = np.flatnonzero((np.abs(squares - 1.0) > UNIT).any(axis=1))
        if len(off):
            frame = first + int(off[0])
            raise InputError(
                f"{name} has a rotation that is not a unit quaternion at frame {frame:g}; divide it by its length."
            )

    def channels(self) -> dict[str, Float32]:
        """Return the four per-frame arrays by name."""
        return {
            "rotations": self.rotations,
            "translations": self.translations,
            "scales": self.scales,
            "scalars": self.scalars,
        }

    def slice(self, start: int, stop: int) -> "Motion":
        """Return the frames from `start` up to `stop`, as a view."""
        return self.with_channels({name: values[start:stop] for name, values in self.channels().items()})

    def take(self, frames: Int64) -> "Motion":
        """Return the given frames, in their order."""
        return self.with_channels({name: values[frames] for name, values in self.channels().items()})

    def with_frames(self, frames: Int64, part: "Motion") -> "Motion":
        """Return the motion with the given frames replaced by those of a part."""
        channels = {name: values.copy() for name, values in self.channels().items()}
        for name, values in part.channels().items():
            channels[name][frames] = values
        return self.with_channels(channels)

    def with_channels(self, channels: dict[str, Float32], rate: float | None = None) -> "Motion":
        """Return the motion with other per-frame arrays, and another rate if one is given."""
        return Motion(
            self.skeleton,
            rate or self.frames_per_second,
            translated=self.translated,
            scaled=self.scaled,
            scalar_names=self.scalar_names,
            **channels,
        )

    def widened(self, translated: Int64, scaled: Int64 | None = None) -> "Motion":
        """Return the motion with channels for more joints, at rest: ascending indices that include those it has.

        translated, scaled: the joints with translations and with scales; None: as they are.

        >>> swing.widened(np.array([0, 1])).translations.shape
        (60, 2, 3)
        """
        scaled = self.scaled if scaled is None else scaled
        translations = np.zeros((self.frames, len(translated), 3), np.float32)
        translations[:, np.searchsorted(translated, self.translated)] = self.translations
        scales = np.ones((self.frames, len(scaled), 3), np.float32)
        scales[:, np.searchsorted(scaled, self.scaled)] = self.scales
        return replace(self, translated=translated, translations=translations, scaled=scaled, scales=scales)

    def pose(self) -> tuple[Array, Array]:
        """Return global orientation-and-scale matrices `(T, J, 3, 3)` and positions `(T, J, 3)` of all joints."""
        shape = (self.frames, len(self.skeleton.names), 3)
        moves = scales = None
        if len(self.translated):
            moves = np.zeros(shape, np.float32)
            moves[:, self.translated] = self.translations
        if len(self.scaled):
            scales = np.ones(shape, np.float32)
            scales[:, self.scaled] = self.scales
        return skeleton.forward_kinematics(self.skeleton, self.rotations, moves, scales)


def resample(motion: Motion, frames_per_second: float) -> tuple[Motion, Float64]:
    """Return the motion at another frame rate, and the positions `(T',)` of its frames in the original.

    Rotations turn the short way (slerp), everything else is linear; a stepped motion holds its poses. The same rate
    returns the motion itself.

    >>> slower, positions = resample(swing, 15.0)
    >>> slower.frames, positions[:3].tolist()
    (30, [0.0, 2.0, 4.0])
    """
    if np.isclose(frames_per_second, motion.frames_per_second, rtol=1e-4):
        return motion, np.arange(motion.frames, dtype=np.float64)
    step = motion.frames_per_second / frames_per_second
    count = resampled_frames(motion, frames_per_second)
    positions = np.minimum(np.arange(count) * step, motion.frames - 1)
    resampled, starts = sample(motion, positions, frames_per_second), pose_starts(motion)
    if not len(starts):
        return resampled, positions
    begins = starts[np.floor(positions + 1e-6).astype(np.int64)]
    return resampled.with_channels({**resampled.channels(), **_poses_at(motion, begins)}), positions


def resampled_frames(motion: Motion, frames_per_second: float) -> int:
    """Return the number of frames of a motion at another rate.

    >>> resampled_frames(swing, 60.0)
    119
    """
    step = motion.frames_per_second / frames_per_second
    return int(np.floor((motion.frames - 1) / step + 1e-6)) + 1


def sample(motion: Motion, positions: Float64, frames_per_second: float) -> Motion:
    """Return the motion at fractional frame `positions` `(T',)`, each between 0 and T - 1.

    >>> sample(swing, np.array([0.0, 0.5]), 30.0).frames
    2
    """
    before = np.floor(positions).astype(np.int64)
    after = np.minimum(before + 1, motion.frames - 1)
    weights = (positions - before).astype(np.float32)
    values: dict[str, Float32] = {}
    for name, channel in motion.channels().items():
        if name == "rotations":
            values[name] = rotations.slerp(channel[before], channel[after], weights[:, None]).astype(np.float32)
        else:
            shaped = weights.reshape((-1,) + (1,) * (channel.ndim - 1))
            values[name] = channel[before] * (1 - shaped) + channel[after] * shaped
    return motion.with_channels(values, frames_per_second)


def with_repeated_poses(motion: Motion, repeats: Mask) -> Motion:
    """Return the motion with the pose of the frame before at the frames `repeats` `(T,)`.

    >>> on_twos = with_repeated_poses(swing, np.arange(swing.frames) % 2 == 1)
    >>> bool((on_twos.rotations[5] == swing.rotations[4]).all())
    True
    """
    if not repeats.any():
        return motion
    return motion.with_channels({**motion.channels(), **_poses_at(motion, _latest(repeats))})


def pose_starts(motion: Motion) -> Int64:
    """Return the frame at which each frame's pose begins `(T,)`; empty unless the motion is stepped.

    >>> pose_starts(swing).tolist()
    []
    """
    repeats = repeated_poses(motion)
    return _latest(repeats) if is_stepped(~repeats) else np.empty(0, np.int64)


def repeated_poses(motion: Motion) -> Mask:
    """Return a mask `(T,)` of the frames whose pose is that of the frame before.

    >>> bool(repeated_poses(swing).any())
    False
    """
    repeats = np.arange(motion.frames) > 0
    for name in POSES:
        values = motion.channels()[name]
        repeats[1:] &= (values[1:] == values[:-1]).all(axis=(1, 2))
    return repeats


def is_stepped(begins: Mask) -> bool:
    """Return whether a motion is stepped that has a new pose at the frames `begins` `(T,)`.

    >>> is_stepped(np.array([True, False, True, False]))
    True
    """
    return bool(np.count_nonzero(begins[:-1] & ~begins[1:]) >= max(STEPPED * len(begins), 1))


def _latest(repeats: Mask) -> Int64:
    return np.maximum.accumulate(np.where(repeats, 0, np.arange(len(repeats))))


def _poses_at(motion: Motion, frames: Int64) -> dict[str, Float32]:
    channels = motion.channels()
    return {name: channels[name][frames] for name in POSES}


def joined(motions: Sequence[Motion]) -> Motion:
    """Return motions on one skeleton and with the same channels, one after another.

    >>> joined([swing, swing.slice(0, 5)]).frames
    65
    """
    channels = {name: np.concatenate([getattr(motion, name) for motion in motions]) for name in motions[0].channels()}
    return motions[0].with_channels(channels)


def same_motion(first: Motion, second: Motion) -> bool:
    """Return whether two motions and their skeletons have equal values.

    >>> same_motion(swing, swing.slice(0, 60)), same_motion(swing, swing.slice(0, 59))
    (True, False)
    """
    if first is second:
        return True
    skeletons = first.skeleton, second.skeleton
    (before, after) = ((motion.frames_per_second, motion.scalar_names) for motion in (first, second))
    if before != after or skeletons[0].names != skeletons[1].names or skeletons[0].up != skeletons[1].up:
        return False
    of_skeletons = ("parents", "rest_rotations", "rest_translations", "stance", "inheritance")
    pairs = [(getattr(skeletons[0], name), getattr(skeletons[1], name)) for name in of_skeletons]
    pairs += [(getattr(first, name), getattr(second, name)) for name in ("translated", "scaled", *first.channels())]
    return all(np.array_equal(left, right) for left, right in pairs)


def pose_along(motion: Motion, chain: list[int]) -> tuple[Float32, Float32]:
    """Return global matrices `(T, C, 3, 3)` and positions `(T, C, 3)` of C joints, ascending, whose parents are among
    them.
    """
    return once(motion, tuple(chain), lambda motions: _posed_along(motions, chain))


def pose_short_ones_together(motions: Sequence[Motion]) -> None:
    """Let `pose_along` pose short motions one after another at once, within `poses_kept`, in no more than PIECE frames.

    Of a clip of some seconds, the calls take longer than the computation. The poses are the same.

    >>> with poses_kept():
    ...     pose_short_ones_together([swing, swing.slice(0, 9)])
    """
    groups: list[list[Motion]] = []
    skeleton_of, frames = None, PIECE
    for motion in motions:
        frames += motion.frames
        if frames > PIECE or motion.skeleton is not skeleton_of:
            groups.append([])
            skeleton_of, frames = motion.skeleton, motion.frames
        groups[-1].append(motion)
    pose_together(groups)


def joint_path(motion: Motion, joint: int) -> Float64:
    """Return the positions `(T, 3)` of a joint, in the space of the roots.

    >>> joint_path(swing, 1).shape
    (60, 3)
    """
    return pose_along(motion, motion.skeleton.chain(joint))[1][:, -1].astype(np.float64)


def joint_accelerations(motion: Motion, joints: Sequence[int] | slice = slice(None)) -> Float64:
    """Return the lengths `(T - 2, J)` of joints' accelerations at all frames but the ends, units per frame squared.

    >>> joint_accelerations(swing).shape
    (58, 2)
    """
    count = len(motion.skeleton.names)
    accelerations = np.empty((max(motion.frames - 2, 0), count))[:, joints]
    for piece in pieces(len(accelerations), count):
        places = motion.slice(piece.start, piece.stop + 2).pose()[1][:, joints].astype(np.float64)
        accelerations[piece] = np.linalg.norm(np.diff(places, 2, axis=0), axis=2)
    return accelerations


def _posed_along(motions: Sequence[Motion], chain: list[int]) -> list[tuple[Float32, Float32]]:
    """Return the poses of motions on one skeleton and with the same channels, as `pose_along` does."""
    motion = motions[0] if len(motions) == 1 else joined(motions)
    place_of = {joint: place for place, joint in enumerate(chain)}
    moves = np.zeros((motion.frames, len(chain), 3), np.float32)
    for slot, joint in enumerate(motion.translated):
        if int(joint) in place_of:
            moves[:, place_of[int(joint)]] = motion.translations[:, slot]
    scales = None
    if any(joint in place_of for joint in motion.scaled.tolist()):
        scales = np.ones_like(moves)
        for slot, joint in enumerate(motion.scaled):
            if int(joint) in place_of:
                scales[:, place_of[int(joint)]] = motion.scales[:, slot]
    matrices, positions = skeleton.forward_kinematics(
        motion.skeleton.along(tuple(chain)), motion.rotations[:, chain], moves, scales
    )
    matrices, positions = matrices.astype(np.float32, copy=False), positions.astype(np.float32, copy=False)
    if len(motions) == 1:
        return [(matrices, positions)]
    ends = np.cumsum([part.frames for part in motions])
    return [
        (matrices[end - part.frames : end], positions[end - part.frames : end])
        for part, end in zip(motions, ends, strict=True)
    ]

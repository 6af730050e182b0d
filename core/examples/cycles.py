# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles: examples that lead into themselves. They are unrolled, so that all that follows sees them as takes.

Windows, patches, contacts and segments then reach over the step from the last frame to the first, and a cut between two
rounds is a cut between equal frames.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from enum import Enum

import numpy as np

from ..arrays import Array, Float32, Float64, Mask
from ..features.features import FeatureKind, encode
from ..feet.calm_paths import ALLOWED, NOTICED
from ..motion import rotations
from ..motion.climbing import climb_of_cycle, steadily_raised
from ..motion.comparing import check_comparable
from ..motion.filters import wrap_angle
from ..motion.kept_poses import poses_kept
from ..motion.motion import Motion, joint_accelerations, pose_starts
from ..motion.root_motion import RootPlan, RootTrack, apply_root, encode_root, integrate, plan_root
from ..settings import Facing
from .transition_costs import UNIT_SECONDS

LONGEST_SEGMENT_SECONDS = 5.0
"""Longest segment of the initial path, in seconds, at a noise of one or more and the usual patch length, so that a
dance is not one long copy. Less noise makes it longer in proportion, for fewer transitions. For half of it, a
transition's cost counts in full; it counts less for a longer segment, since the cost per second matters. The path looks
ahead for visit deficits over as long a time. An unrolled cycle lasts at least as long, so that it does not limit
segments. An example of more than half of it is a take, unless it is said to be a cycle: gestures that return to where
they began would repeat."""
SHORTEST_CYCLE_FRAMES = 6
"""Smallest number of frames of a cycle. With fewer frames it is unclear whether it closes."""
MOST_ROUNDS = 100
"""Largest number of rounds of an unrolled cycle: of six frames at 120 per second in LONGEST_SEGMENT_SECONDS. At a rate
of billions, which files may have, five seconds would not fit into memory."""
CLOSING_SHARE = 0.75
"""Largest distance from a cycle's last frame to its first, as a share of the distance of the farthest pose."""
CLOSING_SPEEDS = 2.0
"""Largest speed of a cycle's first and last step, in its mean speeds, if no change of velocity within it is larger."""
RETURNING_SHARE = 0.5
"""Largest distance of a cycle's first pose from where its end leads, as a share of the distance at which it passes that
pose inside. Recorded strides pass it as closely at each, and are a take."""


class Repetition(Enum):
    """Ways to take an example.

    >>> Repetition("CYCLE")
    <Repetition.CYCLE: 'CYCLE'>
    """

    AUTOMATIC = "AUTOMATIC"
    """As a cycle if its end leads to its beginning."""
    CYCLE = "CYCLE"
    TAKE = "TAKE"


@poses_kept()
def is_cycle(motion: Motion) -> bool:
    """Return whether the last frame leads to the first, the root's place and heading apart.

    It does if the step there accelerates about as little as the steps within, or if the first pose is where the
    velocities at both ends lead; if the first and last step are not much faster than others; and if no frame between
    leads there about as well. A hit that begins at full speed out of rest is therefore a take; a walk of a game that
    changes its direction at once where it repeats is a cycle. The last frame may repeat the first, and frames may be
    missing after it, for UNIT_SECONDS at most, if the first pose is then within a step of where the velocities lead,
    and no joint accelerates noticeably more in the frames that replace them than elsewhere. As few frames are taken to
    be missing as that allows; if no number is enough and the end leads to the beginning, as few as are about as calm as
    any.

    >>> is_cycle(swing)
    False
    """
    motion, _, plan = _without_climb(motion)
    closes = _lead_to_beginning(motion, plan)
    # Only what closes without missing frames needs no look at accelerations, which takes longer.
    return bool(closes[0]) or (bool(closes.any()) and _missing_frames(motion, plan) is not None)


def is_taken_as_cycle(motion: Motion, choice: Repetition) -> bool:
    """Return whether a motion repeats, as it is asked to or because its end leads to its beginning."""
    return choice is Repetition.CYCLE or (choice is Repetition.AUTOMATIC and is_cycle(motion))


def unrolled(
    motions: Sequence[Motion],
    choices: Sequence[Repetition] | None = None,
    root: str | None = None,
    facing: Facing = Facing.FREE,
) -> tuple[tuple[Motion, ...], Float64]:
    """Return the motions with cycles repeated, and the frames of a round of each; infinite for one that is a take.

    A round has more frames than its motion where frames are missing at the motion's end. choices: how each is taken;
    None is automatic. root: the joint that travels; None finds it. facing: with KEEP, all rounds face the same way, so
    that a cut between two is a cut between equal frames there, too.

    >>> [motion], [round_frames] = unrolled([swing], [Repetition.CYCLE])
    >>> motion.frames, int(round_frames)
    (244, 61)
    """
    pairs = list(each_unrolled(motions, choices, root, facing))
    return tuple(motion for motion, _ in pairs), np.array([frames for _, frames in pairs])


def each_unrolled(
    motions: Sequence[Motion],
    choices: Sequence[Repetition] | None = None,
    root: str | None = None,
    facing: Facing = Facing.FREE,
) -> Iterator[tuple[Motion, float]]:
    """Yield each motion and the frames of its round as `unrolled` returns them. Raises InputError for motions of
    different joints.

    >>> next(each_unrolled([swing]))[0] is swing
    True
    """
    chosen = [Repetition.AUTOMATIC] * len(motions) if choices is None else choices
    plan: RootPlan | None = None
    for motion, choice in zip(motions, chosen, strict=True):
        check_comparable(motion, motions[0].skeleton.names, None, "the first one")
        level, climb, free = _without_climb(motion, root, choice)
        missing = _missing_frames(level, free, choice)
        if motion.frames > 1 and missing is not None:
            plan = plan or plan_root(motions, Facing.FREE, root)
            rounds, count = _unrolled(level, plan, missing, facing)
            yield steadily_raised(rounds, plan, climb), count
        else:
            yield motion, math.inf


def _without_climb(
    motion: Motion, root: str | None = None, choice: Repetition = Repetition.AUTOMATIC
) -> tuple[Motion, float, RootPlan | None]:
    """Return a motion without its climb, the climb from frame to frame, and the plan of the root that it shows by
    itself; None if it cannot be a cycle.
    """
    if motion.frames < 2 or (motion.frames > _longest_cycle(motion) and choice is not Repetition.CYCLE):
        return motion, 0.0, None
    plan = plan_root([motion], Facing.FREE, root)
    climb = climb_of_cycle(motion, plan)
    level = steadily_raised(motion, plan, -climb)
    return level, climb, plan if root is None else plan_root([level], Facing.FREE, None)


def _longest_cycle(motion: Motion) -> float:
    """Return the largest number of frames of a motion that is seen to be a cycle."""
    return LONGEST_SEGMENT_SECONDS / 2 * motion.frames_per_second + 1


def closed_round(motion: Motion, plan: RootPlan) -> Motion:
    """Return a round whose last pose is the same as its first; it begins at the origin with the heading at rest."""
    motion, track = _closed(motion, _without_drift(encode_root(motion, plan), motion, Facing.FREE))
    return apply_root(motion, plan, integrate(from_origin(track), motion.skeleton.up))


def from_origin(track: RootTrack) -> RootTrack:
    """Return the track, to be integrated, with its first frame at the origin and its heading at rest."""
    ground, heading = np.zeros_like(track.ground), np.zeros_like(track.heading)
    heading[:, 0] = 1.0
    return replace(track, ground=ground, heading=heading)


def _missing_frames(motion: Motion, plan: RootPlan | None, choice: Repetition = Repetition.AUTOMATIC) -> int | None:
    """Return how many frames are missing between the last frame and the first one; None if the motion is a take.

    plan: see `_without_climb`.
    """
    closes = _lead_to_beginning(motion, plan)
    if choice is Repetition.TAKE or not (closes.any() or choice is Repetition.CYCLE):
        return None
    if plan is None or len(closes) == 1:
        return 0
    largest = joint_accelerations(motion).max(axis=0)
    limit = NOTICED * largest + 1e-6 * motion.skeleton.size
    first, excesses = int(closes.argmax()), list[float]()
    for missing in range(first, len(closes)):
        rounds, _ = _unrolled(motion, plan, missing, Facing.FREE, seconds=0.0)
        excesses.append(float((joint_accelerations(rounds).max(axis=0) - limit).max()))
        if excesses[-1] <= 0.0:
            return missing
    if not (closes[0] or choice is Repetition.CYCLE):
        return None
    ends = np.linalg.norm(np.diff(_poses(motion, plan)[[0, 1, -2, -1, 0]], axis=0), axis=1)
    # A bounce turns back in a step that is as long as the others.
    if ends[3] <= NOTICED * ends[[0, 2]].max():
        return 0
    enough = max(NOTICED * min(excesses), (ALLOWED - 1.0) * float(largest.max()))
    return next(missing for missing, excess in enumerate(excesses, first) if excess <= enough)


def _lead_to_beginning(motion: Motion, plan: RootPlan | None) -> Mask:
    """Return whether a motion leads to its first pose with 0, 1, 2, ... missing frames after the last one."""
    is_short = SHORTEST_CYCLE_FRAMES <= motion.frames <= _longest_cycle(motion)
    if plan is None or not (is_short and motion.is_finite):
        return np.zeros(1, bool)
    rows = _poses(motion, plan)
    steps, repeats = np.diff(rows, axis=0), _repeats(rows)
    speed, unit = float(np.linalg.norm(steps, axis=1).mean()), _unit_frames(motion)
    away, ends = np.linalg.norm(rows - rows[0], axis=1), np.linalg.norm(steps[[0, -1]], axis=1)
    counts = np.zeros(1) if repeats else np.arange(1, min(int(unit) + 2, len(rows)))
    passed = counts[:, None] * (steps[0] + steps[-1]) / 2
    missed = np.linalg.norm(rows[0] - rows[-1] - passed, axis=1)
    turns = np.linalg.norm(np.diff(steps, axis=0), axis=1).max()
    across = np.concatenate((rows[:-1] if repeats else rows, rows[:2]))[-4:]
    is_calm = np.linalg.norm(np.diff(across, 2, axis=0), axis=1).max() <= ALLOWED * turns
    is_even = ends.max() <= max(CLOSING_SPEEDS * speed, turns)
    leads = missed <= ends.max()
    leads[0] = is_calm or missed[0] <= ends.mean() * unit
    far = np.flatnonzero(away >= CLOSING_SHARE * away.max())
    again = np.hypot(away[:-1], unit * np.linalg.norm(steps - steps[0], axis=1))
    returns = again[far[0] : far[-1] + 1].min(initial=np.inf)
    closes = leads & (missed <= RETURNING_SHARE * returns)
    return np.asarray(closes & (is_even and away[-1] <= CLOSING_SHARE * away.max()))


def _unit_frames(motion: Motion) -> float:
    """Return UNIT_SECONDS in frames; at least one."""
    return max(UNIT_SECONDS * motion.frames_per_second, 1.0)


def _poses(motion: Motion, plan: RootPlan) -> Float32:
    """Return the poses `(T, C)` of a motion as features, without the root's place and heading."""
    features = encode([motion], [encode_root(motion, plan)], plan)
    return features.rows[:, features.kinds == FeatureKind.POSE]


def _repeats(rows: Float32) -> bool:
    """Return whether the last of the poses is the first once more, but for a quarter of the steps there.

    Where a motion slows down as it repeats, a frame that leads to the first is half a step away from it.
    """
    ends = np.linalg.norm(rows[[1, -1]] - rows[[0, -2]], axis=1).mean()
    return bool(np.linalg.norm(rows[0] - rows[-1]) <= 0.25 * ends)


def _unrolled(
    motion: Motion, plan: RootPlan, missing: int, facing: Facing, seconds: float = LONGEST_SEGMENT_SECONDS
) -> tuple[Motion, float]:
    """Return a cycle repeated, each round from where the one before it led, and the frames of a round.

    missing: how many frames are added between the last and the first. seconds: the least that it lasts, three rounds
    or more.
    """
    track, channels = encode_root(motion, plan), motion.channels()
    if not _repeats(_poses(motion, plan)):
        channels = {
            name: _with_next(values, missing + 1, turns=name == "rotations") for name, values in channels.items()
        }
        track = _with_next_of_track(track, missing + 1)
    motion, track = _closed(motion.with_channels(channels), _without_drift(track, motion, facing))
    count = motion.frames - 1
    # With one more, a path can show so many rounds without coming near the ends.
    times = min(max(math.ceil(seconds * motion.frames_per_second / count), 2), MOST_ROUNDS) + 1
    frames = np.tile(np.arange(count), times)
    rounds = RootTrack(**{field.name: getattr(track, field.name)[frames] for field in fields(track)})
    return apply_root(motion.take(frames), plan, integrate(rounds, motion.skeleton.up), in_place=True), float(count)


def _with_next_of_track(track: RootTrack, count: int) -> RootTrack:
    """Return the track with `count` more frames, over which the velocities pass from the end's to the beginning's."""
    velocity, yaw_rate = (_between(values[-2:-1], values[:1], count) for values in (track.velocity, track.yaw_rate))
    return RootTrack(
        heading=np.concatenate((track.heading, np.repeat(track.heading[-1:], count, axis=0))),
        ground=np.concatenate((track.ground, np.repeat(track.ground[-1:], count, axis=0))),
        velocity=np.concatenate((track.velocity[:-1], velocity, velocity[-1:])),
        yaw_rate=np.concatenate((track.yaw_rate[:-1], yaw_rate, yaw_rate[-1:])),
        body=_with_next(track.body, count, turns=True),
        offset=_with_next(track.offset, count),
    )


def _with_next(values: Float32, count: int, *, turns: bool = False) -> Float32:
    """Return values `(T, ...)` with `count` more, as `_with_next_of_track` does; turns: of quaternions."""
    if not turns:
        steps = _between(values[-1:], values[1:2] - values[:1], count)
        steps -= _between(values[-2:-1], np.zeros_like(values[:1]), count)
        return np.concatenate((values, values[-1:] + np.cumsum(steps, axis=0)))
    ends = rotations.to_vector(rotations.multiply(rotations.inverse(values[[0, -2]]), values[[1, -1]]))
    for step in _between(ends[1:], ends[:1], count):
        turned = rotations.multiply(values[-1], rotations.from_vector(step))
        values = np.concatenate((values, rotations.normalize(turned)[None].astype(np.float32)))
    return values


def _between(last: Array, first: Array, count: int) -> Float32:
    """Return `count` values, evenly from the last to the first."""
    share = (np.arange(1, count + 1) / (count + 1)).astype(last.dtype).reshape(-1, *[1] * (last.ndim - 1))
    return np.asarray((1 - share) * last + share * first)


def _without_drift(track: RootTrack, motion: Motion, facing: Facing) -> RootTrack:
    """Return the track without a turn and a travel that are no more than its movement in UNIT_SECONDS.

    facing: with KEEP, a larger turn goes as well, but for whole ones.
    """
    count = len(track.yaw_rate) - 1
    unit = _unit_frames(motion)
    turn = float(track.yaw_rate[:-1].sum())
    if facing is Facing.KEEP:
        turn = wrap_angle(turn)
    if facing is Facing.KEEP or abs(turn) <= unit * np.abs(track.yaw_rate[:-1]).mean():
        track = replace(track, yaw_rate=track.yaw_rate - np.float32(turn / count))
    walked = integrate(track, motion.skeleton.up)
    travel = walked.ground[-1] - walked.ground[0]
    if np.linalg.norm(travel) > unit * np.linalg.norm(track.velocity[:-1], axis=1).mean():
        return track
    seen = rotations.rotate(rotations.inverse(walked.heading), np.broadcast_to(travel / count, track.velocity.shape))
    return replace(track, velocity=(track.velocity - seen).astype(np.float32))


def _closed(motion: Motion, track: RootTrack) -> tuple[Motion, RootTrack]:
    """Return the motion and the track of its root with the last pose the same as the first.

    Their difference is spread over all frames, unless the motion holds its poses.
    """
    if len(pose_starts(motion)):
        return motion, track
    share = np.linspace(-0.5, 0.5, motion.frames, dtype=np.float32)

    def closed(values: Float32) -> Float32:
        return np.asarray(values + share.reshape(-1, *[1] * (values.ndim - 1)) * (values[0] - values[-1]))

    def turned(poses: Float32) -> Float32:
        difference = rotations.to_vector(rotations.multiply(rotations.inverse(poses[-1]), poses[0]))
        turns = rotations.from_vector(share[:, None, None] * difference)
        return rotations.normalize(rotations.multiply(poses, turns)).astype(np.float32)

    channels = {name: closed(values) for name, values in motion.channels().items()}
    channels["rotations"] = turned(motion.rotations)
    return motion.with_channels(channels), replace(track, body=turned(track.body), offset=closed(track.offset))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement of flat-ground motion on uneven ground: first the feet, then the pelvis, then the legs between them."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Float64, Mask
from ...computation import computing
from ...errors import InputError
from ...feet.calm_knees import Knees
from ...feet.calm_paths import ALLOWED, FRAME_SECONDS, NOTICED, accelerations
from ...feet.contact_detection import NEAR_GROUND, Foot, find_feet
from ...feet.foot_moves import EASE_SECONDS
from ...feet.footsteps import Stance
from ...feet.leg_ik import move_together, turn_joint
from ...feet.two_bone_ik import NEARLY_STRAIGHT, Leg, pose_leg, solve_leg, turn_leg
from ...motion import rotations
from ...motion.filters import smooth, smoothstep, spread_smoothly
from ...motion.motion import Motion, pose_along
from ...motion.root_motion import find_companions
from ...motion.spans import spans
from ..reach.folded_legs import MOST_FOLDED
from .body_pitch import Pitched, pitched
from .foot_paths import FootPath, PlannedTrack, find_tracks, foot_path, plan_tracks
from .standing import GroundContacts
from .surface import Surface
from .swings import Swinging, calm_swings, free_frames

PELVIS_ON_SLOPES_SECONDS = (0.13, 0.18, 0.25)
"""Times, in seconds, in which the pelvis is lowered and raised again around a frame at which a leg is too short for the
slope that its foot follows. They are tried in this order until hips stay calm, see ALLOWED. In a short time the
pelvis rises between the steps, so that knees are bent less, but it moves more quickly. Chosen on 14 walks and runs on
slopes of 15 degrees (docs/places.md, Ground). For legs that are too short elsewhere, the last one is used."""
ROUNDS = 2
"""Number of times that a leg is solved: a nearly straight leg bends softly and misses its place slightly."""
FLEXED = 0.93
"""Longest leg if its foot does not move with the pelvis, as a share of the leg's length: a straight leg whose foot
comes down quickly jerks its knee; in the second half of a stance it does not. If the foot moves with the pelvis, the
longest leg is nearly straight, or as on flat ground if that is longer. A foot farther from the slope under it than
NEAR_GROUND no longer moves with the pelvis."""
SHORTER = 0.05
"""Shortest loss of travel that is noted, as a share of the size."""


@dataclass(frozen=True, eq=False)
class Grounded:
    """A motion on uneven ground; notes: sentences on shortened steps, and on steps that are visibly too quick.

    >>> Grounded(swing).motion.frames
    60
    """

    motion: Motion
    notes: tuple[str, ...] = ()


@computing()
def put_on_ground(
    motion: Motion,
    surface: Surface,
    standing: GroundContacts,
    root: int,
    rise: Array | None = None,
    weights: Array | None = None,
    through: Callable[[Float64], Float64] | None = None,
    first_frame: float = 0.0,
    shorten: bool = True,
    fixed: tuple[int, float] | None = None,
) -> Grounded:
    """Return a motion made on flat ground, adapted to the surface.

    root: the joint whose translation moves the pelvis. rise: `(T,)` intended height of the ground relative to the
    first, as on a path that climbs; it decides between floors. weights: `(T, len(feet))` of the moves of feet, 0 where
    legs do not change. through: changes the pelvis' moves `(T, 3)`, in the coordinates of the ground, so that they pass
    through given ones. first_frame: the number of the motion's first frame in sentences. shorten: steps that climb too
    far are shortened, and the character covers less ground. fixed: a frame at which the character stays in place,
    and the additional height of the ground there; steps are then shortened before and after it.
    Raises InputError if there are no feet with legs, no root that can move them, or no ground under a foot.


    >>> square = np.array([[[-9, -9, 0], [9, -9, 0], [9, 9, 0]], [[-9, -9, 0], [9, 9, 0], [-9, 9, 0]]], float)
    >>> put_on_ground(swing, make_surface(square, swing.skeleton.up), standing_of(swing), root=0)
    Traceback (most recent call last):
        ...
    genmm_addon.core.errors.InputError: No foot stands on a leg with keys of its own; choose another motion.
    """
    motion.check_values("The motion to put on the ground")
    _check(motion, standing, root)
    rate, size = motion.frames_per_second, motion.skeleton.size
    risen = np.zeros(motion.frames) if rise is None else np.asarray(rise, np.float64)
    weights = np.ones((motion.frames, len(standing.feet))) if weights is None else weights
    tracks, level = find_tracks(motion, standing, surface)
    travel = surface.to_ground(pose_along(motion, motion.skeleton.chain(root))[1][:, -1])[:, :2]
    travel_to_shorten = travel if shorten else None
    plan, shifts = plan_tracks(surface, motion, standing, tracks, level, risen, first_frame, travel_to_shorten, fixed)
    paths = {index: foot_path(surface, tracks[index], planned, level, rate, size) for index, planned in plan.items()}
    tilted = motion
    for index, path in paths.items():
        angles = rotations.to_vector(path.tilt) * weights[:, index, None]
        tilted = turn_joint(tilted, standing.feet[index].leg[-1], rotations.from_vector(surface.from_ground(angles)))
    legs = {index: pose_leg(tilted, standing.feet[index]) for index in paths}
    anchored = (root, *find_companions([motion], root))
    body = pitched(tilted, anchored, legs, paths, weights.min(axis=1), surface)
    leaving = {index: _leaving(plan[index].stances, motion.frames, rate) for index in paths}
    in_air = np.asarray(~standing.contacts.any(axis=1))
    pelvis = surface.from_ground(_pelvis(surface, legs, body, paths, leaving, in_air, level, rate, size, through))
    grounded = move_together(body.motion, anchored, pelvis)
    for index, leg in legs.items():
        foot_weights, ankle = weights[:, index], leg.positions[:, leg.end]
        moves = surface.from_ground(paths[index].moves) - pelvis
        target = ankle + pelvis + moves * foot_weights[:, None]
        swings = free_frames(plan[index].stances, standing.contacts[:, index], foot_weights)
        carried = pose_leg(grounded, standing.feet[index])
        hinge = standing.knees.hinges[index]
        swinging = Swinging(carried, hinge, foot_weights, swings, -paths[index].room)
        target = calm_swings(swinging, target, standing.knees.quickest, surface.axes[2], rate, size)
        upright = rotations.from_matrix(rotations.without_scale(leg.matrices[:, leg.end]))
        for _ in range(ROUNDS):
            now = pose_leg(grounded, standing.feet[index])
            solution = solve_leg(now, target - now.positions[:, now.end], hinge, rate, size, foot_weights)
            grounded = turn_leg(grounded, now, solution, upright[solution.frames])
    feet = {index: standing.feet[index] for index in plan}
    notes = note_on_length(shifts.length, size)
    notes += note_on_knees(motion, grounded, feet, plan, standing.knees, first_frame, shorten)
    return Grounded(grounded, notes)


def _check(motion: Motion, standing: GroundContacts, root: int) -> None:
    if not any(foot.has_leg for foot in standing.feet):
        if find_feet([motion], treadmill=True):
            raise InputError("The motion walks in place, so that no foot stands; choose one that covers ground.")
        raise InputError("No foot stands on a leg with keys of its own; choose another motion.")
    if root not in motion.translated:
        name = motion.skeleton.names[root]
        raise InputError(f'The root "{name}" has no location keys and cannot move up and down; key its location.')


def _pelvis(
    surface: Surface,
    legs: dict[int, Leg],
    body: Pitched,
    paths: dict[int, FootPath],
    leaving: dict[int, Float64],
    in_air: Mask,
    level: float,
    rate: float,
    size: float,
    through: Callable[[Float64], Float64] | None,
) -> Float64:
    """Return the moves `(T, 3)` of the pelvis: with the feet, and low enough for every leg to reach its foot.

    They are in the coordinates of the ground. While no foot stands, `in_air` `(T,)`, their height changes evenly, so
    that the body falls as before; leaving: see _leaving. through: see put_on_ground.
    """

    def guided(moves: Float64) -> Float64:
        return moves - body.shift if through is None else through(moves - body.shift)

    moves = np.mean([path.ground for path in paths.values()], axis=0) - np.array([0.0, 0.0, level])
    moves = guided(smooth(moves, EASE_SECONDS, rate)) + body.shift
    beyond, sloping = np.zeros(len(moves)), np.zeros(len(moves))
    for index, leg in legs.items():
        hip, end = body.hips[index], surface.to_ground(leg.positions[:, leg.end])
        sloped = ((end + paths[index].moves - hip - moves)[:, :2] * paths[index].slopes).sum(axis=1)
        away = np.abs(paths[index].moves[:, 2] - moves[:, 2] - sloped) / (NEAR_GROUND * size)
        now = rotations.lengths(end - hip)
        unusual = smoothstep(np.minimum(away, 1.0)) * (1.0 - leaving[index])
        extended = NEARLY_STRAIGHT * leg.reach
        flexed = extended + unusual * (FLEXED * leg.reach - extended)
        longest = np.maximum(now - unusual * np.maximum(now - flexed, 0.0), flexed)
        vector = hip + moves - end - paths[index].moves
        beyond = np.maximum(beyond, _too_high(vector, longest))
        sloping = np.maximum(sloping, (1.0 - unusual) * _too_high(vector, np.maximum(now, extended)))
    lowered = moves
    for seconds in PELVIS_ON_SLOPES_SECONDS:
        given = spread_smoothly(sloping, round(seconds * rate))
        given = given + spread_smoothly(beyond - given, round(PELVIS_ON_SLOPES_SECONDS[-1] * rate))
        lowered = moves - given[:, None] * np.array([0.0, 0.0, 1.0])
        if all(accelerations(hip + lowered).max() <= ALLOWED * accelerations(hip).max() for hip in body.hips.values()):
            break
    for first, landing in spans(in_air):
        if first > 0 and landing < len(in_air):
            evenly = np.linspace(lowered[first - 1, 2], lowered[landing, 2], landing - first + 2)
            lowered[first:landing, 2] = evenly[1:-1]
    return guided(lowered)


def _leaving(stances: list[Stance], frames: int, rate: float) -> Float64:
    """Return shares `(T,)` of a foot that no longer lands but stands until it leaves, on a leg as straight as it likes.

    It rises to 1 in the first half of each stance: only a leg that lands straight jerks its knee.
    """
    shares = np.zeros(frames)
    for stance in stances:
        passed = 2.0 * np.arange(stance.end - stance.first) / (stance.end - stance.first)
        shares[stance.first : stance.end] = np.minimum(passed, 1.0) if stance.first else 1.0
    return np.asarray(smooth(shares[:, None], FRAME_SECONDS, rate)[:, 0])


def _too_high(vector: Float64, longest: Float64) -> Float64:
    """Return the height `(T,)` by which a hip is too high; vector: `(T, 3)` from foot to hip, longest: `(T,)` leg."""
    height = np.sqrt(np.maximum(longest**2 - (vector[:, :2] ** 2).sum(axis=1), (MOST_FOLDED * longest) ** 2))
    return np.asarray(vector[:, 2] - height)


def note_on_length(length: float, size: float) -> tuple[str, ...]:
    """Return a sentence if shortened steps reduce the character's travel noticeably; length: that of the loss.

    >>> note_on_length(0.01, 1.7)
    ()
    """
    if length < SHORTER * size:
        return ()
    return (
        "Steps were shortened where the ground rises or falls too much: the character's travel is "
        f"{100 * length / size:.0f} % of its size shorter than planned.",
    )


def note_on_knees(
    flat: Motion,
    grounded: Motion,
    feet: dict[int, Foot],
    planned: dict[int, PlannedTrack],
    knees: Knees,
    first_frame: float,
    shortened: bool,
) -> tuple[str, ...]:
    """Return a sentence on the quickest knee, if it is quicker than the examples' knees and than on flat ground.

    flat, grounded: the motion before and after. feet, planned: by number. shortened: steps were allowed to be
    shortened.
    """
    quickest, worst = NOTICED, None
    for index, foot in feet.items():
        before, after = (pose_leg(motion, foot) for motion in (flat, grounded))
        limit = max(knees.quickest, float(accelerations(before.positions[:, before.knee]).max(initial=0.0)), 1e-12)
        ratios = accelerations(after.positions[:, after.knee]) / limit
        if ratios.max(initial=0.0) > quickest:
            quickest, worst = float(ratios.max()), (index, int(np.argmax(ratios)))
    if worst is None:
        return ()
    index, frame = worst
    name = grounded.skeleton.names[feet[index].leg[-1]]
    rise = 100 * _rise(planned[index], frame) / grounded.skeleton.size
    way = "climbs" if rise >= 0 else "goes down"
    change = f": the foot {way} {abs(rise):.0f} % of the character's size in one step" if round(rise) else ""
    mend = "choose a slower motion, or lower steps"
    if not shortened:
        mend = "add frames; steps are not shortened where a path, waypoints, or poses set the place"
    return (
        f'At frame {first_frame + frame:g} the knee above "{name}" is {quickest:.1f} times as quick as in the '
        f"examples{change}; {mend}.",
    )


def _rise(planned: PlannedTrack, frame: int) -> float:
    """Return the height that a foot climbs in the step at a frame, or in the nearest one."""
    heights, stances = planned.footholds.heights, planned.stances
    if len(stances) < 2:
        return 0.0
    middles = np.array([(before.end + after.first) / 2 for before, after in itertools.pairwise(stances)])
    step = int(np.argmin(np.abs(middles - frame)))
    return float(heights[step + 1] - heights[step])

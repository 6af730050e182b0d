# SPDX-License-Identifier: GPL-3.0-or-later
"""Flights that float or drop, and their repair: the center of mass flies along a parabola of gravity.

Between the same take-off and landing, gravity ties the height of a flight to its duration: height = gravity *
duration ** 2 / 8 above the line between its ends. One of the two is kept, and the other follows.
"""

from dataclasses import replace
from enum import Enum

import numpy as np

from ...arrays import Float64, Mask
from ...evaluation.body.flights import LEAST_HEIGHT, Flight, frames_in_air, gravity_error
from ...evaluation.body.support import OFF_GROUND
from ...feet.calm_paths import NOTICED
from ...feet.contact_detection import foot_heights
from ...feet.foot_moves import EASE_SECONDS
from ...infill import CONTEXT_SECONDS
from ...motion import rotations
from ...motion.filters import smoothstep
from ...motion.motion import Motion
from ...motion.spans import spans
from ..calmness import is_calm
from .bodies import ROUNDS, BodyOnGround, carried_along, with_feet_kept

UNUSUAL = 1.35
"""Smallest factor between a flight's gravity and the true one that is a flaw: of 152 flights of captured jumps and runs
one is farther off, since few frames show the acceleration of a short flight. So is one whose parabola is farther from
the true one than the lowest flight is high."""
FASTEST = 1.7
"""Largest factor by which a motion beside a flight may be played faster to make room for a longer one, or slower."""


class KeptInFlight(Enum):
    """The quantity of a flight that its repair keeps.

    >>> KeptInFlight("HEIGHT").name
    'HEIGHT'
    """

    DURATION = "DURATION"
    """The frames of take-off and landing stay, and the body flies as high as gravity allows."""
    HEIGHT = "HEIGHT"
    """The body flies as high as before, for as long as gravity allows; the motion beside the flight makes room."""


def wrong_flights(motion: Motion, body: BodyOnGround) -> list[tuple[int, int, tuple[int, ...], float]]:
    """Return the first and last frame that the repair of each wrong flight may change, all joints, and its gravity as a
    share of the true one.

    A body that floats for longer than a jump over its own size lasts holds on to what is not there, as in a climb.
    """
    wrong, in_air = [], None
    for flight in body.flights:
        share = flight.gravity / body.gravity
        height = body.gravity * (flight.frames / motion.frames_per_second) ** 2 / 8 / motion.skeleton.size
        is_supported = share < 1 and height > 1
        # The longer a flight lasts, the more exactly its frames show the acceleration.
        is_usual = 1 / UNUSUAL < share < UNUSUAL and abs(share - 1) * height < LEAST_HEIGHT
        if not is_supported and not is_usual:
            in_air = frames_in_air(motion, body.standing) if in_air is None else in_air
            first, last = _around(motion, body.flights, flight, in_air)
            wrong.append((first, last, tuple(range(len(motion.skeleton.names))), share))
    return wrong


def _around(motion: Motion, flights: tuple[Flight, ...], flight: Flight, in_air: Mask) -> tuple[int, int]:
    """Return the frames around a flight, up to the middle of the stance between it and the next.

    What is in the air beside it, too short to be one of the flights, is left as it is.
    """
    beside, measured = round(CONTEXT_SECONDS * motion.frames_per_second), {other.first for other in flights}
    first, last = max(flight.first - beside, 0), min(flight.last + beside, motion.frames - 1)
    for start, end in spans(in_air):
        # Fewer frames have no acceleration.
        if end - start < 3:
            continue
        if end <= flight.first:
            first = max(first, (end - 1 + flight.first) // 2 + 1 if start in measured else end)
        if start > flight.last:
            last = min(last, (flight.last + start) // 2 if start in measured else start - 1)
    return first, last


def with_true_flight(
    motion: Motion, body: BodyOnGround, span: tuple[int, int], kept: KeptInFlight, strength: float
) -> Motion:
    """Return the motion with the flight inside of a span, first and last frame, along a parabola of gravity.

    The motion itself is returned if no flight is inside, or if the flight would not be nearer to gravity.
    """
    first, last = span
    inside = [flight for flight in body.flights if first < flight.first and flight.last < last]
    if not inside:
        return motion
    flight = Flight(inside[0].first - first, inside[0].last - first, inside[0].gravity)
    part = motion.slice(first, last + 1)
    # A slower body is not as high in the first frame off the ground: its parabola begins one frame earlier.
    timed, flown = part, Flight(max(flight.first - 1, 0), min(flight.last + 1, part.frames - 1), flight.gravity)
    if kept is KeptInFlight.HEIGHT:
        # Three steps of a flight are the fewest that show gravity.
        rate = min((body.gravity / flight.gravity) ** (strength / 2), (flight.frames - 1) / 3)
        # The height is kept as far as what is beside the flight makes room for it without a jerk.
        for share in np.linspace(1.0, 0.0, 2 * ROUNDS, endpoint=False):
            played, shorter = _retimed(part, flight, rate**share)
            if is_calm(body.motion, motion.with_frames(np.arange(first, last + 1), played), first, last, NOTICED):
                timed, flown = played, shorter
                break
    made, whole = part, None
    for _ in range(ROUNDS):
        if whole == flown:
            break
        flown = whole or flown
        made = _lifted(timed, flown, body, strength)
        whole = _with_frames_in_air(flown, frames_in_air(made, body.standing))
    before, after = (
        gravity_error(body.heights(one)[of.first : of.last + 1], body.gravity, motion.frames_per_second)
        for one, of in ((part, flight), (made, flown))
    )
    return motion.with_frames(np.arange(first, last + 1), made) if after < before else motion


def _with_frames_in_air(flown: Flight, in_air: Mask) -> Flight:
    """Return a flight with the frames at its ends at which the gathering pelvis takes a foot off the ground as well."""
    first, last = flown.first, flown.last
    for start, end in spans(in_air):
        if start <= flown.last and end > flown.first:
            first, last = min(first, start), max(last, end - 1)
    return replace(flown, first=first, last=last)


def _lifted(part: Motion, flight: Flight, body: BodyOnGround, strength: float) -> Motion:
    """Return a part of a motion whose center of mass flies along a parabola between the ends of its flight."""
    rate, up = part.frames_per_second, np.array(part.skeleton.up)
    frames = np.arange(part.frames)
    first, last = flight.first, flight.last
    before = body.heights(part)
    time = (frames - first) / rate
    chord = before[first] + (before[last] - before[first]) * (frames - first) / (last - first)
    goal = chord + body.gravity / 2 * time * ((last - first) / rate - time)
    aim = before + strength * (goal - before)
    in_air = (frames >= first) & (frames <= last)
    lift = np.where(in_air, aim - before, 0.0) + _gathered(before, aim, flight, rate)
    # A nearly straight leg bends softly and misses its place by a part, which must not bring the foot to the ground.
    clear = body.standing.ground + 1.2 * OFF_GROUND * part.skeleton.size
    heights = foot_heights(part, body.standing.feet)
    made = part
    for _ in range(ROUNDS):
        flown = np.where(in_air, lift, 0.0)
        # A foot that the lower body would push into the ground folds its leg instead.
        raised = np.where(in_air[:, None], np.maximum(flown[:, None], np.minimum(clear - heights, 0.0)), 0.0)
        made = carried_along(part, body.standing, lift[:, None] * up, flown[:, None] * up)
        made = with_feet_kept(part, made, body.standing, raised[..., None] * up)
        lift = lift + np.where(in_air, aim - body.heights(made), 0.0)
    return made


def _gathered(before: Float64, aim: Float64, flight: Flight, rate: float) -> Float64:
    """Return the moves `(T,)` of the pelvis beside a flight that lead to its other speed at take-off and landing."""
    moves, frames = np.zeros(len(before)), np.arange(len(before))
    for edge, away in ((flight.first, flight.first - frames), (flight.last, frames - flight.last)):
        outward = -1 if edge == flight.first else 1
        if not 0 <= edge + outward < len(before):
            continue
        # Beyond the part, nothing moves.
        ease = max(min(round(EASE_SECONDS * rate), int(away.max()) + 1), 1)
        beside = (away > 0) & (away < ease)
        # The change of the first step off the parabola's end, decaying by a cubic.
        step = float(aim[edge + outward] - before[edge + outward])
        moves[beside] = step * away[beside] * (1.0 - away[beside] / ease) ** 2
    return moves


def _retimed(part: Motion, flight: Flight, rate: float) -> tuple[Motion, Flight]:
    """Return a part of a motion, of the same length, with its flight played at another rate, and the new flight.

    The frames beside the flight take up the difference; the ends of the part keep their rate.
    """
    frames = np.arange(part.frames, dtype=np.float64)
    ease = max(EASE_SECONDS * part.frames_per_second / 2, 1.0)
    away = np.maximum(np.maximum(flight.first - frames, frames - flight.last), 0.0)
    flying = 1.0 - smoothstep(np.minimum(away / ease, 1.0))
    from_ends = np.minimum(frames, part.frames - 1 - frames) / ease
    beside = (1.0 - flying) * smoothstep(np.minimum(from_ends, 1.0))
    # Durations of the source's frames, whose sum stays.
    steps = (flying[1:] + flying[:-1]) / 2, (beside[1:] + beside[:-1]) / 2
    room = max(float(steps[1].sum()), 1e-9)
    share = room / max(float(steps[0].sum()), 1e-9)
    longer = float(np.clip(1.0 / rate - 1.0, (1.0 - FASTEST) * share, (1.0 - 1 / FASTEST) * share))
    durations = 1.0 + longer * steps[0] - longer * float(steps[0].sum()) / room * steps[1]
    times = np.concatenate(([0.0], np.cumsum(durations)))
    places = np.interp(frames, times, frames)
    places[[0, -1]] = frames[[0, -1]]
    first, last = (float(np.interp(edge, frames, times)) for edge in (flight.first, flight.last))
    return _sampled_smoothly(part, places), Flight(
        int(np.floor(first)), int(np.ceil(last)), flight.gravity / (1.0 + longer) ** 2
    )


def _sampled_smoothly(motion: Motion, places: Float64) -> Motion:
    """Return a motion at fractional frames `(T,)`, along cubic curves (Catmull, Rom 1974); lines would jerk."""
    at = np.clip(np.floor(places).astype(np.int64), 0, motion.frames - 2)
    share = places - at
    weights = np.stack(
        (
            ((2.0 - share) * share - 1.0) * share / 2,
            ((3.0 * share - 5.0) * share**2 + 2.0) / 2,
            ((4.0 - 3.0 * share) * share + 1.0) * share / 2,
            (share - 1.0) * share**2 / 2,
        )
    )
    around = np.clip(at + np.arange(-1, 3)[:, None], 0, motion.frames - 1)
    channels = {}
    for name, values in motion.channels().items():
        smooth = rotations.make_continuous(values) if name == "rotations" else values
        drawn = np.einsum("kt,kt...->t...", weights, smooth[around].astype(np.float64))
        channels[name] = (rotations.normalize(drawn) if name == "rotations" else drawn).astype(np.float32)
    return motion.with_channels(channels)

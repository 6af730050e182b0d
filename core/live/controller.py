# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion matching, one step at a time (Clavet 2016): from a state and a wish to the next state and a pose."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Mask
from ..errors import InputError
from ..feet.contact_detection import SLOW
from ..feet.footsteps import STEP_SECONDS
from ..library.indexed_motions import index_motions
from ..library.pose_index import SAME_PLACE_SECONDS
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.rotations import SMALLEST_NORM
from ..synthesis.braking import BRAKING
from .calm_limbs import CalmLimbs
from .candidates import Candidates, SearchWeights, nearest_frame, standing, trajectory_weight
from .examples import LiveExamples, prepare_live
from .inertia import Decay, Spring
from .leading import Lead, lead
from .pose import changed, difference, put_down, read_pose
from .standing_feet import feet_at_rest, stand
from .state import LiveState
from .wish import Wish

CONTACT_WEIGHT = 0.03
"""Weight of a foot that stands in only one of two frames, in squared sizes: more than most poses differ by (0.009)."""
GAIN = 0.85
"""Largest cost of a transition, as a share of the cost of going on."""
EASE_SECONDS = (0.5, 0.4)
"""Times, in seconds, in which a transition's difference of the pose decays: when smooth, and when responsive."""
ROOT_EASE_SECONDS = (0.4, 0.3)
"""Times, in seconds, in which the difference of the root's movement decays: when smooth, and when responsive. With
the times of the pose, the root leaves a figure of eight by twice as much."""
PACE_SHARE = 0.15
"""Share of the difference from the desired pace that is made up in a step."""


@dataclass(frozen=True, eq=False)
class Controller:
    """A character that is steered through examples, one frame at a time, at the examples' rate.

    examples: see `prepare_live`. responsiveness: 0, smooth, weights poses above wishes; 1, responsive, follows wishes
    at once. The controller never changes: the same states and wishes give the same poses.
    Raises InputError for a responsiveness outside of 0 to 1.


    >>> controller = Controller.of([swing])
    >>> state = controller.start()
    >>> for _ in range(100):
    ...     state, pose = controller.step(state, Wish(velocity=np.array([0.0, 1.0, 0.0])))
    >>> pose.frames, pose.rotations.shape
    (1, (1, 2, 4))
    """

    examples: LiveExamples
    responsiveness: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.responsiveness <= 1.0:
            raise InputError("The responsiveness must be between 0, smooth, and 1, responsive.")

    @classmethod
    def of(cls, motions: Sequence[Motion], responsiveness: float = 0.5, root: int | None = None) -> "Controller":
        """Return a controller for motions on one skeleton and at one rate; root: the joint that travels.

        Raises InputError if there are no motions, or if skeletons or rates differ.
        """
        return cls(prepare_live(index_motions(motions, root)), responsiveness)

    @property
    def frames_per_second(self) -> float:
        """Return the rate of the steps."""
        return self.examples.index.frames_per_second

    def start(
        self,
        place: Array | None = None,
        facing: Array | None = None,
        allowed: Mask | None = None,
    ) -> LiveState:
        """Return a state in which the character stands still at a place `(3,)` and faces a direction `(3,)`.

        It shows the candidate, among the motions that are allowed `(M,)`, that is most nearly at rest. Raises
        InputError if no motion is allowed.
        """
        examples, rate = self.examples, self.frames_per_second
        candidates = _candidates(examples, allowed)
        still = examples.trajectories[candidates.frames] - examples.frozen.trajectories[0]
        frame = int(candidates.frames[int(np.argmin(np.square(still).sum(axis=1)))])
        axes, size = examples.axes, examples.skeleton.size
        where = np.zeros(2) if place is None else axes @ np.asarray(place, np.float64) / size
        turn = 0.0 if facing is None else _angle(axes @ np.asarray(facing, np.float64)) - examples.forward
        pose = read_pose(examples, frame)
        given = put_down(examples, pose, where, turn, None)
        nothing = np.zeros(3 * len(pose.turns) + len(pose.columns))
        return LiveState(
            frame=float(frame),
            pace=1.0,
            place=where,
            heading=turn,
            speed=np.zeros(3),
            velocity=Spring(np.zeros(2), np.zeros(2)),
            facing=Spring(np.array(turn), np.array(0.0)),
            ease=Decay(nothing, nothing, 1.0),
            root_ease=Decay(np.zeros(3), np.zeros(3), 1.0),
            displayed=pose,
            before=pose,
            given=given,
            feet=feet_at_rest(examples, given),
            limbs=CalmLimbs.at_rest(examples.limbs, given),
            candidates=candidates,
            changed=round(rate),
        )

    def step(self, state: LiveState, wish: Wish) -> tuple[LiveState, Motion]:
        """Return the state one frame later, and that frame. Raises InputError if the wish allows no motion."""
        examples = self.examples
        if not _same(wish.allowed, state.candidates.allowed):
            state = replace(state, candidates=_candidates(examples, wish.allowed))
        target = lead(examples, state, wish, self.responsiveness)
        state = replace(state, velocity=target.velocity, facing=target.facing)
        state = self._searched(state, target)
        return self._advanced(state, target)

    def _searched(self, state: LiveState, target: Lead) -> LiveState:
        """Return the state after a transition to the nearest frame, if that is worth it; otherwise one step later."""
        examples, index, rate = self._played(state), self.examples.index, self.frames_per_second
        frame = int(state.frame)
        clip = index.clips[frame]
        allowed = state.candidates.allowed
        ended = not state.frozen and state.frame + 2.0 * state.pace >= index.stops[clip] - 1
        # A frozen body that is to go would wait forever for a motion that begins behind it.
        forced = ended or (allowed is not None and not allowed[clip]) or (state.frozen and not target.stands)
        waited = state.changed >= round(STEP_SECONDS * rate)
        state = replace(state, changed=state.changed + 1)
        if not (waited or ended):
            return state
        weights = SearchWeights(trajectory_weight(self.responsiveness), CONTACT_WEIGHT)
        if target.stands and ((state.frozen and forced) or not standing(examples.trajectories[frame, None])[0]):
            frozen = state.candidates.frozen
            # Before the requested speed has decayed, examples that brake may be found.
            if frozen or float(np.linalg.norm(state.velocity.value)) < SLOW:
                rest = state.candidates.nearest_rest(self.examples.moving, frame)
                return self._taken(state, rest, target, frozen=frozen)
        nearest, cost = nearest_frame(
            self.examples.moving,
            state.candidates,
            frame,
            examples.contacts[frame],
            target.trajectory.astype(np.float32),
            weights,
        )
        going_on = weights.trajectory * float(np.square(examples.trajectories[frame] - target.trajectory).sum())
        near = (
            not state.frozen and index.clips[nearest] == clip and abs(nearest - state.frame) < SAME_PLACE_SECONDS * rate
        )
        worth = cost < GAIN * going_on and not near
        return self._taken(state, nearest, target) if forced or worth else state

    def _played(self, state: LiveState) -> LiveExamples:
        """Return the examples as they are played: going on, or frozen."""
        return self.examples.frozen if state.frozen else self.examples

    def _taken(self, state: LiveState, frame: int, target: Lead, frozen: bool = False) -> LiveState:
        """Return the state after a transition to another frame, whose differences decay; frozen: it does not go on."""
        examples, rate = self.examples, self.frames_per_second
        frames, root_frames = (
            (smooth + self.responsiveness * (quick - smooth)) * rate
            for smooth, quick in (EASE_SECONDS, ROOT_EASE_SECONDS)
        )
        pace = 0.0 if frozen else state.pace or 1.0
        pose, next_pose = read_pose(examples, float(frame)), read_pose(examples, frame + pace)
        now = difference(state.displayed, pose)
        # The frame is extrapolated one step back, since a motion has no frame before its first.
        earlier = difference(state.before, changed(pose, -difference(next_pose, pose)), like=now)
        change = state.speed - _root_step(examples, float(frame), pace)
        if target.stands:
            root_frames = max(root_frames, rate * rate * float(np.linalg.norm(change[:2])) / BRAKING)
        return replace(
            state,
            frame=float(frame),
            pace=pace,
            ease=Decay(now, now - earlier, frames),
            root_ease=Decay(change, np.zeros(3), root_frames),
            changed=0,
            frozen=frozen,
        )

    def _advanced(self, state: LiveState, target: Lead) -> tuple[LiveState, Motion]:
        """Return the state one frame later along the motion that is played, and that frame."""
        examples = self.examples
        last = float(examples.index.stops[examples.index.clips[int(state.frame)]] - 1)
        pace = 0.0 if state.frozen else state.pace + (target.pace - state.pace) * PACE_SHARE
        frame = min(state.frame + pace, last)
        ease, root_ease = state.ease.next(), state.root_ease.next()
        speed = _root_step(examples, state.frame, frame - state.frame) + root_ease.now()
        if target.stands:
            # Nobody who is about to stand speeds up again within a stride.
            fastest = max(float(np.linalg.norm(state.speed[:2])), SLOW / self.frames_per_second)
            speed[:2] *= min(1.0, fastest / max(float(np.linalg.norm(speed[:2])), SMALLEST_NORM))
        along, turn = target.corrected(speed)
        place = state.place + rotations.turn_on_ground(along, state.heading)
        heading = state.heading + turn
        pose = changed(read_pose(examples, frame), ease.now())
        given = put_down(examples, pose, place, heading, state.given)
        since = state.frame if state.changed == 0 else None

        def settled() -> Motion:
            remaining = root_ease.rest()
            final_place = place + rotations.turn_on_ground(remaining[:2], heading)
            return put_down(examples, read_pose(examples, frame), final_place, heading + float(remaining[2]), None)

        feet, planted = stand(self._played(state), state.feet, given, frame, since, settled)
        limbs, planted = state.limbs.next(examples.limbs, planted, examples.most_at(frame))
        return (
            replace(
                state,
                frame=frame,
                pace=pace,
                place=place,
                heading=heading,
                speed=speed,
                ease=ease,
                root_ease=root_ease,
                displayed=pose,
                before=state.displayed,
                given=planted,
                feet=feet,
                limbs=limbs,
            ),
            planted,
        )


def _root_step(examples: LiveExamples, frame: float, frames: float) -> Float64:
    """Return the movement `(3,)` from a frame to one `frames` later: place, seen from the heading, and turn."""
    first, last = _root_at(examples, frame), _root_at(examples, min(frame + frames, _last_of(examples, frame)))
    displacement = rotations.turn_on_ground(last[:2] - first[:2], -first[2])
    return np.array([displacement[0], displacement[1], last[2] - first[2]])


def _root_at(examples: LiveExamples, frame: float) -> Float64:
    """Return the root's place and heading `(3,)` at a fractional frame."""
    index, before = examples.index, int(frame)
    share, after = frame - before, min(before + 1, int(index.stops[index.clips[before]]) - 1)
    place = (1 - share) * index.ground[before].astype(np.float64) + share * index.ground[after]
    return np.array([*place, (1 - share) * float(index.turns[before]) + share * float(index.turns[after])])


def _last_of(examples: LiveExamples, frame: float) -> float:
    return float(examples.index.stops[examples.index.clips[int(frame)]] - 1)


def _angle(direction: Float64) -> float:
    return float(np.arctan2(direction[1], direction[0]))


def _same(first: Mask | None, second: Mask | None) -> bool:
    return first is second or (first is not None and second is not None and np.array_equal(first, second))


def _candidates(examples: LiveExamples, allowed: Mask | None) -> Candidates:
    """Return the candidates of the motions that are allowed `(M,)`.

    Raises InputError if no motion is allowed, and for a mask of another length.
    """
    if allowed is None:
        return examples.candidates
    if np.shape(allowed) != (len(examples.library.motions),):
        raise InputError(
            f"The wish needs {len(examples.library.motions)} values of allowed motions, one for each motion."
        )
    if not np.any(allowed):
        raise InputError("None of the motions is allowed; choose a style that the library has.")
    return examples.candidates.only(examples.moving, np.asarray(allowed, bool))

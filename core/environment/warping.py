# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp: a window of a motion is fitted to an object that stands elsewhere, and everything outside stays.

The root path is bent as in motion warping (Witkin, Popovic 1995); hands and feet are then brought to their places.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64, Mask
from ..errors import InputError
from ..feet.contact_detection import GROUND_BAND, NEAR_GROUND, SLOW, Foot, ground_heights, label_contacts
from ..feet.foot_moves import EASE_SECONDS
from ..feet.leg_copies import limb_of
from ..feet.leg_ik import move_root, turn_joint
from ..motion import rotations
from ..motion.motion import Motion, joint_path, pose_along
from ..motion.skeleton import LIMB_REACH, Skeleton
from ..motion.spans import joined_spans, spans
from .reach.approach import minimum_jerk
from .reach.body import ReachBody, find_body
from .reach.limbs import find_limb
from .reach.reach import Reach
from .reach.solving import Met, meet_places


@dataclass(frozen=True)
class Touch:
    """A stretch of frames, from `first` up to `end`, in which a joint rests on the object or, as a foot, on the ground.

    joint: the wrist, ankle or root.
    """

    joint: int
    first: int
    end: int
    on_object: bool


def find_touches(motion: Motion, feet: tuple[Foot, ...], root: int, box: Float64) -> list[Touch]:
    """Return the touches of hands, feet and the root, in the order of joints and frames.

    box: `(4, 4)` the object as the matrix of a cube of size 2 around the origin, in the space of the roots. A foot on
    the ground does not touch the object beside it.
    """
    size, rate = motion.skeleton.size, motion.frames_per_second
    grounded = label_contacts(motion, feet, ground_heights([motion], feet))
    positions = np.asarray(motion.pose()[1], np.float64)
    speeds = rotations.lengths(np.gradient(positions, axis=0)) * rate
    away = distances_from_box(positions, box)
    touches = []

    def add(joint: int, marked: Mask, *, on_object: bool) -> None:
        for first, end in joined_spans(marked, EASE_SECONDS * rate / 2, 2):
            touches.append(Touch(joint, first, end, on_object))

    ankles = {foot.leg[-1]: number for number, foot in enumerate(feet) if foot.has_leg}
    for joint in (*ankles, *find_hands(motion.skeleton, feet)):
        below = np.flatnonzero(motion.skeleton.descendants(joint))
        rests = (speeds[:, below].min(axis=1) < SLOW * size) & (away[:, below].min(axis=1) < NEAR_GROUND * size)
        if joint in ankles:
            stands = grounded[:, ankles[joint]]
            add(joint, stands, on_object=False)
            rests &= ~stands
        add(joint, rests, on_object=True)
    # The joint of the hips is farther from a seat than a palm from a table.
    add(root, (speeds[:, root] < SLOW * size) & (away[:, root] < GROUND_BAND * size), on_object=True)
    return touches


def find_hands(skeleton: Skeleton, feet: tuple[Foot, ...]) -> list[int]:
    """Return the wrists: the ends of limbs that are no legs."""
    legs = {joint for foot in feet for joint in foot.leg}
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(skeleton.names))
    hands = set()
    for leaf in np.flatnonzero(children == 0).tolist():
        begin, limb = limb_of(skeleton, leaf)[0], find_limb(skeleton, leaf)
        reach = float(np.linalg.norm(skeleton.stance[leaf] - skeleton.stance[begin]))
        if limb is not None and reach >= LIMB_REACH * skeleton.size and legs.isdisjoint(skeleton.chain(leaf)):
            hands.add(limb.wrist)
    return sorted(hands)


def distances_from_box(positions: Float64, box: Float64) -> Float64:
    """Return the distances `(...)` of positions `(..., 3)` from a box, 0 inside; box: see find_touches."""
    inside = (positions - box[:3, 3]) @ np.linalg.inv(box[:3, :3]).T
    return np.asarray(np.linalg.norm((inside - np.clip(inside, -1.0, 1.0)) @ box[:3, :3].T, axis=-1))


@dataclass(frozen=True, eq=False)
class WarpedMotion:
    """A warped motion; met: how well hands and feet are at their places `reaches`. joints: those on the object.

    >>> WarpedMotion(swing, Met(swing, np.zeros((1, 60))), (), ()).reaches
    ()
    """

    motion: Motion
    met: Met
    reaches: tuple[Reach, ...]
    joints: tuple[int, ...]


def warp(
    motion: Motion,
    window: tuple[int, int],
    object_before: Array,
    object_after: Array,
    fixed: Mask | None = None,
    root: int | None = None,
    first_frame: float = 0.0,
) -> WarpedMotion:
    """Return a motion whose frames between the first and the last of `window` are fitted to a moved object.

    Hands, feet and hips that rest on the object do so where it is now; the root path is moved and turned toward it and
    back, with steps in between. The frames of the window's ends and all outside keep their values.
    object_before, object_after: `(4, 4)` the object where it was when the motion was made, and now, as the matrices of
    a cube of size 2 around the origin, in the space of the roots. fixed: `(J,)` joints that keep their rotations.
    root: the joint that carries the body; None: it is found. first_frame: the number of the first frame in messages.
    Raises InputError for a window outside of the motion, objects without extent, and where nothing touches the object.

    >>> warp(swing, (10, 50), np.eye(4), np.eye(4))
    Traceback (most recent call last):
        ...
    genmm_addon.core.errors.InputError: No foot stands in the motion, so that no root path is known; choose another one.
    """
    motion.check_values("The motion to warp")
    first, last = window
    if not 0 <= first < last - 1 <= motion.frames - 2:
        raise InputError(f"The window is not within the motion of {motion.frames} frames; choose other frames.")
    for box in (object_before, object_after):
        if not np.isfinite(box).all() or abs(np.linalg.det(box[:3, :3])) == 0.0:
            raise InputError("The object has no extent; choose another one.")
    body = find_body([motion], (), root)
    if not body.feet or body.root not in motion.translated:
        raise InputError("No foot stands in the motion, so that no root path is known; choose another one.")
    body = find_body([motion], find_hands(motion.skeleton, body.feet), body.root, body.feet)
    touches = find_touches(motion, body.feet, body.root, np.asarray(object_before, np.float64))
    inside = [touch for touch in touches if touch.first < last and touch.end > first]
    _check(motion, [touch for touch in inside if touch.on_object], window, first_frame)
    if np.array_equal(object_before, object_after):
        return WarpedMotion(motion, Met(motion, np.zeros((1, motion.frames))), (), _on_object(inside))
    bend = _find_bend(motion, body, inside, window, object_before, object_after)
    moved = bend.moved(motion, body.root)
    reaches = tuple(bend.reaches(motion, body.root))
    outside = np.ones(motion.frames, bool)
    outside[first + 1 : last] = False
    kept = np.zeros(motion.rotations.shape[:2], bool) if fixed is None else np.tile(fixed, (motion.frames, 1))
    kept[outside] = True
    met = meet_places(moved, reaches, body, kept)
    return WarpedMotion(met.motion, met, reaches, _on_object(inside))


def _on_object(touches: Sequence[Touch]) -> tuple[int, ...]:
    return tuple(sorted({touch.joint for touch in touches if touch.on_object}))


def _check(motion: Motion, touches: Sequence[Touch], window: tuple[int, int], first_frame: float) -> None:
    """Raise InputError where nothing touches the object in the window, or something does at its ends."""
    first, last = (first_frame + frame for frame in window)
    if not touches:
        raise InputError(
            f"No hand, foot or hips rest on the object at frames {first:g} to {last:g}; choose other frames, or the "
            "object that the motion was made for."
        )
    for touch in touches:
        name = motion.skeleton.names[touch.joint]
        if touch.first <= window[0] or touch.end > window[1]:
            frame = first if touch.first <= window[0] else last
            raise InputError(
                f'"{name}" already rests on the object at frame {frame:g}, where the motion stays as it is; choose a '
                "longer range."
            )


@dataclass(frozen=True, eq=False)
class _Bend:
    """Rigid moves over time: about `center` `(3,)`, by `shift` `(3,)` and a rotation.

    turn: `(4,)` of the object; heading: its angle about `up`. along, upward: `(T,)` shares of the move over the ground
    with the heading, and of the height. touches: those within the window.
    """

    center: Float64
    shift: Float64
    turn: Float64
    heading: float
    up: Float64
    along: Float64
    upward: Float64
    touches: tuple[Touch, ...]

    def places(self, places: Float64, along: Float64, upward: Float64) -> Float64:
        """Return places `(T, 3)` moved by shares `(T,)`."""
        level = self.shift - (self.shift @ self.up) * self.up
        turned = rotations.rotate(self.headings(along), places - self.center)
        return np.asarray(
            self.center + turned + along[:, None] * level + (upward * (self.shift @ self.up))[:, None] * self.up
        )

    def headings(self, along: Float64) -> Float64:
        """Return the rotations `(T, 4)` about the vertical at shares `(T,)`."""
        return np.asarray(rotations.from_vector((along * self.heading)[:, None] * self.up))

    def moved(self, motion: Motion, root: int) -> Motion:
        """Return the motion with its root moved and turned."""
        changed, path = np.flatnonzero((self.along > 0) | (self.upward > 0)), joint_path(motion, root)
        moves = np.zeros(path.shape)
        moves[changed] = (self.places(path, self.along, self.upward) - path)[changed]
        moved = move_root(motion, root, moves)
        return turn_joint(moved, root, self.headings(self.along))

    def reaches(self, motion: Motion, root: int) -> list[Reach]:
        """Return the places of hands and feet on the object, and those of feet on the ground between both."""
        reaches = []
        for joint in sorted({touch.joint for touch in self.touches} - {root}):
            active = np.zeros(motion.frames, bool)
            places = joint_path(motion, joint).astype(np.float64)
            chain = motion.skeleton.chain(joint)
            axes = rotations.without_scale(pose_along(motion, chain)[0][:, -1].astype(np.float64))
            turned = np.asarray(rotations.from_matrix(axes), np.float64)
            # The last one wins where a foot on the object also counts as one on the ground.
            for touch in sorted(
                (touch for touch in self.touches if touch.joint == joint), key=lambda touch: touch.on_object
            ):
                at = slice(touch.first, touch.end)
                active[at] = True
                if touch.on_object:
                    places[at] = self.center + self.shift + rotations.rotate(self.turn, places[at] - self.center)
                    turned[at] = rotations.multiply(self.turn, turned[at])
                    continue
                middle = places[at].mean(axis=0)
                share = self._share_of(touch)
                foot, heading = self.places(middle[None], share, np.zeros(1))[0], self.headings(share)
                places[at] = foot + rotations.rotate(heading, places[at] - middle)
                turned[at] = rotations.multiply(heading, turned[at])
            reaches.append(Reach(joint, active, places, turned, f'"{motion.skeleton.names[joint]}"'))
        return reaches

    def _share_of(self, touch: Touch) -> Float64:
        """Return the share `(1,)` with which a stance moves: none if it lasts beyond the window."""
        shares = self.along[touch.first : touch.end]
        stays = np.flatnonzero(shares == 0.0)
        return np.zeros(1) if len(stays) else np.array([shares[len(shares) // 2]])


def _find_bend(
    motion: Motion,
    body: ReachBody,
    touches: Sequence[Touch],
    window: tuple[int, int],
    before: Array,
    after: Array,
) -> _Bend:
    """Return the moves that bring the touches to the object's new place."""
    up, resting = np.array(motion.skeleton.up, np.float64), [touch for touch in touches if touch.on_object]
    center = np.mean(
        [joint_path(motion, touch.joint)[touch.first : touch.end].mean(axis=0) for touch in resting], axis=0
    )
    change = after @ np.linalg.inv(before)
    shift = change[:3, :3] @ center + change[:3, 3] - center
    axes = [
        rotations.from_matrix(rotations.without_scale(box[None, :3, :3].astype(np.float64)))[0]
        for box in (before, after)
    ]
    turn = np.asarray(rotations.multiply(axes[1], rotations.inverse(axes[0])), np.float64)
    heading = 2.0 * float(np.arctan2(turn[1:] @ up, turn[0]))
    heading = (heading + np.pi) % (2 * np.pi) - np.pi
    first, last = min(touch.first for touch in resting), max(touch.end for touch in resting) - 1
    along = _ramp(motion.frames, window[0], first, last, window[1])
    upward = np.zeros(motion.frames)
    ankles = [foot.leg[-1] for foot in body.feet if foot.has_leg]
    carried = _carried(motion, touches, body.root, ankles)
    if carried.any():
        start, stop = int(np.flatnonzero(carried)[0]), int(np.flatnonzero(carried)[-1])
        middles = [(touch.first + touch.end - 1) // 2 for touch in touches if not touch.on_object]
        begin = max((middle for middle in middles if window[0] < middle < start), default=window[0])
        finish = min((middle for middle in middles if stop < middle < window[1]), default=window[1])
        upward = _ramp(motion.frames, begin, start, stop, finish)
    return _Bend(center, shift, turn, heading, up, along, upward, tuple(touches))


def _carried(motion: Motion, touches: Sequence[Touch], root: int, feet: Sequence[int]) -> Mask:
    """Return the frames `(T,)` at which the object carries the body, which then moves up or down with it.

    It carries hips that sit, and feet while none is on the ground. Hands carry the body in a vault, but not in the
    short flights of a run.
    """
    on_ground, sits, stands, grasped = (np.zeros(motion.frames, bool) for _ in range(4))
    for touch in touches:
        by_joint = sits if touch.joint == root else stands if touch.joint in feet else grasped
        (by_joint if touch.on_object else on_ground)[touch.first : touch.end] = True
    vaults = np.zeros(motion.frames, bool)
    for first, end in spans(~on_ground):
        vaults[first:end] = end - first > 2 * EASE_SECONDS * motion.frames_per_second
    return np.asarray(sits | (stands & ~on_ground) | (grasped & vaults))


def _ramp(frames: int, begin: int, first: int, last: int, end: int) -> Float64:
    """Return shares `(T,)`: 0 up to `begin` and from `end` on, 1 from `first` to `last`."""
    at = np.arange(frames)
    rise = 1.0 - np.clip((at - begin) / max(first - begin, 1), 0.0, 1.0)
    fall = np.clip((at - last) / max(end - last, 1), 0.0, 1.0)
    return minimum_jerk(np.maximum(rise, fall))

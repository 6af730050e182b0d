# SPDX-License-Identifier: GPL-3.0-or-later
"""The root: the joint that carries the travel, and an encoding of its motion that is the same anywhere.

If the example travels, its ground position is encoded as a velocity in the direction that the character
faces (FREE) or in the world's axes (KEEP). If it stays in place, the position is kept, so that nothing can drift.
Height is absolute, but for examples that climb: see `climbing`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..errors import InputError
from ..settings import Facing
from . import rotations
from .filters import to_next, wrap_angle
from .motion import Motion, pose_along
from .rotations import HEADINGS
from .skeleton import SAME_PLACE, Skeleton

IN_PLACE_NET = 0.5
"""Largest distance, as a share of the size, between the first and last place of an example that stays in place, from
the beginning of a turn in place, and of a body at rest from its root."""
IN_PLACE_RANGE = 1.5
"""Largest extent, as a share of the size, of the ground covered by an example that stays in place."""
TURN_UNIT = 0.5
"""Difference in turning, in radians per second, that costs one vote, or as much as the distance of unrelated poses."""
KEPT_TURN = np.pi / 4
"""Largest turn, in radians, that transitions between examples in place may make: beyond it, they are seen to whirl."""
UPRIGHT = 0.35
"""Smallest length of the twist part of a quaternion that determines the root's heading."""


@dataclass(frozen=True, eq=False)
class RootPlan:
    """The encoding of the root's travel.

    joint: index of the joint that carries it. companions: further joints that travel along without
    being its children (the foot and hand controls of a rig). facing: KEEP or FREE. in_place: the ground
    position stays a position. climbs: the height of the ground travels as well, see `climbing`.

    >>> isinstance(prepared.root, RootPlan), prepared.root.joint
    (True, 0)
    """

    joint: int
    companions: tuple[int, ...]
    facing: Facing
    in_place: bool
    climbs: bool = False

    @property
    def anchored(self) -> Int64:
        """Return the root joint and its companions: the joints encoded relative to the ground position."""
        return np.array((self.joint, *self.companions), np.int64)


@dataclass(frozen=True, eq=False)
class RootTrack:
    """The root motion of T frames, A anchored joints.

    heading `(T, 4)` (identity for KEEP), ground `(T, 3)` position without height; velocity `(T, 3)` to the
    next frame, in the heading's frame; yaw_rate `(T,)` radians to the next frame; body `(T, A, 4)`
    orientations and offset `(T, A, 3)` positions of the anchored joints, seen from heading and ground.
    """

    heading: Float32
    ground: Float32
    velocity: Float32
    yaw_rate: Float32
    body: Float32
    offset: Float32

    def along(self, heading: Array, ground: Array) -> "RootTrack":
        """Return the track with another heading and ground, and all else as it is."""
        return replace(self, heading=heading.astype(np.float32), ground=ground.astype(np.float32))


def plan_root(motions: Sequence[Motion], facing: Facing, root: str | None) -> RootPlan:
    """Return the joint that travels and the encoding of its travel.

    Raises InputError if `root` names no joint.
    """
    skeleton = motions[0].skeleton
    if root is None:
        joint, *companions = find_anchored(motions)
    else:
        joint = _named_joint(skeleton, root)
        companions = list(find_companions(motions, joint))
    grounds = (_ground_and_height(skeleton, posed_last(motion, joint)[1])[0] for motion in motions)
    in_place = all(stays_in_place(ground, skeleton.size) for ground in grounds)
    if facing is Facing.AUTO:
        upright = all(_is_upright(motion, joint) for motion in motions)
        kept = not upright or (in_place and _turn_of_transitions(motions, joint) <= KEPT_TURN)
        facing = Facing.KEEP if kept else Facing.FREE
    return RootPlan(joint, tuple(companions), facing, in_place)


def _turn_of_transitions(motions: Sequence[Motion], joint: int) -> float:
    """Return the turn, in radians, that leads from the end of each motion to the beginning of any, least the turns that
    the motions themselves make in the same direction.
    """
    plan = RootPlan(joint, (), Facing.FREE, False)
    sector = HEADINGS / (2 * np.pi)
    sectors = [np.floor(place_and_heading(motion, plan)[1] * sector).astype(np.int64) for motion in motions]
    made = np.zeros((2, HEADINGS), bool)
    for here, there in ((turns[:-1], turns[1:]) for turns in sectors):
        for low, high in np.unique(np.stack((here, there), axis=1), axis=0).tolist():
            made[int(high < low), np.arange(min(low, high), max(low, high)) % HEADINGS] = True
    begins, ends = ({int(turns[at]) % HEADINGS for turns in sectors} for at in (0, -1))
    most = 0
    for end, begin in product(ends, begins):
        onward, back = (
            np.arange(low, low + (high - low) % HEADINGS) % HEADINGS for low, high in ((end, begin), (begin, end))
        )
        most = max(most, min(int((~made[0, onward]).sum()), int((~made[1, back]).sum())))
    return most / sector


def find_root(motions: Sequence[Motion]) -> int:
    """Return the shallowest joint of the trunk whose own translation covers at least half of the trunk's widest ground.

    What lies beside the trunk does not count, however far it moves: controls of feet and hands, props, cameras.

    >>> find_root([swing])
    0
    """
    return _root_of_spans(motions, _spans(motions))


def find_anchored(motions: Sequence[Motion]) -> tuple[int, ...]:
    """Return the root, see find_root, and its companions, see find_companions.

    >>> find_anchored([swing])
    (0,)
    """
    spans = _spans(motions)
    root = _root_of_spans(motions, spans)
    return (root, *_companions_of_spans(motions, root, spans))


def _root_of_spans(motions: Sequence[Motion], spans: dict[int, float]) -> int:
    skeleton = motions[0].skeleton
    trunk = skeleton.trunk
    still = SAME_PLACE * skeleton.size
    if max((spans.get(joint, 0.0) for joint in trunk), default=0.0) < still and _moved_unseen(motions, trunk, spans):
        depths = {int(joint): depth for depth, joints in enumerate(skeleton.levels) for joint in joints}
        trunk = tuple(sorted(spans, key=lambda joint: (depths[joint], joint)))
    moved = [joint for joint in trunk if joint in spans]
    widest = max((spans[joint] for joint in moved), default=0.0)
    if widest < still:
        return [*moved, *trunk, 0][0]
    return next(joint for joint in moved if spans[joint] >= 0.5 * widest)


def _moved_unseen(motions: Sequence[Motion], trunk: Sequence[int], spans: dict[int, float]) -> bool:
    """Return whether joints travel but the trunk is not animated: it follows them by other means than parents.

    Joints below the trunk, such as those of a tail, do not carry it.
    """
    skeleton = motions[0].skeleton
    below = skeleton.descendants(trunk[1]) if len(trunk) > 1 else np.zeros(len(skeleton.names), bool)
    travels = max((span for joint, span in spans.items() if not below[joint]), default=0.0)
    turned = any(np.ptp(motion.rotations[:, trunk], axis=0).any() for motion in motions)
    return (
        travels >= IN_PLACE_NET * skeleton.size
        and not turned
        and not any(np.ptp(_moves_of(motion, joint), axis=0).any() for motion in motions for joint in trunk)
    )


def encode_root(motion: Motion, plan: RootPlan) -> RootTrack:
    """Return the travel of a motion, encoded by the plan.

    >>> encode_root(swing, prepared.root).velocity.shape
    (60, 3)
    """
    skeleton = motion.skeleton
    poses = [_pose_of(motion, int(joint)) for joint in plan.anchored]
    ground, _ = _ground_and_height(skeleton, poses[0][1])
    heading = np.tile(np.array([1, 0, 0, 0], np.float32), (motion.frames, 1))
    if plan.facing is Facing.FREE:
        heading = _heading(motion, plan.joint, poses[0][0])
    backwards = rotations.inverse(heading)
    body = np.stack([rotations.multiply(backwards, orientation) for orientation, _ in poses], axis=1)
    offset = np.stack([rotations.rotate(backwards, position - ground) for _, position in poses], axis=1)
    return RootTrack(
        heading=heading,
        ground=ground,
        velocity=rotations.rotate(backwards, to_next(ground)),
        yaw_rate=_yaw_rate(heading, np.array(skeleton.up, np.float32)),
        body=body,
        offset=offset,
    )


def without_heading(motion: Motion, plan: RootPlan) -> Motion:
    """Return the motion with its anchored joints relative to the heading; with KEEP, the motion itself.

    Two motions that differ only in their headings then have the same rotations.

    >>> without_heading(swing, prepared.root).rotations.shape
    (60, 2, 4)
    """
    if plan.facing is not Facing.FREE:
        return motion
    turned = motion.rotations.copy()
    turned[:, plan.anchored] = encode_root(motion, plan).body
    return replace(motion, rotations=turned)


def place_and_heading(motion: Motion, plan: RootPlan) -> tuple[Float32, Float64]:
    """Return the root's position `(T, 3)`, and its unwrapped turn about the up axis from rest `(T,)`, in radians.

    >>> positions, turns = place_and_heading(swing, prepared.root)
    >>> positions.shape, turns.shape
    ((60, 3), (60,))
    """
    orientation, positions = _pose_of(motion, plan.joint)
    heading = _heading(motion, plan.joint, orientation).astype(np.float64)
    up = np.array(motion.skeleton.up)
    return positions, np.asarray(np.unwrap(rotations.angle_about(heading, up)))


def integrate(track: RootTrack, up: tuple[float, float, float]) -> RootTrack:
    """Return the track with its heading and ground integrated from the first frame's by yaw rate and velocity."""
    angles = np.concatenate((np.zeros(1), np.cumsum(track.yaw_rate[:-1], dtype=np.float64)))
    turns = rotations.from_axis_angle(np.array(up), angles)
    heading = rotations.multiply(turns, track.heading[:1].astype(np.float64))
    steps = rotations.rotate(heading, track.velocity.astype(np.float64))
    ground = np.concatenate((np.zeros((1, 3)), np.cumsum(steps[:-1], axis=0))) + track.ground[0]
    return track.along(heading, ground)


def apply_root(motion: Motion, plan: RootPlan, track: RootTrack, *, in_place: bool = False) -> Motion:
    """Return the motion with its anchored joints posed by the track; the other joints keep their channels.

    in_place: overwrite the motion's own rotations, if nothing else needs them. They are most of a long result's memory.
    """
    skeleton = motion.skeleton
    joint_rotations, translations = motion.rotations, motion.translations.copy()
    if not in_place:
        joint_rotations = joint_rotations.copy()
    slots = {int(joint): slot for slot, joint in enumerate(motion.translated)}
    for index, joint in enumerate(plan.anchored):
        orientation = rotations.multiply(track.heading, track.body[:, index])
        position = rotations.rotate(track.heading, track.offset[:, index]) + track.ground
        above, above_position = _frame_of_parent(motion, int(joint))
        at_rest = skeleton.rest_rotations[joint].astype(np.float32)
        parent_orientation = rotations.from_matrix(rotations.without_scale(above))
        local = rotations.multiply(rotations.inverse(rotations.multiply(parent_orientation, at_rest)), orientation)
        joint_rotations[:, joint] = rotations.normalize(local)
        if int(joint) in slots:
            inside = rotations.in_axes_of(above, position - above_position)
            inside = inside - skeleton.rest_translations[joint].astype(np.float32)
            translations[:, slots[int(joint)]] = rotations.rotate(rotations.inverse(at_rest), inside)
    return replace(motion, rotations=joint_rotations, translations=translations)


def at_origin(motion: Motion, plan: RootPlan, body: Float32, offset: Float32) -> Motion:
    """Return the motion with the root at the origin and heading 0; body, offset: of its track, see RootTrack."""
    frames, ahead = motion.frames, np.array([1, 0, 0, 0], np.float32)
    nowhere = np.zeros((frames, 3), np.float32)
    track = RootTrack(np.tile(ahead, (frames, 1)), nowhere, nowhere, nowhere[:, 0], body, offset)
    return apply_root(motion, plan, track)


def _named_joint(skeleton: Skeleton, root: str) -> int:
    if root not in skeleton.names:
        raise InputError(f"The root '{root}' is not a joint of this skeleton; choose one of its joints.")
    return skeleton.names.index(root)


def stays_in_place(ground: Float32, size: float) -> bool:
    """Return whether a root on the ground `(T, 3)` stays near its first place; size: of the skeleton."""
    net = float(np.linalg.norm(ground[-1] - ground[0]))
    extent = float(np.linalg.norm(np.ptp(ground, axis=0)))
    return net < IN_PLACE_NET * size and extent < IN_PLACE_RANGE * size


def _spans(motions: Sequence[Motion]) -> dict[int, float]:
    """Return the extent of the ground that each translated joint covers on its own, in the space of the roots.

    Motions need not have translations of the same joints: a joint without them covers no ground.
    """
    spans: dict[int, float] = {}
    for motion in motions:
        still = dict.fromkeys(motion.translated.tolist(), 0.0)
        moving = (motion.translations != motion.translations[0]).any(axis=(0, 2))
        flat = _flat_paths(motion, moving)
        extents = np.linalg.norm(flat.max(axis=0) - flat.min(axis=0), axis=1)
        own = still | dict(zip(motion.translated[moving].tolist(), extents.tolist(), strict=True))
        spans |= {joint: max(span, spans.get(joint, 0.0)) for joint, span in own.items()}
    return spans


def _flat_paths(motion: Motion, chosen: Mask | slice) -> Array:
    """Return the translations `(T, M, 3)` along the ground of chosen translated joints, in the space of the roots."""
    skeleton = motion.skeleton
    up = np.array(skeleton.up)
    path = rotations.rotate(skeleton.rest_orientations[motion.translated[chosen]], motion.translations[:, chosen])
    return np.asarray(path - (path @ up)[..., None] * up)


def frames_of_extents(motion: Motion) -> Motion:
    """Return the few frames of a motion that tell which of its joints move and how far, as all of its frames do.

    These are the frames with the ends of translations, along each axis and on the ground, and one in which each joint
    is turned otherwise than in the first.

    >>> few = frames_of_extents(swing)
    >>> few.frames < 20, find_root([few]) == find_root([swing])
    (True, True)
    """
    places = np.concatenate((motion.translations, _flat_paths(motion, slice(None))), axis=2).reshape(motion.frames, -1)
    turned = (motion.rotations != motion.rotations[0]).any(axis=2)
    ends = places.argmin(axis=0), places.argmax(axis=0), turned.argmax(axis=0)
    return motion.take(np.unique(np.concatenate(([0], *ends))))


def _moves_of(motion: Motion, joint: int) -> Float32:
    """Return the translations `(T, 3)` of a joint; zeros where it has none."""
    slot = np.flatnonzero(motion.translated == joint)
    return motion.translations[:, slot[0]] if len(slot) else np.zeros((motion.frames, 3), np.float32)


def find_companions(motions: Sequence[Motion], root: int) -> tuple[int, ...]:
    """Return joints outside the root's branch that cover at least half of its ground on their own."""
    return _companions_of_spans(motions, root, _spans(motions))


def _companions_of_spans(motions: Sequence[Motion], root: int, spans: dict[int, float]) -> tuple[int, ...]:
    skeleton = motions[0].skeleton
    least = 0.5 * spans.get(root, 0.0)
    related = skeleton.descendants(root)
    ancestor = int(skeleton.parents[root])
    while ancestor >= 0:
        related[ancestor] = True
        ancestor = int(skeleton.parents[ancestor])
    companions: list[int] = []
    for joint, span in spans.items():
        if least > 1e-6 * skeleton.size and not related[joint] and span >= least:
            companions.append(joint)
            related |= skeleton.descendants(joint)
    return tuple(companions)


def posed_last(motion: Motion, joint: int) -> tuple[Float32, Float32]:
    """Return the global matrices `(T, 3, 3)` and positions `(T, 3)` of a joint."""
    matrices, positions = pose_along(motion, motion.skeleton.chain(joint))
    return matrices[:, -1], positions[:, -1]


def _pose_of(motion: Motion, joint: int) -> tuple[Float32, Float32]:
    """Return global orientation `(T, 4)` and position `(T, 3)` of one joint."""
    matrices, positions = posed_last(motion, joint)
    return rotations.from_matrix(rotations.without_scale(matrices)), positions


def _frame_of_parent(motion: Motion, joint: int) -> tuple[Float32, Float32]:
    parent = int(motion.skeleton.parents[joint])
    if parent < 0:
        identity = np.broadcast_to(np.eye(3, dtype=np.float32), (motion.frames, 3, 3))
        return identity, np.zeros((motion.frames, 3), np.float32)
    return posed_last(motion, parent)


def _ground_and_height(skeleton: Skeleton, positions: Float32) -> tuple[Float32, Float32]:
    up = np.array(skeleton.up, np.float32)
    height = positions @ up
    return positions - height[:, None] * up, height


def _deviation_from_rest(motion: Motion, joint: int, orientation: Float32) -> Float32:
    at_rest = motion.skeleton.rest_orientations[joint].astype(np.float32)
    return rotations.multiply(orientation, rotations.inverse(at_rest))


def _is_upright(motion: Motion, joint: int) -> bool:
    turned = _deviation_from_rest(motion, joint, _pose_of(motion, joint)[0])
    along = turned[:, 1:] @ np.array(motion.skeleton.up, np.float32)
    return bool(np.all(np.hypot(turned[:, 0], along) > UPRIGHT))


def _heading(motion: Motion, joint: int, orientation: Float32) -> Float32:
    up = np.array(motion.skeleton.up, np.float32)
    turned = _deviation_from_rest(motion, joint, orientation)
    return rotations.make_continuous(rotations.twist_about(turned, up))


def _yaw_rate(heading: Float32, up: Float32) -> Float32:
    if len(heading) < 2:
        return np.zeros(len(heading), np.float32)
    turn = rotations.multiply(rotations.inverse(heading[:-1]), heading[1:])
    rate = wrap_angle(rotations.angle_about(turn, up))
    return np.append(rate, rate[-1]).astype(np.float32)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion for game engines: the travel of a motion on a root joint at the top of its skeleton."""

from dataclasses import replace

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..errors import InputError
from . import rotations
from .ground_travel import BodyTrack, GroundTravel, ground_travel
from .motion import Motion, pose_along
from .skeleton import LIMB_REACH, NO_PARENT, SAME_PLACE, Skeleton

ROOT_NAME = "root"
"""Usual name of the root joint in game engines."""
MOST_BESIDE = 0.2
"""Largest share of the joints that are siblings of the hips, such as game engines' controls of hands and feet."""


def find_ground_joint(skeleton: Skeleton) -> int | None:
    """Return the root joint of a game engine's skeleton, alone at the top and far from the hips, or None.

    Such a joint does not carry the body, even if all of the travel is on it. Its height is not considered, because
    captured bodies may lie on their backs in the rest pose.

    >>> find_ground_joint(swing.skeleton) is None
    True
    """
    tops = np.flatnonzero(skeleton.parents == NO_PARENT)
    below = _largest_first(skeleton, int(tops[0])) if len(tops) == 1 else tops[:0]
    if not len(below):
        return None
    hips, others = int(below[0]), below[1:]
    away = float(np.linalg.norm(skeleton.rest_positions[hips] - skeleton.rest_positions[tops[0]]))
    branches = np.count_nonzero(skeleton.parents == hips) > 1
    beside = skeleton.branch_sizes[others].sum() <= MOST_BESIDE * len(skeleton.names)
    # Hips are a limb above the ground: 0.4 to 0.6 sizes in people, 0.25 in low animals.
    return int(tops[0]) if away > LIMB_REACH * skeleton.size and branches and beside else None


def find_body_joint(skeleton: Skeleton, moving: Mask, root: int | None = None) -> int:
    """Return the joint that carries the body: the first joint of the largest branch that is `moving` `(J,)` by itself.

    If its only child moves as well, that child is returned; if no joint of the branch moves, the branch's first one.
    root: the joint that is to have the travel and does not carry the body. Raises InputError if nothing is below it.

    >>> find_body_joint(swing.skeleton, np.array([True, False]))
    0
    """
    branches = _largest_first(skeleton, NO_PARENT if root is None else root)
    if not len(branches):
        raise InputError("No joint below the skeleton's root can carry a body; choose another root.")
    chain = [int(branches[0])]
    while len(children := _largest_first(skeleton, chain[-1])):
        chain.append(int(children[0]))
    body = next((number for number, joint in enumerate(chain) if moving[joint]), None)
    if body is None:
        return chain[0]
    while body + 1 < len(chain) and moving[chain[body + 1]] and len(_largest_first(skeleton, chain[body])) == 1:
        body += 1
    return chain[body]


def _largest_first(skeleton: Skeleton, joint: int) -> Int64:
    """Return the children of a joint, those with the largest branches first."""
    children = np.flatnonzero(skeleton.parents == joint)
    return np.asarray(children[np.argsort(-skeleton.branch_sizes[children], kind="stable")])


def moving_joints(motion: Motion) -> Mask:
    """Return a mask `(J,)` of the joints whose own translations change."""
    moving = np.zeros(len(motion.skeleton.names), bool)
    moving[motion.translated] = np.ptp(motion.translations, axis=0).max(axis=1) > SAME_PLACE * motion.skeleton.size
    return moving


def travel_of(motion: Motion, body: int, root: int, *, closes: bool = False) -> GroundTravel:
    """Return the travel of joint `root`, from that of the joint that carries the body.

    closes: the last frame begins the next round of a loop.
    """
    skeleton = motion.skeleton
    matrices, positions = motion.pose()
    from_rest = rotations.inverse(skeleton.rest_orientations[body]).astype(np.float32)
    turned = rotations.from_matrix(rotations.without_scale(matrices[:, body]))
    orientations = rotations.multiply(turned, from_rest)
    up = np.array(skeleton.up)
    below = skeleton.descendants(body)
    return ground_travel(
        BodyTrack(
            orientations=rotations.make_continuous(orientations),
            places=positions[:, body],
            lowest=(positions[:, below] @ up).min(axis=1),
            up=skeleton.up,
            size=skeleton.size,
            rate=motion.frames_per_second,
            closes=closes,
            ahead=rest_ahead(skeleton, body, root),
        )
    )


def rest_ahead(skeleton: Skeleton, body: int, root: int | None) -> tuple[float, float, float]:
    """Return the place of a joint at rest, relative to that of the root; root: None is a root at the origin.

    >>> rest_ahead(swing.skeleton, 0, None)
    (0.0, 0.0, 1.0)
    """
    x, y, z = skeleton.rest_positions[body] - (0.0 if root is None else skeleton.rest_positions[root])
    return float(x), float(y), float(z)


def root_poses(skeleton: Skeleton, travel: GroundTravel, root: int | None = None) -> tuple[Float64, Float64]:
    """Return the orientations `(T, 4)` and positions `(T, 3)` of the root joint that follows a travel.

    The travel turns it from its orientation at rest, and it stays as high above the ground as at rest. root: its index;
    None is a new root at the origin.

    >>> travel = GroundTravel(np.zeros((60, 3)), np.zeros(60))
    >>> orientations, positions = root_poses(swing.skeleton, travel)
    >>> orientations.shape, positions.shape
    ((60, 4), (60, 3))
    """
    up = np.array(skeleton.up, np.float64)
    turns = rotations.from_axis_angle(up, travel.turns)
    if root is None:
        return np.asarray(turns, np.float64), travel.places
    turned = rotations.multiply(turns, skeleton.rest_orientations[root])
    return np.asarray(turned, np.float64), travel.places + float(skeleton.rest_positions[root] @ up) * up


def with_root_joint(motion: Motion, *, name: str = ROOT_NAME, closes: bool = False) -> Motion:
    """Return the motion with its travel on a root joint above all others; their poses in the world do not change.

    The joint is created if it does not exist; an existing one must be at the top. closes: the last frame
    begins the next round of a loop. Raises InputError if the joint of that name is below another one, or not above the
    body.

    >>> rooted = with_root_joint(swing)
    >>> rooted.skeleton.names, rooted.skeleton.parents.tolist()
    (('root', 'hips', 'leg'), [-1, 0, 1])
    >>> bool(np.abs(rooted.pose()[1][:, 1:] - swing.pose()[1]).max() < 1e-6)
    True
    """
    motion.check_values("The motion")
    skeleton = motion.skeleton
    if name not in skeleton.names:
        motion = _with_joint_on_top(motion, name)
        skeleton = motion.skeleton
    root = skeleton.names.index(name)
    if skeleton.parents[root] != NO_PARENT:
        above = skeleton.names[skeleton.parents[root]]
        raise InputError(f'The joint "{name}" is below "{above}" and cannot be the root; choose another name.')
    travel = travel_of(motion, find_body_joint(skeleton, moving_joints(motion), root), root, closes=closes)
    return on_root(motion, travel, root)


def on_root(motion: Motion, travel: GroundTravel, root: int) -> Motion:
    """Return the motion with joint `root` on a travel, and its children posed so that they stay where they are."""
    skeleton = motion.skeleton
    orientations, positions = root_poses(skeleton, travel, root)
    children = np.flatnonzero(skeleton.parents == root)
    posed = {int(child): pose_along(motion, skeleton.chain(int(child))) for child in children}
    rested = motion.widened(np.union1d(motion.translated, [root, *children]).astype(np.int64))
    turned, moved = rested.rotations.copy(), rested.translations.copy()
    slots = {int(joint): slot for slot, joint in enumerate(rested.translated)}
    nothing_above = np.broadcast_to(np.eye(3), (motion.frames, 3, 3)), np.zeros((motion.frames, 3))
    turned[:, root], moved[:, slots[root]] = _channels(skeleton, root, orientations, positions, *nothing_above)
    above = rotations.to_matrix(orientations)
    if root in rested.scaled:
        above = above * rested.scales[:, list(rested.scaled).index(root)][:, None, :]
    for child, (matrices, places) in posed.items():
        globally = rotations.from_matrix(rotations.without_scale(matrices[:, -1].astype(np.float64)))
        place = places[:, -1].astype(np.float64)
        turned[:, child], moved[:, slots[child]] = _channels(skeleton, child, globally, place, above, positions)
    turned[:, [root, *posed]] = rotations.make_continuous(turned[:, [root, *posed]])
    return replace(rested, rotations=turned, translations=moved)


def _channels(
    skeleton: Skeleton,
    joint: int,
    orientations: Array,
    positions: Float64,
    above: Array,
    above_positions: Float64,
) -> tuple[Float32, Float32]:
    """Return the rotations `(T, 4)` and translations `(T, 3)` that give a joint this pose below its parent's pose."""
    at_rest = skeleton.rest_rotations[joint]
    parents = rotations.from_matrix(rotations.without_scale(above))
    turned = rotations.multiply(rotations.inverse(rotations.multiply(parents, at_rest)), orientations)
    inside = rotations.in_axes_of(above, positions - above_positions) - skeleton.rest_translations[joint]
    moved = rotations.rotate(np.broadcast_to(rotations.inverse(at_rest), (len(inside), 4)), inside)
    return rotations.normalize(turned).astype(np.float32), moved.astype(np.float32)


def _with_joint_on_top(motion: Motion, name: str) -> Motion:
    """Return the motion with one more joint at the origin, at rest, above those that were the roots."""
    old = motion.skeleton
    typical, up = old.typical_positions, np.array(old.up)
    skeleton = Skeleton(
        (name, *old.names),
        np.concatenate(([NO_PARENT], old.parents + 1)).astype(np.int64),
        np.concatenate(([[1.0, 0.0, 0.0, 0.0]], old.rest_rotations)),
        np.concatenate((np.zeros((1, 3)), old.rest_translations)),
        old.up,
        None if typical is None else np.concatenate((typical[:1] - (typical[:1] @ up)[:, None] * up, typical)),
        None if old.carriers is None else np.concatenate(([NO_PARENT], old.carriers + 1)).astype(np.int64),
        None if old.inheritance is None else np.concatenate(([0], old.inheritance)).astype(np.int64),
    )
    still = np.tile(np.array([1, 0, 0, 0], np.float32), (motion.frames, 1, 1))
    return replace(
        motion,
        skeleton=skeleton,
        rotations=np.concatenate((still, motion.rotations), axis=1),
        translated=motion.translated + 1,
        scaled=motion.scaled + 1,
    )

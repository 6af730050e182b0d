# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion brought to another skeleton: retargeted, with feet planted where the source's are, and hands in contact."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..feet.calm_knees import Knees, find_knees
from ..feet.contact_detection import Foot, find_feet, foot_heights, ground_heights, label_contacts, make_foot
from ..feet.leg_ik import lock_feet, move_root
from ..motion import rotations
from ..motion.ground_travel import BodyTrack, ground_travel
from ..motion.motion import Motion, joint_path
from ..motion.skeleton import NO_PARENT, SAME_PLACE, Skeleton
from .retarget import IDENTITY, carrier_of, moved_joints, pelvis_of, retarget, turn_and_scale
from .self_contacts.keeping import contacts_to_keep, with_self_contacts
from .separate_limbs import put

Float64 = NDArray[np.float64]


def bring(
    motion: Motion,
    target: Skeleton,
    pairs: Mapping[str, str],
    translated: NDArray[np.int64],
    *,
    ground: float | None = None,
    target_pose: NDArray[np.floating] | None = None,
    in_place: bool = False,
    path_scale: float = 1.0,
    keep_contacts: bool = True,
) -> Motion:
    """Return the motion on the target skeleton: feet stand where and when the source's stand, on a path to scale.

    The motion begins where the target rests. pairs, translated, ground, target_pose: see `retarget`. in_place: the
    travel over the ground is left out after feet are planted, so that they move as on a treadmill. path_scale: factor
    on the travel in addition to that of the legs' lengths. keep_contacts: whether hands touch the own body where they
    do in the source. Raises InputError for fewer than two frames, a scale that is not positive, and as `retarget` does.

    >>> bring(swing, skeleton, {"hips": "hips", "leg": "leg"}, np.array([0])).rotations.shape
    (60, 2, 4)
    """
    motion.check_values("The motion to transfer")
    if motion.frames < 2:
        raise InputError("The motion has only one frame; choose one with at least two.")
    if not (np.isfinite(path_scale) and path_scale > 0):
        raise InputError(f"The path cannot be scaled by {path_scale:g}; use a number above 0.")
    carrier, pelvis = carrier_of(motion, target, pairs), pelvis_of(motion, target, pairs)
    separate = {*moved_joints(motion, target, pairs)} - {carrier, pelvis}
    body, moved = target, translated
    if separate:
        # Limbs beside the hips stand only where they are connected to them.
        body = connected_body(motion.skeleton, target, pairs)
        target_pose = None if target_pose is None else _pose_of(body, target, target_pose)
        carrier, pelvis = (body.names.index(target.names[joint]) for joint in (carrier, pelvis))
        moved = np.array(sorted({carrier, pelvis}))
    laid = retarget(motion, body, pairs, moved, ground, target_pose=target_pose)
    path = _along_ground(joint_path(laid, carrier), body)
    begins = _along_ground(body.rest_positions[carrier][None], body)
    laid = move_root(laid, carrier, begins - path[0] + (path_scale - 1.0) * (path - path[0]))
    laid = _planted(motion, laid, pairs, pelvis, meets=ground is None and len(body.chain(pelvis)) > 1)
    if in_place:
        laid = _on_the_spot(laid, carrier)
    brought = with_self_contacts(laid, contacts_to_keep(motion, body, pairs) if keep_contacts else None)
    return posed_as(brought, target, translated) if separate else brought


def connected_body(source: Skeleton, target: Skeleton, pairs: Mapping[str, str]) -> Skeleton:
    """Return the target's joints that have counterparts, each below that of the source's joint above it.

    On a control rig, and where limbs are not below the hips, joints of one limb are not parents of each other. Raises
    InputError if no names match.

    >>> connected_body(skeleton, skeleton, {"hips": "hips", "leg": "leg"}).names
    ('hips', 'leg')
    """
    place = {name: joint for joint, name in enumerate(target.names)}
    joints = [joint for joint, name in enumerate(source.names) if pairs.get(name) in place]
    if not joints:
        raise InputError("No bones of the two characters have matching names; fill in the table of bone names.")
    order = [place[pairs[source.names[joint]]] for joint in joints]
    above = [[other for other in source.chain(joint)[:-1] if other in joints] for joint in joints]
    parents = np.array([joints.index(chain[-1]) if chain else NO_PARENT for chain in above], np.int64)
    turns, places = target.rest_orientations[order], target.rest_positions[order]
    is_root = (parents == NO_PARENT)[:, None]
    back = np.where(is_root, IDENTITY, rotations.inverse(turns[parents]))
    moved = rotations.rotate(back, places - np.where(is_root, 0.0, places[parents]))
    names = tuple(target.names[joint] for joint in order)
    rests = np.asarray(rotations.multiply(back, turns), np.float64)
    return Skeleton(names, parents, rests, np.asarray(moved, np.float64), target.up)


def posed_as(brought: Motion, target: Skeleton, translated: NDArray[np.int64]) -> Motion:
    """Return the motion of a connected body on the target; joints that are not in the body stay at rest.

    translated: the joints `(M,)` that have translations in the result.
    """
    turns = rotations.from_matrix(rotations.without_scale(brought.pose()[0].astype(np.float64)))
    own = {name: joint for joint, name in enumerate(brought.skeleton.names)}
    local = np.tile(IDENTITY, (brought.frames, len(target.names), 1))
    above = np.empty_like(local)
    for joint, (name, parent) in enumerate(zip(target.names, target.parents.tolist(), strict=True)):
        rest = target.rest_rotations[joint]
        base = np.broadcast_to(rest, (brought.frames, 4)) if parent < 0 else rotations.multiply(above[:, parent], rest)
        above[:, joint] = turns[:, own[name]] if name in own else base
        local[:, joint] = rotations.multiply(rotations.inverse(base), above[:, joint])
    still = np.zeros((brought.frames, len(translated), 3), np.float32)
    turned = rotations.make_continuous(rotations.normalize(local)).astype(np.float32)
    posed = Motion(target, brought.frames_per_second, turned, translated, still)
    for joint in sorted(translated.tolist(), key=lambda joint: len(target.chain(joint))):
        if target.names[joint] in own:
            posed = put(posed, joint, joint_path(brought, own[target.names[joint]]))
    return posed


def left_out(motion: Motion, pairs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the joints that move in a motion and have no counterpart; pairs: see `retarget`.

    >>> left_out(swing, {"hips": "hips"})
    ('leg',)
    """
    turns = np.abs(np.ptp(rotations.make_continuous(motion.rotations), axis=0)).max(axis=1)
    moves = np.zeros(len(turns))
    moves[motion.translated] = np.ptp(motion.translations, axis=0).max(axis=1, initial=0.0) / motion.skeleton.size
    moving = np.maximum(turns, moves) > SAME_PLACE
    names = motion.skeleton.names
    return tuple(name for name, moves_here in zip(names, moving, strict=True) if moves_here and name not in pairs)


def _pose_of(body: Skeleton, target: Skeleton, pose: NDArray[np.floating]) -> Float64:
    """Return a pose of the target, rotations `(J, 4)`, as that of its connected body."""
    still = np.zeros((1, 0, 3), np.float32)
    posed = Motion(target, 1.0, pose[None].astype(np.float32), np.zeros(0, np.int64), still)
    turns = rotations.from_matrix(rotations.without_scale(posed.pose()[0][0].astype(np.float64)))
    inside = []
    for joint, name in enumerate(body.names):
        chain = body.chain(joint)
        above = IDENTITY if len(chain) == 1 else turns[target.names.index(body.names[chain[-2]])]
        base = rotations.multiply(above, body.rest_rotations[joint])
        inside.append(rotations.multiply(rotations.inverse(base), turns[target.names.index(name)]))
    return np.array(inside)


def _along_ground(path: Float64, skeleton: Skeleton) -> Float64:
    """Return a path `(T, 3)` without its height."""
    up = np.array(skeleton.up)
    return np.asarray(path - (path @ up)[:, None] * up)


def _planted(motion: Motion, laid: Motion, pairs: Mapping[str, str], pelvis: int, *, meets: bool) -> Motion:
    """Return the retargeted motion with its feet held in one place while the source's feet stand.

    A standing foot moves along the ground only as much as the source's does, to scale, and is as high above it. meets:
    whether feet first go down to their heights at rest, since a joint above the body that stays on the ground hides
    that they do not meet it.
    """
    both = [pair for foot in find_feet([motion]) if (pair := _both_feet(motion.skeleton, laid.skeleton, foot, pairs))]
    if not both:
        return laid
    sources, feet = zip(*both, strict=True)
    if meets:
        up, joints = np.array(laid.skeleton.up), [foot.joint for foot in feet]
        rise = float((laid.skeleton.rest_positions[joints] @ up - ground_heights([laid], feet)).mean())
        laid = move_root(laid, pelvis, np.tile(rise * up, (laid.frames, 1)))
    base = ground_heights([motion], sources)
    contacts = label_contacts(motion, sources, base)
    turn, scale = turn_and_scale(motion.skeleton, laid.skeleton, pairs)
    movement = np.zeros((*contacts.shape, 3))
    for index, foot in enumerate(sources):
        steps = np.diff(_along_ground(joint_path(motion, foot.joint), motion.skeleton), axis=0)
        stands = contacts[:-1, index] & contacts[1:, index]
        movement[1:, index] = np.cumsum(scale * rotations.rotate(turn, steps) * stands[:, None], axis=0)
    above = scale * (foot_heights(motion, sources) - base)
    heights = np.where(contacts, ground_heights([laid], feet) + above, foot_heights(laid, feet))
    return lock_feet(
        laid,
        feet,
        contacts,
        heights,
        np.zeros(0, np.int64),
        pelvis,
        knees=_knees(motion, laid, sources, feet, scale),
        movement=movement,
    )


def _knees(motion: Motion, laid: Motion, sources: Sequence[Foot], feet: Sequence[Foot], scale: float) -> Knees:
    """Return the target's hinges, with the accelerations of the source's knees and feet to scale."""
    knees, own = find_knees([motion], sources), find_knees([laid], feet)
    return Knees(own.hinges, scale * knees.acceleration, scale * knees.foot_acceleration)


def _both_feet(source: Skeleton, target: Skeleton, foot: Foot, pairs: Mapping[str, str]) -> tuple[Foot, Foot] | None:
    """Return a foot of the source, or the ankle of one whose toe has no counterpart, and the target's.

    None where the target's leg has too few joints.
    """
    chain = [joint for joint in source.chain(foot.joint) if pairs.get(source.names[joint]) in target.names]
    if not chain:
        return None
    found = make_foot(target, target.names.index(pairs[source.names[chain[-1]]]))
    own = foot if chain[-1] == foot.joint else make_foot(source, chain[-1])
    return (own, found) if len(found.leg) >= 3 else None


def _on_the_spot(motion: Motion, carrier: int) -> Motion:
    """Return the motion without its travel over the ground."""
    skeleton = motion.skeleton
    places = joint_path(motion, carrier)
    still = np.tile(IDENTITY, (motion.frames, 1))
    level = np.zeros(motion.frames)
    track = BodyTrack(still, places, level, skeleton.up, skeleton.size, motion.frames_per_second)
    travel = ground_travel(track).places
    return move_root(motion, carrier, travel[0] - travel)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Retargeting of a motion to another skeleton: bones have the source's directions, and the travel is scaled by size."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..arrays import Array, Float32, Float64, Int64
from ..computation import computing
from ..errors import InputError
from ..feet.contact_detection import LOWEST_PERCENT
from ..feet.leg_ik import move_root
from ..motion import rotations
from ..motion.ground_travel import CLIMB
from ..motion.kinematics import between, orientations, positions
from ..motion.motion import Motion, joint_path
from ..motion.piecewise import pieces
from ..motion.root_motion import find_root
from ..motion.skeleton import SAME_PLACE, Skeleton
from .bone_directions import swings_of_bones, turn_onto
from .leg_scale import KNEE, leg_scale
from .meanings import meanings_of
from .natural_rest import in_natural_rest, in_pose, lacks_rest_pose, left_of
from .other_rest import on_rest_of
from .same_bones import rest_as
from .separate_limbs import brought_along, is_control_rig, separate_limbs

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@computing()
def retarget(
    motion: Motion,
    target: Skeleton,
    pairs: Mapping[str, str],
    translated: Int64,
    ground: float | None = None,
    natural_pose: Array | None = None,
    target_pose: Array | None = None,
) -> Motion:
    """Return the motion on the target skeleton, with joints turned so that bones have the directions of the source's.

    Joints without a counterpart stay at rest relative to their parent. pairs: names of the source's joints and the
    target's. translated: the joints `(M,)` that have translations in the result; the counterpart of the source's root
    travels, and carries hips that have none. ground: height of the target's ground; None: that of the rest pose, or 0
    if it stands on nothing. natural_pose: rotations `(J, 4)` of the source's joints in a pose that replaces an
    implausible rest pose, see usual_pose; None is one of the motion. target_pose: the same for the target, used if
    `needs_target_pose`. Raises InputError if the root has no counterpart.

    >>> retarget(swing, skeleton, {"hips": "hips", "leg": "leg"}, np.array([0])).rotations.shape
    (60, 2, 4)
    """
    motion.check_values("The motion to transfer")
    matched = _matched(motion.skeleton, target, pairs)
    motion = on_rest_of(motion, rest_as(motion.skeleton, target, matched))
    source = motion.skeleton
    carrier, pelvis, separate = _moved_parts(motion, target, matched)
    posed_target = target
    if target_pose is not None and needs_target_pose(source, target, pairs):
        posed_target = in_pose(target, matched, target_pose)
    motion = in_natural_rest(motion, posed_target, matched, natural_pose)
    posed, source = motion.skeleton is not source or posed_target is not target, motion.skeleton
    turn = _turn_between(source, posed_target, matched)
    swings = swings_of_bones(source, posed_target, matched, separate, turn, posed, carrier)
    turned = Motion(
        posed_target,
        motion.frames_per_second,
        _local_rotations(motion, posed_target, matched, turn, swings),
        translated,
        np.zeros((motion.frames, len(translated), 3), np.float32),
    )
    result = on_rest_of(turned, target)
    scale = leg_scale(source, target, matched)
    for joint in dict.fromkeys((carrier, pelvis)):
        place = rotations.rotate(turn, joint_path(motion, matched[joint])) * scale
        result = move_root(result, joint, place - joint_path(result, joint))
    mover = pelvis
    if pelvis not in translated:
        mover, missing = carrier, place - joint_path(result, pelvis)
        result = move_root(result, carrier, missing)
    moved = brought_along(result, separate)
    standing = (
        _standing(target, matched, separate) if pelvis == carrier else _carried(target, matched, {pelvis, *separate})
    )
    rise = np.tile(_rise(moved, ground, standing) * np.array(target.up), (motion.frames, 1))
    return brought_along(move_root(moved, mover, rise), separate)


def carrier_of(motion: Motion, target: Skeleton, pairs: Mapping[str, str]) -> int:
    """Return the target joint that carries the travel: the counterpart of the source's root, or of a joint below it.

    Raises InputError if no names match.

    >>> carrier_of(swing, skeleton, {"hips": "hips", "leg": "leg"})
    0
    """
    return moved_parts(motion, target, pairs)[0]


def moved_parts(motion: Motion, target: Skeleton, pairs: Mapping[str, str]) -> tuple[int, int, dict[int, int]]:
    """Return the target joint of `carrier_of`, the one that carries the legs, and the limbs of `separate_limbs`.

    Legs are carried by hips that move below a root, else by the first joint as well. Raises InputError as `carrier_of`
    does.

    >>> moved_parts(swing, skeleton, {"hips": "hips", "leg": "leg"})
    (0, 0, {})
    """
    return _moved_parts(motion, target, _matched(motion.skeleton, target, pairs))


def _moved_parts(motion: Motion, target: Skeleton, matched: Mapping[int, int]) -> tuple[int, int, dict[int, int]]:
    source, root = motion.skeleton, _traveling(motion, target, matched)
    below = [joint for joint, source_joint in matched.items() if root in source.chain(source_joint)]
    if not below:
        raise InputError("No bones of the two characters have matching names; fill in the table of bone names.")
    first = min(below, key=lambda joint: (len(source.chain(matched[joint])), joint))
    # Where the target's tree begins at another end of the trunk, that end carries the body.
    carrier = next(joint for joint in target.chain(first) if joint in below)
    pelvis = _pelvis(motion, target, matched, carrier)
    return carrier, pelvis, separate_limbs(source, target, matched, pelvis)


def _traveling(motion: Motion, target: Skeleton, matched: Mapping[int, int]) -> int:
    """Return the source's root, or the joint above it that carries the legs, unless these travel beside it.

    In place, a spine may move more than the hips from which it hangs, which does not move the body.
    """
    source, root, moving = motion.skeleton, find_root([motion]), _moving(motion)
    legs = _legs(source, target, matched)
    above = source.chain(root)
    carrying = [joint for joint in above if legs and all(joint in leg for leg in legs)]
    beside = {joint for leg in legs for joint in leg} - {*above}
    return carrying[-1] if carrying and (root not in moving or beside.isdisjoint(moving)) else root


def _legs(source: Skeleton, target: Skeleton, matched: Mapping[int, int]) -> list[list[int]]:
    """Return the source's joints from its top to each knee with a counterpart."""
    meanings = meanings_of(target)
    return [source.chain(source_joint) for joint, source_joint in matched.items() if meanings[joint].name == KNEE]


def _moving(motion: Motion) -> set[int]:
    """Return the joints that leave their places at rest beside their parents."""
    extents = np.abs(motion.translations).max(axis=(0, 2), initial=0.0)
    return {*motion.translated[extents > SAME_PLACE * motion.skeleton.size].tolist()}


def _pelvis(motion: Motion, target: Skeleton, matched: Mapping[int, int], carrier: int) -> int:
    """Return the first joint below the carrier that carries the source's legs and moves there; else the carrier."""
    source, moving = motion.skeleton, _moving(motion)
    legs = _legs(source, target, matched)
    below = [
        joint
        for joint, source_joint in matched.items()
        if carrier in target.chain(joint)[:-1]
        and matched[carrier] in source.chain(source_joint)[:-1]
        and source_joint in moving
        and legs
        and all(source_joint in leg for leg in legs)
    ]
    return min(below, key=lambda joint: len(source.chain(matched[joint])), default=carrier)


def moved_joints(motion: Motion, target: Skeleton, pairs: Mapping[str, str]) -> tuple[int, ...]:
    """Return the target joints that need translations: what carries the travel, moving hips, and separate limbs.

    Raises InputError as `carrier_of` does.

    >>> moved_joints(swing, skeleton, {"hips": "hips", "leg": "leg"})
    (0,)
    """
    carrier, pelvis, separate = moved_parts(motion, target, pairs)
    return tuple(dict.fromkeys((carrier, pelvis, *separate)))


def needs_target_pose(source: Skeleton, target: Skeleton, pairs: Mapping[str, str]) -> bool:
    """Return whether retargeting needs a pose of the target: its rest pose is not plausible, and the source's differs.

    Such files have their bones in one line at rest. pairs: names of the source's joints and the target's.

    >>> needs_target_pose(skeleton, skeleton, {"hips": "hips", "leg": "leg"})
    False
    """
    matched = _matched(source, target, pairs)
    source = rest_as(source, target, matched)
    return lacks_rest_pose(source, target, matched, _turn_between(source, target, matched))


def turn_and_scale(source: Skeleton, target: Skeleton, pairs: Mapping[str, str]) -> tuple[Array, float]:
    """Return the rotation `(4,)` from the source's space to the target's, and the target's size over the source's.

    pairs: names of the source's joints and the target's.

    >>> turn_and_scale(skeleton, skeleton, {"hips": "hips"})[1]
    1.0
    """
    matched = _matched(source, target, pairs)
    source = rest_as(source, target, matched)
    return _turn_between(source, target, matched), leg_scale(source, target, matched)


def _matched(source: Skeleton, target: Skeleton, pairs: Mapping[str, str]) -> dict[int, int]:
    """Return the source joint that each target joint follows."""
    sources = {name: joint for joint, name in enumerate(source.names)}
    targets = {name: joint for joint, name in enumerate(target.names)}
    matched = {
        targets[name]: sources[source_name]
        for source_name, name in pairs.items()
        if source_name in sources and name in targets
    }
    return dict(sorted(matched.items()))


def _turn_between(source: Skeleton, target: Skeleton, matched: Mapping[int, int]) -> Array:
    """Return the rotation from the source's space to the target's, which maps up to up and left to left.

    Without sides, it is the one that brings joints nearest to their counterparts, as of a snake.
    """
    lefts = left_of(source, target, matched), left_of(target, target, {joint: joint for joint in matched})
    ups = (np.array(source.up), np.array(target.up))
    upright = turn_onto(ups[0], ups[1])
    if matched and min(np.linalg.norm(left) for left in lefts) < 1e-6 * min(source.size, target.size):
        return rotations.multiply(_nearest_heading(source, target, matched, upright), upright)
    return rotations.multiply(turn_onto(rotations.rotate(upright, lefts[0]), lefts[1]), upright)


def _nearest_heading(source: Skeleton, target: Skeleton, matched: Mapping[int, int], upright: Array) -> Array:
    """Return the rotation `(4,)` about up that brings the upright source's joints nearest to the target's at rest."""
    up = np.array(target.up)
    here = target.rest_positions[list(matched.keys())] / target.size
    there = rotations.rotate(upright, source.rest_positions[list(matched.values())]) / source.size
    here, there = (places - places.mean(axis=0) for places in (here, there))
    level = here - (here @ up)[:, None] * up
    across, along = float((np.cross(there, level) @ up).sum()), float((there * level).sum())
    if max(abs(across), abs(along)) < SAME_PLACE:
        return IDENTITY
    return np.asarray(rotations.from_axis_angle(up, np.array(np.arctan2(across, along))))


def _local_rotations(
    motion: Motion, target: Skeleton, matched: Mapping[int, int], turn: Array, swings: Mapping[int, Array]
) -> Float32:
    """Return the rotations `(T, J, 4)` of the target's joints, relative to its rest pose, continuous in time."""
    source = motion.skeleton
    at_rest_there, at_rest = source.rest_orientations, target.rest_orientations
    sources = list(matched.values())
    follows = between(
        turn,
        np.array(
            [
                rotations.multiply(
                    rotations.inverse(rotations.multiply(turn, at_rest_there[source_joint])),
                    rotations.multiply(swings[joint], at_rest[joint]),
                )
                for joint, source_joint in matched.items()
            ]
        ),
    )
    place = {joint: number for number, joint in enumerate(matched)}
    rests = between(IDENTITY, target.rest_rotations)
    backwards = between(rotations.inverse(target.rest_rotations), IDENTITY)
    local = np.empty((motion.frames, len(target.names), 4), np.float32)
    signs = last = None
    for piece in pieces(motion.frames):
        turned = _orientations(motion.slice(piece.start, piece.stop))[sources]
        signs = _first_signs(turned) if signs is None else signs
        turned = follows @ (turned * signs)
        inside = np.empty((len(target.names), *turned.shape[1:]))
        orientations = np.empty_like(inside)
        for joint, parent in enumerate(target.parents.tolist()):
            base = rests[joint] @ orientations[parent] if parent >= 0 else target.rest_rotations[joint][:, None]
            if joint not in place:
                orientations[joint], inside[joint] = base, IDENTITY[:, None]
                continue
            orientations[joint] = turned[place[joint]]
            beside = (
                orientations[joint]
                if parent < 0
                else rotations.multiply_components(_opposite(orientations[parent]), orientations[joint])
            )
            inside[joint] = backwards[joint] @ beside
        inside /= np.maximum(np.sqrt(np.einsum("jct,jct->jt", inside, inside)), rotations.SMALLEST_NORM)[:, None]
        last = _make_continuous(inside, last)
        local[piece] = np.transpose(inside, (2, 0, 1))
    return local


def _orientations(motion: Motion) -> Array:
    """Return the orientations `(J, 4, T)` of all joints."""
    if not len(motion.scaled):
        return orientations(motion.skeleton, motion.rotations)
    matrices = rotations.without_scale(motion.pose()[0]).astype(np.float64)
    return np.asarray(np.ascontiguousarray(np.transpose(rotations.from_matrix(matrices), (1, 2, 0))))


def _first_signs(turned: Array) -> Array:
    """Return the signs `(J, 1, 1)` that make the largest component of each joint positive in the first frame."""
    first = turned[:, :, 0]
    largest = np.take_along_axis(first, np.argmax(np.abs(first), axis=1)[:, None], axis=1)
    return np.asarray(np.where(largest < 0, -1.0, 1.0)[:, :, None])


def _opposite(turns: Array) -> Array:
    return np.asarray(turns * np.array([1.0, -1.0, -1.0, -1.0])[:, None])


def _make_continuous(turns: Array, last: Array | None) -> Array:
    """Flip signs of `(J, 4, T)` so that neighbors never oppose, nor the first and `last` `(J, 4)`; return the last."""
    before = turns[:, :, :1] if last is None else last[:, :, None]
    against = np.einsum("jct,jct->jt", turns, np.concatenate((before, turns[:, :, :-1]), axis=2)) < 0
    turns *= np.where(np.cumsum(against, axis=1) % 2 == 1, -1.0, 1.0)[:, None]
    return turns[:, :, -1].copy()


def ground_of(motion: Motion, joints: Sequence[int] | slice = slice(None)) -> float:
    """Return the height of the ground on which a motion stands with these joints; the default is all.

    >>> round(ground_of(swing), 3)
    0.1
    """
    up = np.array(motion.skeleton.up)
    blocks = (motion.slice(piece.start, piece.stop) for piece in pieces(motion.frames))
    lowest = np.concatenate([(up @ places_of(piece))[joints].min(axis=0) for piece in blocks])
    return float(np.percentile(lowest, LOWEST_PERCENT))


def places_of(motion: Motion) -> Float64:
    """Return the positions `(J, 3, T)` of all joints."""
    if len(motion.scaled):
        return np.transpose(motion.pose()[1], (1, 2, 0)).astype(np.float64)
    return positions(motion, orientations(motion.skeleton, motion.rotations))


def _standing(target: Skeleton, matched: Collection[int], separate: Collection[int]) -> Sequence[int] | slice:
    """Return the joints that may stand on the ground: all, or only those that follow the source.

    The other joints of a control rig are moved by its constraints, which are not known here. If limbs are separate from
    the body, the joint above all of them stays on the ground anyway.
    """
    return sorted(matched) if separate or is_control_rig(target, matched) else slice(None)


def _carried(target: Skeleton, matched: Collection[int], moved: Collection[int]) -> Sequence[int]:
    """Return the matched joints that a pelvis or a separate limb carries: a root above stays on the ground anyway."""
    return [joint for joint in sorted(matched) if not {*moved}.isdisjoint(target.chain(joint))]


def _rise(motion: Motion, ground: float | None, joints: Sequence[int] | slice) -> float:
    """Return the height by which a motion has to be raised so that these joints stand on the ground."""
    if ground is None:
        lowest = float((motion.skeleton.rest_positions[joints] @ np.array(motion.skeleton.up)).min())
        ground = rest_ground(motion.skeleton, lowest)
    return ground - ground_of(motion, joints)


def rest_ground(skeleton: Skeleton, lowest: float) -> float:
    """Return the height of the ground below a rest pose with this lowest joint; 0 if it stands on nothing."""
    return lowest if abs(lowest) < CLIMB * skeleton.size else 0.0

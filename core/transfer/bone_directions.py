# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations at rest from the directions of a target's bones to those of the source's."""

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..motion import rotations
from ..motion.skeleton import SAME_PLACE, Skeleton
from .matching.tree import NEAR, off_line
from .meanings import meanings_of
from .natural_rest import BEGINNINGS, left_of
from .same_bones import body_of


def swings_of_bones(
    source: Skeleton,
    target: Skeleton,
    matched: Mapping[int, int],
    separate: Mapping[int, int],
    turn: Array,
    posed: bool,
    carrier: int,
) -> dict[int, Array]:
    """Return for each matched joint the rotation from its bone's direction at rest to that of the source's.

    separate: see separate_limbs. posed: the source's rest pose is one of its motion, with bent limbs, so each bone is
    first turned with the bone above it. carrier: the joint that travels; what leads to it from outside the body is not
    turned, as it rests anywhere, and neither is a trunk that lies level on both, with blades and hip bones.
    """
    swings: dict[int, Array] = {}
    meanings = meanings_of(target)
    own = {joint: joint for joint in matched}
    left = left_of(target, target, own)
    left /= max(float(np.linalg.norm(left)), rotations.SMALLEST_NORM)
    # Limbs that begin in the middle of one body and beside it in the other would be crossed, or astride.
    uneven = _in_the_middle(source, target, matched) ^ _in_the_middle(target, target, own)
    leading = {*target.chain(carrier)[:-1]} - body_of(target, matched) | _level_trunk(source, target, matched)
    ends = {joint: _next_matched(source, target, matched, separate, joint) for joint in matched}
    below = {joint: child for joint, child in ends.items() if child is not None}
    # Joints that follow others come after them.
    behind = [*(joint for joint in matched if not {joint, *target.chain(joint)} & separate.keys())]
    behind += sorted(matched.keys() - {*behind}, key=lambda joint: (len(source.chain(matched[joint])), joint))
    for joint in behind:
        above = separate.get(joint, int(target.parents[joint]))
        while above >= 0 and above not in swings:
            above = int(target.parents[above])
        swing = swings.get(above, np.array([1.0, 0.0, 0.0, 0.0]))
        if joint in below and joint not in leading:
            target_bone, source_bone = _bones(source, target, matched, turn, joint, below[joint])
            if joint in uneven:
                source_bone = _as_far_aside(source_bone, target_bone, left)
            short = min(np.linalg.norm(target_bone) / target.size, np.linalg.norm(source_bone) / source.size)
            # A trunk's bone that leads the other way, to a tail or from the chest, tells nothing of its direction.
            if short <= SAME_PLACE or (not meanings[joint].side and float(target_bone @ source_bone) < 0.0):
                pass
            elif posed:
                swing = rotations.multiply(turn_onto(rotations.rotate(swing, target_bone), source_bone), swing)
            else:
                swing = turn_onto(target_bone, source_bone)
        swings[joint] = swing
    return swings


def _bones(
    source: Skeleton, target: Skeleton, matched: Mapping[int, int], turn: Array, joint: int, child: int
) -> tuple[Array, Array]:
    """Return the vectors at rest from a target joint to another one, in the target and in the source."""
    source_bone = source.rest_positions[matched[child]] - source.rest_positions[matched[joint]]
    return target.rest_positions[child] - target.rest_positions[joint], rotations.rotate(turn, source_bone)


def _as_far_aside(source_bone: Array, target_bone: Array, left: Array) -> Array:
    """Return the source's bone, as long as the target's along the plane between the sides, and as far to its side.

    Bones that lead to the side, as clavicles do, are left as they are.
    """
    aside = float(target_bone @ left)
    level, other_level = (bone - (bone @ left) * left for bone in (target_bone, source_bone))
    if np.linalg.norm(level) <= abs(aside):
        return source_bone
    ratio = np.linalg.norm(level) / max(float(np.linalg.norm(other_level)), rotations.SMALLEST_NORM)
    return np.asarray(ratio * other_level + aside * left)


def _in_the_middle(skeleton: Skeleton, target: Skeleton, joints: Mapping[int, int]) -> set[int]:
    """Return the joints of the sides that rest in the plane between these.

    joints: the skeleton's joint for each of the target, whose joints are returned.
    """
    meanings = meanings_of(target)
    sides = [joint for joint in joints if meanings[joint].side]
    if not sides:
        return set()
    left = left_of(skeleton, target, joints)
    places = skeleton.rest_positions[[joints[joint] for joint in sides]]
    away = np.abs((places - places.mean(axis=0)) @ left)
    near = away <= SAME_PLACE * skeleton.size * float(np.linalg.norm(left))
    return {joint for joint, is_near in zip(sides, near.tolist(), strict=True) if is_near}


def _level_trunk(source: Skeleton, target: Skeleton, matched: Mapping[int, int]) -> set[int]:
    """Return the joints above the first joints of arms and legs if these are level at rest on both skeletons.

    Where joints lie in a trunk on four legs, its chest above or behind the arms, tells nothing of its direction, and
    neither do bones from there to the legs, shoulder blades and hip bones.
    """
    meanings = meanings_of(target)
    limbs = [[joint for joint in matched if meanings[joint].name == name] for name in BEGINNINGS]
    if not all(limbs):
        return set()
    for skeleton, joints in ((target, limbs), (source, [[matched[joint] for joint in each] for each in limbs])):
        legs, arms = (skeleton.rest_positions[each].mean(axis=0) for each in joints)
        if abs((arms - legs) @ np.array(skeleton.up)) > 0.5 * float(np.linalg.norm(arms - legs)):
            return set()
    return {above for each in limbs for joint in each for above in target.chain(joint)[:-1]}


def _next_matched(
    source: Skeleton, target: Skeleton, matched: Mapping[int, int], separate: Mapping[int, int], joint: int
) -> int | None:
    """Return the nearest matched joint below `joint` on both skeletons, if there is exactly one.

    Twist bones on the way to it do not count. A trunk continues to the head. A foot that is not below its leg in the
    source still ends the leg.
    """
    meanings = meanings_of(target)
    below = [
        child
        for child in matched
        if child != joint
        and child not in separate
        and joint in target.chain(child)
        and (matched[joint] in source.chain(matched[child]) or meanings[joint].side)
        and not any(between in matched for between in target.chain(child)[target.chain(child).index(joint) + 1 : -1])
    ]
    below += [child for child, leader in separate.items() if leader == joint]
    middle = [child for child in below if not meanings[child].side]
    if len(below) > 1 and len(middle) != 1:
        places = target.rest_positions[below] - target.rest_positions[joint]
        end = int(np.argmax(np.linalg.norm(places, axis=1)))
        is_beside = np.linalg.norm(off_line(places, np.zeros(3), places[end]), axis=1) > NEAR * target.size
        return None if is_beside.any() else below[end]
    return below[0] if len(below) == 1 else middle[0] if middle else None


def turn_onto(start: Array, end: Array) -> Array:
    """Return the shortest rotation `(4,)` from one direction to another; half a turn if they are opposite."""
    turn = rotations.shortest_turn(start, end)
    if float(np.linalg.norm(np.cross(start, end))) > 1e-9 * float(np.linalg.norm(start) * np.linalg.norm(end)):
        return turn
    if float(start @ end) >= 0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    aside = np.cross(start, np.eye(3)[int(np.argmin(np.abs(start)))])
    return np.concatenate(([0.0], aside / np.linalg.norm(aside)))

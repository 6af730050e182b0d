# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion brought to another skeleton: retargeted, with feet planted where the source's are, and hands in contact."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..errors import InputError
from ..feet.calm_knees import Knees, find_knees
from ..feet.calm_paths import ALLOWED
from ..feet.contact_detection import (
    GROUND_BAND,
    LEAST_DROP,
    Foot,
    find_feet,
    foot_heights,
    ground_heights,
    label_contacts,
    make_foot,
)
from ..feet.foot_moves import EASE_SECONDS
from ..feet.leg_ik import follow_paths, move_root
from ..feet.two_bone_ik import knee_of
from ..motion import rotations
from ..motion.filters import smoothstep, spread_smoothly
from ..motion.ground_travel import BodyTrack, ground_travel
from ..motion.motion import Motion, joint_accelerations, joint_path
from ..motion.skeleton import NO_PARENT, SAME_PLACE, Skeleton, below_parents
from ..motion.spans import joined_spans
from .bone_names import ARM, LEG
from .calm_arms import with_calm_arms
from .meanings import meanings_of
from .raised_hands import with_raised_hands
from .retarget import IDENTITY, moved_parts, rest_ground, retarget, turn_and_scale
from .self_contacts.bodies import find_bodies
from .self_contacts.keeping import contacts_to_keep, with_self_contacts


def bring(
    motion: Motion,
    target: Skeleton,
    pairs: Mapping[str, str],
    translated: Int64,
    *,
    target_pose: Array | None = None,
    in_place: bool = False,
    path_scale: float = 1.0,
    keep_contacts: bool = True,
) -> Motion:
    """Return the motion on the target skeleton: feet stand where and when the source's stand, on a path to scale.

    The motion begins where the target rests, and stays there if the joints that carry its travel are not translated.
    pairs, translated, target_pose: see `retarget`. in_place: the travel over the ground is left out after feet
    are planted, so that they move as on a treadmill. path_scale: factor on the travel in addition to that of the legs'
    lengths. keep_contacts: whether hands touch the own body where they do in the source. Raises InputError for fewer
    than two frames, a scale that is not positive, and as `retarget` does.

    >>> bring(swing, skeleton, {"hips": "hips", "leg": "leg"}, np.array([0])).rotations.shape
    (60, 2, 4)
    """
    motion.check_values("The motion to transfer")
    if motion.frames < 2:
        raise InputError("The motion has only one frame; choose one with at least two.")
    if not (np.isfinite(path_scale) and path_scale > 0):
        raise InputError(f"The path cannot be scaled by {path_scale:g}; use a number above 0.")
    carrier, pelvis, separate = moved_parts(motion, target, pairs)
    # Of a root and hips below it, the one that may not move is carried by the other.
    free = [joint for joint in dict.fromkeys((carrier, pelvis)) if joint in translated]
    carrier, pelvis = (free[0], free[-1]) if free else (carrier, carrier)
    body, moved = target, translated
    if separate:
        # Limbs beside the hips stand only where they are connected to them.
        body = connected_body(motion.skeleton, target, pairs)
        target_pose = None if target_pose is None else _pose_of(body, target, target_pose)
        carrier, pelvis = (body.names.index(target.names[joint]) for joint in (carrier, pelvis))
        moved = np.array(sorted({carrier, pelvis}) if free else [], np.int64)
    laid = retarget(motion, body, pairs, moved, target_pose=target_pose)
    bodies = find_bodies(motion.skeleton, body, pairs)
    laid = laid if bodies is None else with_calm_arms(motion, laid, bodies)
    if free:
        path = _along_ground(joint_path(laid, carrier), body)
        begins = _along_ground(body.rest_positions[carrier][None], body)
        laid = move_root(laid, carrier, begins - path[0] + (path_scale - 1.0) * (path - path[0]))
        laid = _planted(motion, laid, pairs, pelvis)
        laid = _on_the_spot(laid, carrier) if in_place else laid
    laid = laid if bodies is None else with_raised_hands(motion, laid, bodies, pairs.values())
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
    ends = {joint: place[pairs[source.names[joint]]] for joint in joints}
    above = _joints_above(source, target, ends)
    joints.sort(key=lambda joint: len(_chain(joint, above)))
    order = [ends[joint] for joint in joints]
    parents = np.array([joints.index(above[joint]) if above[joint] >= 0 else NO_PARENT for joint in joints], np.int64)
    names = tuple(target.names[joint] for joint in order)
    rest = below_parents(parents, target.rest_orientations[order], target.rest_positions[order])
    return Skeleton(names, parents, *rest, target.up)


def _joints_above(source: Skeleton, target: Skeleton, ends: Mapping[int, int]) -> dict[int, int]:
    """Return the joint above each joint with a counterpart in `ends`; NO_PARENT if there is none.

    It is the one of the source, but for a foot beside its leg there, the leg of the target; if names are mixed up so
    that the leg would be below its own foot, it is the one of the source as well.
    """
    sides = {joint: meanings_of(target)[end].side for joint, end in ends.items()}
    sources = {end: joint for joint, end in ends.items()}
    above = {
        joint: next((other for other in source.chain(joint)[-2::-1] if other in ends), NO_PARENT) for joint in ends
    }
    for joint, end in ends.items():
        leg = next((sources[other] for other in target.chain(end)[-2::-1] if other in sources), NO_PARENT)
        if sides.get(leg) and not sides.get(above[joint]) and joint not in _chain(leg, above):
            above[joint] = leg
    return above


def _chain(joint: int, above: Mapping[int, int]) -> list[int]:
    """Return a joint and those above it."""
    chain = [joint]
    while above[chain[-1]] >= 0:
        chain.append(above[chain[-1]])
    return chain


def posed_as(brought: Motion, target: Skeleton, translated: Int64) -> Motion:
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
            place = joint_path(brought, own[target.names[joint]])
            posed = move_root(posed, joint, place - joint_path(posed, joint))
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


def _pose_of(body: Skeleton, target: Skeleton, pose: Array) -> Float64:
    """Return a pose of the target, rotations `(J, 4)`, as that of its connected body."""
    still = np.zeros((1, 0, 3), np.float32)
    posed = Motion(target, 1.0, pose[None].astype(np.float32), np.zeros(0, np.int64), still)
    turns = rotations.from_matrix(rotations.without_scale(posed.pose()[0][0].astype(np.float64)))
    inside = []
    for joint, name in enumerate(body.names):
        chain = body.chain(joint)
        above = None if len(chain) == 1 else turns[target.names.index(body.names[chain[-2]])]
        inside.append(body.local_rotation(joint, turns[target.names.index(name)], above))
    return np.array(inside)


def _along_ground(path: Float64, skeleton: Skeleton) -> Float64:
    """Return a path `(T, 3)` without its height."""
    up = np.array(skeleton.up)
    return np.asarray(path - (path @ up)[:, None] * up)


def _planted(motion: Motion, laid: Motion, pairs: Mapping[str, str], pelvis: int) -> Motion:
    """Return the retargeted motion with its feet held in one place while the source's feet stand.

    A standing foot moves along the ground only as much as the source's does, to scale, and is as high above it. The
    pelvis is first as high as the legs need where they stand.
    """
    both = [
        (foot, *pair)
        for foot in find_feet([motion], treadmill=True)
        if (pair := _both_feet(motion.skeleton, laid.skeleton, foot, pairs))
    ]
    if not both:
        return laid
    ends, sources, feet = zip(*both, strict=True)
    floors = ground_heights([motion], ends)
    replaced = np.array([end.joint != one.joint for end, one in zip(ends, sources, strict=True)])
    tops = np.stack([joint_path(motion, one.leg[0]) @ np.array(motion.skeleton.up) for one in sources], axis=1) - floors
    upright = tops >= 0.5 * tops.max(axis=0)
    base = np.where(replaced, _standing_heights(motion, sources, upright), floors)
    contacts = label_contacts(motion, sources, base, treadmill=True)
    turn, scale = turn_and_scale(motion.skeleton, laid.skeleton, pairs)
    up = np.array(laid.skeleton.up)
    ground, level = _heights_on_ground(laid, feet), rest_ground(laid.skeleton, _lowest(laid.skeleton, feet))
    higher = foot_heights(motion, sources) - base
    # An ankle in place of its toe comes to the ground when the source's does.
    lowering = np.clip((ground - level) / np.maximum(base - floors, 1e-12), 0.0, scale)
    ground = ground + scale * _raised(motion.skeleton, laid.skeleton, sources, feet, base)
    standing = np.where(replaced & (higher < 0.0), lowering, scale) * higher + ground
    if contacts.any():
        gaps = np.where(contacts, standing - foot_heights(laid, feet), 0.0)
        height = np.mean([joint_path(laid, foot.leg[0]) @ up for foot in feet], axis=0) - level
        # A body that also lies is raised by a share of its height, unless that leaves more between its feet and the
        # ground; one that only stands bobs as before.
        rises = [_least(gaps, contacts, rise) for rise in (np.ones(laid.frames), height)[: 1 if upright.all() else 2]]
        rise = min(rises, key=lambda rise: float(((gaps - rise[:, None])[contacts] ** 2).sum()))
        laid = move_root(laid, pelvis, rise[:, None] * up)
    paths, raised = np.empty((2, *contacts.shape, 3))
    reach = round(EASE_SECONDS * laid.frames_per_second)
    for index, (_, one, other) in enumerate(both):
        stances = joined_spans(contacts[:, index], EASE_SECONDS * laid.frames_per_second, 1) or [(0, laid.frames)]
        here, there = joint_path(laid, other.joint), scale * rotations.rotate(turn, joint_path(motion, one.joint))
        moves = there + _kept_in(stances, here - there) - here
        moves += (standing[:, index] - (here + moves) @ up)[:, None] * up
        weights = _beside(stances, laid.frames)[:, None]
        paths[:, index] = here + weights * moves
        low = spread_smoothly(np.minimum(standing[:, index], ground[index]) - here @ up, reach)
        raised[:, index] = paths[:, index] + (1.0 - weights) * low[:, None] * up
    asked = raised - np.stack([joint_path(laid, foot.joint) for foot in feet], axis=1)
    if float(np.linalg.norm(asked, axis=2).max()) < SAME_PLACE * laid.skeleton.size:
        # As on the own body: feet are where they belong, and legs that are as straight as in the source stay so.
        return laid
    knees, bends = _knees(motion, laid, sources, feet, scale), [knee_of(laid, foot) for foot in feet]
    # A foot that swings is not below the ground either, unless the leg has no room to bend, as below a body that lies.
    above = follow_paths(laid, feet, raised, contacts, pelvis, knees)
    quickest = joint_accelerations(above, bends).max(axis=0, initial=0.0)
    if np.array_equal(paths, raised) or (quickest <= ALLOWED * knees.acceleration).all():
        return above
    planted = follow_paths(laid, feet, paths, contacts, pelvis, knees)
    usual = joint_accelerations(planted, bends).max(axis=0, initial=0.0)
    return above if (quickest <= ALLOWED * np.maximum(usual, knees.acceleration)).all() else planted


def _least(gaps: Float64, contacts: Mask, rise: Float64) -> Float64:
    """Return the multiple of a rise `(T,)` that leaves the least of the gaps `(T, F)` below feet that stand."""
    share = float(rise @ gaps.sum(axis=1)) / max(float((rise**2) @ contacts.sum(axis=1)), 1e-12)
    return share * rise


def _beside(stances: Sequence[tuple[int, int]], frames: int) -> Float64:
    """Return weights `(frames,)` of 1 in stances, which fall smoothly to 0 in the middle of swings."""
    weights, at = np.zeros(frames), np.arange(frames)
    for number, (first, end) in enumerate(stances):
        before = stances[number - 1][1] if number else -first
        after = stances[number + 1][0] if number + 1 < len(stances) else 2 * frames - end
        away = np.maximum(first - at, at - (end - 1))
        room = np.where(at < first, first - before, after - end) / 2 + 1
        weights = np.maximum(weights, 1.0 - smoothstep(np.clip(away / room, 0.0, 1.0)))
    return np.asarray(weights)


def _kept_in(stances: Sequence[tuple[int, int]], offsets: Float64) -> Float64:
    """Return offsets `(T, 3)` that have their mean in each stance, and change smoothly in between."""
    means = np.array([offsets[first:end].mean(axis=0) for first, end in stances])
    edges, frames = np.array(stances), np.arange(len(offsets))
    after = np.searchsorted(edges[:, 0], frames, side="right")
    before, after = np.maximum(after - 1, 0), np.minimum(after, len(edges) - 1)
    room = np.maximum(edges[after, 0] - edges[before, 1] + 1, 1)
    share = np.clip((frames - edges[before, 1] + 1) / room, 0.0, 1.0)[:, None]
    return np.asarray(means[before] + smoothstep(share) * (means[after] - means[before]))


def _heights_on_ground(laid: Motion, feet: Sequence[Foot]) -> Float64:
    """Return the heights `(F,)` of feet that stand: those at rest if the rest pose stands, else the lowest ones.

    The ground is that of `retarget`: of a rest pose about hips at 0, as in BVH files, it is not where the feet are.
    """
    at_rest = _heights_at_rest(laid.skeleton, feet)
    if at_rest is None:
        return ground_heights([laid], feet)
    return np.asarray(at_rest + rest_ground(laid.skeleton, _lowest(laid.skeleton, feet)))


def _heights_at_rest(skeleton: Skeleton, feet: Sequence[Foot]) -> Float64 | None:
    """Return the heights `(F,)` of feet above the lowest joint of legs at rest; None for a rest pose that lies."""
    rest = skeleton.rest_positions @ np.array(skeleton.up)
    ends, hips = rest[[foot.joint for foot in feet]], rest[[foot.leg[0] for foot in feet]]
    lowest = _lowest(skeleton, feet)
    stands = (hips - ends).min() >= LEAST_DROP * skeleton.size and (ends - lowest).max() <= GROUND_BAND * skeleton.size
    return np.asarray(ends - lowest) if stands else None


def _raised(
    source: Skeleton, target: Skeleton, sources: Sequence[Foot], feet: Sequence[Foot], base: Float64
) -> Float64:
    """Return how far the source's feet stand above the lowest one, each from its height at rest `(F,)`.

    base: `(F,)` the heights at which they stand. Toes may be pressed to the ground, or a foot held above it. Zeros if
    one of the rest poses lies.
    """
    at_rest = _heights_at_rest(source, sources)
    if at_rest is None or _heights_at_rest(target, feet) is None:
        return np.zeros(len(base))
    return np.asarray(base - at_rest - (base - at_rest).min())


def _lowest(skeleton: Skeleton, feet: Sequence[Foot]) -> float:
    """Return the height of the lowest joint of legs at rest."""
    rest = skeleton.rest_positions @ np.array(skeleton.up)
    return float(min(rest[skeleton.descendants(foot.leg[0])].min() for foot in feet))


def _standing_heights(motion: Motion, feet: Sequence[Foot], upright: Mask) -> Float64:
    """Return the heights `(F,)` at which feet stand where the body does: the lowest while their legs are `upright`.

    Where the body lies, an ankle in place of its toe is lower. upright: `(T, F)`.
    """
    stands = [motion.take(np.flatnonzero(frames)) for frames in upright.T]
    return np.array([ground_heights([part], [foot])[0] for part, foot in zip(stands, feet, strict=True)])


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
    found = _named_leg(target, make_foot(target, target.names.index(pairs[source.names[chain[-1]]])))
    own = foot if foot.joint == chain[-1] else make_foot(source, chain[-1])
    names = {counterpart: name for name, counterpart in pairs.items()}
    leg = [source.names.index(names[target.names[joint]]) for joint in found.leg if target.names[joint] in names]
    if len(leg) == len(found.leg) and (own.has_leg or not own.copies):
        # Its knee is the joint that does the knee's work: below a scapula, an elbow.
        own = replace(own, leg=tuple(leg))
    return (own, found) if own.leg and found.has_leg else None


def _named_leg(skeleton: Skeleton, foot: Foot) -> Foot:
    """Return a foot whose leg bends at its knee or elbow: the middle of one with its hip bone or scapula is a hip."""
    places = {meanings_of(skeleton)[joint].name: joint for joint in (foot.joint, *foot.leg[::-1])}
    for parts in (ARM, LEG[:3]):
        hip, knee, end = (places.get(part) for part in parts)
        if hip is not None and knee is not None:
            return replace(foot, leg=(hip, knee, end or (foot.joint if knee == foot.leg[-1] else foot.leg[-1])))
    return foot


def _on_the_spot(motion: Motion, carrier: int) -> Motion:
    """Return the motion without its travel over the ground."""
    skeleton = motion.skeleton
    places = joint_path(motion, carrier)
    still = np.tile(IDENTITY, (motion.frames, 1))
    level = np.zeros(motion.frames)
    track = BodyTrack(still, places, level, skeleton.up, skeleton.size, motion.frames_per_second)
    travel = ground_travel(track).places
    return move_root(motion, carrier, travel[0] - travel)

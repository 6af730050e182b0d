# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a control rig put on a ground: the visible bones are placed there, and the controls follow them.

The hips move with the control that carries them. A leg follows with the controls of its forward kinematics, with the
target of its inverse kinematics, or with both, as in the action.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from bpy.types import KinematicConstraint, Object

from ..animation.channels import KeyedChannels
from ..animation.reading.evaluation import ROUNDING
from ..animation.reading.local_poses import bone_channels
from ..animation.stretches.replacing import Stretch
from ..core import Float64, InputError, Motion, rotations
from ..core.constraints import LEVEL, Course, put_between_poses
from ..core.environment import Surface, standing_of
from ..core.feet import feet_by_name, find_feet
from ..core.motion import SAME_PLACE
from .evaluated_body import EvaluatedBody, RigAction, evaluated_rig, read_body
from .rig_limbs import FOLLOWS, LARGEST_MISS, PROBES, RigLimb, find_rig_limbs, keyed_carrier

CHECK_STEP, CHECKED = 6, 4
"""Interval of the frames at which the feet are checked, and number of the hardest frames checked for each leg."""


@dataclass(frozen=True, eq=False)
class GroundedAction(RigAction):
    """An action being put on a ground, at the frames within `stretch` that change."""

    stretch: Stretch


def legs_need_controls(character: Object, motions: Sequence[Motion], feet: Sequence[str] | None) -> bool:
    """Return whether a character's limbs are turned by constraints, while no leg that stands has its own keys.

    Keys of controls that constraints follow are no keys of a leg. feet: see find_body.
    """
    limbs = _limbs_of(find_rig_limbs(character), feet)
    if not limbs:
        return False
    known = set(motions[0].skeleton.names)
    named = None if feet is None else [name for name in feet if name in known]
    skeleton = motions[0].skeleton
    known_feet = find_feet(motions) if named is None else feet_by_name(skeleton, named)
    controls = {control for limb in limbs for control in limb.forward.values()}
    return not any(
        foot.has_leg and controls.isdisjoint(skeleton.names[joint] for joint in foot.leg) for foot in known_feet
    )


def _limbs_of(limbs: Sequence[RigLimb], feet: Sequence[str] | None) -> list[RigLimb]:
    return [limb for limb in limbs if feet is None or _bones_of(limb).intersection(feet)]


def find_body(edited: GroundedAction, frames: Float64, feet: Sequence[str] | None, rate: float) -> EvaluatedBody | None:
    """Return the body of a control rig at some frames; None if its constraints turn no leg that stands.

    feet: names of bones in the legs to use; None for all legs.
    """
    every = find_rig_limbs(edited.character)
    limbs = _limbs_of(every, feet)
    return read_body(edited, limbs, every, frames, rate) if limbs else None


def put_rig_on_ground(
    edited: GroundedAction,
    body: EvaluatedBody,
    piece: slice,
    surface: Surface,
    kept: Sequence[int],
    root_bone: str,
    course: Course = LEVEL,
) -> tuple[str, ...]:
    """Write the controls that put the feet on a ground at the frames `piece` of the body; return notes.

    kept: frames of the piece that stay as they are. root_bone: the control that carries the hips; "" for the one found.
    course: the path of those frames over flat ground. Raises InputError, with nothing changed, where there is no such
    control, and where the rig's constraints keep a foot off its place.
    """
    motion = body.motion.slice(piece.start, piece.stop)
    standing = standing_of(motion, body.motion, feet=body.feet)
    carrier = carrier_of(edited, body, root_bone)
    root = motion.skeleton.names.index(carrier)
    put = put_between_poses(motion, surface, standing, root, kept, float(edited.frames[0]), course)
    turns_body = not np.array_equal(put.motion.rotations[:, root], motion.rotations[:, root])
    here = replace(body, motion=motion)
    follow_body(edited, here, piece, put.motion, carrier, body.limbs, turns_body=turns_body)
    return put.notes


def follow_body(
    edited: GroundedAction,
    body: EvaluatedBody,
    piece: slice,
    moved: Motion,
    carrier: str,
    limbs: Sequence[RigLimb],
    *,
    turns_body: bool = False,
) -> None:
    """Write the controls with which the visible bones follow a body that has moved at the frames `piece`.

    body: its motion is that of these frames. carrier: the control that carries the hips; turns_body: whether it turns
    too, and poles with it. Raises InputError, with nothing changed, where the rig keeps a limb off its place.
    """
    motion = body.motion
    turns = _Turns(motion, moved, body.space[piece], body.poses[piece], edited.character)
    keys = edited.keys()
    carriers = {carrier} if turns_body else set()
    tried = replace(edited, action=edited.action.copy())
    try:
        keys = _turned(tried, keys, turns, {carrier: carrier}, body.poses[piece])
        _write(tried, keys, {carrier}, carriers)
        arms = [limb for limb in find_rig_limbs(edited.character) if limb not in limbs and _is_solved(turns, limb)]
        targets = {keyed_carrier(edited.character, limb) for limb in arms}
        followed = dict.fromkeys(sorted(targets.intersection(edited.reading.keyed.locations)), carrier)
        followed |= {control: bone for limb in limbs for control, bone in _controls(edited, turns, limb).items()}
        if turns_body:
            followed |= dict.fromkeys(_poles(edited.character, limbs, {carrier, *followed}), carrier)
        now = _foreseen(tried, turns, carrier, followed, body.resting)
        # Controls of forward kinematics are rotated; those of inverse kinematics are also moved.
        forward = {control for limb in limbs for control in limb.forward.values()}
        placed = {carrier, *followed} - (forward - set(edited.reading.keyed.locations))
        keys = _turned(tried, keys, turns, followed, now)
        _write(tried, keys, placed, carriers | set(followed))
        _check(tried, turns, replace(body, limbs=tuple(limbs)), motion.skeleton.size)
    finally:
        bpy.data.actions.remove(tried.action)
    _write(edited, keys, placed, carriers | set(followed))


@dataclass(frozen=True, eq=False)
class _Turns:
    """Moves of visible bones from `before` to `after`, given in `space`; poses: of all bones, in armature space."""

    before: Motion
    after: Motion
    space: Float64
    poses: Float64
    character: Object
    known: dict[str, Float64] = field(default_factory=dict)

    def of(self, bone: str) -> Float64:
        """Return the rigid moves `(T, 4, 4)` of a bone, in armature space; computed once."""
        if bone not in self.known:
            moved = _global(self.after, bone) @ np.linalg.inv(_global(self.before, bone))
            self.known[bone] = np.linalg.inv(self.space) @ moved @ self.space
        return self.known[bone]

    def pose(self, bone: str) -> Float64:
        """Return the poses `(T, 4, 4)` of a bone before the change, in armature space."""
        return np.asarray(self.poses[:, self.character.pose.bones.find(bone)])


def _global(motion: Motion, bone: str) -> Float64:
    joint = motion.skeleton.names.index(bone)
    axes, places = motion.pose()
    matrices = np.tile(np.eye(4), (motion.frames, 1, 1))
    matrices[:, :3, :3] = rotations.without_scale(axes[:, joint].astype(np.float64))
    matrices[:, :3, 3] = places[:, joint]
    return matrices


def _bones_of(limb: RigLimb) -> set[str]:
    return {*limb.bones, limb.tip, *limb.forward.values(), *limb.carriers} - {""}


def carrier_of(edited: GroundedAction, body: EvaluatedBody, root_bone: str) -> str:
    """Return the control above all legs whose location moves most; vertical movement takes precedence."""
    skeleton, keyed = body.motion.skeleton, edited.reading.keyed.locations
    chains = [skeleton.chain(foot.leg[0]) for foot in body.feet]
    above = [skeleton.names[joint] for joint in chains[0] if all(joint in chain for chain in chains)]
    candidates = [name for name in above if name in keyed]
    if root_bone in candidates:
        return root_bone
    if not candidates:
        raise InputError(
            f'No bone above the legs of "{edited.character.name}" has location keys, so its hips cannot go up and '
            "down; key the location of the control that carries them."
        )
    climbs = [np.ptp(_own_moves(body.motion, name) @ np.array(skeleton.up)) for name in candidates]
    if max(climbs) > SAME_PLACE * skeleton.size:
        return candidates[int(np.argmax(climbs))]
    return candidates[int(np.argmax([np.ptp(_own_moves(body.motion, name), axis=0).max() for name in candidates]))]


def _own_moves(motion: Motion, bone: str) -> Float64:
    """Return the moves `(T, 3)` made by a bone's own location, in the axes of the parent chain at rest."""
    joint = motion.skeleton.names.index(bone)
    column = int(np.searchsorted(motion.translated, joint))
    parent = int(motion.skeleton.parents[joint])
    turned = rotations.rotate(motion.skeleton.rest_rotations[joint], motion.translations[:, column].astype(np.float64))
    axes = np.eye(3)[None] if parent < 0 else motion.pose()[0][:, parent]
    return np.asarray(np.einsum("tab,tb->ta", np.broadcast_to(axes, (motion.frames, 3, 3)), turned), np.float64)


def _controls(edited: GroundedAction, turns: _Turns, limb: RigLimb) -> dict[str, str]:
    """Return the controls of a leg, with the visible bone that each of them moves with.

    Included are those that have keys, and those that the leg follows at some frame.
    """
    keyed = edited.reading.keyed
    first = limb.bones[0]
    forward = limb.forward.get(first, "")
    by_forward = bool(forward) and not _follows(turns, first, limb.solved[0])
    bone_of_control = {
        control: bone
        for bone, control in limb.forward.items()
        if (by_forward or control in keyed.rotations) and bone != limb.tip
    }
    carried = [name for name in limb.carriers if name in keyed.locations]
    if carried:
        bone_of_control[max(carried, key=lambda name: _spread(turns, edited.character, name))] = limb.ankle
    elif _is_solved(turns, limb):
        bone_of_control[keyed_carrier(edited.character, limb)] = limb.ankle
    return bone_of_control


def _poles(character: Object, limbs: Sequence[RigLimb], moved: set[str]) -> set[str]:
    """Return the poles of the limbs' inverse kinematics that none of the moved controls carries."""
    bones = character.pose.bones
    return {
        constraint.pole_subtarget
        for limb in limbs
        for constraint in bones[limb.solved[-1]].constraints
        if isinstance(constraint, KinematicConstraint) and not constraint.mute and constraint.pole_subtarget in bones
        if moved.isdisjoint(bone.name for bone in bones[constraint.pole_subtarget].parent_recursive)
    }


def _is_solved(turns: _Turns, limb: RigLimb) -> bool:
    """Return whether a limb follows its inverse kinematics at some frames."""
    forward = limb.forward.get(limb.bones[0], "")
    return not forward or not _follows(turns, limb.bones[0], forward)


def _follows(turns: _Turns, bone: str, other: str) -> bool:
    """Return whether a bone's axes are those of another one at all frames."""
    if bone == other:
        return True
    axes, others = (rotations.without_scale(turns.pose(name)[:, :3, :3]) for name in (bone, other))
    return bool(np.abs(axes - others).max() < FOLLOWS)


def _spread(turns: _Turns, character: Object, control: str) -> float:
    """Return how far a control moves relative to its parent."""
    pose, parent = turns.pose(control), character.data.bones[control].parent
    beside = pose if parent is None else np.linalg.inv(turns.pose(parent.name)) @ pose
    return float(np.ptp(beside[:, :3, 3], axis=0).max())


def _turned(edited: GroundedAction, keys: Motion, turns: _Turns, followed: dict[str, str], now: Float64) -> Motion:
    """Return the keys with which controls move together with their visible bones.

    now: `(T, B, 4, 4)` the evaluated poses of the controls' parents. The effect of a control's own constraints stays:
    its keys change by the same amount as those of a bone without constraints would.
    """
    character, planned = edited.character, {}
    for name in followed:
        planned[name] = turns.of(followed[name]) @ turns.pose(name)
    names = keys.skeleton.names
    joints = sorted({*keys.translated.tolist(), *(names.index(name) for name in followed)})
    moved = np.zeros((keys.frames, len(joints), 3))
    moved[:, np.searchsorted(joints, keys.translated)] = keys.translations
    turned = keys.rotations.astype(np.float64)
    for name, pose in planned.items():
        bone, joint = character.data.bones[name], names.index(name)
        before = None if bone.parent is None else turns.pose(bone.parent.name)
        after = None if bone.parent is None else _carried(turns, bone.parent.name, followed, now)
        old_place, old_turn = bone_channels(character, name, turns.pose(name), before)
        new_place, new_turn = bone_channels(character, name, pose, after)
        moved[:, joints.index(joint)] += new_place - old_place
        change = rotations.multiply(rotations.inverse(old_turn), new_turn)
        turned[:, joint] = rotations.multiply(turned[:, joint], change)
    continuous = rotations.make_continuous(rotations.normalize(turned))
    return replace(
        keys,
        rotations=continuous.astype(np.float32),
        translated=np.array(joints, np.int64),
        translations=moved.astype(np.float32),
    )


def _carried(turns: _Turns, bone: str, followed: dict[str, str], now: Float64) -> Float64:
    """Return the poses of a bone after the controls move: carried by the nearest control above it, or unchanged."""
    bones = turns.character.data.bones
    for above in (bones[bone], *bones[bone].parent_recursive):
        if above.name in followed:
            return turns.of(followed[above.name]) @ turns.pose(bone)
    return np.asarray(now[:, turns.character.pose.bones.find(bone)])


def _write(edited: GroundedAction, keys: Motion, placed: set[str], rotated: set[str]) -> None:
    """Write the locations of the `placed` controls, and the rotations of the `rotated` ones."""
    bones, keyed = edited.character.pose.bones, edited.reading.keyed
    modes = {name: keyed.rotations.get(name, bones[name].rotation_mode) for name in sorted(rotated)}
    channels = KeyedChannels(rotations=modes, locations=tuple(sorted(placed)))
    edited.write(edited.stretch, keys, channels)


def _foreseen(
    edited: GroundedAction, turns: _Turns, carrier: str, followed: dict[str, str], resting: Sequence[RigLimb]
) -> Float64:
    """Return the poses `(T, B, 4, 4)` of bones above the controls after the hips are moved.

    A bone that moves with the hips, or stays, at the probed frames is taken to do so at all frames; where one does
    neither, all frames are evaluated.
    """
    order = edited.character.pose.bones.find
    bones = edited.character.data.bones
    above = sorted({parent.name for name in followed if (parent := bones[name].parent) is not None})
    carried = turns.of(carrier)
    far = np.linalg.norm(carried[:, :3, 3], axis=1)
    even = np.linspace(0, len(far) - 1, PROBES).round().astype(np.int64)
    tried = np.unique([*even, *np.argsort(far)[-PROBES:]])
    seen = evaluated_rig(edited, edited.frames[tried], resting)[0]
    now = turns.poses.copy()
    for name in above:
        evaluated, stays = seen[:, order(name)], turns.pose(name)
        along = carried @ stays
        scale = max(1.0, float(np.abs(evaluated).max()))
        if np.abs(evaluated - stays[tried]).max() <= ROUNDING * scale:
            continue
        if np.abs(evaluated - along[tried]).max() > ROUNDING * scale:
            return evaluated_rig(edited, edited.frames, resting)[0]
        now[:, order(name)] = along
    return now


def _check(edited: GroundedAction, turns: _Turns, body: EvaluatedBody, size: float) -> None:
    """Raise InputError where the rig does not bring a foot to its place.

    Checked are evenly spread frames, and those at which a foot moves farthest or its leg is longest, where a rig
    restrains it most.
    """
    every = [(turns.of(limb.ankle) @ turns.pose(limb.ankle))[:, :3, 3] for limb in body.limbs]
    telling = [np.arange(0, len(edited.frames), CHECK_STEP)]
    for limb, planned in zip(body.limbs, every, strict=True):
        hip = (turns.of(limb.bones[0]) @ turns.pose(limb.bones[0]))[:, :3, 3]
        moved = np.linalg.norm(planned - turns.pose(limb.ankle)[:, :3, 3], axis=1)
        telling += [np.argsort(values)[-CHECKED:] for values in (moved, np.linalg.norm(planned - hip, axis=1))]
    looked_at = np.unique(np.concatenate(telling))
    poses = evaluated_rig(edited, edited.frames[looked_at], body.resting)[0]
    for ankle, planned in zip((limb.ankle for limb in body.limbs), every, strict=True):
        seen = poses[:, edited.character.pose.bones.find(ankle), :3, 3]
        away = np.linalg.norm(planned[looked_at] - seen, axis=1)
        worst = int(np.argmax(away))
        if away[worst] > LARGEST_MISS * size:
            raise InputError(
                f'Constraints of the rig keep "{ankle}" {100 * away[worst] / size:.2g} % of the character\'s size off '
                f"its place on the ground at frame {edited.frames[looked_at[worst]]:g}; bake the action first."
            )

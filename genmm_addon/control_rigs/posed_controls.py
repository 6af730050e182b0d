# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of a rig, of forward or inverse kinematics as in use, posed so that its visible bones follow a motion."""

from collections.abc import Container, Mapping, Sequence

import numpy as np
from bpy.types import KinematicConstraint, Object, PoseBone, Scene

from ..animation.reading.evaluation import evaluated_at, stage
from ..core import Float64, Motion, rotations
from .control_keys import ControlGoals, PosedControls, keys_of_controls
from .rig_limbs import COPYING, JOINED, ROUNDS, RigLimb, find_rig_limbs, keyed_carrier

FOLLOWED = 0.5
"""Least influence of a constraint by which a bone counts as following its target."""

SWIVELING = 3
"""Number of bones, with the foot or hand, of a limb whose knee or elbow turns about the line from end to end."""


def needs_controls(character: Object, bones: Sequence[str]) -> bool:
    """Return whether constraints turn bones of a character or any above them, so that plain keys would not pose it."""
    chains = [character.pose.bones[name] for name in bones if name in character.pose.bones]
    family = {bone for end in chains for bone in (end, *end.parent_recursive)}
    return any(not constraint.mute for bone in family for constraint in bone.constraints) or bool(
        find_rig_limbs(character)
    )


def pose_controls(character: Object, scene: Scene, body: Motion) -> PosedControls:
    """Return the keys with which a rig's visible bones follow a motion of its bones, see `connected_body`.

    body: in armature space; joints with translations carry it. Raises InputError if drivers hold a control.
    """
    return keys_of_controls(character, scene, _goals(character, scene, body), body.frames_per_second)


def _goals(character: Object, scene: Scene, body: Motion) -> ControlGoals:
    """Return the poses of the controls that the visible bones follow."""
    targets = _targets(character, body)
    carriers = {body.skeleton.names[joint] for joint in body.translated}
    limbs = [limb for limb in find_rig_limbs(character) if _is_posed(limb, targets)]
    with stage(character, scene) as temporary:
        evaluated = evaluated_at(character, temporary, float(scene.frame_current))
        followed = {name: control_of(evaluated, name) for name in targets}
        solved = [limb for limb in limbs if control_of(evaluated, limb.bones[0]) in limb.solved]
        poles = {limb.solved[-1]: _pole(evaluated, limb) for limb in solved}
    misplacing = _misplacing(character, body, limbs, followed)
    by_solver = {name for limb in solved for name in (*limb.bones, *limb.solved, *limb.forward.values())}
    poses: dict[str, Float64] = {}
    moved: set[str] = set()
    for name, control in followed.items():
        if name in by_solver or control in by_solver or name in misplacing:
            continue
        poses[control] = _carried(character, targets[name], name, control)
        moved |= {control} if name in carriers else set()
    visible: dict[str, Float64] = {}
    swivels: dict[str, tuple[str, ...]] = {}
    for limb in solved:
        chain = [_posed_bone(limb, bone, targets) for bone in limb.bones]
        first, ankle = chain[0], chain[-1]
        target = keyed_carrier(character, limb)
        poses[target] = _carried(character, targets[ankle], ankle, target)
        moved.add(target)
        shown = {
            bone: _carried(character, targets[of], of, bone) for bone, of in zip(limb.bones, chain, strict=True) if of
        }
        visible[limb.ankle] = shown[limb.ankle]
        pole = poles[limb.solved[-1]]
        swivel = pole or limb.solved[0]
        if not pole and character.pose.bones[swivel].constraints:
            continue
        poses[swivel] = _carried(character, targets[first], first, swivel)
        moved |= {pole} if pole else set()
        if len(shown) == SWIVELING:
            visible.update(shown)
            swivels[swivel] = limb.bones
    return ControlGoals(poses, frozenset(moved), visible, swivels)


def _misplacing(character: Object, body: Motion, limbs: Sequence[RigLimb], followed: Mapping[str, str]) -> set[str]:
    """Return bones of the body whose controls carry a limb that the body has beside them, as a lower spine the hips."""
    joints = {name: joint for joint, name in enumerate(body.skeleton.names)}
    result = set()
    for limb in limbs:
        first = _posed_bone(limb, limb.bones[0], joints)
        above = {body.skeleton.names[joint] for joint in body.skeleton.chain(joints[first])}
        carrying = {bone.name for bone in character.pose.bones[limb.bones[0]].parent_recursive}
        result |= {name for name, control in followed.items() if control in carrying and name not in above}
    return result


def _targets(character: Object, body: Motion) -> dict[str, Float64]:
    """Return the poses `(T, 4, 4)` of the body's bones, in armature space."""
    axes, places = body.pose()
    turns = rotations.without_scale(axes.astype(np.float64))
    result = {}
    for joint, name in enumerate(body.skeleton.names):
        matrices = np.tile(np.eye(4), (body.frames, 1, 1))
        matrices[:, :3, :3], matrices[:, :3, 3] = turns[:, joint], places[:, joint]
        result[name] = matrices
    return result


def _rest(character: Object, name: str) -> Float64:
    return np.array(character.data.bones[name].matrix_local, np.float64)


def _carried(character: Object, poses: Float64, bone: str, other: str) -> Float64:
    """Return the poses of another bone that moves with a bone from where both are at rest."""
    return np.asarray(poses @ np.linalg.inv(_rest(character, bone)) @ _rest(character, other))


def control_of(evaluated: Object, name: str) -> str:
    """Return the control that a bone, or the visible bone that follows it or another one instead, follows now."""
    bones = evaluated.pose.bones
    current = next((bone for bone in bones if _chooses(evaluated, bone, bones[name])), bones[name])
    for _ in range(ROUNDS):
        leaders = [other for other, influence in _copied(evaluated, current) if influence > FOLLOWED]
        if not leaders:
            break
        current = leaders[-1]
    return str(current.name)


def _chooses(evaluated: Object, bone: PoseBone, control: PoseBone) -> bool:
    """Return whether a bone follows one of several controls, of which one, at the same place at rest, is the given."""
    copied = {other.name for other, _ in _copied(evaluated, bone)}
    return (
        len(copied) > 1
        and control.name in copied
        and (bone.bone.head_local - control.bone.head_local).length <= JOINED * control.bone.length
    )


def _copied(evaluated: Object, bone: PoseBone) -> list[tuple[PoseBone, float]]:
    """Return the bones of the same armature that a bone copies, the last in the stack last, and their influences.

    One to whose rotation it adds its own, as in Rigify's tails, does not count.
    """
    bones = evaluated.pose.bones
    return [
        (bones[constraint.subtarget], 0.0 if constraint.mute else constraint.influence)
        for constraint in bone.constraints
        if isinstance(constraint, COPYING) and constraint.subtarget in bones and constraint.target is not None
        if constraint.target.name == evaluated.name and constraint.mix_mode == "REPLACE"
    ]


def _pole(evaluated: Object, limb: RigLimb) -> str:
    """Return the bone that a limb's inverse kinematics points to now; "" without one."""
    for constraint in evaluated.pose.bones[limb.solved[-1]].constraints:
        if not isinstance(constraint, KinematicConstraint) or constraint.mute or constraint.influence <= FOLLOWED:
            continue
        if constraint.pole_target is not None and constraint.pole_subtarget in evaluated.pose.bones:
            return str(constraint.pole_subtarget)
    return ""


def _posed_bone(limb: RigLimb, bone: str, targets: Container[str]) -> str:
    """Return the bone of the body that poses a limb's visible bone; "" without one."""
    return bone if bone in targets else limb.forward.get(bone, "") if limb.forward.get(bone) in targets else ""


def _is_posed(limb: RigLimb, targets: Container[str]) -> bool:
    return bool(_posed_bone(limb, limb.bones[0], targets) and _posed_bone(limb, limb.ankle, targets))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluated body of a control rig: its visible limbs and their parents, as a motion.

Inverse kinematics that no visible bone follows is switched off meanwhile. Its target often stays behind while the
character walks off. Blender then uses up all iterations on every frame to search for a pose that does not exist: with
the four limbs of Rigify's human, more than half of the evaluation time.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, FCurve, KinematicConstraint, Object, Scene

from ..animation.channels import KeyedChannels
from ..animation.reading.evaluation import ROUNDING, evaluated_motion, playing, stage
from ..animation.reading.example_spec import ExampleSpec, Reading
from ..animation.reading.examples import read_examples
from ..animation.reading.stretch import read_stretch
from ..animation.rig import OBJECT_JOINT, read_bones
from ..animation.scene_time import scene_rate
from ..animation.stretches.replacing import Stretch, replace_stretch
from ..core import Float64, Motion, Skeleton, rotations
from ..core.feet import Foot, find_feet
from ..core.motion import NO_PARENT, with_typical_pose
from .rig_limbs import COPYING, PROBES, RigLimb


class IdleSolvers:
    """The limbs whose inverse kinematics was not followed at any frame that was checked."""

    def __init__(self, character: Object, limbs: Sequence[RigLimb]) -> None:
        """Begin with all limbs, but with none of a linked character, whose constraints cannot be changed."""
        linked = character.library is not None or character.override_library is not None
        self.limbs = () if linked else tuple(limb for limb in limbs if limb.solved[0] not in limb.bones)

    def look(self, evaluated: Object) -> None:
        """Remove the limbs that follow their inverse kinematics in the evaluated character."""
        self.limbs = tuple(limb for limb in self.limbs if not _shows(evaluated, limb))


def _shows(evaluated: Object, limb: RigLimb) -> bool:
    return any(
        isinstance(constraint, COPYING)
        and constraint.subtarget in limb.solved
        and not constraint.mute
        and constraint.influence > 0
        for bone in limb.bones
        for constraint in evaluated.pose.bones[bone].constraints
    )


@contextmanager
def solvers_resting(character: Object, limbs: Sequence[RigLimb]) -> Iterator[None]:
    """Switch the inverse kinematics of limbs off for the block, even where drivers control it, and restore it after."""
    solvers = [
        constraint
        for limb in limbs
        for constraint in character.pose.bones[limb.solved[-1]].constraints
        if isinstance(constraint, KinematicConstraint)
    ]
    paths = {f"{solver.path_from_id()}.mute" for solver in solvers}
    drivers: list[FCurve] = []
    if paths and character.animation_data is not None:
        drivers = [driver for driver in character.animation_data.drivers if driver.data_path in paths]
    muted: list[FCurve | KinematicConstraint] = [*solvers, *drivers]
    switches = [(solver, solver.mute) for solver in muted]
    try:
        for solver, _ in switches:
            solver.mute = True
        yield
    finally:
        for solver, was in switches:
            solver.mute = was


@dataclass(frozen=True, eq=False)
class EvaluatedBody:
    """A rig's body over T frames.

    poses: `(T, B, 4, 4)` of all bones in armature space, in Blender's order. space: `(T, 4, 4)` from there to the
    roots' space. motion: of the visible bones. feet: those that stand, and the limb of each. resting: limbs whose
    inverse kinematics no visible bone follows; it is switched off in `poses`.
    """

    poses: Float64
    space: Float64
    motion: Motion
    feet: tuple[Foot, ...]
    limbs: tuple[RigLimb, ...]
    resting: tuple[RigLimb, ...] = ()


@dataclass(frozen=True, eq=False)
class RigAction:
    """An action that is edited through its rig, with the `reading` of its keys, at the frames `(T,)`."""

    character: Object
    scene: Scene
    action: Action
    slot: str
    reading: Reading
    frames: Float64

    @property
    def moves_object(self) -> bool:
        """Return whether the armature's object has keys."""
        return self.reading.motions[0].skeleton.names[0] == OBJECT_JOINT

    def keys(self) -> Motion:
        """Return the motion of the keys at the frames, at the scene's rate."""
        return read_stretch(self.character, self.reading, self.action, self.slot, self.frames, scene_rate(self.scene))

    def write(self, where: Stretch, motion: Motion, channels: KeyedChannels) -> None:
        """Replace the keys of some channels in a stretch."""
        replace_stretch(self.character, self.action, self.slot, where, motion, channels)


def read_keys_of(character: Object, scene: Scene, action: Action, slot: str) -> Reading:
    """Return the reading of an action's keys. Raises InputError where it has none."""
    return read_examples(character, (ExampleSpec(action, slot),), scene=scene, visual=False)


def evaluated_rig(
    played: RigAction,
    frames: Float64,
    resting: Sequence[RigLimb] = (),
    look: Callable[[Object], None] | None = None,
) -> tuple[Float64, Float64]:
    """Return the poses of all bones and the space of the armature, see EvaluatedBody, at frames `(T,)`.

    look: called with the evaluated character at each frame.
    """
    character = played.character
    with (
        stage(character, played.scene) as temporary,
        playing(character, played.action, played.slot),
        solvers_resting(character, resting),
    ):
        poses, worlds = evaluated_motion(character, temporary, frames, look)
    space = np.tile(np.eye(4), (len(frames), 1, 1))
    if played.moves_object:
        outside = np.array(character.matrix_world @ character.matrix_basis.inverted_safe(), np.float64)
        space = np.linalg.inv(outside) @ worlds
    return poses.astype(np.float64), space


def read_body(
    played: RigAction, limbs: Sequence[RigLimb], every: Sequence[RigLimb], frames: Float64, rate: float
) -> EvaluatedBody | None:
    """Return the body with these limbs at frames `(T,)`; None where none of them is a leg that stands.

    every: all limbs of the rig; inverse kinematics that no visible bone follows is switched off to evaluate faster.
    """
    character = played.character
    names = _names(character, limbs)
    poses, space, resting = _without_idle_solvers(played, names, limbs, every, frames)
    skeleton = _skeleton(character, names, played.moves_object)
    order = [character.pose.bones.find(name) for name in names]
    (motion,) = with_typical_pose([_motion(skeleton, space[:, None] @ poses[:, order], rate)])
    feet, foot_limbs = [], []
    for foot in find_feet([motion]):
        for limb in limbs:
            if names[foot.joint] in (limb.tip, limb.ankle):
                leg = tuple(names.index(bone) for bone in limb.bones)
                feet.append(Foot(foot.joint, leg))
                foot_limbs.append(limb)
    return EvaluatedBody(poses, space, motion, tuple(feet), tuple(foot_limbs), resting) if feet else None


def _without_idle_solvers(
    played: RigAction, names: Sequence[str], limbs: Sequence[RigLimb], every: Sequence[RigLimb], frames: Float64
) -> tuple[Float64, Float64, tuple[RigLimb, ...]]:
    """Return the evaluated rig at the frames, and the limbs whose solvers can rest without changing needed bones.

    This is tested at a few frames; where a limb is followed at any other frame, its solver is switched on again and all
    frames are read again.
    """
    order = [played.character.pose.bones.find(name) for name in _needed(played.character, names, limbs)]
    tried = np.unique(frames[np.linspace(0, len(frames) - 1, PROBES).round().astype(np.int64)])
    idle = IdleSolvers(played.character, every)
    awake = evaluated_rig(played, tried, (), idle.look)[0][:, order]
    resting = idle.limbs
    if resting:
        asleep = evaluated_rig(played, tried, resting)[0][:, order]
        if np.abs(asleep - awake).max() > ROUNDING * max(1.0, float(np.abs(awake).max())):
            resting = ()
    poses, space = evaluated_rig(played, frames, resting, idle.look)
    if any(limb not in idle.limbs for limb in resting):
        resting = idle.limbs
        poses, space = evaluated_rig(played, frames, resting)
    return poses, space, resting


def _needed(character: Object, names: Sequence[str], limbs: Sequence[RigLimb]) -> list[str]:
    """Return the bones of the body, the controls of its limbs, and their parents."""
    bones = character.data.bones
    controls = [name for limb in limbs for name in (*limb.forward.values(), *limb.carriers)]
    above = {bone.name for name in controls for bone in (bones[name], *bones[name].parent_recursive)}
    return sorted({*names, *above})


def _names(character: Object, limbs: Sequence[RigLimb]) -> list[str]:
    """Return the bones of the limbs, the highest bone that deforms, and all above them, parents first."""
    bones = character.data.bones
    deforming = [bone for bone in bones if bone.use_deform] or list(bones)
    ends = [bones[limb.tip or limb.ankle] for limb in limbs]
    ends.append(max(deforming, key=lambda bone: bone.head_local.length))
    needed = {bone.name for end in ends for bone in (end, *end.parent_recursive)}
    return [bone.name for bone in bones if bone.name in needed]


def _skeleton(character: Object, names: Sequence[str], moves_object: bool) -> Skeleton:
    skeleton = read_bones(character)
    joints = [skeleton.names.index(name) for name in names]
    parents = [joints.index(parent) if (parent := int(skeleton.parents[joint])) >= 0 else NO_PARENT for joint in joints]
    return replace(
        skeleton,
        names=tuple(names),
        parents=np.array(parents, np.int64),
        rest_rotations=skeleton.rest_rotations[joints],
        rest_translations=skeleton.rest_translations[joints],
        up=read_bones(character, True).up if moves_object else skeleton.up,
        inheritance=None,  # the motion has no scales
        carriers=None,
    )


def _motion(skeleton: Skeleton, matrices: Float64, rate: float) -> Motion:
    """Return the motion with these global poses `(T, J, 4, 4)`; scale affects only the positions of joints."""
    turned = rotations.from_matrix(rotations.without_scale(matrices[..., :3, :3]))
    places = matrices[..., :3, 3]
    above = np.where(skeleton.parents >= 0, skeleton.parents, 0)
    is_root = (skeleton.parents < 0)[:, None]
    back = np.where(is_root, [1.0, 0.0, 0.0, 0.0], rotations.inverse(turned[:, above]))
    origin = np.where(is_root, 0.0, places[:, above])
    rest = rotations.inverse(skeleton.rest_rotations)
    moved = rotations.rotate(rest, rotations.rotate(back, places - origin) - skeleton.rest_translations)
    local = rotations.make_continuous(rotations.multiply(rest, rotations.multiply(back, turned)))
    joints = np.arange(len(skeleton.names), dtype=np.int64)
    return Motion(skeleton, rate, local.astype(np.float32), joints, moved.astype(np.float32))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of a rig moved to places: the effect of constraints on their keys, and the chains that follow them."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
from bpy.types import KinematicConstraint, Object, PoseBone

from ..animation.reading.evaluation import ROUNDING
from ..animation.rig import OBJECT_JOINT
from ..core import Float64, InputError, Int64, Motion, Reach
from .evaluated_body import IdleSolvers, RigAction, evaluated_rig
from .posed_controls import control_of
from .rig_limbs import LARGEST_MISS, RigLimb, find_rig_limbs, keyed_carrier

TRIED_STEP = 0.01
"""Trial movement of a control that shows where its bone goes, as a share of the size."""
LEAST_RESPONSE = 0.05
"""Least response of a bone, as a share of the trial movement, for a direction to be corrected."""


def responses_of(
    motion: Motion,
    asked: Sequence[Reach],
    heads: Sequence[Float64],
    heads_with: Callable[[Sequence[Reach]], list[Float64]],
    tried: Collection[int],
) -> list[Float64]:
    """Return for each place the change of its target `(T, 3, 3)` that moves its bone by one unit along each axis.

    tried: the places of which small moves along each axis are tried; the other bones are taken to move as their targets
    do.
    """
    responses = [np.tile(np.eye(3), (motion.frames, 1, 1)) for _ in asked]
    if not tried:
        return responses
    step = TRIED_STEP * motion.skeleton.size
    moved = []
    for axis in step * np.eye(3):
        places = [
            replace(reach, positions=reach.positions + axis) if n in tried else reach for n, reach in enumerate(asked)
        ]
        moved.append(heads_with(places))
    for number in tried:
        effects = np.stack([(tried_heads[number] - heads[number]) / step for tried_heads in moved], axis=2)
        effects[~asked[number].active] = np.eye(3)
        responses[number] = np.asarray(np.linalg.pinv(effects, rcond=LEAST_RESPONSE), np.float64)
    return responses


def check_followed(edited: RigAction, moved: Sequence[tuple[str, Float64]]) -> None:
    """Raise InputError where the limb of a control follows others at one of its frames, so that nothing visible moves.

    moved: controls, each with its frames. A limb follows its controls either of inverse or of forward kinematics.
    """
    character = edited.character
    checked = [(control, frames, *limb) for control, frames in moved for limb in _limbs_moved_by(control, character)]
    if not checked:
        return
    every = np.unique(np.concatenate([frames for _, frames, *_ in checked]))
    firsts = [limb.bones[0] for _, _, limb, _, _ in checked]
    followed: list[list[str]] = []
    evaluated_rig(edited, every, look=lambda rig: followed.append([control_of(rig, bone) for bone in firsts]))
    for (control, frames, limb, other, hiding), leaders in zip(checked, zip(*followed, strict=True), strict=True):
        for frame, leader in zip(every, leaders, strict=True):
            if leader in hiding and frame in frames:
                raise InputError(
                    f'The limb of "{control}" follows "{other or leader}" at frame {frame:g}; choose that control'
                    f"{_or_switch(character, limb)}."
                )


def _limbs_moved_by(control: str, character: Object) -> Iterator[tuple[RigLimb, str, Collection[str]]]:
    """Yield each limb of a control, the control to choose in place of it, and the leaders that make it show nothing."""
    for limb in find_rig_limbs(character):
        above = {bone.name for bone in character.pose.bones[limb.bones[0]].parent_recursive}
        if control in limb.forward.values():
            yield limb, keyed_carrier(character, limb), limb.solved
        elif control in {*limb.solved, *limb.carriers} - above:
            yield limb, limb.forward.get(limb.ankle, ""), limb.forward.values()


def _or_switch(character: Object, limb: RigLimb) -> str:
    """Return the end of a sentence that names the property which switches a limb's kinematics; "" without one."""
    paths = {f"{constraint.path_from_id()}.influence" for constraint in character.pose.bones[limb.bones[0]].constraints}
    drivers = character.animation_data.drivers if character.animation_data is not None else ()
    for curve in drivers:
        for variable in curve.driver.variables if curve.driver is not None and curve.data_path in paths else ():
            switch = re.fullmatch(r'pose\.bones\["(.+)"\]\["(.+)"\]', variable.targets[0].data_path)
            if switch:
                return f', or set "{switch[2]}" of "{switch[1]}"'
    return ""


class EvaluatedRig:
    """The rig that plays an edited action, as Blender evaluates it.

    Inverse kinematics that no visible bone follows is switched off after the first evaluation, for speed; one frame is
    used to test that the needed bones are the same without it.
    """

    def __init__(self, edited: RigAction) -> None:
        """Begin with all inverse kinematics switched on."""
        self.edited = edited
        self._idle = IdleSolvers(edited.character, find_rig_limbs(edited.character))
        self._resting: tuple[RigLimb, ...] | None = None

    def heads(self, motion: Motion, reaches: Sequence[Reach]) -> list[Float64]:
        """Return the positions `(T, 3)` of the evaluated bones' heads at the active frames, in the roots' space."""
        names, character = motion.skeleton.names, self.edited.character
        frames = np.flatnonzero(np.any([reach.active for reach in reaches], axis=0))
        order = [character.pose.bones.find(names[reach.joint]) for reach in reaches]
        poses = self._poses(frames, order)
        positions_by_bone = []
        for place in order:
            heads = poses[:, place, :3, 3]
            if names[0] == OBJECT_JOINT:
                matrices, positions = motion.take(frames).pose()
                heads = np.einsum("tab,tb->ta", matrices[:, 0], heads) + positions[:, 0]
            of_all = np.zeros((motion.frames, 3))
            of_all[frames] = heads
            positions_by_bone.append(of_all)
        return positions_by_bone

    def _poses(self, frames: Int64, needed: Sequence[int]) -> Float64:
        """Return the poses `(K, B, 4, 4)` of all bones, exact for the needed ones."""
        if self._resting is not None:
            return self._evaluated(frames, self._resting)
        poses = self._evaluated(frames, (), self._idle.look)
        middle = len(frames) // 2
        asleep = self._evaluated(frames[middle : middle + 1], self._idle.limbs) if self._idle.limbs else poses[:0]
        same = [np.allclose(bones[needed], poses[middle, needed], rtol=ROUNDING, atol=ROUNDING) for bones in asleep]
        self._resting = self._idle.limbs if same == [True] else ()
        return poses

    def _evaluated(
        self, frames: Int64, resting: Sequence[RigLimb] = (), look: Callable[[Object], None] | None = None
    ) -> Float64:
        return evaluated_rig(self.edited, self.edited.frames[frames], resting, look)[0]

    def check_chains(self, motion: Motion, reaches: Sequence[Reach]) -> None:
        """Raise InputError where the rig's own inverse kinematics does not reach a control that is at its place.

        Checked are the chains whose targets are the control or its descendants.
        """
        character, size = self.edited.character, motion.skeleton.size
        bones, names = character.pose.bones, motion.skeleton.names
        chains = _solved_chains(character)
        followed = [
            (reach, bones[names[reach.joint]], end)
            for reach in reaches
            for end, target in chains
            if bones[names[reach.joint]] in (target, *target.parent_recursive)
        ]
        if not followed:
            return
        frames = np.flatnonzero(np.any([reach.active for reach, _, _ in followed], axis=0))
        # All solvers must be on, including those that rest elsewhere.
        poses = self._evaluated(frames)
        for reach, control, end in followed:
            away = np.where(reach.active[frames], _chain_misses(poses, character, control, end), 0.0)
            worst = int(np.argmax(away))
            if away[worst] > LARGEST_MISS * size:
                raise InputError(
                    f"{reach.said} is out of reach at frame {self.edited.frames[frames[worst]]:g}: the chain of "
                    f'"{end.name}" stays {100 * away[worst] / size:.2g} % of the character\'s size off; '
                    "move it nearer."
                )


def _solved_chains(character: Object) -> list[tuple[PoseBone, PoseBone]]:
    """Return the last bone and the target bone of each inverse kinematics chain."""
    bones = character.pose.bones
    return [
        (bone, bones[constraint.subtarget])
        for bone in bones
        for constraint in bone.constraints
        if isinstance(constraint, KinematicConstraint) and not constraint.mute and constraint.target == character
        if constraint.subtarget in bones
    ]


def _chain_misses(poses: Float64, character: Object, control: PoseBone, end: PoseBone) -> Float64:
    """Return how much farther `(K,)` a chain's tail is from its control in poses `(K, B, 4, 4)` than at rest."""
    bones = character.pose.bones
    heads, ends = poses[:, bones.find(control.name)], poses[:, bones.find(end.name)]
    tails = ends[:, :3, 3] + end.bone.length * ends[:, :3, 1]
    rest = np.array(end.bone.tail_local) - np.array(control.bone.head_local)
    return np.asarray(np.linalg.norm(tails - heads[:, :3, 3], axis=1) - np.linalg.norm(rest), np.float64)

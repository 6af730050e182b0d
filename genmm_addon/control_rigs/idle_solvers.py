# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics that no visible bone follows, switched off while a rig is evaluated.

Its target often stays behind while the character walks off. Blender then uses up all iterations on every frame to
search for a pose that does not exist: with the four limbs of Rigify's human, more than half of the evaluation time.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bpy.types import FCurve, KinematicConstraint, Object

from .rig_limbs import COPYING, RigLimb


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

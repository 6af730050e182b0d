# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of a rig at places: what its constraints make of their keys, and the chains that are to follow them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, KinematicConstraint, Object, Scene
from numpy.typing import NDArray

from ..animation.reading.evaluation import evaluated_motion, playing, stage
from ..animation.reading.example_spec import Reading
from ..animation.rig import OBJECT_JOINT
from ..core import InputError, Motion, Reach

Float64 = NDArray[np.float64]

TRIED_STEP = 0.01
"""A control is moved by this share of the size to see where its bone goes."""
LEAST_RESPONSE = 0.05
"""A direction in which it moves by less than this share of what is asked is not corrected."""
CHAIN_MISS = 0.01
"""The rig's inverse kinematics gets to its control within this share of the size."""


@dataclass(frozen=True, eq=False)
class Edited:
    """An action as it is edited, at the frames `(T,)`."""

    character: Object
    scene: Scene
    action: Action
    slot: str
    reading: Reading
    frames: NDArray[np.float64]


def responses_of(
    motion: Motion,
    asked: Sequence[Reach],
    heads: Sequence[Float64],
    heads_with: Callable[[Sequence[Reach]], list[Float64]],
) -> list[Float64]:
    """Return for each place by how much `(T, 3, 3)` it is to be asked elsewhere for its bone to move by an axis.

    A control's location may be told in other axes than its bone's, or be taken along by constraints: what a small move
    along each axis does is tried. A limb that is bent to its place goes where it is asked to.
    """
    found = [np.tile(np.eye(3), (motion.frames, 1, 1)) for _ in asked]
    carried = [number for number, one in enumerate(asked) if one.joint in motion.translated]
    if not carried:
        return found
    step = TRIED_STEP * motion.skeleton.size
    moved = []
    for axis in step * np.eye(3):
        places = [replace(one, positions=one.positions + axis) if n in carried else one for n, one in enumerate(asked)]
        moved.append(heads_with(places))
    for number in carried:
        effects = np.stack([(one[number] - heads[number]) / step for one in moved], axis=2)
        effects[~asked[number].active] = np.eye(3)
        found[number] = np.asarray(np.linalg.pinv(effects, rcond=LEAST_RESPONSE), np.float64)
    return found


def heads_of(edited: Edited, made: Motion, reaches: Sequence[Reach]) -> list[Float64]:
    """Return where `(T, 3)` the evaluated bones' heads are at the active frames, in the space of the roots."""
    names, character = made.skeleton.names, edited.character
    frames = np.flatnonzero(np.any([reach.active for reach in reaches], axis=0))
    poses = _evaluated(edited, frames)
    found = []
    for reach in reaches:
        heads = poses[:, character.pose.bones.find(names[reach.joint]), :3, 3].astype(np.float64)
        if names[0] == OBJECT_JOINT:
            matrices, positions = made.take(frames).pose()
            heads = np.einsum("tab,tb->ta", matrices[:, 0], heads) + positions[:, 0]
        of_all = np.zeros((len(reach.active), 3))
        of_all[frames] = heads
        found.append(of_all)
    return found


def _evaluated(edited: Edited, frames: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the poses of all bones `(K, B, 4, 4)` as the rig evaluates the action."""
    with stage(edited.character, edited.scene) as temporary, playing(edited.character, edited.action, edited.slot):
        return evaluated_motion(edited.character, temporary, edited.frames[frames])[0]


def check_chains(edited: Edited, made: Motion, reaches: Sequence[Reach]) -> None:
    """Raise InputError where the rig's own inverse kinematics does not get to a control that is at its place.

    Its chains are those whose targets are the control, or hang from it.
    """
    character, size = edited.character, made.skeleton.size
    bones = character.pose.bones
    chains = [
        (number, bones[one.subtarget])
        for number, bone in enumerate(bones)
        for one in bone.constraints
        if isinstance(one, KinematicConstraint) and not one.mute and one.target == character and one.subtarget in bones
    ]
    for reach in reaches:
        control = bones[made.skeleton.names[reach.joint]]
        own = [number for number, target in chains if control in (target, *target.parent_recursive)]
        if not own:
            continue
        frames = np.flatnonzero(reach.active)
        poses = _evaluated(edited, frames)
        heads = poses[:, bones.find(control.name), :3, 3]
        for number in own:
            tails = poses[:, number, :3, 3] + bones[number].bone.length * poses[:, number, :3, 1]
            rest = np.array(bones[number].bone.tail_local) - np.array(control.bone.head_local)
            away = np.linalg.norm(tails - heads, axis=1) - float(np.linalg.norm(rest))
            worst = int(np.argmax(away))
            if away[worst] > CHAIN_MISS * size:
                raise InputError(
                    f"{reach.said} is out of reach at frame {edited.frames[frames[worst]]:g}: the chain of "
                    f'"{bones[number].name}" stays {100 * away[worst] / size:.2g} % of the character\'s size off; '
                    "move it nearer."
                )

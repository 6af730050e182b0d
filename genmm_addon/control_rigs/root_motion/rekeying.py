# SPDX-License-Identifier: GPL-3.0-or-later
"""New keys for bones that keep them in place while a bone above them moves, even with constraints."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object, Scene

from ...animation.channels import KeyedChannels
from ...animation.reading.evaluation import evaluated_poses, playing, stage
from ...animation.reading.local_poses import local_poses
from ...animation.writing import rewrite_joints
from ...core import Float64, InputError, Int64, Mask, Motion, Skeleton, rotations
from ...core.motion import SAME_PLACE
from ..rig_limbs import ROUNDS

NEAR = 2e-5
"""Distance at which a bone counts as in place, as a share of the size and of its axes' length (single precision)."""


@dataclass(frozen=True, eq=False)
class Played:
    """An action of a character at T frames. poses: `(T, B, 4, 4)` of its bones, to be kept, in armature space."""

    character: Object
    scene: Scene
    skeleton: Skeleton
    rate: float
    frames: Float64
    poses: Float64


@dataclass(frozen=True, eq=False)
class Rekeyed:
    """Bones with their new channels."""

    motion: Motion
    keyed: KeyedChannels


def rekeyed(
    played: Played, action: Action, slot: str, root: int, matrices: Float64, keyed: AbstractSet[str]
) -> Rekeyed:
    """Return the channels that put bone `root` at `matrices` `(T, 4, 4)` and leave all others where they are.

    keyed: the bones that have keys. The keys are tried in the action, which is a copy. Raises InputError where the rig
    moves a bone.
    """
    skeleton, count = played.skeleton, len(played.skeleton.names)
    names = np.array(skeleton.names)
    target = played.poses.copy()
    target[:, root] = matrices
    free = np.array([_is_free(played.character, name) for name in names])
    stays = np.array([name in keyed or played.character.data.bones[name].use_deform for name in names])
    if not any(bone.constraints for bone in played.character.pose.bones):
        stays[:] = True
    chosen = (skeleton.parents == root) & free
    chosen[root] = True
    done, now = np.zeros(count, bool), target
    turned = np.tile(np.array([1.0, 0, 0, 0]), (len(target), count, 1))
    moved = np.zeros((len(target), count, 3))
    for _ in range(ROUNDS):
        mixed = np.where(chosen[:, None, None], target, now)
        local = local_poses(played.character, skeleton, mixed)
        turned[:, chosen], moved[:, chosen] = local.rotations[:, chosen], local.translations[:, chosen]
        done |= chosen
        new_keys = _of(played, turned, moved, np.flatnonzero(done))
        rewrite_joints(new_keys.motion, new_keys.keyed, played.character, action, slot, float(played.frames[0]))
        now = poses_of(played.character, played.scene, action, slot, played.frames)
        away = _away(now, target, skeleton.size)
        if away[stays].max(initial=0.0) <= NEAR:
            return new_keys
        chosen = (away > NEAR) & np.isin(names, list(keyed))
        if not chosen.any():
            chosen = _topmost((away > NEAR) & free, skeleton)
        chosen[root] = False
        if not chosen.any():
            break
    worst = int(np.argmax(np.where(stays, away, 0.0)))
    if away[worst] <= SAME_PLACE:
        return new_keys
    raise InputError(
        f'The rig moves bone "{names[worst]}" by {100 * away[worst]:.2g} % when its root bone moves, and keys of '
        "controls cannot prevent this; bake the action first."
    )


def poses_of(character: Object, scene: Scene, action: Action, slot: str, frames: Float64) -> Float64:
    """Return the poses `(T, B, 4, 4)` of a character that plays an action, in armature space."""
    with stage(character, scene) as temporary, playing(character, action, slot):
        return evaluated_poses(character, temporary, frames).astype(np.float64)


def _is_free(character: Object, name: str) -> bool:
    """Return whether keys can move a bone: it has no constraints, and its location is neither locked nor connected."""
    bone = character.pose.bones[name]
    return not bone.constraints and not all(bone.lock_location) and not bone.bone.use_connect


def _topmost(chosen: Mask, skeleton: Skeleton) -> Mask:
    """Return the chosen joints `(J,)` that are not below other chosen ones."""
    below = np.zeros(len(chosen), bool)
    for joint, parent in enumerate(skeleton.parents):
        below[joint] = parent >= 0 and (below[parent] or chosen[parent])
    return chosen & ~below


def _away(now: Float64, target: Float64, size: float) -> Float64:
    """Return the largest error `(B,)` of each bone: positions as shares of the size, axes as shares of their length."""
    lengths = np.maximum(np.linalg.norm(target[..., :3, :3], axis=-2, keepdims=True), 1e-6)
    axes = (np.abs(now[..., :3, :3] - target[..., :3, :3]) / lengths).max(axis=(0, 2, 3))
    places = np.linalg.norm(now[..., :3, 3] - target[..., :3, 3], axis=-1).max(axis=0) / size
    return np.asarray(np.maximum(axes, places))


def _of(played: Played, turned: Float64, moved: Float64, joints: Int64) -> Rekeyed:
    modes = {name: played.character.pose.bones[name].rotation_mode for name in played.skeleton.names}
    names = [played.skeleton.names[joint] for joint in joints]
    motion = Motion(
        played.skeleton,
        played.rate,
        rotations.make_continuous(rotations.normalize(turned)).astype(np.float32),
        translated=joints,
        translations=moved[:, joints].astype(np.float32),
    )
    return Rekeyed(motion, KeyedChannels({name: modes[name] for name in names}, tuple(names)))

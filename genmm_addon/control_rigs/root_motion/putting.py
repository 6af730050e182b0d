# SPDX-License-Identifier: GPL-3.0-or-later
"""The travel of an action, moved to its character's root bone."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ...animation.channels import KeyedChannels
from ...animation.curves import SlotCurves, collect_curves, key_values
from ...animation.reading.evaluation import evaluated_poses, playing, stage
from ...animation.reading.local_poses import local_poses
from ...animation.rig import read_bones
from ...animation.scene_time import scene_rate
from ...animation.stretches.checks import check_action
from ...animation.stretches.key_times import times_of_motion
from ...animation.writing import rewrite_joints
from ...core import Float64, InputError, Int64, Mask, Motion, Skeleton, computing, rotations
from ...core.motion import (
    ROOT_NAME,
    SAME_PLACE,
    BodyTrack,
    GroundTravel,
    find_body_joint,
    find_ground_joint,
    ground_travel,
    rest_ahead,
    root_poses,
)
from ..rig_limbs import ROUNDS, find_rig_limbs
from .left_over import put_back, remember, restored_on_failure
from .root_bone import add_root_bone, check_bone_can_be_made, find_root_bone

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
    # Keys of bones that inverse kinematics turns are where it begins, not where it ends, and their parents stay.
    solved = {name for limb in find_rig_limbs(played.character) for name in limb.solved}
    rewritten = np.isin(names, list(keyed - solved))
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
        chosen = (away > NEAR) & rewritten
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


@dataclass(frozen=True)
class RootMotion:
    """The bone that now carries the travel, from frame `first` to `last`; is_made: the bone was added."""

    bone: str
    first: float
    last: float
    is_made: bool


@computing()
def put_on_root(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    *,
    name: str = ROOT_NAME,
    in_place: bool = False,
    undoing: ExitStack | None = None,
) -> RootMotion:
    """Move the travel of an action over the ground to the root bone; all other bones stay where they are in the world.

    name: the bone's name; it is added if no bone is above the body. in_place: the root bone stays where it begins, and
    the character moves on the spot. undoing: a stack that removes an added bone. Raises InputError, with nothing
    changed.
    """
    check_action(character, action)
    curves = _curves(character, action, slot)
    frames = _frames(character, action, slot)
    with restored_on_failure(character), ExitStack() as failing:
        put_back(character, curves)
        skeleton = read_bones(character)
        carrier = _body_of(character, skeleton, curves, name)
        root = find_root_bone(skeleton, name, carrier)
        poses = poses_of(character, scene, action, slot, frames)
        broken = ~np.isfinite(poses).all(axis=(1, 2, 3))
        if broken.any():
            at = frames[int(np.argmax(broken))]
            raise InputError(f'Action "{action.name}" has a pose that is not finite at frame {at:g}; repair its keys.')
        track = _track(character, skeleton, poses, carrier, scene_rate(scene))
        track = replace(track, closes=action.use_cyclic, ahead=rest_ahead(skeleton, carrier, root))
        bone, take_back = skeleton.names[root] if root is not None else name, None
        if root is None:
            check_bone_can_be_made(character, name)
            take_back = add_root_bone(character, skeleton, name)
            failing.callback(take_back)
            skeleton, poses = _with_bone(character, name, poses)
        played = Played(character, scene, skeleton, scene_rate(scene), frames, poses)
        new_keys = _tried(played, action, slot, bone, ground_travel(track), set(_keyed(curves)))
        if in_place:
            new_keys = _on_the_spot(new_keys, skeleton.names.index(bone))
        remember(character, curves, new_keys.keyed.rotations)
        rewrite_joints(new_keys.motion, new_keys.keyed, character, action, slot, float(frames[0]))
        failing.pop_all()
    _keep(take_back, undoing)
    return RootMotion(bone, float(frames[0]), float(frames[-1]), root is None)


def _keep(take_back: Callable[[], None] | None, undoing: ExitStack | None) -> None:
    if take_back is not None and undoing is not None:
        undoing.callback(take_back)


def _curves(character: Object, action: Action, slot: str) -> SlotCurves:
    """Return the action's curves. Raises InputError where the character or its keys cannot get root motion."""
    if character.library is not None or character.override_library is not None:
        raise InputError(
            f'"{character.name}" is linked or a library override and cannot get root motion; make it local, or do it '
            "in its own file."
        )
    curves = collect_curves(character, action, slot)
    check_on_bones(f'Action "{action.name}"', character, curves)
    return curves


def check_on_bones(action: str, character: Object, curves: SlotCurves) -> None:
    """Raise InputError where an action, named as in `Action "Walk"`, moves the object, which cannot get root motion."""
    if curves.keys_object:
        raise InputError(
            f'{action} moves "{character.name}" itself, not a bone of it; root motion needs the travel on a bone.'
        )


def _frames(character: Object, action: Action, slot: str) -> Float64:
    times = times_of_motion(character, action, slot)
    return np.arange(np.floor(times[0] + 1e-3), np.ceil(times[-1] - 1e-3) + 0.5)


def _keyed(curves: SlotCurves) -> list[str]:
    return [joint for joints in curves.transforms.values() for joint in joints]


def _body_of(character: Object, skeleton: Skeleton, curves: SlotCurves, name: str) -> int:
    """Return the joint that carries the body."""
    moving = np.zeros(len(skeleton.names), bool)
    for joint, components in curves.transforms.get("location", {}).items():
        widest = max(float(np.ptp(key_values(curve)[:, 1])) for curve in components.values())
        moving[skeleton.names.index(joint)] = widest > SAME_PLACE * skeleton.size
    named = skeleton.names.index(name) if name in skeleton.names else None
    is_root = named is not None and skeleton.parents[named] < 0 and _others_move_beside(character, name)
    return find_body_joint(skeleton, moving, named if is_root else _ground_bone(character, skeleton))


def _others_move_beside(character: Object, name: str) -> bool:
    """Return whether a bone has children that can all move relative to it, being not connected."""
    children = character.data.bones[name].children
    return len(children) > 0 and not any(child.use_connect for child in children)


def _ground_bone(character: Object, skeleton: Skeleton) -> int | None:
    """Return the root bone that characters of game engines already have, even where it has all of the travel.

    A root that is connected to the hips is not used, since the hips could not sway relative to it.
    """
    joint = find_ground_joint(skeleton)
    return joint if joint is not None and _others_move_beside(character, skeleton.names[joint]) else None


def _track(character: Object, skeleton: Skeleton, poses: Float64, body: int, rate: float) -> BodyTrack:
    rest = np.array(character.data.bones[skeleton.names[body]].matrix_local.to_3x3(), np.float64)
    turned = rotations.without_scale(poses[:, body, :3, :3]) @ rest.T
    # On a control rig the feet are not below the joint that carries the body, but they are deforming bones.
    above = skeleton.chain(body)[:-1]
    bones = [character.data.bones[name] for name in skeleton.names]
    deforming = [joint for joint, bone in enumerate(bones) if bone.use_deform and joint not in above]
    lowest = poses[..., :3, 3][:, deforming or [body]] @ np.array(skeleton.up)
    return BodyTrack(
        orientations=rotations.make_continuous(rotations.from_matrix(turned)),
        places=poses[:, body, :3, 3],
        lowest=lowest.min(axis=1),
        up=skeleton.up,
        size=skeleton.size,
        rate=rate,
    )


def _with_bone(character: Object, name: str, poses: Float64) -> tuple[Skeleton, Float64]:
    """Return the skeleton with the added bone, and the poses with an entry for it."""
    before = [bone.name for bone in character.data.bones if bone.name != name]
    skeleton = read_bones(character)
    wider = np.tile(np.eye(4), (len(poses), len(skeleton.names), 1, 1))
    wider[:, [skeleton.names.index(bone) for bone in before]] = poses
    return skeleton, wider


def _tried(played: Played, action: Action, slot: str, bone: str, travel: GroundTravel, keyed: set[str]) -> Rekeyed:
    """Return the channels that move the travel to a bone, tried on a copy of the action."""
    root = played.skeleton.names.index(bone)
    orientations, positions = root_poses(played.skeleton, travel, root)
    matrices = np.tile(np.eye(4), (len(positions), 1, 1))
    matrices[:, :3, :3], matrices[:, :3, 3] = rotations.to_matrix(orientations), positions
    tried = action.copy()
    try:
        return rekeyed(played, tried, slot, root, matrices, keyed)
    finally:
        bpy.data.actions.remove(tried)


def _on_the_spot(new_keys: Rekeyed, root: int) -> Rekeyed:
    """Return the channels with the root bone's pose of the first frame at all frames."""
    turned, moved = new_keys.motion.rotations.copy(), new_keys.motion.translations.copy()
    column = int(np.searchsorted(new_keys.motion.translated, root))
    turned[:, root], moved[:, column] = turned[:1, root], moved[:1, column]
    return Rekeyed(replace(new_keys.motion, rotations=turned, translations=moved), new_keys.keyed)

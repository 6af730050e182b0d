# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that put the controls of a rig at given poses, whatever constraints do to the bones above them.

The keys of a control are relative to its parent. At a few frames they are found by evaluating the rig, which shows
which control, if any, each of these parents moves with, tracks, or turns half with. Only where one does none of these,
all frames are evaluated.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import bpy
import numpy as np
from bpy.types import (
    Action,
    CopyRotationConstraint,
    CopyScaleConstraint,
    DampedTrackConstraint,
    Object,
    Scene,
)

from ..animation.actions import new_action
from ..animation.channels import KeyedChannels
from ..animation.curves import NOTICED
from ..animation.reading.evaluation import evaluated_poses, playing, stage
from ..animation.reading.local_poses import bone_channels
from ..animation.rig import read_bones
from ..animation.writing import rewrite_joints
from ..core import Float64, Int64, Motion, Skeleton, rotations
from ..core.motion import gaussian
from .rig_limbs import FOLLOWS, LARGEST_MISS, PROBES, ROUNDS

Poses = Mapping[str, Float64]
"""Poses `(T, 4, 4)` of bones in armature space."""

FORESEEN = (DampedTrackConstraint, CopyRotationConstraint)
"""Constraints that turn a bone, of which the effect can be foreseen."""
SWIVEL_ROUNDS = 2
"""Number of times that knees and elbows are turned about their limbs, the last ones by what smoothing left."""
LEAST_BEND = 0.01
"""Distance of a knee from the line between hip and ankle, in sizes, from which its angle about that line counts."""
SWIVEL_SECONDS = 0.1
"""Deviation, in seconds, of the Gaussian that smooths this angle: a swing of a leg lasts some 0.4 s."""


@dataclass(frozen=True, eq=False)
class ControlGoals:
    """The poses that controls are to have.

    moved: controls that get locations. visible: poses of visible bones that follow. swivels: controls that turn a knee
    or an elbow about the line from a limb's beginning to its end, with the limb's three visible bones.
    """

    poses: Poses
    moved: frozenset[str]
    visible: Poses
    swivels: Mapping[str, Sequence[str]]

    def swiveled(self, seen: Poses, rows: Int64, size: float) -> "ControlGoals":
        """Return the goals with knees and elbows turned to where the visible poses have them.

        seen: evaluated poses `(K, 4, 4)` at frames `rows`, SWIVEL_SECONDS / 2 apart. In their mean the angle counts
        more the more a limb is bent: it is unknown for a straight one, and opposite for one bent slightly backwards.
        Knees and elbows turn as far as their controls do.
        """
        poses = dict(self.poses)
        for control, (first, middle, end) in self.swivels.items():
            hip, knee, foot = (self.visible[name][:, :3, 3] for name in (first, middle, end))
            axis = _unit(foot - hip)
            begin, joint, tip = (seen[name][:, :3, 3] for name in (first, middle, end))
            away = _across(_across(joint - begin, _unit(tip - begin)), axis[rows])
            there = _across(knee - hip, axis)[rows]
            across = np.einsum("ta,ta->t", np.cross(away, there), axis[rows])
            along = np.einsum("ta,ta->t", away, there)
            angles = np.zeros(len(rows))
            for _ in range(SWIVEL_ROUNDS):
                cosines, sines = np.cos(angles), np.sin(angles)
                off, at = _smooth(cosines * across - sines * along), _smooth(cosines * along + sines * across)
                angles += np.unwrap(np.arctan2(off, at + (LEAST_BEND * size) ** 2))
            turn = rotations.from_axis_angle(axis, np.interp(np.arange(len(axis)), rows, angles))
            turns, turned = rotations.to_matrix(turn), poses[control].copy()
            turned[:, :3, :3] = turns @ turned[:, :3, :3]
            turned[:, :3, 3] = hip + np.einsum("tab,tb->ta", turns, turned[:, :3, 3] - hip)
            poses[control] = turned
        return replace(self, poses=poses)


@dataclass(frozen=True, eq=False)
class PosedControls:
    """Keys of controls: a motion on the skeleton of all bones, and the channels with keys; notes: for the user."""

    motion: Motion
    keyed: KeyedChannels
    notes: tuple[str, ...] = ()


def keys_of_controls(character: Object, scene: Scene, goals: ControlGoals, rate: float) -> PosedControls:
    """Return the keys with which controls are at their goals. Raises InputError if drivers hold a control."""
    count = len(next(iter(goals.poses.values())))
    probes = np.unique(np.linspace(0, count - 1, PROBES).round().astype(np.int64))
    every = np.arange(count)
    action, slot = new_action("GenMM Controls", character)
    try:
        with stage(character, scene) as temporary, playing(character, action, slot):
            rig = _Rig(character, temporary, action, slot, goals, rate)
            seen = rig.settled(probes)
            parents = rig.parents_with_leaders(probes, seen)
            if parents.keys() < rig.parents:
                parents = {**rig.parents_in(rig.evaluated(rig.keys(every, parents))), **parents}
            some = np.unique(np.append(np.arange(0, count, max(1, round(SWIVEL_SECONDS * rate / 2))), count - 1))
            if goals.swivels:
                seen = rig.evaluated(rig.keys(some, {name: pose[some] for name, pose in parents.items()}))
                visible = {name: seen[:, rig.place(name)] for name in goals.visible}
                rig = replace(rig, goals=rig.goals.swiveled(visible, some, rig.skeleton.size))
            keys = rig.corrected(rig.keys(every, parents))
            return PosedControls(keys, rig.keyed, rig.misses(keys, probes))
    finally:
        bpy.data.actions.remove(action)


@dataclass(frozen=True, eq=False)
class _Rig:
    """A rig with goals for its controls, which plays an action to try their keys in, from frame 0 on, on a stage."""

    character: Object
    temporary: Scene
    action: Action
    slot: str
    goals: ControlGoals
    rate: float

    @cached_property
    def skeleton(self) -> Skeleton:
        return read_bones(self.character)

    @cached_property
    def order(self) -> list[str]:
        """Return the controls, parents first."""
        bones = self.character.data.bones
        return sorted(self.goals.poses, key=lambda name: (len(bones[name].parent_recursive), name))

    @cached_property
    def parents(self) -> set[str]:
        """Return the bones directly above controls."""
        bones = self.character.data.bones
        return {parent.name for name in self.order if (parent := bones[name].parent) is not None}

    @cached_property
    def keyed(self) -> KeyedChannels:
        bones = self.character.pose.bones
        modes = {name: bones[name].rotation_mode for name in self.order}
        return KeyedChannels(modes, tuple(name for name in self.order if name in self.goals.moved))

    def place(self, name: str) -> int:
        """Return the place of a bone among the evaluated ones."""
        return self.character.pose.bones.find(name)

    def settled(self, rows: Int64) -> Float64:
        """Return the poses `(K, B, 4, 4)` of all bones at some frames, with controls at their goals where possible."""
        still = np.tile(np.array([1.0, 0, 0, 0], np.float32), (len(rows), len(self.skeleton.names), 1))
        joints = np.array(sorted(self.skeleton.names.index(name) for name in self.goals.moved), np.int64)
        places = np.zeros((len(rows), len(joints), 3), np.float32)
        seen = self.evaluated(Motion(self.skeleton, self.rate, still, joints, places))
        for _ in range(ROUNDS + PROBES):
            seen = self.evaluated(self.keys(rows, self.parents_in(seen, rows)))
            if self._farthest(rows, seen) <= NOTICED:
                break
        return seen

    def evaluated(self, keys: Motion) -> Float64:
        """Return the poses `(T, B, 4, 4)` of all bones with these keys."""
        rewrite_joints(keys, self.keyed, self.character, self.action, self.slot, 0.0)
        frames = np.arange(keys.frames, dtype=np.float64)
        return evaluated_poses(self.character, self.temporary, frames).astype(np.float64)

    def keys(self, rows: Int64, parents: Poses) -> Motion:
        """Return the keys at some frames, with bones above controls at these poses; unknown ones are at rest."""
        names = self.skeleton.names
        turned = np.tile(np.array([1.0, 0, 0, 0]), (len(rows), len(names), 1))
        joints = sorted(names.index(name) for name in self.goals.moved)
        moved = np.zeros((len(rows), len(joints), 3))
        for name in self.order:
            parent, joint = self.character.data.bones[name].parent, names.index(name)
            above = None
            if parent is not None:
                rest = np.array(parent.matrix_local, np.float64)
                above = parents.get(parent.name, np.broadcast_to(rest, (len(rows), 4, 4)))
            place, turned[:, joint] = bone_channels(self.character, name, self.goals.poses[name][rows], above)
            if joint in joints:
                moved[:, joints.index(joint)] = place
        continuous = rotations.make_continuous(rotations.normalize(turned)).astype(np.float32)
        return Motion(self.skeleton, self.rate, continuous, np.array(joints, np.int64), moved.astype(np.float32))

    def parents_in(self, seen: Float64, rows: Int64 | None = None) -> dict[str, Float64]:
        """Return the poses of bones above controls, from evaluated ones `(K, B, 4, 4)` of all bones at frames `rows`.

        A bone below another control, without constraints between them, moves on with it to its goal.
        """
        bones, place = self.character.pose.bones, self.place
        rows = np.arange(len(seen)) if rows is None else rows
        poses = {}
        for name in self.parents:
            pose, bone = seen[:, place(name)], bones[name]
            while bone is not None and bone.name not in self.goals.poses and not bone.constraints:
                bone = bone.parent
            if bone is not None and bone.name in self.goals.poses:
                pose = self._goal(bone.name, rows, seen) @ np.linalg.inv(seen[:, place(bone.name)]) @ pose
            poses[name] = pose
        return poses

    def corrected(self, keys: Motion) -> Motion:
        """Return keys by which controls with constraints of their own meet their goals as far as possible.

        Such constraints turn them further, as in Rigify's tails, whose bones turn with each other. What a control
        misses by is added to what it aims at, round by round.
        """
        bones = self.character.pose.bones
        added = [name for name in self.order if any(not constraint.mute for constraint in bones[name].constraints)]
        added = [name for name in added if name not in self.goals.swivels]
        every, aims, best, least = np.arange(keys.frames), dict(self.goals.poses), keys, np.inf
        for _ in range(ROUNDS if added else 0):
            seen = self.evaluated(keys)
            turns = {}
            for name in added:
                goal, pose = (each[:, :3, :3] for each in (self.goals.poses[name], seen[:, self.place(name)]))
                turns[name] = goal @ np.swapaxes(rotations.without_scale(pose), 1, 2)
            farthest = max(float(np.abs(turn - np.eye(3)).max()) for turn in turns.values())
            if farthest < least:
                best, least = keys, farthest
            if farthest <= FOLLOWS:
                break
            for name, turn in turns.items():
                aims[name] = aims[name].copy()
                aims[name][:, :3, :3] = turn @ aims[name][:, :3, :3]
            keys = replace(self, goals=replace(self.goals, poses=aims)).keys(every, self.parents_in(seen))
        return best

    def parents_with_leaders(self, rows: Int64, seen: Float64) -> dict[str, Float64]:
        """Return the poses `(T, 4, 4)` at all frames of those bones above controls that follow controls, or stay.

        seen: poses `(K, B, 4, 4)` at frames `rows`.
        """
        rig = self._carried(rows, seen)
        found = {name: rig._following(name, rows, seen) for name in self.parents}
        for name, pose in found.items():
            found[name] = rig._constrained(name, rows, seen) if pose is None else pose
        return {name: pose for name, pose in found.items() if pose is not None}

    def _carried(self, rows: Int64, seen: Float64) -> "_Rig":
        """Return the rig with controls that have no location keys where others carry them, as up a spine."""
        poses = dict(self.goals.poses)
        for name in self.order:
            beside = [pose for other, pose in poses.items() if other != name]
            places = None if name in self.goals.moved else self._beside(beside, rows, seen[:, self.place(name), :3, 3])
            if places is not None:
                poses[name] = poses[name].copy()
                poses[name][:, :3, 3] = places
        return replace(self, goals=replace(self.goals, poses=poses))

    def _beside(self, leaders: Sequence[Float64], rows: Int64, places: Float64) -> Float64 | None:
        """Return the places `(T, 3)` of what one of the leaders carries, from those at frames `rows`."""
        beside = (
            np.einsum("tba,tb->ta", posed[:, :3, :3], places - posed[:, :3, 3])
            for posed in (leader[rows] for leader in leaders)
        )
        carried = _first_constant(beside, NOTICED * self.skeleton.size)
        if carried is None:
            return None
        leader = leaders[carried[0]]
        return np.asarray(leader[:, :3, 3] + leader[:, :3, :3] @ carried[1])

    def _following(self, name: str, rows: Int64, seen: Float64) -> Float64 | None:
        """Return the poses `(T, 4, 4)` of a bone that turns with one control, or stays, and is carried by one."""
        world = np.tile(np.eye(4), (len(next(iter(self.goals.poses.values()))), 1, 1))
        leaders = [world, *(self.goals.poses[control] for control in self.order)]
        pose = self.goals.poses[name][rows] if name in self.goals.poses else seen[:, self.place(name)]
        axes = rotations.without_scale(pose[:, :3, :3])
        turned = _first_constant((np.swapaxes(leader[rows, :3, :3], 1, 2) @ axes for leader in leaders), NOTICED)
        places = None if turned is None else self._beside(leaders, rows, pose[:, :3, 3])
        if turned is None or places is None:
            return None
        whole = world.copy()
        whole[:, :3, :3] = leaders[turned[0]][:, :3, :3] @ turned[1]
        whole[:, :3, 3] = places
        return whole

    def _constrained(self, name: str, rows: Int64, seen: Float64) -> Float64 | None:
        """Return the poses `(T, 4, 4)` of a bone that points to another one, or partly turns with it; None for others.

        Rigify's limbs swing so with the target of their inverse kinematics, and its neck turns half with the torso.
        """
        bone = self.character.pose.bones[name]
        active = [c for c in bone.constraints if not c.mute and not isinstance(c, CopyScaleConstraint)]
        if bone.parent is None or len(active) != 1 or not isinstance(active[0], FORESEEN):
            return None
        above = self._following(bone.parent.name, rows, seen)
        leader = active[0].subtarget if active[0].target == self.character else ""
        end = self._following(leader, rows, seen) if leader in self.skeleton.names else None
        if above is None or end is None:
            return None
        rests = [np.array(each.bone.matrix_local, np.float64) for each in (bone.parent, bone)]
        pose, shown = above @ np.linalg.inv(rests[0]) @ rests[1], seen[:, self.place(name)]
        if isinstance(active[0], DampedTrackConstraint):
            turn = rotations.shortest_turn(pose[:, :3, 1], end[:, :3, 3] - pose[:, :3, 3])
        else:
            turn = _turn_with(pose, end, rows, shown)
        pose[:, :3, :3] = rotations.to_matrix(turn) @ pose[:, :3, :3]
        return pose if np.abs(pose[rows] - shown).max() <= FOLLOWS * self.skeleton.size else None

    def misses(self, keys: Motion, probes: Int64) -> tuple[str, ...]:
        """Return a note on the visible bone that is farthest from its goal beside the probes, if it is visibly off."""
        others = np.unique(np.minimum(probes + 1, keys.frames - 1))
        seen, place = self.evaluated(keys.take(others)), self.place
        bending = {name for bones in self.goals.swivels.values() for name in bones[:-1]}
        ends = {name: goal for name, goal in self.goals.visible.items() if name not in bending}
        moved = {name: self.goals.poses[name] for name in self.goals.moved - self.goals.swivels.keys()}
        away = {
            name: float(np.linalg.norm(seen[:, place(name), :3, 3] - goal[others, :3, 3], axis=1).max())
            for name, goal in {**moved, **ends}.items()
        }
        worst = max(away, key=away.__getitem__, default="")
        if not worst or away[worst] <= LARGEST_MISS * self.skeleton.size:
            return ()
        share = 100 * away[worst] / self.skeleton.size
        return (f'Constraints of the rig keep "{worst}" up to {share:.2g} % of the character\'s size off its place.',)

    def _goal(self, name: str, rows: Int64, seen: Float64) -> Float64:
        """Return the poses of a control at its goal; one without location keys stays where it is evaluated."""
        goal = self.goals.poses[name][rows].copy()
        if name not in self.goals.moved:
            goal[:, :3, 3] = seen[:, self.place(name), :3, 3]
        return goal

    def _farthest(self, rows: Int64, seen: Float64) -> float:
        """Return the largest error of the controls: of axes, as unit vectors, and of places, in sizes."""
        errors = [0.0]
        for name in self.goals.poses.keys() - self.goals.swivels.keys():  # IK turns those itself
            pose, goal = seen[:, self.place(name)], self.goals.poses[name][rows]
            errors.append(float(np.abs(rotations.without_scale(pose[:, :3, :3]) - goal[:, :3, :3]).max()))
            if name in self.goals.moved:
                errors.append(float(np.abs(pose[:, :3, 3] - goal[:, :3, 3]).max()) / self.skeleton.size)
        return max(errors)


def _first_constant(candidates: Iterable[Float64], largest: float) -> tuple[int, Float64] | None:
    """Return the number and the mean of the first values `(K, ...)` that are the same in all rows; None without any."""
    for number, values in enumerate(candidates):
        if np.abs(np.ptp(values, axis=0)).max() <= largest:
            return number, values.mean(axis=0)
    return None


def _turn_with(pose: Float64, leader: Float64, rows: Int64, seen: Float64) -> Float64:
    """Return the turn `(T, 4)` of a bone that turns a constant part of the way from its pose to the leader's.

    pose, leader: `(T, 4, 4)`. seen: the bone's evaluated poses `(K, 4, 4)` at frames `rows`, which show the part.
    """
    begin, end, shown = (rotations.from_matrix(rotations.without_scale(m[:, :3, :3])) for m in (pose, leader, seen))
    whole = rotations.to_vector(rotations.multiply(end, rotations.inverse(begin)))
    part = rotations.to_vector(rotations.multiply(shown, rotations.inverse(begin[rows])))
    share = (whole[rows] * part).sum() / max(float((whole[rows] ** 2).sum()), 1e-12)
    return np.asarray(rotations.from_vector(share * whole), np.float64)


def _across(vectors: Float64, axis: Float64) -> Float64:
    """Return the parts of vectors `(T, 3)` across unit axes `(T, 3)`."""
    return np.asarray(vectors - np.einsum("ta,ta->t", vectors, axis)[:, None] * axis)


def _unit(vectors: Float64) -> Float64:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _smooth(values: Float64) -> Float64:
    """Return values `(K,)` that are SWIVEL_SECONDS / 2 apart, smoothed over that time; the end values are repeated."""
    return np.convolve(np.pad(values, 4, mode="edge"), gaussian(4, 2.0), "valid")

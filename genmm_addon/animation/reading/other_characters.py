# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of other characters, transferred to a character's own skeleton and channels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from bpy.types import Object, PoseBone

from ...core import Float64, InputError, Motion, Skeleton, listed
from ...core.transfer import (
    ContactsToKeep,
    JointMatch,
    contacts_to_keep,
    ground_of,
    match_joints,
    missed_contacts,
    moved_joints,
    needs_target_pose,
    retarget,
    usual_pose,
    with_self_contacts,
)
from ..channels import KeyedChannels
from ..curves import owner_of
from ..detached_ends import keyed_with_ends
from ..rig import OBJECT_JOINT, read_skeleton
from .example_spec import Reading
from .usual_pose import usual_pose_of

FOLLOWING = {"CHILD_OF", "ARMATURE", "COPY_LOCATION", "COPY_TRANSFORMS"}
"""Types of constraints by which a bone follows another one."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """Another character and one example read on it. It holds a data-block, so use it at once."""

    armature: Object
    reading: Reading

    @property
    def motion(self) -> Motion:
        """Return the example's motion, on its own skeleton."""
        return self.reading.motions[0]


def check_fits(match: JointMatch, other: str, character: str) -> None:
    """Raise InputError if too few bones of another character have a counterpart on a character; both are names."""
    if not match.fits:
        raise InputError(
            f'"{other}" does not fit "{character}": its trunk and legs have no counterpart there; pair them in Bone '
            "Names, or learn from a similar creature."
        )


@dataclass(frozen=True, eq=False)
class _Matched:
    """Another character's example, with the names of its joints and their counterparts on the character."""

    example: Foreign
    match: JointMatch

    @property
    def motion(self) -> Motion:
        return self.example.motion

    @property
    def pairs(self) -> dict[str, str]:
        return self.match.names


def brought_together(
    armature: Object,
    is_own: Sequence[bool],
    own_reading: Reading | None,
    foreign: Sequence[Foreign],
    bone_names: Sequence[tuple[str, str]],
    *,
    keep_contacts: bool = True,
) -> Reading:
    """Return all examples on the character's skeleton, in the order of `is_own`.

    own_reading: of the character's examples, None without any. keep_contacts: whether hands touch the
    character's body where they do in the example. Raises InputError if trunk and legs of another character have no
    counterpart, as `check_fits` does.
    """
    skeleton = own_reading.motions[0].skeleton if own_reading is not None else read_skeleton(armature)
    own_motions = () if own_reading is None else own_reading.motions
    matched = [_matched(armature, skeleton, own_motions, other, bone_names) for other in foreign]
    moved = [moved_joints(other.motion, skeleton, other.pairs) for other in matched]
    free = {joint for joints in moved for joint in free_joints(armature, skeleton, joints)}
    layout = _like(own_reading, skeleton, free)
    pose = _target_pose(armature, skeleton, own_motions, matched)
    brought = [_brought(other, layout, own_motions, pose, keep_contacts=keep_contacts) for other in matched]
    arrived = iter([_on(layout, motion) for motion, _ in brought])
    mine = iter([_on(layout, motion) for motion in own_motions])
    known = iter([frozenset(other.pairs.values()) for other in matched])
    notes = [note for other in matched for note in other.match.notes]
    notes += () if own_reading is None else own_reading.notes
    notes += [note for _, notes_of_motion in brought for note in notes_of_motion]
    return Reading(
        motions=tuple(next(mine) if here else next(arrived) for here in is_own),
        keyed=keyed_channels(armature, skeleton, own_reading, [other.pairs for other in matched], free),
        visual=own_reading is not None and own_reading.visual,
        notes=tuple(dict.fromkeys(notes)),
        known=tuple(None if here else next(known) for here in is_own),
    )


def _matched(
    armature: Object,
    skeleton: Skeleton,
    own_motions: Sequence[Motion],
    other: Foreign,
    bone_names: Sequence[tuple[str, str]],
) -> _Matched:
    match = match_joints(
        other.motion.skeleton, skeleton, motions=[other.motion], target_motions=own_motions, given=bone_names
    )
    check_fits(match, other.armature.name, armature.name)
    return _Matched(other, match)


def _target_pose(
    armature: Object, skeleton: Skeleton, own_motions: Sequence[Motion], matched: Sequence[_Matched]
) -> Float64 | None:
    """Return the character's usual pose if an example needs it, see `retarget`."""
    if not any(needs_target_pose(other.motion.skeleton, skeleton, other.pairs) for other in matched):
        return None
    return usual_pose(own_motions) if own_motions else usual_pose_of(armature, skeleton)


def _brought(
    other: _Matched, layout: Motion, own_motions: Sequence[Motion], pose: Float64 | None, *, keep_contacts: bool
) -> tuple[Motion, tuple[str, ...]]:
    """Return an example on the skeleton of `layout`, and notes on it."""
    ground = ground_of(own_motions[0]) if own_motions else None
    contacts = contacts_to_keep(other.motion, layout.skeleton, other.pairs) if keep_contacts else None
    moved = retarget(other.motion, layout.skeleton, other.pairs, layout.translated, ground, target_pose=pose)
    motion = with_self_contacts(moved, contacts)
    return motion, (
        *other.example.reading.notes,
        *note_on_unmatched(f'"{other.example.armature.name}"', other.motion.skeleton.names, other.pairs),
        *(() if contacts is None else _note_on_missed(other.example, motion, contacts)),
    )


def _note_on_missed(example: Foreign, result: Motion, contacts: ContactsToKeep) -> tuple[str, ...]:
    """Return a note on the hands' contacts that the character's arms miss; none if they reach all."""
    missed, count = missed_contacts(result, contacts), len(contacts.contacts)
    if not missed:
        return ()
    times = f"{missed} of the {count} times" if count > 1 else "the one time"
    return (
        f'Hands miss each other or the body {times} they touch in the example of "{example.armature.name}": these arms '
        "are too short, or would fold too far or too quickly.",
    )


def free_joints(armature: Object, skeleton: Skeleton, moved: Sequence[int]) -> list[int]:
    """Return the joints in `moved` that can have a location and, but for the first, that no constraint moves."""
    names = [skeleton.names[joint] for joint in moved]
    return [
        joint
        for number, (joint, name) in enumerate(zip(moved, names, strict=True))
        if can_move(armature, name) and (number == 0 or not _follows(armature, name))
    ]


def _follows(armature: Object, name: str) -> bool:
    """Return whether constraints make a bone, or one above it, follow others."""
    bone: PoseBone | None = armature.pose.bones.get(name)
    chain = [] if bone is None else [bone, *bone.parent_recursive]
    return any(
        constraint.type in FOLLOWING and not constraint.mute for part in chain for constraint in part.constraints
    )


def can_move(armature: Object, joint: str) -> bool:
    """Return whether a joint can have a location, which Blender ignores on a connected bone."""
    return joint == OBJECT_JOINT or not armature.data.bones[joint].use_connect


def _like(own_reading: Reading | None, skeleton: Skeleton, carriers: set[int]) -> Motion:
    """Return one frame with the channels of all motions: those of its examples, and locations of the carriers."""
    if own_reading is None:
        return Motion(
            skeleton,
            30.0,
            np.tile(np.array([1, 0, 0, 0], np.float32), (1, len(skeleton.names), 1)),
            np.array(sorted(carriers), np.int64),
        )
    example = own_reading.motions[0].slice(0, 1)
    translated = np.array(sorted({*example.translated.tolist(), *carriers}), np.int64)
    moved = np.zeros((1, len(translated), 3), np.float32)
    moved[:, np.searchsorted(translated, example.translated)] = example.translations
    return replace(example, translated=translated, translations=moved)


def _on(layout: Motion, motion: Motion) -> Motion:
    """Return the motion with the channels of `layout`; those that it does not have keep the values of that frame."""
    frames = motion.frames
    moved = np.repeat(layout.translations, frames, 0)
    moved[:, np.searchsorted(layout.translated, motion.translated)] = motion.translations
    own_scales = np.array_equal(motion.scaled, layout.scaled)
    own_scalars = motion.scalar_names == layout.scalar_names
    return Motion(
        layout.skeleton,
        motion.frames_per_second,
        motion.rotations,
        layout.translated,
        moved,
        layout.scaled,
        motion.scales if own_scales else np.repeat(layout.scales, frames, 0),
        layout.scalar_names,
        motion.scalars if own_scalars else np.repeat(layout.scalars, frames, 0),
    )


def keyed_channels(
    armature: Object,
    skeleton: Skeleton,
    own_reading: Reading | None,
    tables: Sequence[Mapping[str, str]],
    free: Iterable[int],
) -> KeyedChannels:
    """Return the channels keyed in a result: those of its examples, and those that the others move.

    free: the joints that are translated with the travel.
    """
    keyed = own_reading.keyed if own_reading is not None else KeyedChannels()
    moved = {name for pairs in tables for name in pairs.values()}
    rotations = dict(keyed.rotations) | {name: owner_of(armature, name).rotation_mode for name in sorted(moved)}
    carriers = {skeleton.names[joint] for joint in free} - set(keyed.locations)
    locations = (*keyed.locations, *sorted(carriers))
    keyed = replace(keyed, rotations=MappingProxyType(rotations), locations=locations)
    return keyed_with_ends(keyed, skeleton, armature)


def note_on_unmatched(owner: str, names: Sequence[str], pairs: Mapping[str, str]) -> tuple[str, ...]:
    """Return a note on the bones of `owner` that have no counterpart; none if all have one."""
    left = [name for name in names if name and name not in pairs]
    if not left:
        return ()
    return (f"Bones of {owner} without a counterpart: {listed(left)}.",)

# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion of another skeleton brought to a character as a new action, written through its controls on a rig."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ...animation.actions import assigned
from ...animation.channels import KeyedChannels
from ...animation.keys.simplification import KEY_SPACINGS, KeySpacing, Simplification
from ...animation.reading.other_characters import free_joints, keyed_channels
from ...animation.reading.usual_pose import seen_moments, usual_pose_of
from ...animation.rig import OBJECT_JOINT, read_skeleton
from ...animation.scene_time import scene_rate
from ...animation.stretches.linked import is_linked
from ...animation.writing import write_action
from ...control_rigs.posed_controls import needs_controls, pose_controls
from ...control_rigs.root_motion.putting import put_on_root
from ...core import InputError, Motion, computing, counted, listed, resample
from ...core.repair import in_balance_as
from ...core.transfer import (
    BoneMap,
    JointMatch,
    bring,
    connected_body,
    contacts_to_keep,
    left_out,
    match_joints,
    missed_contacts,
    moved_joints,
    needs_target_pose,
)
from ...generation.outputs import assign_new, check_output
from ...generation.request import Output
from .incoming import Incoming

SPACINGS = tuple(choice for choice in KEY_SPACINGS if choice.value is not KeySpacing.AS_EXAMPLES)
"""The choices of keys: there are no examples whose keys could be the model."""

NAMES = re.compile(r'"[^"]*"(, "[^"]*")*( and \d+ more)?|\d+')
"""Names and numbers in a note."""


@dataclass(frozen=True)
class BringOptions:
    """Options of bringing.

    in_place: without travel over the ground. path_scale: factor on the travel, in addition to that of the legs'
    lengths. root_motion: the root bone that the travel is moved to; "" leaves it where it is. keys: few keys with
    smooth curves; None for one on every frame. bone_names: pairs of a bone there and here, which precede those found.
    keep_contacts: whether hands touch the own body where they do there. bone_map: pairs from a file, which precede all.
    """

    in_place: bool = False
    path_scale: float = 1.0
    root_motion: str = ""
    keys: Simplification | None = None
    bone_names: tuple[tuple[str, str], ...] = ()
    keep_contacts: bool = True
    bone_map: BoneMap | None = None


@dataclass(frozen=True, eq=False)
class Brought:
    """A new action, its slot, its first and last frame, and notes for the user."""

    action: Action
    slot: str
    first: float
    last: float
    notes: tuple[str, ...] = ()


def bring_each(
    character: Object, scene: Scene, sources: Iterable[Callable[[], Sequence[Incoming]]], options: BringOptions
) -> tuple[list[Brought], list[str]]:
    """Write the motions of all sources as actions; return these, and the reasons why others cannot be brought."""
    brought, refused = list[Brought](), list[str]()
    for source in sources:
        try:
            coming = source()
        except InputError as error:
            refused.append(str(error))
            continue
        for incoming in coming:
            try:
                with ExitStack() as undoing:
                    brought.append(bring_to(character, scene, incoming, options, undoing))
                    undoing.pop_all()
            except InputError as error:
                refused.append(str(error))
    return brought, refused


def gathered_notes(brought: Iterable[Brought], refused: Iterable[str]) -> list[str]:
    """Return reasons and notes; of those that differ only in names and numbers, the first, with names for the rest.

    A reason begins with the name of what it is about.
    """
    by_kind: dict[str, list[tuple[str, str]]] = {}
    notes = [(reason, (*reason.split('"'), "")[1]) for reason in refused]
    for note, action in dict.fromkeys((*notes, *((note, each.action.name) for each in brought for note in each.notes))):
        by_kind.setdefault(NAMES.sub("", note), []).append((note, action))
    gathered = []
    for (first, _), *others in by_kind.values():
        names = [action for _, action in others if action]
        more = f" The same holds for {counted(len(others), 'other')}{': ' if names else ''}{listed(names)}."
        gathered.append(first + more * bool(others))
    return gathered


@computing()
def bring_to(character: Object, scene: Scene, incoming: Incoming, options: BringOptions, undoing: ExitStack) -> Brought:
    """Write a motion as a new action of the character, which then plays it.

    undoing: a stack that undoes this if a later step fails. Raises InputError, with nothing written, for a character
    that cannot be given an action, and a motion that it cannot have.
    """
    if is_linked(character):
        raise InputError(
            f'"{character.name}" is linked and cannot be given an action; make an editable library override of it.'
        )
    check_output(character, Output.NEW_ACTION)
    motion = replace(resample(incoming.motion, scene_rate(scene))[0], frames_per_second=scene_rate(scene))
    if motion.frames < 2:
        raise InputError(f'"{incoming.name}" has only one frame; choose an action that moves.')
    match, notes_on_map = _match(character, motion, incoming, options)
    pairs = match.names
    posed, keyed, notes = _posed(character, scene, motion, pairs, options)
    first = float(scene.frame_start) if incoming.first is None else incoming.first
    written = write_action(posed, keyed, character, name=incoming.name, frame_start=first, simplification=options.keys)
    undoing.callback(bpy.data.actions.remove, written.action)
    written.action.use_fake_user = True  # else, of several, only the one that plays would be saved
    if character.animation_data is None:
        undoing.callback(character.animation_data_clear)
    assign_new(character, written, undoing)
    if options.root_motion:
        put_on_root(character, scene, written.action, written.slot, name=options.root_motion, undoing=undoing)
    unmatched = left_out(motion, pairs)
    if unmatched:
        notes += (
            f'Bones of {incoming.owner} without a counterpart, left out of "{incoming.name}": {listed(unmatched)}.',
        )
    return Brought(
        written.action,
        written.slot,
        first,
        first + posed.frames - 1,
        (*incoming.notes, *match.notes, *notes_on_map, *notes),
    )


def _match(
    character: Object, motion: Motion, incoming: Incoming, options: BringOptions
) -> tuple[JointMatch, tuple[str, ...]]:
    """Return the bones there and here that correspond, and notes on the map.

    Raises InputError without counterparts for trunk and legs.
    """
    skeleton, bone_map, notes = read_skeleton(character), options.bone_map, tuple[str, ...]()
    given = options.bone_names
    if bone_map is not None:
        given = (*given, *bone_map.between(motion.skeleton, skeleton))
        if lacking := bone_map.lacking(motion.skeleton, skeleton):
            notes = (f"The {bone_map.title} has bones that {incoming.owner} does not have: {listed(lacking)}.",)
    own_motions = seen_moments(character, skeleton, assigned(character))
    match = match_joints(motion.skeleton, skeleton, motions=[motion], target_motions=own_motions, given=given)
    if not match.fits:
        raise InputError(
            f'{incoming.owner} does not fit "{character.name}": its trunk and legs have no counterpart here; pair them '
            "in Bone Names or by a map, or choose a motion of a similar creature."
        )
    return match, notes


def _posed(
    character: Object, scene: Scene, motion: Motion, pairs: dict[str, str], options: BringOptions
) -> tuple[Motion, KeyedChannels, tuple[str, ...]]:
    """Return the motion on the character's skeleton, the channels to key, and notes."""
    skeleton = read_skeleton(character)
    on_controls = needs_controls(character, [name for name in pairs.values() if name != OBJECT_JOINT])
    target = connected_body(motion.skeleton, skeleton, pairs) if on_controls else skeleton
    moved = moved_joints(motion, target, pairs)
    free = moved if on_controls else free_joints(character, skeleton, moved)
    needs_pose = not on_controls and needs_target_pose(motion.skeleton, target, pairs)
    pose = usual_pose_of(character, skeleton) if needs_pose else None
    brought = bring(
        motion,
        target,
        pairs,
        np.array(sorted(free), np.int64),
        target_pose=pose,
        in_place=options.in_place,
        path_scale=options.path_scale,
        keep_contacts=options.keep_contacts,
    )
    brought = in_balance_as(motion, brought)
    notes = _note_on_contacts(motion, brought, pairs) if options.keep_contacts else ()
    if not on_controls:
        return brought, keyed_channels(character, skeleton, None, [pairs], free), notes
    controls = pose_controls(character, scene, brought)
    return controls.motion, controls.keyed, (*notes, *controls.notes)


def _note_on_contacts(motion: Motion, brought: Motion, pairs: dict[str, str]) -> tuple[str, ...]:
    contacts = contacts_to_keep(motion, brought.skeleton, pairs)
    missed = 0 if contacts is None else missed_contacts(brought, contacts)
    if contacts is None or not missed:
        return ()
    return (f"Hands miss the body at {missed} of {len(contacts.contacts)} places: these arms do not reach.",)

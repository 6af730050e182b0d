# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons that a character learns from, and the table of their bones' counterparts."""

from collections.abc import Iterable

from bpy.types import Context, Object

from ...animation.reading.usual_pose import seen_moments
from ...animation.rig import read_skeleton
from ...core import Motion, Skeleton
from ...core.library import ClipLibrary
from ...core.transfer import match_joints
from ...libraries.choosing import library_in
from ...requests.direction_values import bone_names_of
from ...requests.library_values import learns_from_library, library_files
from ...state.pins_editing import own_assignment
from ...state.properties import GENMM_PG_character
from ...state.selection import armature_of


def other_characters(context: Context, character: Object) -> list[Object]:
    """Return the other characters that the selected objects lead to, each once."""
    armatures = [armature_of(thing) for thing in context.view_layer.objects.selected]
    return list(dict.fromkeys(other for other in armatures if other is not None and other != character))


def characters_learned_from(settings: GENMM_PG_character) -> list[Object]:
    """Return the other characters whose actions are in the list of examples."""
    return list(dict.fromkeys(item.armature for item in settings.examples if item.armature is not None))


def learns_from_others(settings: GENMM_PG_character) -> bool:
    """Return whether the character learns from other skeletons, of characters or of libraries."""
    if learns_from_library(settings):
        return len(settings.library_files) > 0
    return bool(characters_learned_from(settings))


def other_skeletons(context: Context, character: Object, settings: GENMM_PG_character) -> dict[str, Skeleton]:
    """Return each other skeleton by its character's name or its file. Raises InputError for a damaged library."""
    if learns_from_library(settings):
        return {file: library_in(file).skeleton for file in library_files(settings)}
    others = dict.fromkeys((*characters_learned_from(settings), *other_characters(context, character)))
    return {other.name: read_skeleton(other) for other in others}


def moving_skeletons(
    context: Context, character: Object, settings: GENMM_PG_character
) -> list[tuple[Skeleton, tuple[Motion, ...]]]:
    """Return each other skeleton with a motion of it, if there is one. Raises InputError for a damaged library."""
    if learns_from_library(settings):
        libraries = [library_in(file) for file in library_files(settings)]
        return [(each.skeleton, (each.motion(_longest_clip(each)),)) for each in libraries]
    played = {item.armature: (item.action, item.slot) for item in settings.examples if item.armature and item.action}
    moving = []
    for other in dict.fromkeys((*characters_learned_from(settings), *other_characters(context, character))):
        skeleton = read_skeleton(other)
        moving.append((skeleton, seen_moments(other, skeleton, played.get(other) or own_assignment(other))))
    return moving


def _longest_clip(library: ClipLibrary) -> int:
    return max(range(len(library.clips)), key=lambda number: library.clips[number].frames)


def match_bones(
    settings: GENMM_PG_character, character: Object, others: Iterable[tuple[Skeleton, tuple[Motion, ...]]]
) -> None:
    """Fill the table with the others' bones and their counterparts by shape and motion; what the user set stays."""
    skeleton = read_skeleton(character)
    own_motions = seen_moments(character, skeleton, own_assignment(character))
    for number, row in reversed(list(enumerate(settings.bone_names))):
        if row.shown_certainty != "SET" or not (row.name or row.target):
            settings.bone_names.remove(number)
    listed = {row.name for row in settings.bone_names}
    given = bone_names_of(settings)
    for other, motions in others:
        match = match_joints(other, skeleton, motions=motions, target_motions=own_motions, given=given)
        pairs = {pair.source: pair for pair in match.pairs}
        for name in other.names:
            if name and name not in listed:
                pair, row = pairs.get(name), settings.bone_names.add()
                row.name, row.target = name, "" if pair is None else pair.target
                row.matched, row.certainty = row.target, "DOUBTFUL" if pair is None or not pair.is_sure else "SURE"
                listed.add(name)
    settings.active_bone_name = min(settings.active_bone_name, max(len(settings.bone_names) - 1, 0))

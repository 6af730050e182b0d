# SPDX-License-Identifier: GPL-3.0-or-later
"""The character that the selection leads to."""

from typing import Any

from bpy.types import Context, Object, PoseBone, Scene

from ..animation.rig import ancestors_of
from ..animation.stretches.linked import why_missing
from ..character.tags import PROPERTY as RESULT
from ..generation.recipe import character_behind
from .properties import GENMM_PG_character, readable_settings

SELECT_ONE = "Select a character (an armature, or a mesh that follows one)"


def armature_of(thing: Object | None) -> Object | None:
    """Return the armature that `thing` is, is deformed by, is parented to, or has as its only one among its children.

    None where there is none, or several.
    """
    if thing is None or thing.type == "ARMATURE":
        return thing
    followed = thing.find_armature()
    if followed is not None:
        return followed
    above = next((ancestor for ancestor in ancestors_of(thing) if ancestor.type == "ARMATURE"), None)
    if above is not None:
        return above
    inside = [child for child in thing.children_recursive if child.type == "ARMATURE"]
    return inside[0] if len(inside) == 1 else None


def character_of(context: Context) -> Object | None:
    """Return the character that the active object leads to, else the one that all selected objects lead to.

    A character's waypoints and path lead to it too, so that its panels stay visible while one of them is moved. A curve
    that is selected together with the character may be the active object.
    """
    active = context.view_layer.objects.active
    character = armature_of(active)
    if character is not None:
        return character
    selected = context.view_layer.objects.selected
    armatures = {armature_of(thing) for thing in selected if not _is_path(thing)}
    character_of_selection = armatures.pop() if len(armatures) == 1 else None
    return character_of_selection or _character_for(active, context.scene)


def selected_curve(context: Context) -> Object | None:
    """Return the only curve that is selected together with a character, which new motion follows; else None."""
    selected = context.view_layer.objects.selected
    curves = [thing for thing in selected if _is_path(thing)]
    with_character = any(armature_of(thing) is not None for thing in selected)
    return curves[0] if with_character and len(curves) == 1 else None


def followed_curve(context: Context, settings: GENMM_PG_character) -> Object | None:
    """Return the curve that new motion follows: the one selected with the character, else that of the panel Path."""
    return selected_curve(context) or (settings.path_curve if settings.use_path else None)


def _is_path(thing: Object) -> bool:
    """Return whether an object is a curve that is no piece of a character."""
    return thing.type == "CURVE" and armature_of(thing) is None


def _character_for(thing: Object | None, scene: Scene) -> Object | None:
    """Return the character that a waypoint or a path directs; None where there is none, or several."""
    if thing is None or thing.type not in ("EMPTY", "CURVE"):
        return None
    # Results are left out: each carries a copy of its character's settings.
    characters = (
        armature for armature in scene.objects if armature.type == "ARMATURE" and armature.get(RESULT) is None
    )
    matching = [character for character in characters if _directs(thing, readable_settings(character, scene))]
    return matching[0] if len(matching) == 1 else None


def _directs(thing: Object, settings: GENMM_PG_character) -> bool:
    return thing == settings.path_curve or any(row.empty == thing for row in settings.waypoints)


def character_or_reason(context: Context) -> tuple[Object | None, str]:
    """Return the character, or None and a sentence that says what to select."""
    character = character_of(context)
    if character is None:
        return None, _why_none(context.view_layer.objects.active)
    if not character.data.bones:
        missing = why_missing(character.data)
        if missing:
            return None, f"{character.name} has no bones: {missing}"
        return None, f"{character.name} has no bones; select another character"
    return character, ""


def selected_bones(character: Object) -> list[str]:
    """Return the names of the bones selected on a character, in their order."""
    return [bone.name for bone in character.pose.bones if keeps_selection(bone).select]


def keeps_selection(bone: PoseBone) -> Any:
    """Return what stores whether a bone is selected: since Blender 5.0 itself, before that the armature's bone."""
    return bone if hasattr(bone, "select") else bone.bone


def settings_character(context: Context) -> Object | None:
    """Return the character whose settings the panels show: where a result is selected, that which it was made from."""
    character, _ = character_or_reason(context)
    return None if character is None else character_behind(character)


def _why_none(active: Object | None) -> str:
    """Return a sentence on why an object leads to no character.

    An empty may show a collection of another file, or one whose file is missing.
    """
    if active is None or active.type != "EMPTY":
        return SELECT_ONE
    shown = active.instance_collection
    if shown is not None and any(thing.type == "ARMATURE" for thing in shown.all_objects):
        return f"{active.name} shows a character as it is; make an editable library override of it"
    missing = why_missing(active) or why_missing(shown)
    return f"{active.name} shows nothing: {missing}" if missing else SELECT_ONE

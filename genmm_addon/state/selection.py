# SPDX-License-Identifier: GPL-3.0-or-later
"""The character that the selection stands for."""

from bpy.types import Context, Object

SELECT_ONE = "Select a character (an armature, or a mesh that follows one)"


def armature_of(thing: Object | None) -> Object | None:
    """Return the armature that `thing` is, follows, hangs on, or solely contains.

    None where there is none or a choice.
    """
    if thing is None or thing.type == "ARMATURE":
        return thing
    followed = thing.find_armature()
    if followed is not None:
        return followed
    above = thing.parent
    while above is not None:
        if above.type == "ARMATURE":
            return above
        above = above.parent
    inside = [child for child in thing.children_recursive if child.type == "ARMATURE"]
    return inside[0] if len(inside) == 1 else None


def character_of(context: Context) -> Object | None:
    """Return the character that the active object leads to, else the one that all selected objects lead to."""
    character = armature_of(context.view_layer.objects.active)
    if character is not None:
        return character
    armatures = {armature_of(thing) for thing in context.view_layer.objects.selected}
    return armatures.pop() if len(armatures) == 1 else None


def character_or_reason(context: Context) -> tuple[Object | None, str]:
    """Return the character, or None and a sentence that says what to select."""
    character = character_of(context)
    if character is None:
        return None, SELECT_ONE
    if not character.data.bones:
        return None, f"{character.name} has no bones; select another character"
    return character, ""

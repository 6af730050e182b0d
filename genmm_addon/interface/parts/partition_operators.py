# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that make parts from the skeleton, from bone collections, and bone collections from parts."""

from collections.abc import Sequence
from typing import Any

from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...animation.rig import read_skeleton
from ...core import Part, Skeleton, counted
from ...core.features import left_and_right, limb_partition, upper_and_lower
from ...requests.part_values import add_part, bones_of
from ...state.properties import GENMM_PG_character, ensure_settings
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from .operators import PAINTED, why_no_part

KINDS = (
    ("LIMBS", "Arms", "Each arm, tail and wing on its own, the legs with the trunk"),
    ("EVERY_LIMB", "Arms and Legs", "Each arm, tail, wing and leg on its own"),
    ("UPPER_LOWER", "Upper and Lower Body", "The legs with the pelvis, and all above; on four legs, front and hind"),
    ("LEFT_RIGHT", "Left and Right", "The two sides, which share the middle"),
)

PART_KEY = "genmm_part"
"""Custom property in which a bone collection stores the name of the part that it was made from."""


def partition(skeleton: Skeleton, kind: str) -> tuple[Part, ...]:
    """Return the parts of one of KINDS. Raises InputError where the skeleton cannot be divided like this."""
    if kind == "UPPER_LOWER":
        return upper_and_lower(skeleton)
    if kind == "LEFT_RIGHT":
        return left_and_right(skeleton)
    return limb_partition(skeleton, legs_apart=kind == "EVERY_LIMB")


class GENMM_OT_make_parts(CharacterOperator, Operator):
    bl_idname = "genmm.make_parts"
    bl_label = "Make Parts"
    bl_description = "Replace the list by parts found from the skeleton alone"

    kind: EnumProperty(name="Parts", description="The division of the body", items=KINDS, default="LIMBS")

    @classmethod
    def description(  # type: ignore[override]  # the properties are those of this class
        cls, _context: Context, properties: "GENMM_OT_make_parts"
    ) -> str:
        """Return the tooltip for the kind."""
        description = next(text for name, _, text in KINDS if name == properties.kind)
        return f"Replace the list by parts found from the skeleton: {description[0].lower()}{description[1:]}"

    def act(self, context: Context, character: Object) -> None:
        """Find the parts, then replace the list by them."""
        skeleton = read_skeleton(character)
        new_parts = partition(skeleton, self.kind)
        settings = ensure_settings(character, context.scene)
        settings.part_list.clear()
        for part in new_parts:
            add_part(settings, part.name, (skeleton.names[joint] for joint in part.joints))
        settings.active_part = 0
        settings.parts = PAINTED


def _why_not_import(_context: Context, character: Object) -> str:
    if not any(len(collection.bones) for collection in character.data.collections_all):
        return f"{character.name} has no bone collection with bones"
    return ""


def _import(operator: Any, _context: Context, character: Object, settings: GENMM_PG_character) -> Outcome | None:
    names = {part.name for part in settings.part_list}
    added = 0
    for collection in character.data.collections_all:
        if len(collection.bones) and collection.name not in names:
            add_part(settings, collection.name, (bone.name for bone in collection.bones))
            added += 1
    if not added:
        operator.report({"INFO"}, "The list already has all bone collections.")
        return {"CANCELLED"}
    settings.parts = PAINTED
    operator.report({"INFO"}, f"{counted(added, 'part')} added.")
    return None


def _why_not_export(context: Context, character: Object) -> str:
    if character.data.library is not None or character.data.override_library is not None:
        return f"The armature of {character.name} is linked and cannot be changed"
    return why_no_part(context, character)


def _export(operator: Any, _context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Make or refill the collections; bones that would appear or vanish stay where they are, and are reported."""
    filled: set[str] = set()
    left: set[str] = set()
    for part in settings.part_list:
        left |= _fill(character.data, part.name, set(bones_of(part)), filled)
    operator.report({"INFO"}, f"{counted(len(filled), 'bone collection')} made.")
    if left:
        operator.report({"WARNING"}, f"Not assigned, to stay as visible as they are: {', '.join(sorted(left))}.")


def _fill(armature: Any, name: str, bones: set[str], filled: set[str]) -> set[str]:
    """Give the part's collection these bones, and add its name to `filled`. Returns the bones that stay elsewhere."""
    seen = {bone.name for bone in armature.bones if _shows(bone.collections)}
    collection = _collection_of(armature, name, filled)
    if collection is None:
        collection = armature.collections.new(name)
        collection[PART_KEY] = name
        # A bone is visible where any of its collections is.
        collection.is_visible = bones.isdisjoint({bone.name for bone in armature.bones} - seen)
    filled.add(collection.name)
    left = set()
    for bone in armature.bones:
        others = [other for other in bone.collections if other != collection]
        is_inside, belongs = len(others) < len(bone.collections), bone.name in bones
        if is_inside == belongs:
            continue
        if _shows([*others, collection] if belongs else others) != (bone.name in seen):
            left.add(bone.name)
        elif belongs:
            collection.assign(bone)
        else:
            collection.unassign(bone)
    return left


def _collection_of(armature: Any, name: str, filled: set[str]) -> Any:
    """Return the collection that an earlier export made of the part; None without one, even if a name matches."""
    candidates = (each for each in armature.collections_all if each.name not in filled)
    return next((collection for collection in candidates if collection.get(PART_KEY) == name), None)


def _shows(collections: Sequence[Any]) -> bool:
    """Return whether a bone that is only in these collections is visible."""
    return not collections or any(collection.is_visible_effectively for collection in collections)


COPIED = {
    "IMPORT": Operation(
        "Parts from Bone Collections",
        "Add a part for each bone collection that has bones and is not in the list yet",
        _import,
        _why_not_import,
    ),
    "EXPORT": Operation(
        "Parts to Bone Collections",
        "Make a bone collection of each part, without changing which bones are visible",
        _export,
        _why_not_export,
    ),
}


class GENMM_OT_part_collections(ChoiceOperator, Operator):
    bl_idname = "genmm.part_collections"
    bl_label = "Convert Bone Collections"
    bl_description = "Make parts from bone collections, or bone collections from parts"
    choices = COPIED
    chosen_by = "action"

    action: one_of(COPIED, "Action", "The list to add to")

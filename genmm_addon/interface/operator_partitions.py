# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts made by themselves: from the skeleton, and from and to bone collections."""

from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ..animation.rig import read_skeleton
from ..core import InputError, Part
from ..core.parts import left_and_right, limb_partition, upper_and_lower
from ..core.skeleton import Skeleton
from .character_operator import CharacterOperator
from .part_values import add_part, bones_of
from .properties import ensure_settings, readable_settings
from .selection import character_or_reason

KINDS = (
    ("LIMBS", "Limbs", "The arms, tails and wings each on their own, the legs with the trunk"),
    ("EVERY_LIMB", "Every Limb", "The legs each on their own, too"),
    ("UPPER_LOWER", "Upper and Lower Body", "The legs with the pelvis, and what is above; of four legs front and hind"),
    ("LEFT_RIGHT", "Left and Right", "The two sides; the middle belongs to both"),
)


def partition(skeleton: Skeleton, kind: str) -> tuple[Part, ...]:
    """The parts of one of KINDS. Raises InputError where the skeleton cannot be so divided."""
    if kind == "UPPER_LOWER":
        return upper_and_lower(skeleton)
    if kind == "LEFT_RIGHT":
        return left_and_right(skeleton)
    return limb_partition(skeleton, legs_apart=kind == "EVERY_LIMB")


class GENMM_OT_make_parts(CharacterOperator, Operator):
    bl_idname = "genmm.make_parts"
    bl_label = "Make Parts"
    bl_description = "Replace the list by parts that are found from the skeleton alone"

    kind: EnumProperty(name="Parts", description="How the body is divided", items=KINDS, default="LIMBS")

    @classmethod
    def description(cls, _context: Context, properties: "GENMM_OT_make_parts") -> str:
        """What the kind does."""
        told = next(text for name, _, text in KINDS if name == properties.kind)
        return f"Replace the list by parts found from the skeleton: {told[0].lower()}{told[1:]}"

    def execute(self, context: Context) -> set[str]:
        """Find them, then put them in the list's place."""
        character, _ = character_or_reason(context)
        skeleton = read_skeleton(character)
        try:
            found = partition(skeleton, self.kind)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        settings = ensure_settings(character, context.scene)
        settings.part_list.clear()
        for part in found:
            add_part(settings, part.name, (skeleton.names[joint] for joint in part.joints))
        settings.active_part = 0
        settings.parts = "PAINTED"
        return {"FINISHED"}


class GENMM_OT_import_bone_collections(CharacterOperator, Operator):
    bl_idname = "genmm.import_bone_collections"
    bl_label = "Parts from Bone Collections"
    bl_description = "Add a part for each bone collection that has bones and is not in the list yet"

    @classmethod
    def why_not(cls, _context: Context, character: Object) -> str:
        """There must be one."""
        if not any(len(collection.bones) for collection in character.data.collections_all):
            return f"{character.name} has no bone collection with bones"
        return ""

    def execute(self, context: Context) -> set[str]:
        """Append them."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        there = {part.name for part in settings.part_list}
        added = 0
        for collection in character.data.collections_all:
            if len(collection.bones) and collection.name not in there:
                add_part(settings, collection.name, (bone.name for bone in collection.bones))
                added += 1
        if not added:
            self.report({"INFO"}, "All bone collections are in the list already.")
            return {"CANCELLED"}
        settings.parts = "PAINTED"
        self.report({"INFO"}, f"{added} parts added." if added > 1 else "1 part added.")
        return {"FINISHED"}


class GENMM_OT_export_parts(CharacterOperator, Operator):
    bl_idname = "genmm.export_parts"
    bl_label = "Parts to Bone Collections"
    bl_description = "Make a bone collection of each part; which bones are visible stays as it is"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """The armature must be the file's own, and there must be parts."""
        if character.data.library is not None or character.data.override_library is not None:
            return f"The armature of {character.name} is linked and cannot be changed"
        if not readable_settings(character, context.scene).part_list:
            return "There is no part yet; add one first"
        return ""

    def execute(self, context: Context) -> set[str]:
        """Make or refill the collections, hidden ones for bones that are to stay hidden."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        for part in settings.part_list:
            _export(character.data, part.name, [name for name in bones_of(part) if name in character.data.bones])
        self.report({"INFO"}, f"{len(settings.part_list)} bone collections made.")
        return {"FINISHED"}


def _export(armature: Any, name: str, bones: list[str]) -> None:
    seen = {bone.name for bone in armature.bones if _is_visible(bone)}
    alone = [name for name in bones if not armature.bones[name].collections]
    collection = armature.collections_all.get(name)
    if collection is None:
        collection = armature.collections.new(name)
        # Bones of a visible collection are seen, and those of hidden ones alone are not.
        collection.is_visible = not any(bone not in seen for bone in bones)
    for bone in list(collection.bones):
        collection.unassign(bone)
    for bone in bones:
        # A bone in no collection is seen always; put into a hidden one it would vanish.
        if collection.is_visible or bone not in alone:
            collection.assign(armature.bones[bone])


def _is_visible(bone: bpy.types.Bone) -> bool:
    return not bone.collections or any(collection.is_visible_effectively for collection in bone.collections)


CLASSES = (
    GENMM_OT_make_parts,
    GENMM_OT_import_bone_collections,
    GENMM_OT_export_parts,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)

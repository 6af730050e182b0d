# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add and remove places of bones, and bring bones to them in the action that plays."""

from collections.abc import Iterable

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Menu, Object, Operator

from ...animation.reaching.places import parse_places, places_text
from ...animation.reaching.text import BonePlace
from ...control_rigs.reach_in_action import reach_in_action
from ...core import InputError, counted
from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.list_rows import AddRow, RemoveRow, bone_names_with, named_bone
from ..timeline.fill_operators import busy
from ..timeline.menus import registration_in_menu
from ..timeline.stretch_operator import ActionOperator
from .shown import listed_places, next_frames


class GENMM_OT_add_reach(AddRow, Operator):
    bl_idname = "genmm.add_reach"
    bl_label = "Add Place"
    bl_description = (
        "Keep a bone at an object from one frame to another; without an object, an empty is added where the bone is"
    )

    bone: StringProperty(
        name="Bone",
        description="The bone whose head is moved to the object",
        search=lambda _, context, text: bone_names_with(context, text),
        options={"SKIP_SAVE"},
    )
    object: StringProperty(
        name="Object",
        description="The object to bring the bone to; if none is given, an empty is added where the bone is now",
        search=lambda _, context, text: _objects(context, text),
        options={"SKIP_SAVE"},
    )
    first: IntProperty(name="First Frame", description="The first frame at the object", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="The last frame at the object", options={"SKIP_SAVE"})
    turned: BoolProperty(
        name="Turn as Object",
        description="Give the bone the object's rotation, axis by axis",
        default=False,
        options={"SKIP_SAVE"},
    )
    text_property = "reaches"
    rows_of = staticmethod(listed_places)
    text_of = staticmethod(places_text)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the place; the defaults are the active bone, the selected object, and frames from the current one."""
        character, _ = character_or_reason(context)
        if character is None:
            return {"CANCELLED"}
        settings = readable_settings(character, context.scene)
        self.first, self.last = next_frames(settings, context.scene)
        if not self.bone and character.data.bones.active is not None:
            self.bone = character.data.bones.active.name
        others = [one for one in context.selected_objects if one != character and one.type != "ARMATURE"]
        if not self.object and len(others) == 1:
            self.object = others[0].name
        return context.window_manager.invoke_props_dialog(self)

    def new_row(self, context: Context, character: Object) -> BonePlace:
        """Return the place, with a new empty where no object is chosen."""
        bone, name = named_bone(character, self.bone), self.object
        if name and name not in bpy.data.objects:
            raise InputError(f'There is no object "{name}"; choose one of this file.')
        if not name:
            empty = bpy.data.objects.new(f"{self.bone} Place", None)
            empty.empty_display_size = 0.5 * bone.length
            empty.matrix_world = character.matrix_world @ bone.matrix
            context.scene.collection.objects.link(empty)
            name = empty.name
        return BonePlace(self.bone, name, self.first, self.last, self.turned)


class GENMM_OT_remove_reach(RemoveRow, Operator):
    bl_idname = "genmm.remove_reach"
    bl_label = "Remove Place"
    bl_description = "Remove this place from the list; its object stays"

    number: IntProperty(name="Number", description="The row of the list, from 0", options={"SKIP_SAVE"})
    text_property = "reaches"
    rows_of = staticmethod(listed_places)
    text_of = staticmethod(places_text)


class GENMM_OT_reach_in_action(ActionOperator, Operator):
    bl_idname = "genmm.reach_in_action"
    bl_label = "Bring Bones to Places"
    bl_description = (
        "Change the action that the character plays so that the bones of the list reach their objects; "
        "only these frames and the transitions before and after them change"
    )

    places: StringProperty(
        name="Places",
        description="Bones, objects and frames, such as hand.R at Handle 40-70; empty means the character's list",
        options={"SKIP_SAVE"},
    )

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome:
        """Bring the bones to their places, and report the changed frames."""
        text = self.places or readable_settings(character, context.scene).reaches
        with busy(context):
            made = reach_in_action(character, context.scene, action, slot, parse_places(text))
        for note in made.notes:
            self.report({"WARNING"}, note)
        said = f"{counted(made.bones, 'bone')} at {'its place' if made.bones == 1 else 'their places'}"
        self.report({"INFO"}, f"{said}; frames {made.first:g} to {made.last:g} changed.")
        return {"FINISHED"}


def _objects(context: Context, text: str) -> Iterable[str]:
    character, _ = character_or_reason(context)
    names = [one.name for one in context.scene.objects if one != character and _is_place(one)]
    return [name for name in names if text.lower() in name.lower()]


def _is_place(target: Object) -> bool:
    return target.type != "ARMATURE"


def _draw_entry(menu: Menu, _context: Context) -> None:
    menu.layout.operator(GENMM_OT_reach_in_action.bl_idname)


CLASSES = (GENMM_OT_add_reach, GENMM_OT_remove_reach, GENMM_OT_reach_in_action)
register, unregister = registration_in_menu(CLASSES, _draw_entry)

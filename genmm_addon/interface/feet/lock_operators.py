# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add and remove foot locks over frames."""

from bpy.props import EnumProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...animation.foot_locks import LockedFoot, foot_locks_text, parse_foot_locks
from ...core import InputError
from ...state.bone_lists import feet_of
from ...state.properties import GENMM_PG_character, readable_settings
from ...state.registration import registration_of
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.list_rows import AddRow, RemoveRow, bone_names_with, named_bone

KINDS = (
    ("ALWAYS", "Always", "The foot stays in one place from the first frame to the last"),
    ("NEVER", "Never", "The foot moves as in the examples, even where it would be locked automatically"),
)


def listed_foot_locks(settings: GENMM_PG_character) -> tuple[LockedFoot, ...]:
    """Return the locks of the list; none where its text cannot be read."""
    try:
        return parse_foot_locks(settings.foot_locks)
    except InputError:
        return ()


class GENMM_OT_add_foot_lock(AddRow, Operator):
    bl_idname = "genmm.add_foot_lock"
    bl_label = "Add Foot Lock"
    bl_description = "Always or never lock a foot from one frame of the new motion to another"

    bone: StringProperty(
        name="Foot",
        description="The bone that stands on the ground, or another bone of its leg",
        search=lambda _, context, text: bone_names_with(context, text),
        options={"SKIP_SAVE"},
    )
    kind: EnumProperty(name="Lock", description="The kind of lock", items=KINDS, options={"SKIP_SAVE"})
    first: IntProperty(name="First Frame", description="The first frame of the stretch", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="The last frame of the stretch", options={"SKIP_SAVE"})
    text_property = "foot_locks"
    rows_of = staticmethod(listed_foot_locks)
    text_of = staticmethod(foot_locks_text)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the lock; the defaults are the active bone and one second from the current frame."""
        character, _ = character_or_reason(context)
        if character is None:
            return {"CANCELLED"}
        scene, settings = context.scene, readable_settings(character, context.scene)
        self.first = scene.frame_current
        self.last = scene.frame_current + round(scene.render.fps / scene.render.fps_base)
        if not self.bone:
            feet = feet_of(settings.feet) or feet_of(settings.found_feet)
            active = character.data.bones.active
            self.bone = active.name if active is not None else next(iter(feet), "")
        return context.window_manager.invoke_props_dialog(self)

    def new_row(self, _context: Context, character: Object) -> LockedFoot:
        """Return the lock. Raises InputError for a bone that the character does not have."""
        return LockedFoot(named_bone(character, self.bone).name, self.kind == "ALWAYS", self.first, self.last)


class GENMM_OT_remove_foot_lock(RemoveRow, Operator):
    bl_idname = "genmm.remove_foot_lock"
    bl_label = "Remove Foot Lock"
    bl_description = "Remove this foot lock from the list"

    number: IntProperty(name="Number", description="The row of the list, from 0", options={"SKIP_SAVE"})
    text_property = "foot_locks"
    rows_of = staticmethod(listed_foot_locks)
    text_of = staticmethod(foot_locks_text)


CLASSES = (GENMM_OT_add_foot_lock, GENMM_OT_remove_foot_lock)
register, unregister = registration_of(CLASSES)

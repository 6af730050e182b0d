# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot locks over frames: rows added to the list and taken out of it."""

from collections.abc import Iterable

from bpy.props import EnumProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Operator

from ...animation.locking.foot_locks import LockedFoot, foot_locks_text, parse_foot_locks
from ...core import InputError
from ...state.bone_lists import feet_of
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ...state.registration import registration_of
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.remove_row import RemoveRow
from ..common.sidebar import redraw_viewports

KINDS = (
    ("ALWAYS", "Always", "The foot stays in one place from the first frame to the last"),
    ("NEVER", "Never", "The foot moves as in the examples, though it would be locked by itself"),
)


def listed_foot_locks(settings: GENMM_PG_character) -> tuple[LockedFoot, ...]:
    """Return the locks of the list; none where its text is not one."""
    try:
        return parse_foot_locks(settings.foot_locks)
    except InputError:
        return ()


class GENMM_OT_add_foot_lock(CharacterOperator, Operator):
    bl_idname = "genmm.add_foot_lock"
    bl_label = "Add Foot Lock"
    bl_description = "Have a foot always or never be locked from one frame of the new motion to another"

    bone: StringProperty(
        name="Foot",
        description="The bone that stands, or another of its leg",
        search=lambda _, context, text: _bones(context, text),
        options={"SKIP_SAVE"},
    )
    kind: EnumProperty(name="Lock", description="How the foot is locked", items=KINDS, options={"SKIP_SAVE"})
    first: IntProperty(name="First Frame", description="The first frame of the stretch", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="The last frame of the stretch", options={"SKIP_SAVE"})

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the lock: of the active bone, for a second from the present frame on."""
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

    def execute(self, context: Context) -> Outcome:
        """Put the lock on the list."""
        character, _ = character_or_reason(context)
        if character is None:
            return {"CANCELLED"}
        if character.pose.bones.get(self.bone) is None:
            self.report({"ERROR"}, f'"{character.name}" has no bone "{self.bone}"; choose one of its own.')
            return {"CANCELLED"}
        if self.first > self.last:
            self.report({"ERROR"}, "The last frame lies before the first; give a later one.")
            return {"CANCELLED"}
        settings = ensure_settings(character, context.scene)
        locks = (*listed_foot_locks(settings), LockedFoot(self.bone, self.kind == "ALWAYS", self.first, self.last))
        settings.foot_locks = foot_locks_text(sorted(locks, key=lambda lock: lock.first))
        redraw_viewports(context)
        return {"FINISHED"}


class GENMM_OT_remove_foot_lock(RemoveRow, Operator):
    bl_idname = "genmm.remove_foot_lock"
    bl_label = "Remove Foot Lock"
    bl_description = "Take this foot lock out of the list"

    number: IntProperty(name="Number", description="The row of the list, from 0", options={"SKIP_SAVE"})
    text_property = "foot_locks"
    rows_of = staticmethod(listed_foot_locks)
    text_of = staticmethod(foot_locks_text)


def _bones(context: Context, text: str) -> Iterable[str]:
    character, _ = character_or_reason(context)
    names = [] if character is None else [bone.name for bone in character.data.bones]
    return [name for name in names if text.lower() in name.lower()]


CLASSES = (GENMM_OT_add_foot_lock, GENMM_OT_remove_foot_lock)
register, unregister = registration_of(CLASSES)

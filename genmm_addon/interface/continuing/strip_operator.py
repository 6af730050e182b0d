# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend Strip: an NLA strip overlaps the one before it, and its root is carried on."""

from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Menu, Object, Operator

from ...core import InputError
from ...filling.strips import blend_strip
from ...state.registration import registration_of
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..timeline.menus import GENMM_MT_timeline


class GENMM_OT_blend_strip(CharacterOperator, Operator):
    bl_idname = "genmm.blend_strip"
    bl_label = "Blend Strip"
    bl_description = (
        "Have the active NLA strip overlap the one before it and blend in, its root carried on from where that one is; "
        "its action is replaced by a copy in this strip alone"
    )

    strip: StringProperty(
        name="Strip", description="The name of the strip; empty is the active one", options={"SKIP_SAVE"}
    )
    blend_in: IntProperty(
        name="Blend In", description="Frames over which it blends in", default=12, min=0, soft_max=100, max=10_000
    )
    blend_out: IntProperty(
        name="Blend Out", description="Frames over which it blends out", default=0, min=0, soft_max=100, max=10_000
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character has no strips that can be changed, else nothing."""
        data = character.animation_data
        if character.library is not None or (data is not None and data.use_tweak_mode):
            return f"{character.name} is linked, or edits a strip: leave tweak mode first"
        strips = 0 if data is None else sum(len(track.strips) for track in data.nla_tracks)
        return "" if strips > 1 else f"{character.name} has no two NLA strips"

    def execute(self, context: Context) -> Outcome:
        """Blend it, and say into what."""
        character = character_of(context)
        if character is None:
            return {"CANCELLED"}
        try:
            made = blend_strip(character, context.scene, self.strip, self.blend_in, self.blend_out)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        said = f'"{made.strip}" goes on from "{made.before}" at frame {made.start:g}, with the action "{made.action}"'
        self.report({"INFO"}, f"{said}.")
        return {"FINISHED"}


def _draw_entry(menu: Menu, _context: Context) -> None:
    menu.layout.operator(GENMM_OT_blend_strip.bl_idname)


_register_classes, _unregister_classes = registration_of((GENMM_OT_blend_strip,))


def register() -> None:
    """Add the operator, and its entry in the menu."""
    _register_classes()
    GENMM_MT_timeline.append(_draw_entry)


def unregister() -> None:
    """Take all back."""
    GENMM_MT_timeline.remove(_draw_entry)
    _unregister_classes()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Continue: new motion after the last key, from the playhead, or before the first key of the active action."""

from bpy.props import EnumProperty, IntProperty, StringProperty
from bpy.types import Context, Menu, Operator

from ...core import InputError
from ...filling.continuing import LONGEST, MOST_ALTERNATIVES, ContinueFrom, ContinueRequest, continue_action
from ...libraries.choosing import LibraryChoice
from ...requests.stretch_examples import stretch_examples
from ...state.registration import registration_of
from ..common.blender_bases import Outcome
from ..timeline.fill_operators import busy
from ..timeline.menus import GENMM_MT_timeline
from ..timeline.stretch_operator import StretchOperator, edited_action

PLACES = (
    ("LAST_KEY", "Last Key", "After the last key of the action"),
    ("PLAYHEAD", "Playhead", "From the pose at the playhead, in place of all that follows it"),
    ("FIRST_KEY", "First Key", "Before the first key of the action, backwards in time"),
)


class GENMM_OT_continue_action(StretchOperator, Operator):
    bl_idname = "genmm.continue_action"
    bl_label = "Continue"
    bl_description = "Go on with the action that the character plays, in place, with new motion made from the examples"

    start: EnumProperty(name="From", description="The pose that is gone on from", items=PLACES, default="LAST_KEY")
    frames: IntProperty(
        name="Length", description="How many frames are added", default=60, min=1, soft_max=1000, max=LONGEST
    )
    number: IntProperty(
        name="Alternative", description="Which alternative, from 1", default=1, min=1, max=MOST_ALTERNATIVES
    )
    blend: IntProperty(
        name="Blend",
        description="Over how many frames beside the pose the new motion is blended into what was there",
        default=0,
        min=0,
        soft_max=60,
        max=1000,
    )
    library: StringProperty(
        name="Library",
        description="The file of a library to learn from; empty is what the character learns from",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        """Go on, and say from where to where."""
        edited = edited_action(context)
        if edited is None:
            return {"CANCELLED"}
        character, action, slot = edited
        library = LibraryChoice((self.library,)) if self.library else None
        try:
            frame = float(context.scene.frame_current_final)
            request = ContinueRequest(ContinueFrom(self.start), self.frames, frame, self.number, self.blend)
            examples = stretch_examples(character, context.scene, action, (), library)
            with busy(context):
                made = continue_action(character, context.scene, action, slot, examples, request)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f'Frames {made.first:g} to {made.last:g} added, from "{made.source}".')
        return {"FINISHED"}


def _draw_entries(menu: Menu, _context: Context) -> None:
    for start, name, _ in PLACES:
        menu.layout.operator(GENMM_OT_continue_action.bl_idname, text=f"Continue from {name}").start = start
    menu.layout.separator()


_register_classes, _unregister_classes = registration_of((GENMM_OT_continue_action,))


def register() -> None:
    """Add the operator, and its entries in the menu."""
    _register_classes()
    GENMM_MT_timeline.append(_draw_entries)


def unregister() -> None:
    """Take all back."""
    GENMM_MT_timeline.remove(_draw_entries)
    _unregister_classes()

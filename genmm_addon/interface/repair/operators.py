# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Flaws, Go to Flaw and Repair, on the active action."""

from bpy.props import IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.rig import OBJECT_JOINT
from ...core import counted
from ...repairing.reading import FoundFlaw
from ...repairing.repairing import Repaired, list_flaws, repair_action
from ...state.properties import scene_properties
from ...state.registration import registration_of
from ...state.repairing.repair_properties import RepairProperties
from ..common.blender_bases import Outcome
from ..timeline.fill_operators import busy, redraw
from ..timeline.stretch_operator import StretchOperator, edited_action
from .asked import repair_examples, repair_request

SEPARATOR = "\n"
"""Between keys of flaws."""
MOST_NAMED = 3


class FlawOperator(StretchOperator):
    """Works on flaws of the active action, as the panel says."""

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Take what the panel says."""
        self.take_panel(scene_properties(context.scene).repair, RepairProperties.__annotations__)
        return self.execute(context)


class GENMM_OT_find_flaws(RepairProperties, FlawOperator, Operator):
    bl_idname = "genmm.find_flaws"
    bl_label = "Find Flaws"
    bl_description = (
        "List spikes, jitter, lost markers and sliding feet of the action, and how far their repair would move "
        "joints; nothing is changed"
    )

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome:
        """List the flaws."""
        request = repair_request(self, character, context.scene, action, slot)
        choice = repair_examples(self, character, context.scene, action)
        with busy(context):
            found = list_flaws(character, context.scene, action, slot, choice, request)
        listed = scene_properties(context.scene).repair
        listed.action = action.name
        listed.flaws.clear()
        for flaw in found.flaws:
            row = listed.flaws.add()
            row.name, row.kind, row.first, row.last = flaw.key, flaw.kind.value, flaw.first, flaw.last
            row.bones, row.change = bones_text(character, flaw), flaw.change
        return reported(self, context, found, f"{counted(len(found.flaws), 'flaw')} found; nothing is changed yet.")


class GENMM_OT_repair(RepairProperties, FlawOperator, Operator):
    bl_idname = "genmm.repair"
    bl_label = "Repair"
    bl_description = (
        "Repair the flaws of the action in place: filter jitter, bridge spikes and lost markers, plant sliding feet. "
        "Frames and bones without a flaw stay as they are"
    )

    left_out: StringProperty(
        name="Left Out", description="Flaws that are left as they are, as the list names them, a line each"
    )

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Take what the panel says, and leave out what is not ticked in its list."""
        listed, edited = scene_properties(context.scene).repair, edited_action(context)
        if edited is not None and listed.action == edited[1].name and not self.properties.is_property_set("left_out"):
            self.left_out = SEPARATOR.join(flaw.name for flaw in listed.flaws if not flaw.repaired)
        return super().invoke(context, event)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome:
        """Repair the flaws, and say how many."""
        left_out = tuple(key for key in self.left_out.split(SEPARATOR) if key)
        request = repair_request(self, character, context.scene, action, slot, left_out)
        choice = repair_examples(self, character, context.scene, action)
        with busy(context):
            found = repair_action(character, context.scene, action, slot, choice, request)
        scene_properties(context.scene).repair.flaws.clear()
        said = f"{counted(len(found.flaws), 'flaw')} repaired." if found.flaws else "No flaw was found."
        return reported(self, context, found, said)


class GENMM_OT_show_flaw(StretchOperator, Operator):
    bl_idname = "genmm.show_flaw"
    bl_label = "Go to Flaw"
    bl_description = "Go to the first frame of this flaw"

    number: IntProperty(name="Number", description="The flaw in the list, from 0", min=0)

    def execute(self, context: Context) -> Outcome:
        """Go to the flaw's first frame, and select it in the list."""
        listed = scene_properties(context.scene).repair
        if self.number >= len(listed.flaws):
            return {"CANCELLED"}
        listed.active_flaw = self.number
        context.scene.frame_set(round(listed.flaws[self.number].first))
        return {"FINISHED"}


def bones_text(character: Object, flaw: FoundFlaw) -> str:
    """Return the bones of a flaw in words."""
    names = [character.name if name == OBJECT_JOINT else name for name in flaw.bones]
    more = f" +{len(names) - MOST_NAMED}" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def reported(operator: FlawOperator, context: Context, found: Repaired, said: str) -> Outcome:
    """Say what was found or done, and have the marks drawn anew."""
    redraw(context)
    for note in found.notes:
        operator.report({"INFO"}, note)
    operator.report({"INFO"}, said)
    return {"FINISHED"}


register, unregister = registration_of((GENMM_OT_find_flaws, GENMM_OT_repair, GENMM_OT_show_flaw))

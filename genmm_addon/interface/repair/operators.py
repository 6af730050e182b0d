# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Flaws, Go to Flaw and Repair, on the active action."""

from typing import Any, cast

from bpy.props import StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.rig import OBJECT_JOINT
from ...animation.stretches.fingerprints import fingerprint
from ...animation.stretches.linked import why_no_action
from ...core import counted, listed
from ...editing.edit_task import EditTask
from ...editing.filling.record import Fingerprint
from ...editing.repairing.reading import FoundFlaw
from ...editing.repairing.repairing import Repaired, flaws_work, repair_work
from ...editing.transforming.work import Work
from ...libraries.indexed_examples import ExampleChoice
from ...state.edit_properties import RepairProperties
from ...state.properties import scene_properties
from ..common.blender_bases import Outcome
from ..common.draw_handlers import redraw
from ..common.drawing import draw_frames, in_columns
from ..timeline.stretch_operator import edited_action
from ..timeline.unchanged_keys import shown_fingerprint
from ..timeline.work_operator import WorkOperator
from ..transform.drawing import draw_example_names
from .asked import repair_examples, repair_request, why_not_listed

SEPARATOR = "\n"
"""Text between the keys of flaws."""


class FlawOperator(WorkOperator):
    """Base of operators on the flaws of the active action."""

    def draw(self, _context: Context) -> None:
        """Draw the values that have an effect, for Adjust Last Operation."""
        column = in_columns(self.layout)
        column.prop(self, "what")
        column.prop(self, "kinds")
        column.prop(self, "kept_in_flights")
        draw_frames(column, self, "frames_choice")
        column.prop(self, "bones_choice")
        column.prop(self, "source")
        draw_example_names(column, self)
        column.prop(self, "strength")

    def take_panels(self, context: Context) -> None:
        """Set the values from the panel."""
        self.take_panel(scene_properties(context.scene).repair, RepairProperties.__annotations__)

    def examples(self, context: Context, character: Object, action: Action) -> ExampleChoice | None:
        """Return the examples that the repair learns from; None for filters alone."""
        return repair_examples(cast(RepairProperties, self), character, context.scene, action)


class GENMM_OT_find_flaws(RepairProperties, FlawOperator, Operator):
    bl_idname = "genmm.find_flaws"
    bl_label = "Find Flaws"
    bl_description = (
        "List spikes, jitter, lost markers, sliding feet, jumps and stands that defy gravity, and limbs through the "
        "body, and how far their repair would move joints; this changes nothing"
    )

    doing = "Looking for flaws"
    adds_layer = False

    @classmethod
    def why_not_action(cls, character: Object) -> str:
        """Return a sentence where the character plays no action; a linked action will do."""
        return why_no_action(character)

    def work(self, context: Context, task: EditTask) -> Work[Any, Repaired]:
        """Return the search."""
        request = repair_request(self, task.character, context.scene, task.action, task.slot)
        return flaws_work(task, request)

    def finish(self, context: Context, character: Object, action: Action, done: Repaired) -> None:
        """List the flaws."""
        listed = scene_properties(context.scene).repair
        edited = edited_action(context)
        assert edited is not None, "the action was searched"
        listed.action, listed.keys = action.name, fingerprint(action, edited[2])
        listed.flaws.clear()
        for flaw in done.flaws:
            row = listed.flaws.add()
            row.name, row.kind, row.first, row.last = flaw.key, flaw.kind.value, flaw.first, flaw.last
            row.bones, row.amount, row.change = bones_text(character, flaw), flaw.amount_text(flaw.ends), flaw.change
        reported(self, context, done, f"{counted(len(done.flaws), 'flaw')} found; nothing is changed yet.")


class GENMM_OT_repair(RepairProperties, FlawOperator, Operator):
    bl_idname = "genmm.repair"
    bl_label = "Repair"
    bl_description = (
        "Repair the flaws of the action in place: filter jitter, bridge spikes and lost markers, plant sliding feet, "
        "make jumps follow gravity, keep balance, push limbs out of the body; frames and bones without a flaw stay as "
        "they are"
    )

    left_out: StringProperty(
        name="Left Out",
        description="Flaws to leave as they are, by their names in the list, one per line",
        options={"SKIP_SAVE"},
    )

    doing = "Repairing"

    def take_panels(self, context: Context) -> None:
        """Set the values from the panel, and leave out the flaws not checked in its list."""
        listed, edited = scene_properties(context.scene).repair, edited_action(context)
        if edited is not None and listed.action == edited[1].name and not self.properties.is_property_set("left_out"):
            self.left_out = SEPARATOR.join(flaw.name for flaw in listed.flaws if not flaw.repaired)
        super().take_panels(context)

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Repair as the panel says, unless flaws were left out and the keys have changed since."""
        edited = edited_action(context)
        reason = "" if edited is None else why_left_out_unknown(context, edited[1], edited[2], fingerprint)
        if reason:
            self.report({"ERROR"}, f"{reason}.")
            return {"CANCELLED"}
        return super().invoke(context, event)

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where flaws were left out and the keys have changed since; else ""."""
        reason, edited = super().why_not(context, character), edited_action(context)
        if reason or edited is None:
            return reason
        return why_left_out_unknown(context, edited[1], edited[2], shown_fingerprint)

    def work(self, context: Context, task: EditTask) -> Work[Any, Repaired]:
        """Return the repair."""
        left_out = tuple(key for key in self.left_out.split(SEPARATOR) if key)
        request = repair_request(self, task.character, context.scene, task.action, task.slot, left_out)
        return repair_work(task, request)

    def finish(self, context: Context, character: Object, action: Action, done: Repaired) -> None:
        """Report the number of flaws repaired."""
        scene_properties(context.scene).repair.flaws.clear()
        summary = f"{counted(len(done.flaws), 'flaw')} repaired." if done.flaws else "No flaw was found."
        reported(self, context, done, summary)


def why_left_out_unknown(context: Context, action: Action, slot: str, fingerprint: Fingerprint) -> str:
    """Return a sentence where flaws of an action were left out of the list and its keys have changed since; else ""."""
    listed = scene_properties(context.scene).repair
    if listed.action != action.name or all(flaw.repaired for flaw in listed.flaws):
        return ""
    return why_not_listed(listed, action, slot, fingerprint)


def bones_text(character: Object, flaw: FoundFlaw) -> str:
    """Return the bones of a flaw in words."""
    names = [character.name if name == OBJECT_JOINT else name for name in flaw.bones]
    return listed(names, "")


def reported(operator: FlawOperator, context: Context, repaired: Repaired, summary: str) -> None:
    """Report what was found or done, and redraw the marks."""
    redraw(context, "DOPESHEET_EDITOR")
    for note in repaired.notes:
        operator.report({"INFO"}, note)
    operator.report({"INFO"}, summary)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the lists of feet and weights: add and remove rows, and find the feet in the examples."""

from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...core.examples import memory_errors_told
from ...core.feet import find_feet
from ...core.fields import settings_in
from ...core.motion import with_typical_pose
from ...generation.generate import read
from ...generation.request import Request
from ...requests.choices import chosen_examples
from ...requests.direction_values import bone_names_of
from ...requests.library_values import library_choice
from ...state.bone_lists import feet_of, foot_rows, set_rows
from ...state.properties import ensure_settings, readable_settings
from ...state.registration import registration_of
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.refusals import reports_refusal

LISTS = (
    ("feet", "Feet", "The bones that stand on the ground"),
    ("joint_weights", "Weights", "The bones with weights of their own"),
)
ACTIVE = {"feet": "active_foot", "joint_weights": "active_weight"}


class GENMM_OT_find_feet(CharacterOperator, Operator):
    bl_idname = "genmm.find_feet"
    bl_label = "Find Feet"
    bl_description = "Find the bones that stand on the ground in the examples; this replaces a list of chosen bones"

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Read the examples and look for feet."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        names = feet_in_examples(context, character)
        settings.feet_were_sought = True
        set_rows(settings.found_feet, foot_rows(names))
        if settings.feet_choice == "CHOSEN":
            set_rows(settings.feet, foot_rows(names))
        if names:
            self.report({"INFO"}, f"Found {', '.join(names)}.")
        else:
            self.report({"WARNING"}, "No feet were found: no bone stands on the ground again and again.")
        return {"FINISHED"}


@memory_errors_told()
def feet_in_examples(context: Context, character: Object) -> tuple[str, ...]:
    """Return the names of the bones that stand on the ground. Raises InputError where an example cannot be read."""
    settings = readable_settings(character, context.scene)
    library = library_choice(settings)
    choices = [] if library is not None else chosen_examples(character, settings.examples)
    request = Request(
        character,
        tuple(choice.spec for choice in choices),
        frames=1,
        visual=settings_in(Request)["visual"].meant(settings, None),
        bone_names=bone_names_of(settings),
        library=library,
    )
    motions = with_typical_pose(read(request, context.scene).reading.motions)
    return tuple(motions[0].skeleton.names[foot.joint] for foot in find_feet(motions))


class GENMM_OT_add_listed_bone(CharacterOperator, Operator):
    bl_idname = "genmm.add_listed_bone"
    bl_label = "Add Bone"
    bl_description = "Add a row to the list: in Pose Mode for the active bone, else an empty one"

    rows: EnumProperty(name="List", description="The list to add a row to", items=LISTS, options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Outcome:
        """Append the row and select it."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        rows = getattr(settings, self.rows)
        bone = context.active_pose_bone if context.mode == "POSE" else None
        row = rows.add()
        if bone is not None and bone.id_data == character and bone.name not in feet_of(rows):
            row.name = bone.name
        setattr(settings, ACTIVE[self.rows], len(rows) - 1)
        return {"FINISHED"}


class GENMM_OT_remove_listed_bone(CharacterOperator, Operator):
    bl_idname = "genmm.remove_listed_bone"
    bl_label = "Remove Bone"
    bl_description = "Remove the selected row from the list"

    rows: EnumProperty(name="List", description="The list to remove a row from", items=LISTS, options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Outcome:
        """Remove the row and select the one before."""
        character, _ = character_or_reason(context)
        settings = ensure_settings(character, context.scene)
        rows, active = getattr(settings, self.rows), ACTIVE[self.rows]
        if not len(rows):
            self.report({"INFO"}, "The list is empty.")
            return {"CANCELLED"}
        rows.remove(min(getattr(settings, active), len(rows) - 1))
        setattr(settings, active, max(min(getattr(settings, active), len(rows) - 1), 0))
        return {"FINISHED"}


CLASSES = (GENMM_OT_find_feet, GENMM_OT_add_listed_bone, GENMM_OT_remove_listed_bone)
register, unregister = registration_of(CLASSES)

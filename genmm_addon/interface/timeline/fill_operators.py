# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill Range, its alternatives, and From Blocking to Spline."""

from contextlib import suppress

from bpy.props import BoolProperty, IntProperty
from bpy.types import Action, Context, Event, Object, Operator, Scene, UILayout

from ...core import InputError, counted
from ...core.infill import Timing
from ...editing.edit_task import EditTask
from ...editing.filling.blocking import FEW_KEYS, fill_between_poses, poses_of
from ...editing.filling.filling import FillRequest, fill_range
from ...editing.filling.record import keep_record, record_of, why_not_again
from ...libraries.choosing import LibraryChoice
from ...requests.choices import chosen_examples
from ...requests.edit_examples import stretch_task
from ...requests.library_values import learns_from_library
from ...state.edit_properties import FillingProperties
from ...state.properties import readable_settings, scene_properties
from ...state.registration import Shortcut
from ..common.blender_bases import OperatorBase, Outcome, reports_refusal
from ..common.draw_handlers import redraw
from ..common.drawing import draw_frames, in_columns
from ..common.known_while import KnownWhile
from ..common.progress_display import busy
from .library_first import LibraryFirst, other_library
from .stretch_operator import (
    ActionOperator,
    edited_action,
    edited_or_refused,
    frames_of,
    on_layer,
    play_all,
    show_frames,
)
from .unchanged_keys import shown_fingerprint

KEYMAPS = (
    ("Dopesheet", "DOPESHEET_EDITOR"),
    ("NLA Editor", "NLA_EDITOR"),
    ("3D View", "VIEW_3D"),
)
ARROWS = (("RIGHT_ARROW", 1), ("LEFT_ARROW", -1))
"""Keys, pressed with Ctrl and Alt, that step through the alternatives, and their steps."""

_blocked = KnownWhile[bool]()


class GENMM_OT_fill_range(FillingProperties, LibraryFirst, ActionOperator, Operator):
    bl_idname = "genmm.fill_range"
    bl_label = "Fill Range"
    bl_description = (
        "Fill the range between two poses of the action with new motion made from the examples; "
        "frames outside the range play as before"
    )

    number: IntProperty(name="Alternative", description="The number of the alternative, from 1", default=1, min=1)
    library: other_library()

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the values from the panel, and fill the range."""
        self.take_panel(scene_properties(context.scene).filling, FillingProperties.__annotations__)
        return self.once_ready(context)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Fill the range, and report the alternative used."""
        first, last = frames_of(self, context.scene, character, action, slot)
        request = FillRequest(first, last, self.number, Timing(self.timing), self.duration, self.moves_following)
        library = self.library_choice(context)
        fill(self, context, request, self.alternatives, library)
        show_frames(self, first, last)

    def draw(self, _context: Context) -> None:
        """Draw the values of Adjust Last Operation."""
        layout = in_columns(self.layout)
        draw_frames(layout, self, "range_choice")
        draw_timing(layout, self)
        if self.timing != "RANGE":
            layout.prop(self, "moves_following")
        layout.prop(self, "alternatives")
        layout.prop(self, "number")


class GENMM_OT_next_filling(LibraryFirst, ActionOperator, Operator):
    bl_idname = "genmm.next_filling"
    bl_label = "Next Filling"
    bl_description = "Fill the last filled range with the next or the previous alternative"

    step: IntProperty(name="Step", description="1 for the next alternative, -1 for the previous one", default=1)

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where no range was filled yet, or its keys were changed since; else ""."""
        reason = super().why_not(context, character)
        edited = edited_action(context)
        if reason or edited is None:
            return reason
        return why_not_again(edited[1], edited[2], shown_fingerprint)

    def library_asked_for(self, context: Context) -> str:
        """Return the library that the range was filled from."""
        edited = edited_action(context)
        record = None if edited is None else record_of(edited[1])
        return "" if record is None else record.library

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Fill the same range with the alternative; after the last one comes the first."""
        edited = edited_action(context)
        record = None if edited is None else record_of(edited[1])
        if edited is None or record is None:
            return {"CANCELLED"}
        reason = why_not_again(edited[1], edited[2])
        if reason:
            raise InputError(f"{reason}.")
        number = (record.number - 1 + self.step) % record.count + 1
        library = self.library_choice(context)
        with on_layer(context):
            fill(self, context, FillRequest(record.first, record.last, number), record.count, library)
        return {"FINISHED"}


class GENMM_OT_blocking_to_spline(LibraryFirst, ActionOperator, Operator):
    bl_idname = "genmm.blocking_to_spline"
    bl_label = "From Blocking to Spline"
    bl_description = (
        "Turn an action with a pose every second or two into motion through all its poses, made from the examples"
    )

    few_keys: BoolProperty(
        name="Few Keys",
        description="Key the motion between the poses as little as half a degree allows, with smooth curves; "
        "otherwise on every frame, with straight lines",
        default=True,
    )

    library: other_library()

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Fill all gaps between poses."""
        library = self.library_choice(context)
        times = poses_of(character, action, slot)
        replaced = [(float(times[0]), float(times[-1]))]
        task = stretch_task(character, context.scene, action, slot, replaced, library)
        with busy(context):
            filled = fill_between_poses(task, FEW_KEYS if self.few_keys else None)
        self.report({"INFO"}, f"{counted(filled.gaps, 'gap')} between {counted(filled.poses, 'pose')} filled.")


def fill(
    operator: OperatorBase, context: Context, request: FillRequest, count: int, library: LibraryChoice | None
) -> None:
    """Fill a range of the selected character's action, and report the alternative. Raises InputError."""
    task = range_task(context, request, library)
    with busy(context):
        filled = fill_range(task, request)
    # There may be fewer alternatives than were asked for.
    available = count if filled.number >= request.number else filled.number
    keep_record(task.action, task.slot, filled, available, library.files[0] if library else "")
    if request.moves_following:
        shown = play_all(context, task.character, float(task.action.frame_range[1]))
        if shown:
            operator.report({"INFO"}, shown.strip())
    redraw(context, "DOPESHEET_EDITOR")
    for note in filled.notes:
        operator.report({"WARNING"}, note)
    if filled.number < request.number:
        operator.report({"INFO"}, f"Alternatives that differ enough from each other: {filled.number}.")
    elif not filled.notes:
        alternative = f'alternative {filled.number} of {max(available, filled.number)}, from "{filled.source}"'
        operator.report({"INFO"}, f"Frames {filled.first:g} to {filled.last:g}: {alternative}.")


def range_task(context: Context, request: FillRequest, library: LibraryChoice | None) -> EditTask:
    """Return the task of filling a range of the selected character's action. Raises InputError without an action."""
    character, action, slot = edited_or_refused(context)
    return stretch_task(character, context.scene, action, slot, [(request.first, request.last)], library)


def why_no_spline(character: Object, action: Action, slot: str, scene: Scene) -> str:
    """Return a sentence where an action of poses would be filled from nothing but itself; else ""."""
    settings = readable_settings(character, scene)
    try:
        learned = [] if learns_from_library(settings) else chosen_examples(character, settings.examples)
    except InputError:
        return ""  # New Motion says why.
    if not learned or any(choice.spec.action != action for choice in learned):
        return ""
    if not _blocked.value(
        action.name_full, shown_fingerprint(action, slot), lambda: _is_blocking(character, action, slot)
    ):
        return ""
    return f'"{action.name}" has only its own poses to learn from; add other actions in New Motion, or a library.'


def _is_blocking(character: Object, action: Action, slot: str) -> bool:
    with suppress(InputError):
        return len(poses_of(character, action, slot)) > 1
    return False


def draw_timing(layout: UILayout, values: FillingProperties) -> None:
    """Draw the timing with the rows that have an effect."""
    layout.prop(values, "timing")
    if values.timing == "DURATION":
        layout.prop(values, "duration")


def draw_steps(layout: UILayout) -> None:
    """Draw the buttons for the previous and the next alternative."""
    layout.operator(GENMM_OT_next_filling.bl_idname, text="Previous", icon="TRIA_LEFT").step = -1
    layout.operator(GENMM_OT_next_filling.bl_idname, text="Next", icon="TRIA_RIGHT").step = 1


SHORTCUTS = tuple(
    Shortcut(name, space, GENMM_OT_next_filling.bl_idname, key, ("ctrl", "alt"), {"step": step})
    for name, space in KEYMAPS
    for key, step in ARROWS
)

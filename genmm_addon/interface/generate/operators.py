# SPDX-License-Identifier: GPL-3.0-or-later
"""The Generate button, which reads the examples, computes and writes, in a thread where that takes long."""

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Operator

from ...animation.row_lists import row_lists_in
from ...core import InputError
from ...generation.generate import (
    Computed,
    SceneReading,
    check_results,
    compute_and_measure,
    read,
    same_reading,
    with_body,
    write,
)
from ...generation.generation import Generation, running
from ...generation.recipe import Recipe, character_behind, from_json, recipe_from_request, request_from_recipe, to_json
from ...generation.request import Output, PartMode, Request
from ...requests.choices import read_noticing
from ...requests.direction_values import with_direction
from ...requests.length import shown_length
from ...requests.played_examples import learned_instead
from ...requests.request_values import (
    draw_seed,
    panel_values,
    places_of,
    places_text,
    plain_request,
    set_value,
    show_adjusted,
    summary,
    values_of,
    with_values,
)
from ...state.pins_editing import leave_editing
from ...state.properties import readable_settings
from ...state.selection import character_or_reason, selected_curve
from ...state.setting_properties import GenerationProperties
from ..common.blender_bases import Outcome, report_done
from ..common.drawing import draw_length, in_columns
from ..common.framing import frame_unseen
from ..common.running_beside import RunningBeside
from .remembering import remember_results


class GENMM_OT_generate_motion(RunningBeside, GenerationProperties, Operator):
    bl_idname = "genmm.generate_motion"
    bl_label = "Generate"
    bl_description = (
        "Make new motion of the chosen length from the examples, along the curve that is selected with the character, "
        "if there is one"
    )

    recipe: StringProperty(
        name="Recipe",
        description="The character, its examples and the values that are not set otherwise; empty means the selected "
        "character's",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    other_seed: BoolProperty(
        name="Other Seed", description="Use a different seed from the recipe's", options={"HIDDEN", "SKIP_SAVE"}
    )
    places: StringProperty(
        name="Places",
        description="The places of the new characters beside the source, so that adjusting does not move them",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    of_panel: BoolProperty(
        name="Of Panel",
        description="The values came from the panel, which then shows the changes of Adjust Last Operation",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    _learned = ""
    _adjusts = False

    def draw(self, context: Context) -> None:
        """Draw Adjust Last Operation: the values that are adjusted most; the panel has the others."""
        layout = in_columns(self.layout)
        recipe = from_json(self.recipe) if self.recipe else None
        length = layout.column()
        length.enabled = recipe is None or recipe.completion is None or not self.use_completion
        draw_length(length, self, context.scene)
        layout.prop(self, "variations")
        layout.prop(self, "seed")
        if recipe is not None:
            layout.prop(self, "loop")
            layout.prop(self, "parts")
            for name in directions_of(recipe):
                layout.prop(self, name)
        layout.prop(self, "noise", slider=True)
        layout.prop(self, "output")

    def written(self, context: Context, generation: Generation[Computed]) -> Generator[float, None, None]:
        """Write what the thread computed, unless the user has changed what it read."""
        # Looked up again by name: deleting and undoing invalidate references to Blender's data.
        request = self._captured_request()
        with self.at_first_frame(context.scene):
            reading = read(request, context.scene)
        if not same_reading(generation.reading, reading):
            raise InputError("The examples changed while the motion was generated; press Generate again.")
        yield from self.write(context, Generation(request, reading, compute_and_measure), generation.result())

    def begun(self, context: Context) -> Generation[Computed]:
        """Return the generation of the motion that the recipe or the panel describes."""
        request, reading = self._asked(context)
        check_results(reading, request, context.scene)
        return Generation(request, with_body(reading, request, context.scene), compute_and_measure)

    def _asked(self, context: Context) -> tuple[Request, SceneReading]:
        """Return the request of the recipe, or else the panel's, which is stored as the recipe for a repetition."""
        if self.recipe:
            self._adjusts = self.of_panel
            self._take(values_of(from_json(self.recipe)))
            if self.other_seed:
                self.seed, self.other_seed = draw_seed(), False
            request = self._captured_request()
            return request, read(request, context.scene)
        character, reason = character_or_reason(context)
        if character is None:
            raise InputError(f"{reason}.")
        character = character_behind(character)
        settings = readable_settings(character, context.scene)
        followed = selected_curve(context)
        shown = panel_values(settings) | {"frames": shown_length(settings, character, context.scene)}
        self._take(shown if followed is None else shown | {"use_path": True})
        if self.start_at == "PLAYHEAD":
            # Stored for a repetition, when the playhead may be elsewhere.
            set_value(self, "start_at", "FRAME")
            set_value(self, "start_frame", context.scene.frame_current)
        self.of_panel = True
        plain, choices = plain_request(character, settings, self.frames)
        if not settings.examples and plain.library is None:
            self._learned = learned_instead(character, [choice.spec for choice in choices])
        painted = self.parts == PartMode.PAINTED.value
        from_panel = with_direction(plain, settings, painted=painted, followed=followed)
        request, reading = read_noticing(with_values(from_panel, self), choices, context.scene)
        # What is switched off stays in the recipe, so that Adjust Last Operation can switch it on.
        kept = replace(
            request,
            parts=from_panel.parts,
            pins=from_panel.pins,
            completion=from_panel.completion,
            path=from_panel.path,
            waypoints=from_panel.waypoints,
            ground=from_panel.ground,
        )
        self.recipe = to_json(recipe_from_request(kept, self.seed))
        return request, reading

    def _take(self, values: Mapping[str, Any]) -> None:
        """Set the values that were not given, so that a repetition depends on nothing else."""
        for name, value in values.items():
            if not self.properties.is_property_set(name, ghost=False):
                set_value(self, name, value)

    def _captured_request(self) -> Request:
        return with_values(request_from_recipe(from_json(self.recipe)), self)

    def write(
        self, context: Context, generation: Generation[Computed], computed: Computed
    ) -> Generator[float, None, None]:
        """Write the results in one step, and show the values of the panel that were adjusted."""
        request = generation.request
        if request.output is not Output.NEW_CHARACTER:
            # The character's own action, not its pins, is kept beside the new motion.
            leave_editing(request.armature)
        results = write(
            context, request, generation.reading, computed.syntheses, computed.measures, places_of(self.places)
        )
        self.places = places_text(results)
        settings = remember_results(request, results, computed.feet, context.scene)
        if settings.new_seed:
            settings.seed = self.seed
        if self.of_panel and request.path is not None:
            # The curve may have been selected beside the character.
            settings.path_curve, settings.use_path = request.path.curve, True
        if self._adjusts:
            show_adjusted(settings, self, shown_length(settings, request.armature, context.scene))
        frame_unseen(context, [result.object for result in results], request.armature)
        notes = [note for result in results for note in result.notes]
        sentences = filter(None, (summary(request), self._learned, *results[0].remarks))
        report_done(self, dict.fromkeys((*generation.reading.notes, *notes)), " ".join(sentences))
        yield 1.0


def directions_of(recipe: Recipe) -> list[str]:
    """Return the names of the values for the directions that a recipe has."""
    stored = {
        "use_pins": recipe.pins,
        "use_completion": recipe.completion,
        "use_path": recipe.path,
        "path_speed": recipe.path,
        "path_along": recipe.path,
        "path_climbs": recipe.path,
        "use_ground": recipe.ground,
        "use_waypoints": recipe.waypoints,
    } | {name: getattr(recipe, name) for name in row_lists_in(Recipe)}
    return [name for name, value in stored.items() if value]


class GENMM_OT_stop_generation(Operator):
    bl_idname = "genmm.stop_generation"
    bl_label = "Stop"
    bl_description = "Stop generating; the file stays unchanged"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: Context) -> bool:
        """Return whether anything is being generated."""
        if running() is None:
            cls.poll_message_set("Nothing is being generated")
        return running() is not None

    def execute(self, _context: Context) -> Outcome:
        """Ask the running operator to end; it notices at its next check of the thread."""
        generation = running()
        if generation is None:
            return {"CANCELLED"}
        generation.ask_to_stop()
        return {"FINISHED"}

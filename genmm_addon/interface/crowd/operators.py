# SPDX-License-Identifier: GPL-3.0-or-later
"""The Make Crowd button."""

from collections.abc import Generator
from dataclasses import replace

from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Object, Operator

from ...core import InputError
from ...core.fields import fields_given
from ...crowd.crowd import ComputedCrowd, Crowd, CrowdTask, compute_crowd, crowd_written, read_crowd
from ...crowd.request import CrowdLayout, CrowdRequest
from ...generation.generate import SceneReading, check_results, read, same_reading
from ...generation.generation import Generation
from ...generation.recipe import character_behind, from_json, recipe_from_request, request_from_recipe, to_json
from ...generation.request import LARGEST_SEED, Request
from ...requests.choices import read_noticing
from ...requests.request_values import draw_seed, panel_request
from ...state.crowd_properties import CrowdProperties
from ...state.properties import ensure_settings, readable_settings, scene_properties
from ...state.selection import armature_of, character_or_reason
from ..common.blender_bases import report_done
from ..common.drawing import in_columns
from ..common.running_beside import RunningBeside


class GENMM_OT_make_crowd(RunningBeside, CrowdProperties, Operator):
    bl_idname = "genmm.make_crowd"
    bl_label = "Make Crowd"
    bl_description = (
        "Make many copies of the character that share its meshes and some new motions, each with its own place and "
        "starting moment, with the settings of Generate"
    )

    seed: IntProperty(
        name="Seed",
        description="The start of the random choices; the same seed gives the same crowd",
        default=0,
        min=0,
        max=LARGEST_SEED,
        options={"SKIP_SAVE"},
    )
    target: StringProperty(
        name="Target",
        description="The name of the curve or mesh on which the characters stand; empty means the panel's",
        options={"SKIP_SAVE"},
    )

    _recipe = ""
    _targets: tuple[str, ...] = ()
    _task: CrowdTask

    def written(self, context: Context, generation: Generation[ComputedCrowd]) -> Generator[float, None, None]:
        """Write what the thread computed, unless what it read has changed."""
        # Looked up again by name: deleting and undoing invalidate references to Blender's data.
        request = request_from_recipe(from_json(self._recipe))
        with self.at_first_frame(context.scene):
            asked = self._staged(context, request, read(request, context.scene))
        if not (same_reading(generation.reading, asked.reading) and asked.stage.is_as(self._task.stage)):
            raise InputError("The examples or places changed while the crowd was made; press Make Crowd again.")
        self._task = asked
        yield from self.write(context, generation, generation.result())

    def draw(self, _context: Context) -> None:
        """Draw Adjust Last Operation."""
        layout = in_columns(self.layout)
        for name in CrowdProperties.__annotations__:
            layout.prop(self, name)
        layout.prop(self, "seed")

    def _take_panel(self, context: Context, character: Object) -> None:
        """Set values that were not given from the panel, so that a repetition depends on nothing else."""
        panel = scene_properties(context.scene).crowd
        settings = readable_settings(character, context.scene)
        self.take_panel(panel, CrowdProperties.__annotations__, ghost=False)
        if not self.properties.is_property_set("seed", ghost=False):
            self.seed = draw_seed() if settings.new_seed else settings.seed
        chosen = {"CURVE": panel.curve, "SURFACE": panel.surface}.get(self.layout_kind)
        if not self.target and chosen is not None:
            self.target = chosen.name

    def begun(self, context: Context) -> Generation[ComputedCrowd]:
        """Return the generation of the crowd that the panel describes."""
        character, _ = character_or_reason(context)
        character = character_behind(character)
        self._take_panel(context, character)
        self._targets = self._target_names(context, character)
        request, choices = panel_request(character, context.scene)
        request, reading = read_noticing(replace(request, seeds=(self.seed,)), choices, context.scene)
        self._recipe = to_json(recipe_from_request(request, self.seed))
        self._task = asked = self._staged(context, request, reading)
        check_results(reading, asked.clips, context.scene)
        return Generation(asked.clips, reading, lambda _reading, _clips, progress: compute_crowd(asked, progress))

    def _staged(self, context: Context, request: Request, reading: SceneReading) -> CrowdTask:
        return read_crowd(context, request, self._crowd_request(context), reading)

    def write(
        self, context: Context, _generation: Generation[ComputedCrowd], computed: ComputedCrowd
    ) -> Generator[float, None, None]:
        """Write in steps; the last one makes the crowd visible."""
        request, scene = self._task.request, context.scene
        settings = ensure_settings(request.armature, scene)
        crowd = yield from crowd_written(context, self._task, computed)
        if request.extend_playback:
            scene.frame_end = max(scene.frame_end, scene.frame_start + request.frames - 1)
        if settings.new_seed:
            settings.seed = self.seed
        report_done(self, crowd.notes, summary(crowd))

    def _target_names(self, context: Context, character: Object) -> tuple[str, ...]:
        """Return the names of the objects that the agents stand on."""
        if self.layout_kind == CrowdLayout.OBJECTS.value:
            selected = sorted(context.view_layer.objects.selected, key=lambda thing: thing.name_full)
            names = tuple(thing.name for thing in selected if armature_of(thing) != character)
            if not names:
                raise InputError("Select the character and the objects at which the others should stand.")
            return names
        return () if self.layout_kind == CrowdLayout.GRID.value else (self.target,)

    def _crowd_request(self, context: Context) -> CrowdRequest:
        layout = CrowdLayout(self.layout_kind)
        things: list[Object | None] = [context.scene.objects.get(name) for name in self._targets]
        targets = tuple(thing for thing in things if thing is not None)
        if len(targets) < len(things):
            what = "objects" if layout is CrowdLayout.OBJECTS else layout.value.lower()
            raise InputError(f"Choose the {what} that the crowd stands on.")
        given = fields_given(CrowdRequest, {name: getattr(self, name) for name in CrowdProperties.__annotations__})
        agents = len(targets) if layout is CrowdLayout.OBJECTS else self.agents
        return CrowdRequest(**given | {"agents": agents, "targets": targets, "seed": self.seed})


def summary(crowd: Crowd) -> str:
    """Return a sentence about a crowd for the user."""
    agents = "1 character plays" if crowd.agents == 1 else f"{crowd.agents:,} characters share"
    clips = "1 motion" if crowd.clips == 1 else f"{crowd.clips} motions"
    distance = "" if crowd.spacing is None else f", {crowd.spacing:.3g} apart"
    return f"{agents} {clips}{distance}, in the collection {crowd.collection.name}."

# SPDX-License-Identifier: GPL-3.0-or-later
"""The Make Crowd button."""

from dataclasses import replace

import bpy
from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Object, Operator

from ..core import InputError, Synthesis
from ..crowd.crowd import Crowd, check_direction, clips_request, write_crowd
from ..crowd.request import CrowdRequest, Face, Layout
from ..generation.generate import SceneReading, check_results, compute, prepare_reading
from ..generation.request import LARGEST_SEED, Request
from .choices import read_noticing
from .crowd_properties import CrowdProperties, crowd_names
from .generating_operator import GeneratingOperator
from .panel_request import panel_request
from .progress_display import cursor_progress
from .properties import ensure_settings, readable_settings
from .request_values import draw_seed
from .selection import armature_of, character_or_reason


class GENMM_OT_make_crowd(GeneratingOperator, CrowdProperties, Operator):
    bl_idname = "genmm.make_crowd"
    bl_label = "Make Crowd"
    bl_description = (
        "Make many copies of the character that share its meshes and some new motions, each at a place and moment "
        "of its own, with the settings of Generate"
    )

    seed: IntProperty(
        name="Seed",
        description="The start of the random choices: the same seed gives the same crowd",
        default=0,
        min=0,
        max=LARGEST_SEED,
        options={"SKIP_SAVE"},
    )
    target: StringProperty(
        name="Target",
        description="The name of the curve or mesh that the agents stand on; empty takes the panel's",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> set[str]:
        """Read, compute and write at once."""
        character, _ = character_or_reason(context)
        try:
            self._take_panel(context, character)
            crowd = self._make(context, character)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        settings = ensure_settings(character, context.scene)
        if settings.new_seed:
            settings.seed = self.seed
        for note in crowd.notes:
            self.report({"WARNING"}, note)
        agents = "1 agent plays" if crowd.agents == 1 else f"{crowd.agents:,} agents share"
        clips = "1 motion" if crowd.clips == 1 else f"{crowd.clips} motions"
        self.report({"INFO"}, f"{agents} {clips}, in the collection {crowd.collection.name}.")
        return {"FINISHED"}

    def draw(self, _context: Context) -> None:
        """Adjust Last Operation."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in crowd_names():
            layout.prop(self, name)
        layout.prop(self, "seed")

    def _take_panel(self, context: Context, character: Object) -> None:
        """Set what was not given from the panel; doing it again depends on nothing else then."""
        panel = context.scene.genmm.crowd
        settings = readable_settings(character, context.scene)
        for name in crowd_names():
            if not self.properties.is_property_set(name, ghost=False):
                setattr(self, name, getattr(panel, name))
        if not self.properties.is_property_set("seed", ghost=False):
            self.seed = draw_seed() if settings.new_seed else settings.seed
        chosen = {"CURVE": panel.curve, "SURFACE": panel.surface}.get(self.layout_kind)
        if not self.target and chosen is not None:
            self.target = chosen.name

    def _make(self, context: Context, character: Object) -> Crowd:
        asked = self._asked(context, character)
        request, choices = panel_request(character, context.scene)
        request = replace(request, seeds=(self.seed,))
        request, reading = read_noticing(request, choices, context.scene)
        check_direction(reading)
        wanted = clips_request(request, asked)
        check_results(reading, wanted, context.scene)
        syntheses = self._computed(context, reading, wanted)
        crowd = write_crowd(context, request, asked, reading, prepare_reading(reading, wanted), syntheses)
        if request.extend_playback:
            last = context.scene.frame_start + request.frames - 1
            context.scene.frame_end = max(context.scene.frame_end, last)
        return crowd

    def _computed(self, context: Context, reading: SceneReading, wanted: Request) -> list[Synthesis]:
        with cursor_progress(context, shown=True) as progress:
            return compute(reading, wanted, progress)

    def _asked(self, context: Context, character: Object) -> CrowdRequest:
        layout = Layout(self.layout_kind)
        targets: tuple[Object, ...] = ()
        if layout is Layout.OBJECTS:
            selected = sorted(context.view_layer.objects.selected, key=lambda thing: thing.name_full)
            targets = tuple(thing for thing in selected if armature_of(thing) != character)
            if not targets:
                raise InputError("Select the objects that the agents shall stand at, beside the character.")
        elif layout is not Layout.GRID:
            target: Object | None = context.scene.objects.get(self.target)
            if target is None:
                raise InputError(f"Choose the {layout.value.lower()} that the crowd stands on.")
            targets = (target,)
        return CrowdRequest(
            agents=len(targets) if layout is Layout.OBJECTS else self.agents,
            layout=layout,
            targets=targets,
            spacing=self.spacing or None,
            columns=self.columns or None,
            scatter=self.scatter,
            face=Face(self.face),
            clips=self.clips,
            seed=self.seed,
        )


register, unregister = bpy.utils.register_classes_factory((GENMM_OT_make_crowd,))

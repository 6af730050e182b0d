# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting of parts: a stroke over bones, or over the mesh above them, adds bones to a part or removes them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bpy.props import CollectionProperty, EnumProperty
from bpy.types import Context, Depsgraph, Event, Object, Operator
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector

from ...character.belongings import objects_of_character
from ...core import InputError
from ...requests.part_values import add_part, bones_of, set_bones
from ...state.direction_properties import GENMM_PG_part_bone
from ...state.properties import ensure_settings, readable_settings, scene_properties
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.drawing import in_columns
from ..common.user_input import cancels, confirms
from .bone_picking import Lines, View, bones_in_stroke, lines_on_screen, points_between
from .operators import active_part
from .visible_bones import bone_lines, named

MODES = (
    ("ADD", "Add", "Add the bones under the brush to the part"),
    ("REMOVE", "Remove", "Remove the bones under the brush from the part"),
)
NO_PART = "No part exists to remove bones from; paint one first."

Point = tuple[float, float]


@dataclass(eq=False)
class Stroke:
    """The bones in front of the brush from press to release, and those that it has touched."""

    names: tuple[str, ...]
    lines: Lines
    meshes: tuple[str, ...]
    radius: float
    place: Point
    touched: set[str] = field(default_factory=set)

    @property
    def shown(self) -> set[str]:
        """Return the names of the bones that are not hidden and lie in front of the viewer."""
        return {self.names[number] for number in self.lines.bones.tolist()}

    @classmethod
    def begin(cls, context: Context, character: Object, place: Point) -> "Stroke":
        """Return a new stroke with the bones and meshes that the region shows; the view stays fixed until its end."""
        region = context.region
        names, lines = bone_lines(character, context.evaluated_depsgraph_get())
        view = View(np.array(context.region_data.perspective_matrix), region.width, region.height)
        radius = float(scene_properties(context.scene).brush_radius)
        return cls(names, lines_on_screen(lines, view), meshes_of(context, character), radius, place)

    def move(self, context: Context, character: Object, place: Point) -> None:
        """Touch the bones from the last place to `place`; the mesh counts only where no bone is under the brush."""
        self.touched |= set(named(bones_in_stroke(self.lines, self.place, place, self.radius), self.names))
        for point in points_between(self.place, place, self.radius):
            at = (float(point[0]), float(point[1]))
            if not bones_in_stroke(self.lines, at, at, self.radius):
                bone = bone_at(context, character, self.meshes, at)
                self.touched |= set() if bone is None else {bone}
        self.place = place


class GENMM_OT_paint_part(CharacterOperator, Operator):
    bl_idname = "genmm.paint_part"
    bl_label = "Paint Part"
    bl_description = (
        "Drag over bones, or over the mesh above them, to add them to the active part; hold Ctrl to remove them"
    )

    mode: EnumProperty(name="Mode", description="Effect of the stroke on the bones under the brush", items=MODES)
    bones: CollectionProperty(type=GENMM_PG_part_bone, options={"SKIP_SAVE"})

    _stroke: Stroke
    _before: dict[str, Any]

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Begin a stroke at the mouse."""
        if context.region_data is None:
            self.report({"ERROR"}, "Parts are painted in a 3D viewport; start the stroke there.")
            return {"CANCELLED"}
        character = character_of(context)
        settings = readable_settings(character, context.scene)
        if self.mode == "REMOVE" and not settings.part_list:
            self.report({"ERROR"}, NO_PART)
            return {"CANCELLED"}
        self._before = _remembered(settings)
        self._stroke = Stroke.begin(context, character, _place(event))
        self._paint(context, character, _place(event))
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Paint along the mouse's movement until its button is released."""
        character = character_of(context)
        if cancels(event):
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "MOUSEMOVE" or (event.type == "LEFTMOUSE" and event.value == "RELEASE"):
            self._paint(context, character, _place(event))
        if confirms(event) or (event.type == "LEFTMOUSE" and event.value == "RELEASE"):
            return self._finish(context, character)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        """Restore the parts from before the stroke."""
        character = character_of(context)
        if self._stroke.touched:
            _restore(ensure_settings(character, context.scene), self._before)
        _redraw(context)

    def act(self, context: Context, character: Object) -> None:
        """Paint the bones that are given by name."""
        paint(context, character, [row.name for row in self.bones], self.mode)

    def draw(self, context: Context) -> None:
        """Draw the values that can be adjusted after the stroke."""
        in_columns(self.layout).prop(self, "mode")

    def _paint(self, context: Context, character: Object, place: Point) -> None:
        self._stroke.move(context, character, place)
        if self._stroke.touched:
            settings = ensure_settings(character, context.scene)
            _restore(settings, self._before)
            paint(context, character, sorted(self._stroke.touched), self.mode)
        _redraw(context)

    def _finish(self, context: Context, character: Object) -> Outcome:
        """End the stroke with one step of undo, or none where it changed nothing."""
        if _remembered(readable_settings(character, context.scene)) == self._before:
            return {"CANCELLED"}
        hidden = self._stroke.touched - self._stroke.shown
        if hidden:
            self.report({"INFO"}, f"The mesh is moved by bones that are hidden: {', '.join(sorted(hidden))}.")
        self.bones.clear()
        for name in sorted(self._stroke.touched):
            self.bones.add().name = name
        return {"FINISHED"}


def paint(context: Context, character: Object, bones: Iterable[str], mode: str) -> None:
    """Add bones to the character's active part or remove them, and set Parts to Custom.

    Raises InputError for a bone that the character lacks, or where there is no part to remove bones from.
    """
    names = list(bones)
    unknown = [name for name in names if name not in character.pose.bones]
    if unknown:
        raise InputError(f"{character.name} has no bone {unknown[0]!r}; use the names of its bones.")
    settings = ensure_settings(character, context.scene)
    if not settings.part_list:
        if mode == "REMOVE":
            raise InputError(NO_PART)
        add_part(settings, "Part", ())
    part = active_part(settings)
    set_bones(part, painted(bones_of(part), names, mode))
    settings.parts = "PAINTED"


def painted(bones: Collection[str], stroke: Collection[str], mode: str) -> list[str]:
    """Return the bones of a part after a stroke: new ones come last."""
    if mode == "REMOVE":
        return [name for name in bones if name not in stroke]
    return list(dict.fromkeys((*bones, *stroke)))


def _remembered(settings: Any) -> dict[str, Any]:
    """Return the settings that a stroke may change."""
    part = active_part(settings)
    return {
        "parts": settings.parts,
        "active": settings.active_part,
        "count": len(settings.part_list),
        "bones": bones_of(part) if part is not None else (),
    }


def _restore(settings: Any, before: dict[str, Any]) -> None:
    while len(settings.part_list) > before["count"]:
        settings.part_list.remove(len(settings.part_list) - 1)
    if before["count"]:
        set_bones(active_part(settings), before["bones"])
    settings.active_part, settings.parts = before["active"], before["parts"]


def _place(event: Event) -> Point:
    return float(event.mouse_region_x), float(event.mouse_region_y)


def _redraw(context: Context) -> None:
    """Redraw the viewport and the sidebar."""
    context.area.tag_redraw()


@dataclass(frozen=True, eq=False)
class Hit:
    """The first hit of a ray on a mesh: its distance from the ray's origin, and the evaluated mesh's face."""

    distance: float
    skin: Object
    face: int


def meshes_of(context: Context, character: Object) -> tuple[str, ...]:
    """Return the names of the visible meshes that the character deforms or carries."""
    things = objects_of_character(character, context.scene)
    shown = (thing for thing in things if thing.type == "MESH" and thing.visible_get())
    return tuple(thing.name_full for thing in shown)


def bone_at(context: Context, character: Object, meshes: tuple[str, ...], point: tuple[float, float]) -> str | None:
    """Return the deforming bone that moves the face under a point of the region most; None beside the meshes."""
    origin = region_2d_to_origin_3d(context.region, context.region_data, point)
    direction = region_2d_to_vector_3d(context.region, context.region_data, point)
    depsgraph = context.evaluated_depsgraph_get()
    skins = [thing for thing in context.view_layer.objects if thing.name_full in meshes]
    hits = [hit for skin in skins if (hit := ray_cast(skin, origin, direction, depsgraph)) is not None]
    if not hits:
        return None
    return bone_of(character, min(hits, key=lambda hit: hit.distance), depsgraph)


def ray_cast(skin: Object, origin: Vector, direction: Vector, depsgraph: Depsgraph) -> Hit | None:
    """Return the first hit of a ray, given in the world, on the evaluated mesh; None where it misses."""
    posed = skin.evaluated_get(depsgraph)
    inverse = posed.matrix_world.inverted_safe()
    start, along = inverse @ origin, inverse.to_3x3() @ direction
    if not posed.data.polygons:
        return None
    is_hit, place, _, face = posed.ray_cast(start, along)
    return Hit((posed.matrix_world @ place - origin).length, skin, face) if is_hit else None


def bone_of(character: Object, hit: Hit, depsgraph: Depsgraph) -> str | None:
    """Return the deforming bone with the largest sum of weights on the face, or the bone that is the mesh's parent."""
    posed: Any = hit.skin.evaluated_get(depsgraph)
    names = [group.name for group in hit.skin.vertex_groups]
    weights: dict[str, float] = {}
    for vertex in posed.data.polygons[hit.face].vertices:
        for group in posed.data.vertices[vertex].groups:
            name = names[group.group]
            bone = character.data.bones.get(name)
            if bone is not None and bone.use_deform:
                weights[name] = weights.get(name, 0.0) + group.weight
    if any(weights.values()):
        return max(weights, key=weights.__getitem__)
    hangs = hit.skin.parent == character and hit.skin.parent_type == "BONE"
    return hit.skin.parent_bone if hangs and hit.skin.parent_bone else None

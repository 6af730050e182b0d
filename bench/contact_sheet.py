# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of motions: one row each, poses from left to right over time, by Workbench (Cycles without EGL)."""

import ctypes
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object, Scene
from mathutils import Euler, Matrix, Vector

from .poses import points_of, posed_meshes

COLUMNS = 12
PIXELS = 1800
VIEW = Euler((np.radians(12), 0, np.radians(30))).to_matrix().to_4x4()
"""From the world to the sheet: seen from the front right and a little above."""
PAPER, INK, STICKS = (0.93, 0.93, 0.92), (0.1, 0.1, 0.12), (0.25, 0.45, 0.75)


@dataclass(frozen=True, eq=False)
class Row:
    """A motion to show: from `start` to `end` in scene frames, `rate` of them a second."""

    title: str
    armature: Object
    start: float
    end: float
    rate: float


def render(rows: list[Row], scene: Scene, path: Path) -> str:
    """Render the rows' poses to a PNG, and say with what; the scene's frame is put back, what was made is removed."""
    there_before = set(bpy.data.user_map())
    frame = scene.frame_current
    try:
        sheet = bpy.data.scenes.new("Contact Sheet")
        width, height = _lay_out(rows, scene, sheet)
        _frame(sheet, width, height)
        renderer = _shade(sheet)
        sheet.render.filepath = str(path)
        bpy.ops.render.render(scene=sheet.name, write_still=True)
    finally:
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
        scene.frame_set(frame)
    return renderer


def _lay_out(rows: list[Row], scene: Scene, sheet: Scene) -> tuple[float, float]:
    """Put poses and labels on the sheet (X to the right, Z up, first row from 0 down); returns its size."""
    sticks, ink = _material("Sticks", STICKS), _material("Ink", INK)
    poses = [
        [_stand(posed_meshes(row.armature, scene, at, sticks)) for at in np.linspace(row.start, row.end, COLUMNS)]
        for row in rows
    ]
    clouds = [[points_of(meshes) for meshes in row] for row in poses]
    low = min(cloud[:, 2].min() for row in clouds for cloud in row)
    tall = max(cloud[:, 2].max() for row in clouds for cloud in row) - low
    wide = max(float(np.ptp(cloud[:, 0])) for row in clouds for cloud in row)
    step, rise, size = 1.05 * wide, 1.45 * tall, 0.09 * tall
    for number, (row, meshes) in enumerate(zip(rows, poses, strict=True)):
        ground = -(number + 1) * rise
        _write(sheet, row.title, (-0.5 * step, ground + 1.12 * tall), 1.4 * size, ink)
        times = np.linspace(0.0, (row.end - row.start) / row.rate, COLUMNS)
        for column, (parts, time) in enumerate(zip(meshes, times, strict=True)):
            for mesh in parts:
                _place(sheet, mesh, (column * step, ground - low))
            _write(sheet, f"{time:.1f} s", (column * step, ground - 1.2 * size), size, ink, "CENTER")
    return COLUMNS * step, len(rows) * rise + 2.5 * size


def _stand(meshes: list[Mesh]) -> list[Mesh]:
    """The pose turned to the viewer, standing over the origin: where it has traveled to is taken out."""
    points = points_of(meshes)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    move = VIEW @ Matrix.Translation(Vector((-middle[0], -middle[1], 0.0)))
    for mesh in meshes:
        mesh.transform(move)
    return meshes


def _place(sheet: Scene, data: Mesh | bpy.types.Curve, at: tuple[float, float]) -> Object:
    thing = bpy.data.objects.new(data.name, data)
    thing.location = (at[0], 0.0, at[1])
    sheet.collection.objects.link(thing)
    return thing


def _write(sheet: Scene, text: str, at: tuple[float, float], size: float, ink: Material, align: str = "LEFT") -> None:
    font: Any = bpy.data.curves.new("Label", "FONT")
    font.body, font.size, font.align_x = text, size, align
    font.materials.append(ink)
    _place(sheet, font, at).rotation_euler = (np.pi / 2, 0.0, 0.0)


def _material(name: str, color: tuple[float, float, float]) -> Material:
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*color, 1.0)
    return material


def _frame(sheet: Scene, width: float, height: float) -> None:
    """Camera and resolution for a sheet of that size."""
    lens = bpy.data.cameras.new("Camera")
    lens.type, lens.ortho_scale = "ORTHO", 1.04 * max(width, height)
    distance = 10 * max(width, height)
    lens.clip_end = 2 * distance
    camera = bpy.data.objects.new("Camera", lens)
    camera.location = (0.5 * width * (1 - 1 / COLUMNS), -distance, -0.5 * height)
    camera.rotation_euler = (np.pi / 2, 0.0, 0.0)
    sheet.collection.objects.link(camera)
    sheet.camera = camera
    render, longer = sheet.render, max(width, height)
    render.resolution_x, render.resolution_y = round(PIXELS * width / longer), round(PIXELS * height / longer)
    render.resolution_percentage = 100
    image = render.image_settings
    image.file_format, image.color_mode, image.compression = "PNG", "RGB", 100


def _shade(sheet: Any) -> str:
    """Light the sheet and choose its renderer, which is returned."""
    sheet.world = bpy.data.worlds.new("Paper")
    sheet.world.color = PAPER
    sheet.view_settings.view_transform = "Standard"
    if _has_graphics_library():
        shading = sheet.display.shading
        shading.light, shading.color_type, shading.show_cavity = "STUDIO", "TEXTURE", True
        sheet.display.render_aa = "16"
        sheet.render.engine = "BLENDER_WORKBENCH"
        return "Workbench"
    sheet.render.engine = "CYCLES"
    sheet.cycles.samples = 16
    light: Any = bpy.data.lights.new("Sun", "SUN")
    light.energy, light.use_shadow = 2.0, False
    sun = bpy.data.objects.new("Sun", light)
    sun.rotation_euler = (np.radians(60), 0.0, np.radians(-30))
    sheet.collection.objects.link(sun)
    return "Cycles, as libEGL is missing"


def _has_graphics_library() -> bool:
    """Whether Workbench can run: without a window it needs EGL on Linux, and ends Blender where that is missing."""
    if sys.platform != "linux":
        return True
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        return False
    return True

# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of motions: a row for each, poses from left to right over time, by Workbench (Cycles without EGL)."""

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Mesh, Object, Scene
from mathutils import Euler, Matrix, Vector

from .poses import points_of, posed_meshes
from .sheet import INK, STICKS, material, place, shade, write

COLUMNS = 12
PIXELS = 1800
VIEW = Euler((np.radians(12), 0, np.radians(30))).to_matrix().to_4x4()
"""Transform from the world to the sheet: a view from the front right and slightly above."""


@dataclass(frozen=True, eq=False)
class Row:
    """A motion to show, from scene frame `start` to `end`, at `rate` frames per second."""

    title: str
    armature: Object
    start: float
    end: float
    rate: float


def render(rows: list[Row], scene: Scene, path: Path) -> str:
    """Render the rows' poses to a PNG, restore the scene, and return the renderer's name."""
    there_before = set(bpy.data.user_map())
    frame = scene.frame_current
    try:
        sheet = bpy.data.scenes.new("Contact Sheet")
        width, height = _lay_out(rows, scene, sheet)
        _frame(sheet, width, height)
        renderer = shade(sheet)
        sheet.render.filepath = str(path)
        bpy.ops.render.render(scene=sheet.name, write_still=True)
    finally:
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
        scene.frame_set(frame)
    return renderer


def _lay_out(rows: list[Row], scene: Scene, sheet: Scene) -> tuple[float, float]:
    """Put poses and labels on the sheet (X to the right, Z up, first row from 0 down), and return its size."""
    sticks, ink = material("Sticks", STICKS), material("Ink", INK)
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
        write(sheet, row.title, (-0.5 * step, 0.0, ground + 1.12 * tall), 1.4 * size, ink)
        times = np.linspace(0.0, (row.end - row.start) / row.rate, COLUMNS)
        for column, (parts, time) in enumerate(zip(meshes, times, strict=True)):
            for mesh in parts:
                place(sheet, mesh, (column * step, 0.0, ground - low))
            write(sheet, f"{time:.1f} s", (column * step, 0.0, ground - 1.2 * size), size, ink, align="CENTER")
    return COLUMNS * step, len(rows) * rise + 2.5 * size


def _stand(meshes: list[Mesh]) -> list[Mesh]:
    """Return the meshes of a pose turned to the viewer and moved over the origin, without its travel."""
    points = points_of(meshes)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    move = VIEW @ Matrix.Translation(Vector((-middle[0], -middle[1], 0.0)))
    for mesh in meshes:
        mesh.transform(move)
    return meshes


def _frame(sheet: Scene, width: float, height: float) -> None:
    """Set camera and resolution for a sheet of this size."""
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

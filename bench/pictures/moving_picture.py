# SPDX-License-Identifier: GPL-3.0-or-later
"""An animated WebP of motions, each in its own cell and followed by the view over a dotted ground."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object, Scene
from mathutils import Euler, Matrix, Vector
from numpy.typing import NDArray
from PIL import Image

from .contact_sheet import Row
from .poses import posed_meshes
from .sheet import INK, STICKS, Color, material, place, shade, write

COLUMNS = 3
PIXELS = 720
"""Width of the picture in pixels."""
RATE = 12.0
"""Images per second: fewer look jerky, and each takes a fifth of a second to render without a graphics card."""
LONGEST_SECONDS = 4.0
SAMPLES: Literal["5"] = "5"
"""Samples of Workbench's anti-aliasing; the sheet's 16 take three times as long."""
VIEW = Euler((np.radians(20), 0, np.radians(30))).to_matrix().to_4x4()
"""Transform from the world to the picture: a view from the front right and above, so that paths are visible."""
FOLLOW_SECONDS = 0.6
"""Standard deviation of the Gaussian by which the view follows a body, in seconds; sway remains visible."""
DOT_SPACING, DOT_SIZE, REACH = 0.35, 0.015, 0.9
"""Distance and half-width of the ground's dots, and the extent of the ground, in body heights."""
TRAIL_WIDTH = 0.02
"""Half-width of the line along the body's path, in body heights."""
CELL_WIDTH, CELL_HEIGHT = 1.75, 1.7
"""Size of a cell in body heights."""
QUALITY = 60
"""Quality of the WebP, 0 to 100."""
DOTS, TRAIL = (0.62, 0.62, 0.6), (0.85, 0.45, 0.2)

Track = NDArray[np.float64]


def film(rows: list[Row], scene: Scene, path: Path) -> None:
    """Write the motions of the rows, side by side from their starts on, as an animated WebP at `path`.

    The scene's frame is restored, and all data made for the picture are removed.
    """
    there_before = set(bpy.data.user_map())
    frame = scene.frame_current
    try:
        with tempfile.TemporaryDirectory() as folder:
            _save(_render_all(rows, scene, Path(folder)), path)
    finally:
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
        scene.frame_set(frame)


def _save(pictures: Sequence[Path], path: Path) -> None:
    first, *others = [Image.open(picture).convert("RGB") for picture in pictures]
    duration = round(1000.0 / RATE)
    first.save(path, save_all=True, append_images=others, duration=duration, loop=0, quality=QUALITY, method=4)


def _render_all(rows: list[Row], scene: Scene, folder: Path) -> list[Path]:
    """Render the images one after another, and return their files."""
    sheet = bpy.data.scenes.new("Moving Picture")
    colors = {name: material(name, color) for name, color in _COLORS.items()}
    seconds = min(LONGEST_SECONDS, *((row.end - row.start) / row.rate for row in rows))
    times = np.arange(max(int(seconds * RATE), 1)) / RATE
    tracks, tall = _tracks(rows, scene, times)
    cells = [((number % COLUMNS) * CELL_WIDTH, -(number // COLUMNS) * CELL_HEIGHT) for number in range(len(rows))]
    for row, cell in zip(rows, cells, strict=True):
        at = (tall * cell[0], 0.0, tall * (cell[1] + 1.12))
        write(sheet, row.title, at, 0.09 * tall, colors["Ink"], align="CENTER")
    _frame(sheet, tall, min(len(rows), COLUMNS), -(-len(rows) // COLUMNS))
    shade(sheet)
    sheet.display.render_aa = SAMPLES
    pictures = []
    for number, time in enumerate(times):
        standing: list[Object] = []
        for row, cell, track in zip(rows, cells, tracks, strict=True):
            meshes = posed_meshes(row.armature, scene, row.start + time * row.rate, colors["Sticks"])
            meshes += [_ground(track[number], tall, colors["Dots"]), _trail(track, number, tall, colors["Trail"])]
            standing += _stand(sheet, meshes, track[number], (tall * cell[0], 0.0, tall * cell[1]))
        pictures.append(folder / f"{number:04}.png")
        sheet.render.filepath = str(pictures[-1])
        bpy.ops.render.render(scene=sheet.name, write_still=True)
        bpy.data.batch_remove([thing.data for thing in standing])
    return pictures


_COLORS: dict[str, Color] = {"Sticks": STICKS, "Ink": INK, "Dots": DOTS, "Trail": TRAIL}


def _tracks(rows: list[Row], scene: Scene, times: Track) -> tuple[list[Track], float]:
    """Return the centers `(T, 3)` of each body's view on the ground, in world space, and the largest height."""
    tracks, heights = [], []
    kernel = np.exp(-0.5 * (np.arange(-30, 31) / (FOLLOW_SECONDS * RATE)) ** 2)
    for row in rows:
        bounds = np.array([_bounds(row.armature, scene, row.start + time * row.rate) for time in times])
        low, high = bounds[:, 0], bounds[:, 1]
        heights.append(float(np.median(high[:, 2] - low[:, 2])))
        middle = (low + high) / 2
        padded = np.pad(middle, ((30, 30), (0, 0)), mode="reflect", reflect_type="odd")
        smooth = np.stack([np.convolve(column, kernel / kernel.sum(), "valid") for column in padded.T], axis=1)
        smooth[:, 2] = low[:, 2].min()
        tracks.append(smooth)
    return tracks, max(heights)


def _bounds(armature: Object, scene: Scene, frame: float) -> Track:
    """Return the lowest and highest corner `(2, 3)` of the bounds of the body's joints at a frame, in world space."""
    scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
    posed = armature.evaluated_get(scene.view_layers[0].depsgraph)
    world = np.array(posed.matrix_world)
    points = np.array([end.to_4d() for bone in posed.pose.bones for end in (bone.head, bone.tail)]) @ world.T
    return np.stack((points[:, :3].min(axis=0), points[:, :3].max(axis=0)))


def _ground(center: Track, tall: float, dots: Material) -> Mesh:
    """Return the ground's dots around a place; the dots have fixed places in the world."""
    spacing, reach = DOT_SPACING * tall, REACH * tall
    axis = np.arange(np.floor(-reach / spacing), np.ceil(reach / spacing) + 1) * spacing
    corner = np.round(center[:2] / spacing) * spacing
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2) + corner
    grid = grid[np.linalg.norm(grid - center[:2], axis=1) < reach]
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * DOT_SIZE * tall
    flat = (grid[:, None] + square).reshape(-1, 2)
    faces = np.arange(len(flat)).reshape(-1, 4)
    return _mesh("Ground", flat, center[2], faces, dots)


def _trail(track: Track, now: int, tall: float, trail: Material) -> Mesh:
    """Return a line on the ground along the path up to the present, as far as the ground extends."""
    way = track[: now + 1, :2]
    near = np.linalg.norm(way - track[now, :2], axis=1) < REACH * tall
    way = way[len(near) - int(np.argmin(near[::-1])) :] if not near.all() else way
    along = np.gradient(way, axis=0) if len(way) > 1 else np.zeros_like(way)
    across = np.stack((-along[:, 1], along[:, 0]), axis=1)
    across *= TRAIL_WIDTH * tall / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    flat = np.stack((way - across, way + across), axis=1).reshape(-1, 2)
    first = 2 * np.arange(len(way) - 1)
    faces = np.stack((first, first + 1, first + 3, first + 2), axis=1)
    return _mesh("Trail", flat, track[now, 2], faces, trail)


def _mesh(name: str, flat: Track, height: float, faces: NDArray[np.int64], look: Material) -> Mesh:
    mesh = bpy.data.meshes.new(name)
    vertices = np.column_stack((flat, np.full(len(flat), height)))
    mesh.from_pydata(vertices.tolist(), [], faces.tolist())
    mesh.materials.append(look)
    return mesh


def _stand(sheet: Scene, meshes: list[Mesh], center: Track, at: tuple[float, float, float]) -> list[Object]:
    """Put the meshes into the sheet, turned to the viewer, with the center of their ground at a place."""
    move = VIEW @ Matrix.Translation(Vector(tuple(-center)))
    for mesh in meshes:
        mesh.transform(move)
    return [place(sheet, mesh, at) for mesh in meshes]


def _frame(sheet: Scene, tall: float, columns: int, rows: int) -> None:
    """Set camera and resolution for a number of columns and rows of cells."""
    width, height = columns * CELL_WIDTH * tall, rows * CELL_HEIGHT * tall
    lens = bpy.data.cameras.new("Camera")
    lens.type, lens.ortho_scale = "ORTHO", max(width, height)
    distance = 10 * max(width, height)
    lens.clip_end = 2 * distance
    camera = bpy.data.objects.new("Camera", lens)
    middle = 0.5 * (1 - rows) * CELL_HEIGHT + 0.45
    camera.location = (0.5 * (columns - 1) * CELL_WIDTH * tall, -distance, middle * tall)
    camera.rotation_euler = (np.pi / 2, 0.0, 0.0)
    sheet.collection.objects.link(camera)
    sheet.camera = camera
    render = sheet.render
    render.resolution_x, render.resolution_y = PIXELS, round(PIXELS * height / width)
    render.resolution_percentage = 100
    render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGB"

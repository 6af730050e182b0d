# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for a platform of extensions: an icon and a wide picture of the sample character's walk.

`python build.py release --draw` writes them into docs/platform.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Scene
from mathutils import Matrix, Vector

from genmm_addon.character.sample.sample_character import add_sample_character

from .contact_sheet import VIEW
from .poses import points_of, posed_meshes
from .sheet import STICKS, material, place, shade


@dataclass(frozen=True)
class Picture:
    """A picture to draw: its size in pixels, and the frames of the walk that it shows side by side."""

    name: str
    width: int
    height: int
    frames: tuple[int, ...]


PICTURES = (
    Picture("icon.png", 256, 256, (22,)),
    Picture("featured.png", 1920, 1080, tuple(range(4, 44, 8))),
)
POSE_DISTANCE = 0.45
"""Distance from one pose to the next, in heights of the character."""
ROOM = 1.12
"""Size of the view, relative to its content."""


def main(folder: Path) -> None:
    """Draw the pictures into a folder."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    folder.mkdir(parents=True, exist_ok=True)
    sample = add_sample_character(bpy.context)
    scene = bpy.context.scene
    for picture in PICTURES:
        sheet = bpy.data.scenes.new(picture.name)
        low, high = _lay_out(picture, sheet, sample.armature, scene)
        _frame(picture, sheet, low, high)
        shade(sheet)
        sheet.render.filepath = str(folder / picture.name)
        bpy.ops.render.render(scene=sheet.name, write_still=True)


def _lay_out(picture: Picture, sheet: Scene, armature: bpy.types.Object, scene: Scene) -> tuple[Vector, Vector]:
    """Put the poses side by side into the scene, and return the corners of the visible content."""
    sticks, corners = material("Sticks", STICKS), []
    for number, frame in enumerate(picture.frames):
        meshes = posed_meshes(armature, scene, frame, sticks)
        points = points_of(meshes)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        tall = float(np.ptp(points[:, 2]))
        turn = VIEW @ Matrix.Translation(Vector((-middle[0], -middle[1], 0.0)))
        for mesh in meshes:
            mesh.transform(turn)
            place(sheet, mesh, (number * POSE_DISTANCE * tall, 0.0, 0.0))
        seen = points_of(meshes) + np.array([number * POSE_DISTANCE * tall, 0.0, 0.0])
        corners += [seen.min(axis=0), seen.max(axis=0)]
    return Vector(np.min(corners, axis=0)), Vector(np.max(corners, axis=0))


def _frame(picture: Picture, sheet: Scene, low: Vector, high: Vector) -> None:
    """Set a camera that sees everything between the corners, and the picture's size."""
    size = high - low
    lens = bpy.data.cameras.new("Camera")
    lens.type = "ORTHO"
    # An orthographic camera's scale is that of the longer side.
    lens.ortho_scale = ROOM * max(size.x, size.z * picture.width / picture.height)
    lens.clip_end = 100.0 * max(size.x, size.y, size.z)
    camera = bpy.data.objects.new("Camera", lens)
    middle = (low + high) / 2
    camera.location = (middle.x, low.y - 10.0 * max(size.x, size.y, size.z), middle.z)
    camera.rotation_euler = (np.pi / 2, 0.0, 0.0)
    sheet.collection.objects.link(camera)
    sheet.camera = camera
    sheet.render.resolution_x, sheet.render.resolution_y = picture.width, picture.height
    sheet.render.resolution_percentage = 100
    sheet.render.dither_intensity = 0.0  # otherwise the plain background takes a megabyte
    image = sheet.render.image_settings
    image.file_format, image.color_mode, image.compression = "PNG", "RGB", 100


if __name__ == "__main__":
    main(Path(sys.argv[1]))

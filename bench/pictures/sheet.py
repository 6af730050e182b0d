# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a rendered picture: labels, materials, light and renderer (Workbench, or Cycles without EGL)."""

import ctypes
import sys
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Curve, Material, Mesh, Object, Scene

Color = tuple[float, float, float]
PAPER, INK, STICKS = (0.93, 0.93, 0.92), (0.1, 0.1, 0.12), (0.25, 0.45, 0.75)
UPRIGHT, FLAT = (np.pi / 2, 0.0, 0.0), (0.0, 0.0, 0.0)
"""Rotations of a label: facing -Y, or lying on the ground."""


def place(sheet: Scene, data: Mesh | Curve, at: Sequence[float]) -> Object:
    """Put a new object with this data into the scene, and return it."""
    thing = bpy.data.objects.new(data.name, data)
    thing.location = at
    sheet.collection.objects.link(thing)
    return thing


def write(
    sheet: Scene,
    text: str,
    at: Sequence[float],
    size: float,
    ink: Material,
    *,
    align: str = "LEFT",
    rotation: tuple[float, float, float] = UPRIGHT,
) -> None:
    """Put a label with letters of this size into the scene."""
    font: Any = bpy.data.curves.new("Label", "FONT")
    font.body, font.size, font.align_x = text, size, align
    font.materials.append(ink)
    place(sheet, font, at).rotation_euler = rotation


def material(name: str, color: Color) -> Material:
    """Return a new material of one color."""
    made = bpy.data.materials.new(name)
    made.diffuse_color = (*color, 1.0)
    return made


def shade(sheet: Any) -> str:
    """Light the scene, choose its renderer, and return the renderer's name."""
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
    """Return whether Workbench can run; on Linux without EGL, it would crash Blender."""
    if sys.platform != "linux":
        return True
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        return False
    return True

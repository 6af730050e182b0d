# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's body as one skinned mesh."""

from collections.abc import Iterator, Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object

from ...core import Array
from .sample_skeleton import BONES, INDEX, SIDES, head_of
from .sample_surface import BodySurface, X, Y, Z, ball, blended, limb, loft

SKIN, JOINT, DARK = "GenMM Body", "GenMM Joints", "GenMM Dark"
COLORS = {
    SKIN: (0.80, 0.81, 0.80, 1.0),
    JOINT: (0.93, 0.30, 0.10, 1.0),
    DARK: (0.035, 0.05, 0.085, 1.0),
}

_CHEST = np.array(
    [  # height, half width, half depth, middle's y
        (1.130, 0.000, 0.000, 0.004),
        (1.132, 0.085, 0.060, 0.004),
        (1.143, 0.116, 0.084, 0.004),
        (1.170, 0.131, 0.096, 0.005),
        (1.205, 0.141, 0.103, 0.005),
        (1.245, 0.150, 0.109, 0.005),
        (1.285, 0.157, 0.112, 0.006),
        (1.320, 0.161, 0.112, 0.008),
        (1.355, 0.158, 0.105, 0.012),
        (1.385, 0.141, 0.092, 0.016),
        (1.410, 0.108, 0.075, 0.018),
        (1.428, 0.068, 0.056, 0.019),
        (1.435, 0.030, 0.028, 0.019),
        (1.437, 0.000, 0.000, 0.019),
    ]
)
_WAIST = np.array(
    [
        (0.960, 0.000, 0.000, 0.001),
        (0.970, 0.100, 0.070, 0.001),
        (1.000, 0.124, 0.086, 0.001),
        (1.030, 0.121, 0.085, 0.001),
        (1.060, 0.118, 0.084, 0.002),
        (1.090, 0.117, 0.084, 0.002),
        (1.120, 0.119, 0.086, 0.003),
        (1.150, 0.122, 0.088, 0.004),
        (1.190, 0.110, 0.075, 0.004),
        (1.200, 0.000, 0.000, 0.004),
    ]
)
_PELVIS = np.array(
    [
        (0.815, 0.000, 0.000, 0.004),
        (0.818, 0.050, 0.045, 0.004),
        (0.832, 0.088, 0.070, 0.004),
        (0.860, 0.126, 0.091, 0.005),
        (0.895, 0.147, 0.103, 0.006),
        (0.930, 0.152, 0.106, 0.005),
        (0.965, 0.147, 0.102, 0.003),
        (0.995, 0.138, 0.096, 0.001),
        (1.014, 0.124, 0.087, 0.000),
        (1.022, 0.100, 0.070, 0.000),
        (1.024, 0.000, 0.000, 0.000),
    ]
)
_HEAD = np.array(
    [
        (1.487, 0.000, 0.000, -0.022),
        (1.490, 0.026, 0.028, -0.022),
        (1.502, 0.046, 0.052, -0.020),
        (1.525, 0.060, 0.074, -0.014),
        (1.555, 0.069, 0.087, -0.008),
        (1.590, 0.075, 0.094, -0.003),
        (1.625, 0.077, 0.097, 0.000),
        (1.655, 0.074, 0.093, 0.002),
        (1.682, 0.063, 0.080, 0.003),
        (1.701, 0.045, 0.058, 0.004),
        (1.712, 0.024, 0.031, 0.004),
        (1.715, 0.000, 0.000, 0.004),
    ]
)
_FOOT = np.array(
    [  # y from the ankle, half width, height
        (0.062, 0.000, 0.040),
        (0.060, 0.014, 0.046),
        (0.050, 0.027, 0.066),
        (0.028, 0.034, 0.084),
        (0.000, 0.037, 0.090),
        (-0.035, 0.039, 0.082),
        (-0.075, 0.043, 0.064),
        (-0.105, 0.046, 0.052),
        (-0.130, 0.046, 0.044),
        (-0.146, 0.038, 0.036),
        (-0.150, 0.000, 0.030),
    ]
)
_TOES = np.array(
    [
        (-0.112, 0.000, 0.040),
        (-0.114, 0.040, 0.040),
        (-0.130, 0.0455, 0.043),
        (-0.155, 0.045, 0.039),
        (-0.178, 0.040, 0.034),
        (-0.195, 0.030, 0.029),
        (-0.204, 0.016, 0.024),
        (-0.207, 0.000, 0.018),
    ]
)


def new_body(armature: Object, units_per_meter: float) -> Object:
    """Return a new mesh object, not yet linked, skinned to the bones of `armature` and parented to it."""
    surfaces = body()
    mesh = _mesh(surfaces, units_per_meter)
    skin = bpy.data.objects.new(armature.name + " Body", mesh)
    skin.parent = armature
    modifier: Any = skin.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    _write_weights(skin, surfaces)
    return skin


def _mesh(surfaces: Sequence[BodySurface], units_per_meter: float) -> Mesh:
    mesh = bpy.data.meshes.new("GenMM Sample Body")
    starts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces)])
    faces: list[list[int]] = []
    materials: list[int] = []
    names = list(COLORS)
    for start, surface in zip(starts, surfaces, strict=False):
        shaped = [*(surface.quads + start).tolist(), *(surface.triangles + start).tolist()]
        faces += shaped
        materials += [names.index(surface.material)] * len(shaped)
    vertices = np.concatenate([surface.vertices for surface in surfaces]) * units_per_meter
    mesh.from_pydata(vertices.tolist(), [], faces)
    for name in names:
        mesh.materials.append(_material(name))
    mesh.polygons.foreach_set("material_index", np.array(materials, np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), bool))
    mesh.update()
    return mesh


def _material(name: str) -> Material:
    """Return the character's material of this name, shared with existing sample characters."""
    known: Material | None = bpy.data.materials.get((name, None))
    if known is not None:
        return known
    material = bpy.data.materials.new(name)
    material.diffuse_color = COLORS[name]
    if material.node_tree is None:  # from 5.0 on, every material has nodes
        material.use_nodes = True
    nodes: Any = material.node_tree.nodes
    for node in nodes:
        if node.type == "BSDF_PRINCIPLED":
            node.inputs["Base Color"].default_value = COLORS[name]
    return material


def _write_weights(skin: Object, surfaces: Sequence[BodySurface]) -> None:
    start = 0
    for surface in surfaces:
        for bone, weights in zip(surface.bones, surface.weights.T, strict=True):
            group = skin.vertex_groups.get(bone) or skin.vertex_groups.new(name=bone)
            for weight in np.unique(weights[weights > 0]):
                group.add((start + np.flatnonzero(weights == weight)).tolist(), float(weight), "REPLACE")
        start += len(surface.vertices)


def body() -> tuple[BodySurface, ...]:
    """Return all surfaces of the character in its rest pose."""
    return (*_trunk(), *_head(), *(surface for side in SIDES for surface in (*_arm(side), *_leg(side))))


def _upright(rings: Array, bone: str, material: str, squareness: float = 2.0) -> BodySurface:
    centers = np.stack((0 * rings[:, 0], rings[:, 3], rings[:, 0]), axis=-1)
    return loft(centers, rings[:, 1:3], (X, Y), bone=bone, material=material, squareness=squareness)


def _trunk() -> Iterator[BodySurface]:
    spine, heights = ("Hips", "Spine", "Chest", "UpperChest"), (1.04, 1.13, 1.23)
    yield blended(_upright(_CHEST, "Chest", SKIN, 2.4), spine, heights, 0.09)
    yield blended(_upright(_WAIST, "Spine", DARK, 2.3), spine, heights, 0.09)
    yield _upright(_PELVIS, "Hips", SKIN, 2.3)


def _head() -> Iterator[BodySurface]:
    base, top = np.array([0.0, 0.018, 1.40]), np.array([0.0, 0.004, 1.535])
    neck = limb(base, top, ((0, 0.056), (0.4, 0.047), (1, 0.047)), bone="Neck", material=JOINT)
    yield blended(neck, ("UpperChest", "Neck", "Head"), (1.425, 1.515), 0.05)
    yield _upright(_HEAD, "Head", SKIN, 2.15)
    yield ball(np.array([0.0, -0.053, 1.612]), (0.068, 0.056, 0.035), bone="Head", material=DARK)
    for sign in (1.0, -1.0):
        yield ball(np.array([sign * 0.073, 0.004, 1.600]), (0.012, 0.026, 0.030), bone="Head", material=JOINT)


def _between(side: str, bone: str, below: str, start: float, end: float) -> tuple[Array, Array]:
    """Return the points `(3,)` at the shares `start` and `end` of the line from a joint to the next."""
    head, tail = head_of(f"{bone}.{side}"), head_of(f"{below}.{side}")
    return head + start * (tail - head), head + end * (tail - head)


def _joint(side: str, bone: str, radius: float) -> BodySurface:
    name = f"{bone}.{side}"
    return ball(head_of(name), (radius, radius, radius), bone=name, material=JOINT)


def _arm(side: str) -> Iterator[BodySurface]:
    yield _joint(side, "UpperArm", 0.055)
    upper, fore = _between(side, "UpperArm", "Forearm", 0.16, 0.90), _between(side, "Forearm", "Hand", 0.13, 0.90)
    yield limb(*upper, ((0, 0.044), (0.35, 0.046), (1, 0.034)), bone=f"UpperArm.{side}", material=SKIN)
    yield _joint(side, "Forearm", 0.0385)
    yield limb(*fore, ((0, 0.034), (0.25, 0.038), (1, 0.024)), bone=f"Forearm.{side}", material=SKIN)
    yield _joint(side, "Hand", 0.0275)
    yield from _hand(side)


def _hand(side: str) -> Iterator[BodySurface]:
    name = f"Hand.{side}"
    wrist, tip = head_of(name), np.array(BONES[INDEX[name]].tail)
    along = (tip - wrist) / np.linalg.norm(tip - wrist)
    profile = ((0, 0.024), (0.35, 0.041), (0.7, 0.037), (1, 0.022))
    yield limb(wrist + 0.022 * along, tip + 0.012 * along, profile, bone=name, material=SKIN, flatness=0.42)
    thumb = wrist + 0.045 * along - 0.026 * Y
    yield limb(thumb, thumb + 0.040 * along - 0.026 * Y, ((0, 0.0145), (1, 0.0105)), bone=name, material=SKIN)


def _leg(side: str) -> Iterator[BodySurface]:
    yield _joint(side, "Thigh", 0.082)
    thigh, shin = _between(side, "Thigh", "Shin", 0.14, 0.93), _between(side, "Shin", "Foot", 0.10, 0.92)
    yield limb(*thigh, ((0, 0.078), (0.3, 0.076), (1, 0.048)), bone=f"Thigh.{side}", material=SKIN)
    yield _joint(side, "Shin", 0.054)
    yield limb(*shin, ((0, 0.046), (0.28, 0.055), (0.7, 0.040), (1, 0.031)), bone=f"Shin.{side}", material=SKIN)
    yield _joint(side, "Foot", 0.038)
    yield _sole(side, _FOOT, "Foot", SKIN)
    yield _sole(side, _TOES, "Toes", JOINT)


def _sole(side: str, rings: Array, bone: str, material: str) -> BodySurface:
    """Return a part of the foot, flat on the ground, from its back to its front end."""
    ankle = head_of(f"Foot.{side}")
    centers = np.stack((0 * rings[:, 0] + ankle[0], rings[:, 0] + ankle[1], rings[:, 2] / 2), axis=-1)
    halves = np.stack((rings[:, 1], rings[:, 2] / 2), axis=-1)
    # The order of the axes makes faces point outward on a surface that runs along -Y.
    return loft(centers, halves, (X, Z), bone=f"{bone}.{side}", material=material, squareness=2.6)

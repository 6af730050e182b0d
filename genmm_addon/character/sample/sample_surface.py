# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth closed surfaces for the sample character's body, lofted through rings, with their bone weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core import Array, Int64
from ...core.motion import smoothstep

AROUND = 16
"""Number of vertices in a ring."""

X, Y, Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class BodySurface:
    """A closed surface: vertices `(N, 3)` in meters, faces, a material, and weights `(N, B)` of its bones."""

    vertices: Array
    quads: Int64
    triangles: Int64
    material: str
    bones: tuple[str, ...]
    weights: Array


def loft(
    centers: Array, halves: Array, axes: tuple[Array, Array], *, bone: str, material: str, squareness: float = 2.0
) -> BodySurface:
    """Return a surface through rings around `centers` `(R, 3)`, with half extents `(R, 2)` along two `axes` `(3,)`.

    Faces point outward if the cross product of the axes points along the surface. The first and the last center are its
    poles. squareness: 2 makes ellipses, more makes boxes with rounded edges. All weight goes to `bone`.
    """
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    outline = np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    outline = np.sign(outline) * np.abs(outline) ** (2 / squareness)
    rings = centers[1:-1, None] + (outline[None] * halves[1:-1, None]) @ np.stack(axes)
    vertices = np.concatenate((rings.reshape(-1, 3), centers[[0, -1]]))
    quads, triangles = _faces(len(rings))
    return BodySurface(vertices, quads, triangles, material, (bone,), np.ones((len(vertices), 1)))


def _faces(rings: int) -> tuple[Int64, Int64]:
    around = np.arange(AROUND)
    following = (around + 1) % AROUND
    starts = np.arange(rings - 1)[:, None] * AROUND
    quads = (starts + around, starts + following, starts + AROUND + following, starts + AROUND + around)
    first, last, top = rings * AROUND, rings * AROUND + 1, (rings - 1) * AROUND
    bottom = np.stack([np.full(AROUND, first), following, around], axis=-1)
    lid = np.stack([np.full(AROUND, last), top + around, top + following], axis=-1)
    return np.stack(quads, axis=-1).reshape(-1, 4), np.concatenate((bottom, lid))


def limb(
    start: Array, end: Array, profile: Sequence[tuple[float, float]], *, bone: str, material: str, flatness: float = 1.0
) -> BodySurface:
    """Return a limb with round ends from `start` to `end` `(3,)`.

    profile: radii in meters at shares of its length. flatness: extent across, as a share of that from front to back.
    """
    along = end - start
    length = float(np.linalg.norm(along))
    along = along / length
    shares, radii = np.array(profile).T
    inner = np.linspace(0.0, 1.0, 9)
    radius = np.interp(inner, shares, radii)
    radius[1:-1] = 0.25 * radius[:-2] + 0.5 * radius[1:-1] + 0.25 * radius[2:]
    angle = np.linspace(0.0, 0.5 * np.pi, 5)[1:]
    beyond, width = np.sin(angle), np.cos(angle)
    places = np.concatenate((-radii[0] * beyond[::-1], inner * length, length + radii[-1] * beyond))
    radius = np.concatenate((radii[0] * width[::-1], radius, radii[-1] * width))
    halves = np.stack((flatness * radius, radius), axis=-1)
    return loft(start + places[:, None] * along, halves, _axes_beside(along), bone=bone, material=material)


def ball(center: Array, halves: tuple[float, float, float], *, bone: str, material: str) -> BodySurface:
    """Return an ellipsoid with its half extents along X, Y and Z."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 12)
    centers = center + halves[2] * np.sin(angle)[:, None] * Z
    return loft(centers, np.cos(angle)[:, None] * np.array(halves[:2]), (X, Y), bone=bone, material=material)


def _axes_beside(along: Array) -> tuple[Array, Array]:
    """Return two axes perpendicular to `along`, in outward-facing order, the second as far backward as possible."""
    back = Y - (Y @ along) * along
    back = back / np.linalg.norm(back)
    return np.cross(back, along), back


def blended(surface: BodySurface, bones: Sequence[str], heights: Sequence[float], overlap: float) -> BodySurface:
    """Return the surface with weights that change from bone to bone at `heights`, over `overlap` meters."""
    shares = np.clip((surface.vertices[:, 2:] - np.array(heights)) / overlap + 0.5, 0.0, 1.0)
    reached = smoothstep(shares)
    ends = np.ones((len(reached), 1)), np.zeros((len(reached), 1))
    weights = np.hstack((ends[0], reached)) - np.hstack((reached, ends[1]))
    return replace(surface, bones=tuple(bones), weights=weights)

# SPDX-License-Identifier: GPL-3.0-or-later
"""From places in the scene to the matrix of each agent."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object
from numpy.typing import NDArray

from ..animation.curve_path import check_curve, curve_points
from ..animation.rig import OBJECT_JOINT, read_skeleton
from ..core import InputError, Motion
from ..core.motion import RootPlan, place_and_heading
from .places import Places, along, grid, on_triangles
from .request import CrowdRequest, Face, Layout

Float64 = NDArray[np.float64]

ROOMY = 0.75
"""Spacing by itself, as a share of the character's size."""
FRONT = -np.pi / 2
"""Blender's front view looks at a character that faces -Y."""
AHEAD_SECONDS = 1.0
"""A character sets out in the direction it goes within this time ..."""
GOES = 0.1
"""... if that is this share of its size."""


def places_of(request: CrowdRequest, armature: Object, context: Context) -> Places:
    """Where the agents stand. Raises InputError for a curve or surface on which nobody can."""
    random = np.random.default_rng((request.seed, 1))
    spacing = request.spacing
    if spacing is None:
        scale = float(np.cbrt(abs(np.linalg.det(np.array(armature.matrix_world, np.float64)[:3, :3]))))
        spacing = ROOMY * read_skeleton(armature).size * scale or 1.0
    if request.layout is Layout.CURVE:
        check_curve(request.targets[0])
        points, closed = curve_points(request.targets[0])
        return along(_placed(request.targets[0], points), closed, request.agents)
    if request.layout is Layout.SURFACE:
        return on_triangles(_triangles(request.targets[0], context), request.agents, spacing, random)
    if request.layout is Layout.OBJECTS:
        return _on_objects(request.targets[: request.agents])
    rows = grid(request.agents, spacing, request.columns, request.scatter, random)
    home = np.array(armature.matrix_world.translation, np.float64)
    # The character itself stands in front of its crowd.
    return Places(rows.positions + home + (0.0, spacing, 0.0))


@dataclass(frozen=True, eq=False)
class Trail:
    """How a motion goes over the world's ground: where its root is `(T, 2)`, and which way it sets out from each frame.

    directions: `(T,)` in radians from the world's X. looks: what is to be added to a heading for such a direction.
    """

    ground: Float64
    directions: Float64
    looks: float


def trail_of(motion: Motion, root: RootPlan, armature: Object, example: "Trail | None" = None) -> Trail:
    """The trail of a motion of this character; where it stays it looks as the example does at first, but for turns.

    example: the example's own trail, None for that itself, which looks at the front where it stays.
    """
    world = np.array(armature.matrix_world, np.float64)
    if motion.skeleton.names[0] == OBJECT_JOINT:
        world = world @ np.array(armature.matrix_basis.inverted_safe(), np.float64)
    positions, headings = place_and_heading(motion, root)
    ground = np.asarray((positions @ world[:3, :3].T + world[:3, 3])[:, :2])
    ahead = max(round(AHEAD_SECONDS * motion.frames_per_second), 1)
    later = np.minimum(np.arange(len(ground)) + ahead, len(ground) - 1)
    ways = ground[later] - ground[np.maximum(later - ahead, 0)]
    travels = np.linalg.norm(ways, axis=1) > GOES * motion.skeleton.size * float(np.linalg.norm(world[2, :3]))
    directions = np.arctan2(ways[:, 1], ways[:, 0])
    own = directions[0] if travels[0] else FRONT
    looks = float(own - headings[0]) if example is None else example.looks
    return Trail(ground, np.where(travels, directions, headings + looks), looks)


def matrices(
    request: CrowdRequest, places: Places, trails: Sequence[tuple[Trail, int]], home: Trail, height: float
) -> Float64:
    """For each agent the matrix `(N, 4, 4)` that takes its motion, as it lies in the world, to its place.

    trails: each agent's, and the frame it begins with. home: the example's. height: of the ground it stands on.
    """
    turns = _wanted(request, places, float(home.directions[0])) - [trail.directions[frame] for trail, frame in trails]
    starts = np.array([trail.ground[frame] for trail, frame in trails])
    made = np.tile(np.eye(4), (len(trails), 1, 1))
    made[:, 0, 0] = made[:, 1, 1] = np.cos(turns)
    made[:, 1, 0] = np.sin(turns)
    made[:, 0, 1] = -made[:, 1, 0]
    made[:, :2, 3] = places.positions[:, :2] - np.einsum("nab,nb->na", made[:, :2, :2], starts)
    made[:, 2, 3] = places.positions[:, 2] - height
    return made


def _wanted(request: CrowdRequest, places: Places, home: float) -> Float64:
    count = len(places.positions)
    if request.face is Face.RANDOM:
        return np.random.default_rng((request.seed, 2)).uniform(-np.pi, np.pi, count)
    if request.face is Face.ALONG and places.directions is not None:
        return places.directions
    return np.full(count, home)


def _on_objects(targets: tuple[Object, ...]) -> Places:
    frames = np.array([target.matrix_world for target in targets], np.float64).reshape(-1, 4, 4)
    front = -frames[:, :3, 1]
    return Places(frames[:, :3, 3].copy(), np.arctan2(front[:, 1], front[:, 0]))


def _placed(thing: Object, points: Float64) -> Float64:
    world = np.array(thing.matrix_world, np.float64)
    return np.asarray(points @ world[:3, :3].T + world[:3, 3])


def _triangles(thing: Object, context: Context) -> Float64:
    """The triangles `(M, 3, 3)` of a mesh as it shows, in the world. Raises InputError where it has no area."""
    evaluated = thing.evaluated_get(context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        mesh.calc_loop_triangles()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        numbers = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", numbers)
    finally:
        evaluated.to_mesh_clear()
    corners = _placed(thing, points.reshape(-1, 3).astype(np.float64))[numbers.reshape(-1, 3)]
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) if len(corners) else corners
    if not np.isfinite(corners).all() or not np.linalg.norm(sides, axis=-1).sum() > 0:
        raise InputError(f'"{thing.name}" has no surface to stand on; choose a mesh with faces.')
    return corners

# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground that a crowd stands on, read from the scene into arrays."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object

from ..animation.curve_path import check_curve, curve_points
from ..animation.points import placed, triangles_of
from ..animation.rig import OBJECT_JOINT, read_skeleton
from ..core import Float64, InputError
from .places import AgentPlaces, along, grid, is_spread, on_triangles
from .request import CrowdLayout, CrowdRequest

ROOMY = 0.75
"""Default spacing, as a share of the character's size; it is enlarged if motions cross."""


@dataclass(frozen=True, eq=False)
class StandingGround:
    """The ground of a crowd, as arrays.

    points: of the layout, in the world: a curve's `(M, 3)`, a surface's triangles `(M, 3, 3)`, matrices of objects
    `(M, 4, 4)`, or the character's position `(3,)`. size: of the character in the world. space: the matrix `(4, 4)`
    from the space of the skeleton's roots to the world. height: of the ground on which the character stands.
    """

    layout: CrowdLayout
    points: Float64
    closed: bool
    size: float
    space: Float64
    height: float
    agents: int
    spacing: float | None
    columns: int | None
    scatter: float
    seed: int

    @property
    def own_spacing(self) -> float:
        """Return the requested spacing, or the default by the character's size."""
        return self.spacing or ROOMY * self.size or 1.0

    @property
    def gives_way(self) -> bool:
        """Return whether the agents may be placed farther apart than at first."""
        return self.spacing is None and self.layout in (CrowdLayout.GRID, CrowdLayout.SURFACE)

    def places(self, scale: float) -> AgentPlaces | None:
        """Return the places at `scale` times the spacing; None where they are fixed or do not fit."""
        if scale > 1 and not self.gives_way:
            return None
        random, spacing = np.random.default_rng((self.seed, 1)), scale * self.own_spacing
        if self.layout is CrowdLayout.CURVE:
            return along(self.points, self.closed, self.agents)
        if self.layout is CrowdLayout.SURFACE:
            spread = on_triangles(self.points, self.agents, spacing, random)
            return spread if scale == 1 or is_spread(spread, spacing) else None
        if self.layout is CrowdLayout.OBJECTS:
            front = -self.points[:, :3, 1]
            return AgentPlaces(self.points[:, :3, 3].copy(), np.arctan2(front[:, 1], front[:, 0]))
        rows = grid(self.agents, spacing, self.columns, self.scatter, random)
        # The character itself stands in front of its crowd.
        return AgentPlaces(rows.positions + self.points + (0.0, spacing, 0.0))


def read_ground(request: CrowdRequest, armature: Object, context: Context, first_joint: str) -> StandingGround:
    """Read the ground on which a crowd will stand. first_joint: of the skeleton of its motions.

    Raises InputError for a curve or surface without room to stand.
    """
    world = np.array(armature.matrix_world, np.float64)
    skeleton = read_skeleton(armature)
    points, closed = np.array(armature.matrix_world.translation, np.float64), False
    if request.layout is CrowdLayout.CURVE:
        check_curve(request.targets[0])
        line, closed = curve_points(request.targets[0])
        points = placed(request.targets[0].matrix_world, line)
    elif request.layout is CrowdLayout.SURFACE:
        points = _triangles(request.targets[0], context)
    elif request.layout is CrowdLayout.OBJECTS:
        targets = request.targets[: request.agents]
        points = np.array([target.matrix_world for target in targets], np.float64).reshape(-1, 4, 4)
    return StandingGround(
        layout=request.layout,
        points=points,
        closed=closed,
        size=skeleton.size * float(np.cbrt(abs(np.linalg.det(world[:3, :3])))),
        space=space_of_roots(armature, first_joint),
        height=float(armature.matrix_world.translation.z),
        agents=request.agents,
        spacing=request.spacing,
        columns=request.columns,
        scatter=request.scatter,
        seed=request.seed,
    )


def space_of_roots(armature: Object, first_joint: str) -> Float64:
    """Return the matrix `(4, 4)` from the space of the skeleton's roots, at the character's place, to the world."""
    world = np.array(armature.matrix_world, np.float64)
    if first_joint == OBJECT_JOINT:
        world = world @ np.array(armature.matrix_basis.inverted_safe(), np.float64)
    return world


def _triangles(thing: Object, context: Context) -> Float64:
    """Return the triangles `(M, 3, 3)` of a mesh as evaluated, in the world. Raises InputError if it has no area."""
    evaluated = thing.evaluated_get(context.evaluated_depsgraph_get())
    corners = triangles_of(evaluated, thing.matrix_world)
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) if len(corners) else corners
    if not np.isfinite(corners).all() or not np.linalg.norm(sides, axis=-1).sum() > 0:
        raise InputError(f'"{thing.name}" has no faces to stand on; choose another mesh.')
    return corners

# SPDX-License-Identifier: GPL-3.0-or-later
"""Places and directions of agents over time."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object

from ..animation.curve_path import check_curve, curve_points
from ..animation.points import placed, triangles_of
from ..animation.rig import OBJECT_JOINT, read_skeleton
from ..character.skin import Skin, reach_of
from ..core import Float64, InputError, Int64, Motion
from ..core.motion import RootPlan, place_and_heading
from .places import AgentPlaces, along, grid, is_spread, on_triangles
from .request import CrowdLayout, CrowdRequest

ROOMY = 0.75
"""Default spacing, as a share of the character's size; it is enlarged if motions cross."""
AHEAD_SECONDS = 1.0
"""Time over which steps average out, for the direction in which a character sets out and for its speed, in seconds:
about two steps."""
GOES = 0.1
"""Least distance covered in that time, as a share of the size, for the character to count as traveling."""


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


@dataclass(frozen=True, eq=False)
class Trail:
    """The trail of a motion: ground `(T, 2)` positions of its root, and the directions in which it looks.

    reach: `(T,)` how far the skin extends from the root on the ground. directions: `(T,)` from each frame, in radians
    from the world's X. looks: the angle to add to a heading for such a direction.
    """

    ground: Float64
    reach: Float64
    directions: Float64
    looks: float


def trail_of(motion: Motion, root: RootPlan, skin: Skin, space: Float64, looks: float) -> Trail:
    """Return the trail of a motion.

    space: the matrix `(4, 4)` from the space of the skeleton's roots to the world.
    """
    ground, headings = _ground_and_headings(motion, root, space)
    later = _later(motion)
    first = np.maximum(later - _ahead(motion), 0)
    # The hips sway with each step, so headings are averaged over the time ahead.
    total = np.concatenate(([0.0], np.cumsum(headings)))
    directions = (total[later + 1] - total[first]) / (later + 1 - first) + looks
    return Trail(ground, reach_of(motion, root.joint, skin, space), directions, looks)


def looks_of(motion: Motion, root: RootPlan, space: Float64) -> float | None:
    """Return the mean angle from a motion's headings to its directions of travel; None if it stays in place."""
    ground, headings = _ground_and_headings(motion, root, space)
    ways = ground[_later(motion)] - ground
    size = motion.skeleton.size * float(np.linalg.norm(space[2, :3]))
    ways = np.where((np.linalg.norm(ways, axis=1) > GOES * size)[:, None], ways, 0.0)
    cosine, sine = np.cos(headings), np.sin(headings)
    ahead = float((cosine * ways[:, 0] + sine * ways[:, 1]).sum())
    aside = float((cosine * ways[:, 1] - sine * ways[:, 0]).sum())
    return float(np.arctan2(aside, ahead)) if ahead or aside else None


def front_of(space: Float64) -> float:
    """Return the direction in which a character looks at rest: along -Y, towards Blender's front view."""
    return float(np.arctan2(-space[1, 1], -space[0, 1]))


def _ground_and_headings(motion: Motion, root: RootPlan, space: Float64) -> tuple[Float64, Float64]:
    positions, headings = place_and_heading(motion, root)
    return placed(space, positions)[:, :2], headings


def _later(motion: Motion) -> Int64:
    """Return for each frame the last one of the time that lies ahead of it."""
    return np.minimum(np.arange(motion.frames) + _ahead(motion), motion.frames - 1)


def _ahead(motion: Motion) -> int:
    return max(round(AHEAD_SECONDS * motion.frames_per_second), 1)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Places for new characters on free ground beside each other.

Places are computed from motions, rest poses and the ground stored on results, never from the last evaluated pose or
bounding box, so that a repetition gives the same place.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bpy.types import Object, Scene
from mathutils import Matrix, Vector

from ..animation.points import placed, vertices_of
from ..animation.rig import OBJECT_JOINT
from ..core import Array, Float64, Motion
from .skin import bone_holding, sampled_frames
from .standing import Moved, outer_space, world_matrix
from .tags import PLACE_PROPERTY

MOST_ROWS = 128
"""Most rows of a stored footprint, a few kilobytes with each result."""
ROWS_PER_SIZE = 4
"""Rows along a body's largest extent, unless the footprint is too long: fine enough for another to pass beside it."""
Offset = tuple[float, float, float]
"""A vector in the world."""
CHANNELS = ("location", "delta_location")
GAP = 0.2
"""Distance to keep, as a share of the character's largest extent at rest."""
TRAVELS = 2.0
"""Length of a footprint, in multiples of the body's largest extent, from which a motion counts as traveling."""
ROAMING = 0.5
"""Extra distance of traveling motions, as a share of that extent: other seeds lead the sample's walk 0.5 m aside."""


@dataclass(frozen=True, eq=False)
class BodyExtent:
    """The extents of a character at rest, in the world.

    axes: `(2, 2)`, the unit vectors aside and ahead on the ground. size: the largest extent. reach: distance by which
    the surface extends beyond the joints. gap: distance to keep from others.
    """

    axes: Float64
    size: float
    reach: float
    gap: float


def swept_footprint(points: Float64, body: BodyExtent) -> Float64:
    """Return the ground `(B, 4, 2)` that a motion covers, as corners of rectangles in the world.

    points: `(T, J, 2)`, the joints on the ground, in the world. Each rectangle is a row across the body's second axis,
    as wide as the motion is there, so that a bent or oblique path leaves free the ground that it does not touch.
    """
    local = points @ body.axes.T
    lows, highs = local.min(axis=1) - body.reach, local.max(axis=1) + body.reach
    if len(lows) > 1:
        # The ground passed between two frames is covered as well.
        lows, highs = np.minimum(lows[:-1], lows[1:]), np.maximum(highs[:-1], highs[1:])
    first, last = float(lows[:, 1].min()), float(highs[:, 1].max())
    height = max(body.size / ROWS_PER_SIZE, (last - first) / MOST_ROWS) or 1.0
    rows = max(int(np.ceil((last - first) / height - 1e-9)), 1)
    begin = np.clip(((lows[:, 1] - first) / height).astype(np.int64), 0, rows - 1)
    end = np.clip(np.ceil((highs[:, 1] - first) / height).astype(np.int64), begin + 1, rows)
    left, right = np.full(rows, np.inf), np.full(rows, -np.inf)
    for row in range(int((end - begin).max())):
        reaching = begin + row < end
        at = begin[reaching] + row
        np.minimum.at(left, at, lows[reaching, 0])
        np.maximum.at(right, at, highs[reaching, 0])
    bottoms: Float64 = first + height * np.arange(rows, dtype=np.float64)
    tops = np.minimum(bottoms + height, last)
    used = left <= right
    return _rectangles(left[used], right[used], bottoms[used], tops[used]) @ body.axes


def box_footprint(points: Float64, body: BodyExtent) -> Float64:
    """Return the ground `(1, 4, 2)` below points `(N, 2)` in the world, as one rectangle along the body's axes."""
    local = points @ body.axes.T
    (left, bottom), (right, top) = local.min(axis=0), local.max(axis=0)
    return _rectangles(*(np.array([side]) for side in (left, right, bottom, top))) @ body.axes


def free_offset(footprint: Float64, taken: Float64, body: BodyExtent, along: int = 0) -> Float64:
    """Return the shortest offset `(2,)` along one of the body's axes that makes a footprint clear of covered ground.

    footprint: `(B, 4, 2)`. taken: `(N, 4, 2)` the covered ground.
    """
    return np.asarray(body.axes[along] * _free_distance(footprint, taken, body, along))


def narrow_axis(footprint: Float64, body: BodyExtent) -> int:
    """Return the axis along which to stand beside a motion: aside (0), or ahead (1) of one that goes sideways."""
    low, high = _sides(footprint, body)
    aside, ahead = high.max(axis=0) - low.min(axis=0)
    return int(aside > ahead + body.size)


def _free_distance(footprint: Float64, taken: Float64, body: BodyExtent, along: int) -> float:
    """Return the shortest distance forward along one of the axes at which nothing overlaps."""
    low, high = _sides(footprint, body)
    others_low, others_high = _sides(taken, body)
    across = 1 - along
    beside = (low[:, None, across] < others_high[:, across] + body.gap) & (
        high[:, None, across] > others_low[:, across] - body.gap
    )
    starts = (others_low[:, along] - high[:, None, along] - body.gap)[beside]
    ends = (others_high[:, along] - low[:, None, along] + body.gap)[beside]
    distance = 0.0
    order = np.argsort(starts, kind="stable")
    for start, end in zip(starts[order].tolist(), ends[order].tolist(), strict=True):
        if distance <= start:
            break
        distance = max(distance, end)
    return distance


def _sides(rectangles: Float64, body: BodyExtent) -> tuple[Float64, Float64]:
    """Return the lowest and highest corner `(N, 2)` of each rectangle, in the body's axes."""
    local = rectangles @ body.axes.T
    return local.min(axis=1), local.max(axis=1)


def _rectangles(left: Float64, right: Float64, bottom: Float64, top: Float64) -> Float64:
    corners = ((left, bottom), (right, bottom), (right, top), (left, top))
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)


@dataclass(frozen=True, eq=False)
class CopyPlace:
    """A place for a copy: the world vector from its source, and the ground `(B, 4, 2)` that its motion covers there."""

    offset: Offset
    ground: Float64


class FreeGround:
    """The free ground around a character; each place that is returned counts as covered from then on."""

    def __init__(self, scene: Scene, armature: Object, objects: Sequence[Object], played: Sequence[Motion]) -> None:
        """Find the covered ground. played: the character's own motions; without any, it stands at rest."""
        self._armature = armature
        self._body = body_of(armature, objects)
        result = remembered_ground(armature)
        covered = [self._covered(motion) for motion in played] if result is None else [result]
        covered = covered or [self._at_rest()]
        self._along = narrow_axis(np.concatenate(covered), self._body)
        others = (thing for thing in scene.objects if thing.type == "ARMATURE" and thing != armature)
        self._taken = np.concatenate([*covered, *taken_ground(others, self._body)])

    def place(self, motion: Motion | None = None, preferred: Offset | None = None) -> CopyPlace:
        """Return a place for a copy that plays this motion (None: none), and mark it as covered.

        preferred: an offset that is used unchanged, so that an adjusted result keeps its place, even if its new motion
        comes near another's.
        """
        footprint = self._covered(motion) if motion is not None else self._at_rest()
        offset = None if preferred is None else np.array(preferred[:2], np.float64)
        if offset is None:
            offset = free_offset(footprint, self._taken, self._roomy(footprint), self._along)
        ground = footprint + offset
        self._taken = np.concatenate((self._taken, ground))
        return CopyPlace((float(offset[0]), float(offset[1]), 0.0), ground)

    def _roomy(self, footprint: Float64) -> BodyExtent:
        """Return the body with a gap for other seeds, whose traveling motions have other paths."""
        extent = float(np.ptp(footprint.reshape(-1, 2), axis=0).max())
        roams = ROAMING * self._body.size if extent > TRAVELS * self._body.size else 0.0
        return replace(self._body, gap=self._body.gap + roams)

    def _covered(self, motion: Motion) -> Float64:
        return swept_footprint(world_ground(motion, self._armature), self._body)

    def _at_rest(self) -> Float64:
        points = _on_ground(world_matrix(self._armature), _bone_ends(self._armature))
        return swept_footprint(points[None], self._body)


def body_of(armature: Object, objects: Iterable[Object]) -> BodyExtent:
    """Return the extents of a character at rest: of its bones and of the meshes among `objects` that these move."""
    world = world_matrix(armature)
    axes = _axes(world)
    bones = armature.data.bones
    heads = _on_ground(world, _vectors(bone.head_local for bone in bones))
    meshes = [thing for thing in objects if thing.type == "MESH"]
    moved = [thing for thing in meshes if thing.find_armature() == armature or bone_holding(thing, armature)]
    solid = np.concatenate([placed(world, _bone_ends(armature)), *map(_mesh_corners, moved)])
    size = float(np.ptp(solid, axis=0).max())
    inner, outer = heads @ axes.T, solid[:, :2] @ axes.T
    beyond = np.maximum(inner.min(axis=0) - outer.min(axis=0), outer.max(axis=0) - inner.max(axis=0))
    # A character without any extent keeps one unit's distance.
    return BodyExtent(axes, size, max(float(beyond.max()), 0.0), GAP * size if size > 0 else 1.0)


def world_ground(motion: Motion, armature: Object) -> Float64:
    """Return the positions of a motion's bones on the world's ground `(T, J, 2)`, at samples of its frames."""
    frames = sampled_frames(motion)
    solid = _solid_names(armature)
    joints = [number for number, name in enumerate(motion.skeleton.names) if name in solid]
    positions = np.asarray(motion.take(frames).pose()[1][:, joints], np.float64)
    if motion.skeleton.names[0] == OBJECT_JOINT:
        return _on_ground(outer_space(armature) @ Matrix.Translation(armature.delta_location), positions)
    return _on_ground(world_matrix(armature), positions)


def taken_ground(rigs: Iterable[Object], body: BodyExtent) -> list[Float64]:
    """Return the ground that characters cover: results with their whole motion, others at rest at their place."""
    boxes: dict[Any, Float64] = {}
    grounds = []
    for rig in rigs:
        covered = remembered_ground(rig)
        if covered is None and rig.data.bones:
            if rig.data not in boxes:
                boxes[rig.data] = _box_corners(_bone_ends(rig))
            covered = box_footprint(_on_ground(world_matrix(rig), boxes[rig.data]), body)
        if covered is not None and np.isfinite(covered).all():
            grounds.append(covered)
    return grounds


def remember_place(thing: Object, moved: Moved, ground: Float64 | None = None) -> None:
    """Store on a copied object its move from the source's place, and on a rig the ground that its motion covers."""
    thing[PLACE_PROPERTY] = {
        "channel": moved.channel,
        "offset": np.array(moved.local, np.float64).tolist(),
        "home": np.array(getattr(thing, moved.channel), np.float64).tolist(),
        "overlaid": False,
        "ground": [] if ground is None else ground.ravel().tolist(),
    }


def remembered_ground(rig: Object) -> Float64 | None:
    """Return the ground `(B, 4, 2)` that a result covers at its present place; None for other objects."""
    record = rig.get(PLACE_PROPERTY)
    try:
        ground = np.array(record["ground"].to_list(), np.float64).reshape(-1, 4, 2)
        channel = record["channel"]
        now = Vector(getattr(rig, channel)) + (Vector(record["offset"]) if record["overlaid"] else Vector())
        moved = outer_space(rig).to_3x3() @ (now - Vector(record["home"]))
    except (TypeError, KeyError, ValueError, AttributeError):
        return None  # The stored value is untrusted.
    return ground + np.array(moved, np.float64)[:2] if len(ground) else None


def is_overlaid(thing: Object) -> bool:
    """Return whether a copy is shown in its source's place instead of its own."""
    record = thing.get(PLACE_PROPERTY)
    return hasattr(record, "get") and bool(record.get("overlaid"))


def set_overlaid(thing: Object, overlaid: bool) -> bool:
    """Move a copy to its source's place, or back to its own; return whether it moved."""
    record: Any = thing.get(PLACE_PROPERTY)
    if thing.library is not None or not hasattr(record, "get") or is_overlaid(thing) == overlaid:
        return False
    channel, offset = record.get("channel"), record.get("offset")
    if channel not in CHANNELS or not hasattr(offset, "to_list"):
        return False
    moved = Vector(offset.to_list())
    setattr(thing, channel, getattr(thing, channel) + (-moved if overlaid else moved))
    record["overlaid"] = overlaid
    return True


def _axes(world: Matrix) -> Float64:
    """Return the unit vectors aside and ahead on the ground: the rig's own X, and the perpendicular one."""
    aside = np.array(world, np.float64)[:3, 0]
    upright, flat = float(np.linalg.norm(aside)), float(np.linalg.norm(aside[:2]))
    # An X axis that points up or down gives no direction aside.
    x, y = aside[:2] / flat if flat > 0.5 * upright else (1.0, 0.0)
    return np.array([[x, y], [-y, x]])


def _solid_names(armature: Object) -> set[str]:
    """Return the bones that deform, since controls may be far from the body; all bones if none deforms."""
    bones = armature.data.bones
    return {bone.name for bone in bones if bone.use_deform} or {bone.name for bone in bones}


def _bone_ends(armature: Object) -> Float64:
    """Return both ends `(N, 3)` of the deforming bones at rest, in the armature's space."""
    names = _solid_names(armature)
    return _vectors(
        end for bone in armature.data.bones if bone.name in names for end in (bone.head_local, bone.tail_local)
    )


def _vectors(vectors: Iterable[Vector]) -> Float64:
    return np.array([np.array(vector) for vector in vectors], np.float64).reshape(-1, 3)


def _mesh_corners(mesh: Object) -> Float64:
    """Return the corners `(8, 3)` of the mesh's own vertices in the world; empty without vertices.

    The object's bounding box would be that of its last evaluated pose.
    """
    points = vertices_of(mesh.data)
    return placed(world_matrix(mesh, at_rest=True), _box_corners(points)) if len(points) else points


def _box_corners(points: Array) -> Float64:
    low, high = points.min(axis=0), points.max(axis=0)
    choices = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return np.asarray(np.where(choices, high, low), np.float64)


def _on_ground(matrix: Matrix, points: Float64) -> Float64:
    return np.asarray(placed(matrix, points)[..., :2])

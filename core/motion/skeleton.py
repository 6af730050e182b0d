# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton: named joints in a tree, their rest pose, and forward kinematics."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..errors import InputError
from . import rotations
from .inheritance import Inheritance, inheriting
from .piecewise import pieces

Index = Int64 | slice

NO_PARENT = -1
UNIT = 1e-3
"""Largest deviation from 1 of the squared length of rotations and of the up axis, and of a scale that has no effect."""
SAME_PLACE = 1e-3
"""Largest distance between places that count as one, as a share of the body's size, or of a bone's length."""
LIMB_REACH = 0.2
"""Shortest length of a limb, as a share of the size; fingers and toes are shorter."""
OUTWEIGHS = 2.0
"""Smallest ratio of the load of the branch that continues the trunk to the loads of those beside it: neither of two
arms has it."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in an order where parents come before children.

    names: J distinct names.
    parents: `(J,)` int, the parent's index or -1 for a root.
    rest_rotations: `(J, 4)` unit quaternions w, x, y, z, relative to the parent's rest pose.
    rest_translations: `(J, 3)`, relative to the parent's rest pose, in the rig's own units.
    up: `(3,)` unit vector away from the ground, in the space the roots live in.
    typical_positions: `(J, 3)` positions of the joints in a natural pose. None is the rest pose, which in some files is
    not a plausible pose (every bone along one axis).
    carriers: `(J,)` int, as `parents`, but the joint that a joint follows by other means (a constraint) in place of its
    parent. Poses do not depend on it. None is the parents.
    inheritance: `(J,)` values of Inheritance, the part of its parent's scale that a joint inherits; None is all of it.

    A joint's pose is composed of its parent's pose, its rest transform, and its animated translation,
    rotation and scale: `global = global(parent) @ rest @ animated`; a parent's scale always moves the joints below it,
    and turns and sizes them as `inheritance` says. Raises InputError for arrays of other shapes, names
    that are not distinct, parents that come after their children, and rotations or an up axis that are not of length 1.

    >>> skeleton.rest_positions.round(2).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 0.1]]
    """

    names: tuple[str, ...]
    parents: Int64
    rest_rotations: Float64
    rest_translations: Float64
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    typical_positions: Float64 | None = None
    carriers: Int64 | None = None
    inheritance: Int64 | None = None

    def __post_init__(self) -> None:
        count = len(self.names)
        if len(set(self.names)) != count:
            raise InputError("Two joints of the skeleton have the same name; rename one of them.")
        shapes = (self.parents.shape, self.rest_rotations.shape, self.rest_translations.shape)
        if shapes != ((count,), (count, 4), (count, 3)):
            raise InputError(f"A skeleton of {count} joints needs {count} parents, rest rotations and translations.")
        if np.any(self.parents >= np.arange(count)):
            raise InputError("The skeleton's parents must come before their children.")
        if np.any(self.parents < NO_PARENT):
            raise InputError(f"The skeleton's parents must be indices of joints, or {NO_PARENT} for a root.")
        if not (np.isfinite(self.rest_rotations).all() and np.isfinite(self.rest_translations).all()):
            raise InputError("The skeleton's rest pose has values that are not finite numbers.")
        if self.inheritance is not None and self.inheritance.shape != (count,):
            raise InputError(f"A skeleton of {count} joints needs {count} values for the inheritance of scales.")
        turns = np.einsum("jc,jc->j", self.rest_rotations, self.rest_rotations)
        if np.any(np.abs(turns - 1.0) > UNIT) or not abs(sum(value * value for value in self.up) - 1.0) <= UNIT:
            raise InputError("The skeleton's rest rotations and its up axis must have the length 1.")

    @cached_property
    def levels(self) -> tuple[Int64, ...]:
        """Return joint indices by depth, roots first, so that a whole level is computed at once."""
        depths = np.zeros(len(self.names), np.int64)
        for joint, parent in enumerate(self.parents):
            depths[joint] = 0 if parent < 0 else depths[parent] + 1
        return tuple(np.flatnonzero(depths == depth) for depth in range(int(depths.max(initial=-1)) + 1))

    @cached_property
    def branch_sizes(self) -> Int64:
        """Return the number of joints `(J,)` in the branch of each joint, itself included."""
        sizes = np.ones(len(self.names), np.int64)
        for joint in range(len(sizes) - 1, 0, -1):
            if self.parents[joint] >= 0:
                sizes[self.parents[joint]] += sizes[joint]
        return sizes

    @cached_property
    def steps_down(self) -> tuple[tuple[Index, Index], ...]:
        """Return the joints of each level, and their parents, as indices of an axis of joints."""
        return tuple((_index_of(joints), _index_of(self.parents[joints])) for joints in self.levels)

    @cached_property
    def rest_components(self) -> Float64:
        """Return the rest rotations `(4, J, 1)` with their components first, frames last."""
        return np.ascontiguousarray(self.rest_rotations.T[..., None])

    @cached_property
    def rest_entries(self) -> Float64:
        """Return the rest rotations as matrices `(3, 3, J, 1)` with their entries first, frames last."""
        return np.array(rotations.matrix_entries(self.rest_components))

    @cached_property
    def rest_orientations(self) -> Float64:
        """Return the joints' orientations `(J, 4)` in the rest pose."""
        orientations = np.array(self.rest_rotations, np.float64)
        for joints, parents in self.steps_down[1:]:
            orientations[joints] = rotations.multiply(orientations[parents], orientations[joints])
        return orientations

    @cached_property
    def rest_positions(self) -> Float64:
        """Return the joints' positions `(J, 3)` in the rest pose."""
        count = len(self.names)
        identity = np.tile(np.array([1.0, 0, 0, 0]), (1, count, 1))
        return np.asarray(forward_kinematics(self, identity)[1][0])

    @cached_property
    def stance(self) -> Float64:
        """Return the joints' positions `(J, 3)` in a natural pose if one is known, else in the rest pose."""
        return self.rest_positions if self.typical_positions is None else self.typical_positions

    @cached_property
    def size(self) -> float:
        """Return the larger of the diameters of the rest pose and the natural pose, the unit of relative distances.

        A joint that only gives the body's place, farther away than the body's diameter, is left out. The size is
        never zero: that of a skeleton without extent is one unit.
        """
        if not self.names:
            return 1.0
        first = self._first_of_body()
        extent = max(_diameter(self.rest_positions[first:]), _diameter(self.stance[first:]))
        return extent if extent > 0 else 1.0

    def _first_of_body(self) -> int:
        """Return the first joint of the body, below joints with a single child that is far away in the rest pose.

        Some files store the body's place in the recording as the offset of the hips, below joints that are all in one
        place.
        """
        first = 0
        for joint in range(len(self.names) - 2):
            if not np.all(self.parents[joint + 1 :] >= joint) or np.sum(self.parents == joint) != 1:
                break
            below = self.rest_positions[joint + 1 :]
            distance, extent = np.linalg.norm(below[0] - self.rest_positions[joint]), _diameter(below)
            if distance > extent:
                first = joint + 1
            elif distance > SAME_PLACE * extent:
                break
        return first

    @cached_property
    def trunk(self) -> tuple[int, ...]:
        """Return the joints that carry the body, from the top of the skeleton to where it divides into limbs.

        Of several branches, the one with the most joints and the widest extent carries the most: neither a distant
        camera nor the many joints of a face outweigh a body. Of joints that carry nothing, the nearest to the middle
        counts. A branch with less than half of the joints is a limb as well: a tail, or a neck with a tongue.
        """
        carriers = self.parents if self.carriers is None else self.carriers
        counts, extents = _carried(self.rest_positions, carriers)
        loads = counts * extents
        from_middle = np.linalg.norm(self.rest_positions - self.rest_positions.mean(axis=0), axis=1)
        trunk: list[int] = []
        joints = np.flatnonzero(carriers == NO_PARENT)
        while len(joints):
            first, *others = sorted(joints.tolist(), key=lambda joint: (-loads[joint], from_middle[joint]))
            if trunk and others and loads[first] < OUTWEIGHS * loads[others[0]]:
                break
            if trunk and 2 * counts[first] < counts[trunk[0]]:
                break
            trunk.append(first)
            joints = np.flatnonzero(carriers == first)
        return tuple(trunk)

    @cached_property
    def reaches(self) -> Float64:
        """Return the distances `(J,)` along the bones from each joint to the farthest one below it."""
        positions = self.stance
        below = np.zeros(len(self.names))
        for joint in range(len(below) - 1, -1, -1):
            parent = int(self.parents[joint])
            if parent >= 0:
                length = float(np.linalg.norm(positions[joint] - positions[parent]))
                below[parent] = max(below[parent], below[joint] + length)
        return below

    @cached_property
    def limbs_at(self) -> Int64:
        """Return the number `(J,)` of branches at each joint that are as long as limbs: no toes or fingers."""
        positions, count = self.stance, np.zeros(len(self.names), np.int64)
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                length = float(np.linalg.norm(positions[child] - positions[parent]))
                count[parent] += self.reaches[child] + length >= LIMB_REACH * self.size
        return count

    def levers(self, joints: slice) -> Float64:
        """Return the distances `(B, J)` of some joints (rows) from each of their ancestors; 0 from other joints."""
        levers = np.linalg.norm(self.stance[joints, None] - self.stance, axis=2)
        above = np.zeros(levers.shape, bool)
        for row, joint in enumerate(range(*joints.indices(len(self.names)))):
            above[row, self.chain(joint)[:-1]] = True
        return np.asarray(levers * above)

    def chain(self, joint: int) -> list[int]:
        """Return the joints from a root down to `joint`."""
        chain: list[int] = []
        while joint >= 0:
            chain.append(joint)
            joint = int(self.parents[joint])
        return chain[::-1]

    def along(self, chain: tuple[int, ...]) -> "Skeleton":
        """Return the skeleton of some joints, ascending, whose parents are among them."""
        # Cached, because the clips of a library need the same few chains thousands of times.
        if chain not in self._chains:
            place_of = {joint: place for place, joint in enumerate(chain)}
            joints = list(chain)
            self._chains[chain] = Skeleton(
                tuple(self.names[joint] for joint in chain),
                np.array([place_of.get(int(self.parents[joint]), NO_PARENT) for joint in chain]),
                self.rest_rotations[joints],
                self.rest_translations[joints],
                self.up,
                inheritance=None if self.inheritance is None else self.inheritance[joints],
            )
        return self._chains[chain]

    @cached_property
    def _chains(self) -> "dict[tuple[int, ...], Skeleton]":
        return {}

    def local_rotation(self, joint: int, orientation: Array, above: Array | None = None) -> Array:
        """Return the rotation `(T, 4)` of a joint that gives it an orientation below its parent's, None for a root."""
        base = self.rest_rotations[joint] if above is None else rotations.multiply(above, self.rest_rotations[joint])
        return rotations.normalize(rotations.multiply(rotations.inverse(base), orientation))

    def descendants(self, joint: int) -> Mask:
        """Return a mask `(J,)` of `joint` and all below it."""
        below = np.zeros(len(self.names), bool)
        below[joint] = True
        for child in range(joint + 1, len(self.names)):
            parent = self.parents[child]
            below[child] = parent >= 0 and below[parent]
        return below


def below_parents(parents: Int64, orientations: Array, positions: Array) -> tuple[Float64, Float64]:
    """Return rotations `(J, 4)` and translations `(J, 3)` relative to the parents, from those in the skeleton's space.

    >>> turns, moves = below_parents(skeleton.parents, skeleton.rest_orientations, skeleton.rest_positions)
    >>> moves.round(2).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, -0.9]]
    """
    below = (parents >= 0)[:, None]
    back = rotations.inverse(np.where(below, orientations[parents], [1.0, 0.0, 0.0, 0.0]))
    turned = rotations.multiply(back, orientations)
    moved = rotations.rotate(back, positions - np.where(below, positions[parents], 0.0))
    return turned.astype(np.float64), moved.astype(np.float64)


def _carried(positions: Float64, carriers: Int64) -> tuple[Float64, Float64]:
    """Return the number of joints that each joint carries, itself included, and their extent, both `(J,)`."""
    counts = np.ones(len(carriers))
    lowest, highest = positions.copy(), positions.copy()
    for joint in reversed(carriers_first(carriers.tolist())):
        carrier = carriers[joint]
        if carrier >= 0:
            counts[carrier] += counts[joint]
            lowest[carrier] = np.minimum(lowest[carrier], lowest[joint])
            highest[carrier] = np.maximum(highest[carrier], highest[joint])
    return counts, np.asarray(np.linalg.norm(highest - lowest, axis=1))


def carriers_first(carriers: list[int]) -> list[int]:
    """Return the joints that others or NO_PARENT carry, each after its carrier, which may come later in `carriers`."""
    order, carried = list[int](), dict[int, list[int]]()
    for joint, carrier in enumerate(carriers):
        carried.setdefault(carrier, []).append(joint)
    order += carried.get(NO_PARENT, ())
    for joint in order:
        order += carried.get(joint, ())
    return order


def _diameter(positions: Float64) -> float:
    """Return about the largest distance between two of the positions `(J, 3)`; a rotation does not change it."""
    far = positions[int(np.argmax(np.linalg.norm(positions - positions.mean(axis=0), axis=1)))]
    return float(np.linalg.norm(positions - far, axis=1).max())


def forward_kinematics(
    skeleton: Skeleton,
    joint_rotations: Array,
    joint_translations: Array | None = None,
    joint_scales: Array | None = None,
) -> tuple[Array, Array]:
    """Return the pose of the skeleton's joints in its own space, in the rig's units.

    joint_rotations `(T, J, 4)` unit quaternions relative to the rest pose; joint_translations and
    joint_scales `(T, J, 3)`, none meaning 0 and 1. Returns global orientation-and-scale matrices
    `(T, J, 3, 3)` and positions `(T, J, 3)`.

    >>> matrices, positions = forward_kinematics(skeleton, swing.rotations)
    >>> matrices.shape, positions.shape
    ((60, 2, 3, 3), (60, 2, 3))
    """
    frames, count = joint_rotations.shape[:2]
    kind = joint_rotations.dtype
    matrices, positions = np.empty((3, 3, count, frames), kind), np.empty((3, count, frames), kind)
    # Computed in pieces, because intermediate arrays would take three times the memory of the poses.
    for piece in pieces(frames, count):
        moves, scales = (None if values is None else values[piece] for values in (joint_translations, joint_scales))
        _pose(skeleton, joint_rotations[piece], moves, scales, (matrices[..., piece], positions[..., piece]))
    return matrices.transpose(3, 2, 0, 1), positions.transpose(2, 1, 0)


def _pose(
    skeleton: Skeleton,
    joint_rotations: Array,
    joint_translations: Array | None,
    joint_scales: Array | None,
    out: tuple[Array, Array],
) -> None:
    """Fill in the matrices `(3, 3, J, T)` and positions `(3, J, T)` of some frames.

    Each component is computed over all frames at once: products of many small matrices take several times as long.
    """
    matrices, positions = out
    kind = joint_rotations.dtype
    components = np.ascontiguousarray(joint_rotations.transpose(2, 1, 0))
    turns = rotations.multiply_components(skeleton.rest_components.astype(kind), components)
    local = np.empty_like(matrices)
    for row, entries in enumerate(rotations.matrix_entries(turns)):
        for column, entry in enumerate(entries):
            local[row, column] = entry
    if joint_scales is not None:
        local *= joint_scales.transpose(2, 1, 0)
    places = np.empty_like(positions)
    places[:] = skeleton.rest_translations.T[..., None]
    if joint_translations is not None:
        moves = np.ascontiguousarray(joint_translations.transpose(2, 1, 0))
        places += _turned(skeleton.rest_entries.astype(kind), moves)
    (roots, _), *below = skeleton.steps_down
    matrices[:, :, roots], positions[:, roots] = local[:, :, roots], places[:, roots]
    for joints, parents in below:
        above = matrices[:, :, parents]
        matrices[:, :, joints] = _product(above, local[:, :, joints])
        positions[:, joints] = positions[:, parents] + _turned(above, places[:, joints])
        if joint_scales is not None and skeleton.inheritance is not None:
            _inherit_partly(skeleton, np.arange(len(skeleton.names))[joints], matrices, local)


def _inherit_partly(skeleton: Skeleton, joints: Int64, matrices: Array, local: Array) -> None:
    """Correct the matrices of those joints that do not inherit all of their parents' scales."""
    assert skeleton.inheritance is not None
    for joint in joints[skeleton.inheritance[joints] != Inheritance.FULL].tolist():
        above = matrices[:, :, skeleton.parents[joint]].astype(np.float64)
        at_rest = skeleton.rest_entries[:, :, joint]
        animated = np.einsum("jit,jkt->ikt", np.broadcast_to(at_rest, local[:, :, joint].shape), local[:, :, joint])
        kind = Inheritance(int(skeleton.inheritance[joint]))
        matrices[:, :, joint] = inheriting(kind, above, np.broadcast_to(at_rest, above.shape), animated)


def _index_of(joints: Int64) -> Index:
    """Return an index of some joints: a slice, which copies nothing, if they are consecutive."""
    first = int(joints[0])
    return slice(first, first + len(joints)) if np.array_equal(joints, first + np.arange(len(joints))) else joints


def _product(left: Array, right: Array) -> Array:
    """Return the products `(3, 3, ...)` of matrices that have their entries first."""
    product: Array = left[:, 0, None] * right[0]
    product += left[:, 1, None] * right[1]
    product += left[:, 2, None] * right[2]
    return product


def _turned(matrices: Array, vectors: Array) -> Array:
    """Return vectors `(3, ...)` turned by matrices `(3, 3, ...)`, both with their entries first."""
    turned: Array = matrices[:, 0] * vectors[0]
    turned += matrices[:, 1] * vectors[1]
    turned += matrices[:, 2] * vectors[2]
    return turned

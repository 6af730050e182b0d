# SPDX-License-Identifier: GPL-3.0-or-later
"""Unit quaternions (w, x, y, z), rotation matrices and the 6D representation, on the last axis.

Every function takes arrays of any leading shape and keeps their dtype, so that the same `multiply`
serves one quaternion and frames x joints. Matrices act on column vectors. Angles are in radians.

>>> quarter = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(np.pi / 2))
>>> half = rotations.multiply(quarter, quarter)
>>> rotations.rotate(half, np.array([1.0, 0.0, 0.0])).round(6).tolist()[0]
-1.0
"""

import math

import numpy as np

from ..arrays import Array, Float64
from .piecewise import pieces

HEADINGS = 72
"""Number of directions on the ground, evenly spread, that stand for all: sectors of 5 degrees in which turns are
measured, and upright planes 2.5 degrees apart."""
SMALLEST_NORM = 1e-12
"""Length below which a vector has no direction, and smallest divisor, in its own unit; for points of a path, as a share
of the largest coordinate."""


def normalize(quaternions: Array) -> Array:
    """Scale quaternions `(..., 4)` to unit length; a zero quaternion becomes the identity."""
    # Computed for each component: along an axis of four, NumPy's own norm and division take twice as long.
    w, x, y, z = (quaternions[..., component : component + 1] for component in range(4))
    norms = np.sqrt(w * w + x * x + y * y + z * z)
    divisors = np.maximum(norms, SMALLEST_NORM)
    unit = np.empty(quaternions.shape, divisors.dtype)
    for place, component in enumerate((w, x, y, z)):
        np.divide(component, divisors, out=unit[..., place : place + 1])
    turned = norms[..., 0] > SMALLEST_NORM
    if not turned.all():
        unit[~turned] = (1.0, 0.0, 0.0, 0.0)
    return unit


def multiply(left: Array, right: Array) -> Array:
    """Return the rotation `right` followed by `left`, both `(..., 4)`."""
    lw, lx, ly, lz = left[..., 0], left[..., 1], left[..., 2], left[..., 3]
    rw, rx, ry, rz = right[..., 0], right[..., 1], right[..., 2], right[..., 3]
    scalar = lw * rw - lx * rx - ly * ry - lz * rz
    # Filled in place: for single frames, a call of `stack` takes longer than all the products.
    product = np.empty((*scalar.shape, 4), scalar.dtype)
    product[..., 0] = scalar
    product[..., 1] = lw * rx + lx * rw + ly * rz - lz * ry
    product[..., 2] = lw * ry - lx * rz + ly * rw + lz * rx
    product[..., 3] = lw * rz + lx * ry - ly * rx + lz * rw
    return product


def multiply_components(left: Array, right: Array) -> Array:
    """Return products of rotations like `multiply`, for arrays `(4, ...)` whose components come first.

    With frames last each operation reads memory in order, and takes a fraction of the time.

    >>> identity = np.array([[1.0], [0.0], [0.0], [0.0]])
    >>> rotations.multiply_components(identity, identity).ravel().tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    (lw, lx, ly, lz), (rw, rx, ry, rz) = left, right
    first = lw * rw
    out = np.empty((4, *first.shape), first.dtype)
    np.subtract(first, lx * rx, out=out[0, ...])
    out[0] -= ly * ry
    out[0] -= lz * rz
    np.add(lw * rx, lx * rw, out=out[1, ...])
    out[1] += ly * rz
    out[1] -= lz * ry
    np.subtract(lw * ry, lx * rz, out=out[2, ...])
    out[2] += ly * rw
    out[2] += lz * rx
    np.add(lw * rz, lx * ry, out=out[3, ...])
    out[3] -= ly * rx
    out[3] += lz * rw
    return out


def lengths(vectors: Array) -> Array:
    """Return the lengths `(...)` of vectors `(..., 3)`; NumPy's own norm takes two to fifteen times as long."""
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def length(vector: Array) -> float:
    """Return the length of one vector `(3,)`; NumPy's own norm takes several times as long."""
    return math.sqrt(vector.dot(vector))


def inverse(quaternions: Array) -> Array:
    """Return the opposite rotation of unit quaternions `(..., 4)`."""
    return quaternions * np.array([1.0, -1.0, -1.0, -1.0], quaternions.dtype)


def rotate(quaternions: Array, vectors: Array) -> Array:
    """Turn `vectors` `(..., 3)` by unit quaternions `(..., 4)`."""
    axis = quaternions[..., 1:]
    twice = 2.0 * cross(axis, vectors)
    return vectors + quaternions[..., :1] * twice + cross(axis, twice)


def cross(left: Array, right: Array) -> Array:
    """Return the cross product `(..., 3)`; faster than NumPy's own for a few vectors."""
    lx, ly, lz = left[..., 0], left[..., 1], left[..., 2]
    rx, ry, rz = right[..., 0], right[..., 1], right[..., 2]
    first = ly * rz - lz * ry
    product = np.empty((*first.shape, 3), first.dtype)
    product[..., 0] = first
    product[..., 1] = lz * rx - lx * rz
    product[..., 2] = lx * ry - ly * rx
    return product


def from_axis_angle(axes: Array, angles: Array) -> Array:
    """Return unit quaternions `(..., 4)` turning by `angles` `(...)` radians about unit `axes` `(..., 3)` or `(3,)`."""
    half = np.asarray(angles) * 0.5
    return np.concatenate((np.cos(half)[..., None], np.sin(half)[..., None] * axes), axis=-1)


def to_matrix(quaternions: Array) -> Array:
    """Return the rotation matrices `(..., 3, 3)` of unit quaternions `(..., 4)`."""
    entries = matrix_entries(np.moveaxis(quaternions, -1, 0))
    matrices = np.empty((*quaternions.shape[:-1], 3, 3), entries[0][0].dtype)
    for row, of_row in enumerate(entries):
        for column, entry in enumerate(of_row):
            matrices[..., row, column] = entry
    return matrices


def matrix_entries(components: Array) -> tuple[tuple[Array, Array, Array], ...]:
    """Return the entries `(...)` of rotation matrices, row by row, of unit quaternions `(4, ...)`."""
    w, x, y, z = components
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def from_matrix(matrices: Array) -> Array:
    """Return unit quaternions `(..., 4)` of rotation matrices `(..., 3, 3)`.

    The largest of the four components is found first (Shepperd 1978), so no angle is ill-conditioned.
    """
    # Entries come first, each contiguous in memory, and each component is chosen by itself: computing four whole
    # quaternions of every matrix, of which one is kept, takes four times the memory and twice as long.
    m = np.ascontiguousarray(np.moveaxis(matrices, (-2, -1), (0, 1)))
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2]
    candidates = (
        (wx, 1 + 2 * m[0, 0] - trace, xy, xz),
        (wy, xy, 1 + 2 * m[1, 1] - trace, yz),
        (wz, xz, yz, 1 + 2 * m[2, 2] - trace),
    )
    components = [1 + trace, wx, wy, wz]
    largest = trace
    for axis, others in enumerate(candidates):
        larger = m[axis, axis] > largest
        if larger.any():
            largest = np.where(larger, m[axis, axis], largest)
            components = [np.where(larger, *pair) for pair in zip(others, components, strict=True)]
    return normalize(np.stack(components, axis=-1))


def to_6d(quaternions: Array) -> Array:
    """Return the first two columns of each rotation matrix, `(..., 6)` (Zhou et al. 2019)."""
    matrices = to_matrix(quaternions)
    return np.concatenate((matrices[..., 0], matrices[..., 1]), axis=-1)


def from_6d(vectors: Array) -> Array:
    """Return unit quaternions `(..., 4)` nearest in direction to 6D vectors `(..., 6)` (Zhou et al. 2019)."""
    first = vectors[..., :3]
    first = first / np.maximum(np.linalg.norm(first, axis=-1, keepdims=True), SMALLEST_NORM)
    second = vectors[..., 3:]
    second = second - np.sum(first * second, axis=-1, keepdims=True) * first
    second = second / np.maximum(np.linalg.norm(second, axis=-1, keepdims=True), SMALLEST_NORM)
    return from_matrix(np.stack((first, second, np.cross(first, second)), axis=-1))


def angle_between(left: Array, right: Array) -> Array:
    """Return the angle `(...)` in radians, 0 to pi, between unit quaternions `(..., 4)`."""
    # The vector part of the difference is used as well, because arccos alone loses small angles to rounding.
    # Components come first: with quaternions on the last axis this takes seven times as long.
    difference = multiply_components(np.moveaxis(inverse(left), -1, 0), np.moveaxis(right, -1, 0))
    return angles(np.moveaxis(difference, 0, -1))


def angles(quaternions: Array) -> Array:
    """Return the angle `(...)` in radians, 0 to pi, of each unit quaternion `(..., 4)`."""
    return np.asarray(2.0 * np.arctan2(lengths(quaternions[..., 1:]), np.abs(quaternions[..., 0])))


def to_vector(quaternions: Array) -> Array:
    """Return the axis `(..., 3)` of each unit quaternion `(..., 4)`, as long as its angle in radians, at most pi."""
    signed = quaternions * np.where(quaternions[..., :1] < 0, -1.0, 1.0)
    length = np.linalg.norm(signed[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(length, signed[..., :1])
    return np.asarray(
        signed[..., 1:] * np.where(length > SMALLEST_NORM, angle / np.maximum(length, SMALLEST_NORM), 2.0)
    )


def from_vector(vectors: Array) -> Array:
    """Return unit quaternions `(..., 4)` turning about `vectors` `(..., 3)` by their length in radians."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scale = np.where(angle > SMALLEST_NORM, np.sin(angle / 2) / np.maximum(angle, SMALLEST_NORM), 0.5)
    return np.concatenate((np.cos(angle / 2), vectors * scale), axis=-1)


def angle_about(quaternions: Array, axis: Array) -> Array:
    """Return the angles `(...)`, -2 pi to 2 pi radians, of unit quaternions `(..., 4)` turning about a unit `axis`."""
    return np.asarray(2.0 * np.arctan2(quaternions[..., 1:] @ axis, quaternions[..., 0]))


def shortest_turn(start: Array, end: Array) -> Array:
    """Return the shortest turn `(..., 4)` from one direction `(..., 3)` to another.

    It is the identity for opposite directions.
    """
    start = start / np.maximum(lengths(start)[..., None], SMALLEST_NORM)
    end = end / np.maximum(lengths(end)[..., None], SMALLEST_NORM)
    products = start * end
    scalar = 1.0 + (products[..., :1] + products[..., 1:2] + products[..., 2:])
    return normalize(np.concatenate((scalar, cross(start, end)), axis=-1))


def without_scale(matrices: Array) -> Array:
    """Return matrices `(..., 3, 3)` with columns of unit length."""
    x, y, z = (matrices[..., row : row + 1, :] for row in range(3))
    return np.asarray(matrices / np.maximum(np.sqrt(x * x + y * y + z * z), SMALLEST_NORM))


def ground_axes(up: tuple[float, float, float]) -> Float64:
    """Return two unit vectors `(2, 3)` along the ground, the second a quarter turn about `up` after the first."""
    axis = np.array(up, np.float64)
    first = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = first - (first @ axis) * axis
    first /= np.linalg.norm(first)
    return np.stack((first, np.cross(axis, first)))


def turn_on_ground(vectors: Array, angles: Array | float) -> Array:
    """Return vectors `(..., 2)` along the ground turned by angles `(...)`, in radians.

    >>> turn_on_ground(np.array([1.0, 0.0]), np.array(np.pi / 2)).round(6).tolist()
    [0.0, 1.0]
    """
    cosine, sine = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=-1)


def _cosines(left: Array, right: Array) -> Array:
    """Return the products `(...)` of quaternions `(..., 4)`: of unit ones, the cosines of half the angles between."""
    # Added component by component: along an axis of four, NumPy's own sum takes seven times as long.
    cosines = np.asarray(left[..., 0] * right[..., 0])
    for component in range(1, 4):
        cosines += left[..., component] * right[..., component]
    return cosines


def slerp(start: Array, end: Array, weights: Array) -> Array:
    """Turn from `start` to `end` `(..., 4)` the short way, `weights` `(...)` of it (0 start, 1 end)."""
    cosine = _cosines(start, end)
    return slerp_as_signed(start, np.where(cosine[..., None] < 0, -end, end), weights)


def slerp_as_signed(start: Array, end: Array, weights: Array) -> Array:
    """Turn from `start` to `end` as their signs are, which may be the long way around."""
    angle = np.arccos(np.clip(_cosines(start, end), -1.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-4  # so close that the straight line is exact to rounding
    safe = np.where(near, 1.0, sine)
    at_start = np.where(near, 1.0 - weights, np.sin((1.0 - weights) * angle) / safe)
    at_end = np.where(near, weights, np.sin(weights * angle) / safe)
    return normalize(at_start[..., None] * start + at_end[..., None] * end)


def in_axes_of(matrices: Array, vectors: Array) -> Array:
    """Return the components of vectors `(..., 3)` in the axes that are the columns of `matrices` `(..., 3, 3)`.

    Along an axis of zero length the component is zero.
    """
    first, second, third = (matrices[..., column] for column in range(3))
    # NumPy's own determinant takes several times as long for small matrices.
    volumes = np.einsum("...a,...a->...", first, cross(second, third))
    if not (np.abs(volumes) < SMALLEST_NORM).any():
        return np.asarray(np.linalg.solve(matrices, vectors[..., None])[..., 0])
    return np.asarray((np.linalg.pinv(matrices) @ vectors[..., None])[..., 0])


def make_continuous(quaternions: Array, *, in_place: bool = False) -> Array:
    """Return quaternions `(T, ..., 4)` with signs flipped so that neighbors along the first axis never oppose.

    in_place: flip the signs of the given array itself.
    """
    continuous = quaternions if in_place else quaternions.copy()
    opposed, before = np.zeros(quaternions.shape[1:-1], bool), quaternions[:1].copy()
    for piece in pieces(len(quaternions), math.prod(quaternions.shape[1:-1])):
        given = np.concatenate((before, quaternions[piece]))
        before = given[-1:]
        flipped = np.logical_xor.accumulate(_cosines(given[1:], given[:-1]) < 0, axis=0)
        flipped ^= opposed
        opposed = flipped[-1]
        if flipped.any():
            np.negative(given[1:], out=continuous[piece], where=flipped[..., None])
    return continuous


def twist_about(quaternions: Array, axis: Array) -> Array:
    """Return the part `(..., 4)` of each rotation that turns about the unit `axis` `(3,)` (swing-twist)."""
    along = quaternions[..., 1:] @ axis
    return normalize(np.concatenate((quaternions[..., :1], along[..., None] * axis), axis=-1))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors and unit quaternions (w, x, y, z) of single joints, in plain numbers.

For three numbers, a call of NumPy takes longer than the computation; for arrays see `core.motion.rotations`.
"""

from collections.abc import Sequence
from math import cos, sin, sqrt

from ...motion.rotations import SMALLEST_NORM

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = Sequence[Sequence[float]]


def add(first: Vector, second: Vector) -> Vector:
    """Return the sum of two vectors."""
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def subtract(first: Vector, second: Vector) -> Vector:
    """Return the first vector minus the other."""
    return first[0] - second[0], first[1] - second[1], first[2] - second[2]


def dot(first: Vector, second: Vector) -> float:
    """Return the inner product of two vectors."""
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


def cross(first: Vector, second: Vector) -> Vector:
    """Return the cross product of two vectors."""
    return (
        first[1] * second[2] - first[2] * second[1],
        first[2] * second[0] - first[0] * second[2],
        first[0] * second[1] - first[1] * second[0],
    )


def length_of(vector: Vector) -> float:
    """Return the length of a vector."""
    return sqrt(dot(vector, vector))


def multiply(left: Quaternion, right: Quaternion) -> Quaternion:
    """Return the rotation `right` followed by `left`."""
    lw, lx, ly, lz = left
    rw, rx, ry, rz = right
    return (
        lw * rw - lx * rx - ly * ry - lz * rz,
        lw * rx + lx * rw + ly * rz - lz * ry,
        lw * ry - lx * rz + ly * rw + lz * rx,
        lw * rz + lx * ry - ly * rx + lz * rw,
    )


def inverse(quaternion: Quaternion) -> Quaternion:
    """Return the inverse rotation."""
    w, x, y, z = quaternion
    return w, -x, -y, -z


def normalize(quaternion: Sequence[float]) -> Quaternion:
    """Return a quaternion scaled to unit length; for a length of 0, the identity."""
    w, x, y, z = quaternion
    norm = sqrt(w * w + x * x + y * y + z * z)
    return (w / norm, x / norm, y / norm, z / norm) if norm > SMALLEST_NORM else (1.0, 0.0, 0.0, 0.0)


def rotate(quaternion: Quaternion, vector: Vector) -> Vector:
    """Return a vector rotated by a quaternion."""
    w, axis = quaternion[0], quaternion[1:]
    x, y, z = cross(axis, vector)
    twice = (2.0 * x, 2.0 * y, 2.0 * z)
    along = cross(axis, twice)
    return (
        vector[0] + w * twice[0] + along[0],
        vector[1] + w * twice[1] + along[1],
        vector[2] + w * twice[2] + along[2],
    )


def about(axis: Vector, angle: float) -> Quaternion:
    """Return the rotation about a unit axis by an angle, in radians."""
    share = sin(0.5 * angle)
    return cos(0.5 * angle), share * axis[0], share * axis[1], share * axis[2]


def shortest_turn(start: Vector, end: Vector) -> Quaternion:
    """Return the shortest rotation from one direction to another; for opposite directions, the identity."""
    lengths = max(length_of(start) * length_of(end), SMALLEST_NORM)
    x, y, z = cross(start, end)
    return normalize((1.0 + dot(start, end) / lengths, x / lengths, y / lengths, z / lengths))


def columns_of(matrix: Matrix) -> tuple[Vector, Vector, Vector]:
    """Return the columns of a matrix with unit length: the directions of its axes, without their scale."""
    columns = []
    for column in range(3):
        x, y, z = matrix[0][column], matrix[1][column], matrix[2][column]
        norm = max(sqrt(x * x + y * y + z * z), SMALLEST_NORM)
        columns.append((x / norm, y / norm, z / norm))
    return columns[0], columns[1], columns[2]


def orientation_of(matrix: Matrix) -> Quaternion:
    """Return the rotation of a matrix, without its scale (Shepperd 1978)."""
    (a, d, g), (b, e, h), (c, f, i) = columns_of(matrix)
    if a + e + i >= max(a, e, i):
        return normalize((1.0 + a + e + i, h - f, c - g, d - b))
    if a >= max(e, i):
        return normalize((h - f, 1.0 + a - e - i, b + d, c + g))
    if e >= i:
        return normalize((c - g, b + d, 1.0 - a + e - i, f + h))
    return normalize((d - b, c + g, f + h, 1.0 - a - e + i))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of a body: mass, center of mass and inertia of the segment that each joint carries.

A human body has the segments of de Leva 1996. Another one has a rod for each bone, whose thickness is a share of the
limb that it belongs to.
"""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64
from ...errors import InputError
from ...motion import rotations
from ...motion.skeleton import SAME_PLACE, Skeleton
from .human_segments import HEEL_SHARE, HUMAN, HumanJoints, HumanSegment, human_joints, stature

THICKNESS = 0.1
"""Radius of a bone's flesh, as a share of the length of its limb: that of human thighs, arms and trunks (de Leva 1996)
is 0.07 to 0.15."""


@dataclass(frozen=True, eq=False)
class BodyModel:
    """Segments of a body, one for each of J joints, which carries it.

    masses: `(J,)`, in any unit; bodies that are found weigh 1. centers: `(J, 3)` the centers of mass in the joints' own
    axes. inertias: `(J, 3, 3)` about these centers, in the same axes, mass times length squared. stature: the
    height of a human body in the skeleton's units; 0 of any other body.

    >>> BodyModel(np.ones(2), np.zeros((2, 3)), np.zeros((2, 3, 3))).weighing(70.0).masses.tolist()
    [35.0, 35.0]
    """

    masses: Float64
    centers: Float64
    inertias: Float64
    stature: float = 0.0

    def weighing(self, total: float) -> "BodyModel":
        """Return the body with another mass in total. Raises InputError unless it is above zero."""
        if not 0 < total < np.inf:
            raise InputError("The mass of a body must be above zero.")
        factor = total / float(self.masses.sum())
        return replace(self, masses=self.masses * factor, inertias=self.inertias * factor)

    def with_mass(self, joint: int, mass: float) -> "BodyModel":
        """Return the body with another mass of one joint's segment. Raises InputError if nothing would weigh anything.

        >>> find_body_model(skeleton).with_mass(1, 3.0).masses[1]
        3.0
        """
        masses = self.masses.copy()
        factor = mass / masses[joint] if masses[joint] > 0 else 0.0
        masses[joint] = mass
        if not (np.isfinite(mass) and mass >= 0 and masses.sum() > 0):
            raise InputError("The mass of a segment must not be below zero, and that of the body must be above it.")
        inertias = self.inertias.copy()
        inertias[joint] *= factor
        return replace(self, masses=masses, inertias=inertias)


def find_body_model(skeleton: Skeleton) -> BodyModel:
    """Return the masses of a skeleton's body: of a human one from a table, of another from the lengths of its bones.

    The table is that of de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", 1996.

    >>> find_body_model(skeleton).centers.shape
    (2, 3)
    """
    joints = human_joints(skeleton)
    return _of_rods(skeleton) if joints is None else _of_human(skeleton, joints)


def _of_human(skeleton: Skeleton, joints: HumanJoints) -> BodyModel:
    places, height = skeleton.rest_positions, stature(skeleton, joints)
    parts = _Parts(len(skeleton.names))
    trunk = places[list(joints.trunk)]
    lengths = np.linalg.norm(np.diff(trunk, axis=0), axis=1)
    for joint, start, end, length in zip(joints.trunk[:-1], trunk[:-1], trunk[1:], lengths, strict=True):
        # Uniform along the spine, whose middle is where the table has the center.
        share = length / lengths.sum()
        bone = HumanSegment(HUMAN["trunk"].mass * share, 0.5, 12**-0.5, HUMAN["trunk"].along / max(share, 1e-6), 1.0)
        parts.add(joint, bone, start, end)
    parts.add(joints.head, HUMAN["head"], trunk[-1], head_top(skeleton, joints))
    for side in "LR":
        at = {name: places[joint] for (name, on), joint in joints.limbs.items() if on == side}
        for name, end in (("upperarm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot")):
            parts.add(joints.limbs[name, side], HUMAN[name], at[name], at[end])
        fingers = with_length(at["hand"], at["hand"] - at["forearm"], height, "hand")
        parts.add(joints.limbs["hand", side], HUMAN["hand"], at["hand"], fingers)
        parts.add(joints.limbs["foot", side], HUMAN["foot"], *sole_ends(skeleton, joints, side))
    return replace(in_axes(skeleton, parts.masses, parts.centers, parts.inertias), stature=height)


def head_top(skeleton: Skeleton, joints: HumanJoints) -> Float64:
    """Return the top `(3,)` of a human head, which begins at the base of the neck, in the rest pose."""
    below, neck, head = (skeleton.rest_positions[joint] for joint in (*joints.trunk[-2:], joints.head))
    upward = head - neck if joints.head != joints.trunk[-1] else neck - below
    return with_length(neck, upward, stature(skeleton, joints), "head")


def sole_ends(skeleton: Skeleton, joints: HumanJoints, side: str) -> tuple[Float64, Float64]:
    """Return the heel and the tip `(3,)` of a human foot in the rest pose; side: "L" or "R"."""
    shin, foot = (skeleton.rest_positions[joints.limbs[name, side]] for name in ("shin", "foot"))
    toe = joints.limbs.get(("toe", side))
    ahead = foot - shin if toe is None else skeleton.rest_positions[toe] - foot
    height = stature(skeleton, joints)
    heel = with_length(foot, -ahead, HEEL_SHARE * height, "foot")
    return heel, with_length(heel, ahead, height, "foot")


def with_length(start: Float64, along: Float64, height: float, name: str) -> Float64:
    """Return the end of a segment of the table's length that begins at `start`; height: of the body."""
    return np.asarray(start + along / max(float(np.linalg.norm(along)), 1e-12) * HUMAN[name].length * height)


def _of_rods(skeleton: Skeleton) -> BodyModel:
    parents = skeleton.parents
    parts = _Parts(len(skeleton.names))
    lengths, limbs = limb_lengths(skeleton)
    for joint in np.flatnonzero(lengths):
        radius = THICKNESS * limbs[joint]
        rod = HumanSegment(
            float(lengths[joint] * radius**2),
            0.5,
            float(np.sqrt(1 / 12 + (radius / lengths[joint]) ** 2 / 4)),
            float(radius / lengths[joint] / np.sqrt(2)),
            1.0,
        )
        carrier = int(parents[joint])
        parts.add(carrier, rod, skeleton.rest_positions[carrier], skeleton.rest_positions[joint])
    if not parts.masses.any():
        parts.masses[:] = 1.0
        parts.centers[:] = skeleton.rest_positions
    total = parts.masses.sum()
    return in_axes(skeleton, parts.masses / total, parts.centers, parts.inertias / total)


def limb_lengths(skeleton: Skeleton) -> tuple[Float64, Float64]:
    """Return for each joint the length of the bone toward it, and of its limb from fork to fork, both `(J,)`."""
    places, above = skeleton.stance, skeleton.parents
    lengths = np.where(above >= 0, np.linalg.norm(places - places[above], axis=1), 0.0)
    lengths[lengths < SAME_PLACE * skeleton.size] = 0.0
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(lengths))
    limbs = lengths.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0 and children[parent] == 1:
            limbs[joint] += limbs[parent]
    for joint in range(len(limbs) - 1, -1, -1):
        parent = int(skeleton.parents[joint])
        if parent >= 0 and children[parent] == 1:
            limbs[parent] = limbs[joint]
    return lengths, limbs


class _Parts:
    """Segments that are added up joint by joint, in the space of the rest pose."""

    def __init__(self, count: int) -> None:
        self.masses, self.centers, self.inertias = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))

    def add(self, joint: int, segment: HumanSegment, start: Float64, end: Float64) -> None:
        """Add a segment from `start` to `end` `(3,)` to what a joint carries."""
        center, along = start + segment.center * (end - start), end - start
        square = float(along @ along)
        axis = along / max(np.sqrt(square), 1e-12)
        across = segment.across**2 * (np.eye(3) - np.outer(axis, axis))
        inertia = segment.mass * square * (across + segment.along**2 * np.outer(axis, axis))
        mass = self.masses[joint] + segment.mass
        if mass <= 0:
            return
        together = (self.masses[joint] * self.centers[joint] + segment.mass * center) / mass
        moved = _of_point(self.masses[joint], self.centers[joint] - together) + _of_point(
            segment.mass, center - together
        )
        self.masses[joint], self.centers[joint] = mass, together
        self.inertias[joint] += inertia + moved


def _of_point(mass: float, away: Float64) -> Float64:
    """Return the inertia `(3, 3)` of a mass at a distance `(3,)`."""
    return np.asarray(mass * (away @ away * np.eye(3) - np.outer(away, away)))


def in_axes(skeleton: Skeleton, masses: Float64, centers: Float64, inertias: Float64) -> BodyModel:
    """Return the body of segments with centers `(J, 3)` and inertias `(J, 3, 3)` in the space of the rest pose."""
    axes = rotations.to_matrix(skeleton.rest_orientations)
    local = np.einsum("jba,jb->ja", axes, centers - skeleton.rest_positions)
    return BodyModel(masses, local, np.einsum("jba,jbc,jcd->jad", axes, inertias, axes))

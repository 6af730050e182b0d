# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion as rows of features, weighted so that a distance between rows measures the distance between the bodies.

The weight of a joint's rotation is the displacement of the joints below it, so that forty finger joints do not
outweigh the legs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np

from ..arrays import Array, Float64, Int64, Mask, Rows
from ..errors import InputError
from ..motion import rotations
from ..motion.bvh.numbers import DEFAULT_RATE
from ..motion.climbing import without_height
from ..motion.motion import Motion
from ..motion.piecewise import pieces
from ..motion.root_motion import RootPlan, RootTrack
from ..motion.skeleton import Skeleton
from ..settings import Facing, Settings

VELOCITY_FRAMES = Settings().patch_frames // 2
"""Number of frames at 30 fps, half a patch of the usual length, that turn a velocity into a distance."""
LABEL_WEIGHT = 0.03
"""Movement of the body, as a share of its size, that equals one standard deviation of a custom property, or the
difference between a foot in contact and one that is not."""
KEPT_VARIANCE = 0.999
"""Share of the variance that stays when columns are dropped, the least varying first."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Foot contacts: `joints` `(K,)`, and `labels` `(N, K)`, whether each stands, in the frames of all examples."""

    joints: Int64
    labels: Mask


class FeatureKind(IntEnum):
    """Kinds of feature columns."""

    POSE = 0
    RATE = 1
    """The root's velocity and yaw rate, which a single pose does not have."""
    PLACE = 2
    """The root's place."""
    LABEL = 3
    """Scalars and contacts, which are not known for poses of another motion."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Scale of features: the raw columns that are `kept`, less their `center` `(C,)`, times one `factor`.

    weights: `(J,)` weight of each joint.
    """

    weights: Float64
    kept: Int64
    center: Array
    factor: float


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Rows `(T, C)` of all examples together, and the joint and kind `(C,)` of each column.

    The mean squared distance between two frames is 2, whatever the rig's units. C is 0 if nothing moves.
    scale: the scale of the rows, from which rows of another motion are made.
    """

    rows: Rows
    joints: Int64
    kinds: Int64
    scale: Scale


def encode(
    motions: Sequence[Motion],
    tracks: Sequence[RootTrack],
    plan: RootPlan,
    contacts: Contacts | None = None,
    factors: Sequence[tuple[str, float]] = (),
) -> FeatureRows:
    """Return the feature rows of the examples, one after another.

    contacts: foot contacts to match as well. factors: multipliers of the weights of named joints.
    Raises InputError for a name that is not a joint.
    """
    skeleton = motions[0].skeleton
    times = _factors(skeleton, factors)
    weights = joint_weights(skeleton) * times
    blocks = [_rows_of(motion, track, plan, weights) for motion, track in zip(motions, tracks, strict=True)]
    _, joints, kinds = blocks[0]
    scalars = np.concatenate([motion.scalars for motion in motions])
    spread = scalars.std(axis=0)
    labels = [scalars * (LABEL_WEIGHT / np.where(spread > 0, spread, 1.0))]
    joints = np.concatenate((joints, np.full(scalars.shape[1], plan.joint)))
    if contacts is not None:
        labels.append(LABEL_WEIGHT * times[contacts.joints] * contacts.labels)
        joints = np.concatenate((joints, contacts.joints))
    # The rows of a library are filled in at once, since each copy of them takes as much memory as the library.
    rows, poses = np.empty((len(scalars), len(joints)), np.float32), len(kinds)
    np.concatenate([block for block, _, _ in blocks], out=rows[:, :poses])
    np.concatenate(labels, axis=1, out=rows[:, poses:], casting="same_kind")
    kinds = np.concatenate((kinds, np.full(len(joints) - poses, FeatureKind.LABEL)))
    return _normalized(rows, joints, kinds, weights)


def rows_like(features: FeatureRows, motion: Motion, track: RootTrack, plan: RootPlan) -> Rows:
    """Return the rows `(T, C)` of another motion on the examples' skeleton; its LABEL columns are zero."""
    raw, _, kinds = _rows_of(motion, track, plan, features.scale.weights)
    encoded = features.scale.kept < len(kinds)
    rows = np.zeros((motion.frames, len(features.joints)), np.float32)
    rows[:, encoded] = (raw[:, features.scale.kept[encoded]] - features.scale.center[encoded]) * features.scale.factor
    return rows


def _factors(skeleton: Skeleton, factors: Sequence[tuple[str, float]]) -> Float64:
    times = np.ones(len(skeleton.names))
    for name, factor in factors:
        if name not in skeleton.names:
            raise InputError(f"A weight is given to '{name}', which is not a joint of this skeleton; remove it.")
        times[skeleton.names.index(name)] = factor
    return times


@lru_cache(1)
def joint_weights(skeleton: Skeleton) -> Float64:
    """Return the body's movement, as a share of its size, when each joint `(J,)` turns by one radian.

    It is the root mean square over the joints below, weighted by the lengths of their bones.
    """
    positions, count = skeleton.stance, len(skeleton.names)
    parents = np.maximum(skeleton.parents, 0)
    lengths = np.where(skeleton.parents >= 0, np.linalg.norm(positions - positions[parents], axis=1), 0.0)
    total = float(lengths.sum())
    if total <= 0:
        return np.full(count, 1.0 / np.sqrt(max(count, 1)))
    mass = lengths / total
    # The mass and the first and second moments of each branch are summed from the leaves upwards.
    branch_mass, first, second = mass.copy(), mass[:, None] * positions, mass * np.sum(positions**2, axis=1)
    for joint in range(count - 1, 0, -1):
        parent = skeleton.parents[joint]
        if parent >= 0:
            branch_mass[parent] += branch_mass[joint]
            first[parent] += first[joint]
            second[parent] += second[joint]
    inertia = second - 2 * np.sum(positions * first, axis=1) + branch_mass * np.sum(positions**2, axis=1)
    # A leaf turns its own tip. The skeleton does not know the tip's length, so half of the bone before it is assumed.
    inertia += 0.25 * mass * lengths**2
    return np.asarray(np.sqrt(np.maximum(inertia, 0.0)) / skeleton.size)


def _rows_of(motion: Motion, track: RootTrack, plan: RootPlan, weights: Float64) -> tuple[Rows, Int64, Int64]:
    """Return the rows of one example without its scalars, and the joint and kind of each column."""
    skeleton, frames, size = motion.skeleton, motion.frames, motion.skeleton.size
    anchored = plan.anchored
    orientation = motion.rotations.copy()
    orientation[:, anchored] = track.body
    # The share of joints that a translation moves.
    shares = np.sqrt(skeleton.branch_sizes / len(skeleton.names))
    loose = np.array([joint not in anchored for joint in motion.translated], bool)
    per_second = motion.frames_per_second / DEFAULT_RATE
    root = np.array([plan.joint])
    turn_weight = float(VELOCITY_FRAMES * per_second * weights[plan.joint])
    blocks: list[tuple[Array, Int64, FeatureKind]] = [
        (rotations.to_6d(orientation) * weights[:, None], np.arange(len(skeleton.names)), FeatureKind.POSE),
        (
            motion.translations[:, loose] * (shares / size)[motion.translated[loose], None],
            motion.translated[loose],
            FeatureKind.POSE,
        ),
        (motion.scales * weights[motion.scaled, None], motion.scaled, FeatureKind.POSE),
        (track.offset * (shares / size)[anchored, None], anchored, FeatureKind.POSE),
        (track.velocity[:, None] * (VELOCITY_FRAMES * per_second / size), root, FeatureKind.RATE),
        (track.yaw_rate[:, None, None] * turn_weight, root, FeatureKind.RATE),
    ]
    if plan.in_place and plan.facing is Facing.KEEP:
        place = without_height(track.ground, skeleton.up) if plan.climbs else track.ground
        blocks.append((place[:, None] / size, root, FeatureKind.PLACE))
    rows = np.concatenate([values.reshape(frames, -1) for values, _, _ in blocks], axis=1)
    joints = np.concatenate([np.repeat(index, values.shape[-1]) for values, index, _ in blocks])
    kinds = np.concatenate([np.full(values[0].size, kind) for values, _, kind in blocks])
    return rows.astype(np.float32), joints, kinds


def _normalized(rows: Rows, joints: Int64, kinds: Int64, weights: Float64) -> FeatureRows:
    """Return the features of raw rows `(N, C)`, which are overwritten."""
    center = rows.mean(axis=0)
    centered = np.subtract(rows, center, out=rows)
    variances = np.asarray(np.mean(centered**2, axis=0, dtype=np.float64))
    total = float(variances.sum())
    if total <= 1e-12:
        none = np.empty(0, np.int64)
        return FeatureRows(np.zeros((len(rows), 0), np.float32), none, none, Scale(weights, none, center[:0], 1.0))
    order = np.argsort(-variances, kind="stable")
    enough = int(np.searchsorted(np.cumsum(variances[order]), KEPT_VARIANCE * total)) + 1
    kept = np.sort(order[:enough])
    scale = Scale(weights, kept, center[kept], 1.0 / float(np.sqrt(total)))
    normal = np.empty((len(rows), len(kept)), np.float32)
    for piece in pieces(*normal.shape):
        normal[piece] = centered[piece, kept] / np.sqrt(total)
    return FeatureRows(normal, joints[kept], kinds[kept], scale)

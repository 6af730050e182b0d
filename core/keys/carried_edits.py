# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a few poses carried onto their original motion, which meets the poses and keeps its detail.

An edit is the turn and move of a joint at a key, relative to its parent; between keys it changes smoothly (motion
warping: Witkin, Popovic 1995; motion displacement mapping: Bruderlin, Williams 1995). Feet then stand as before.
"""

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..errors import InputError
from ..feet.contact_detection import label_contacts
from ..feet.planting import Standing, own_movements
from ..feet.soft_footing import accelerations, planted_softly
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.interpolation import monotone_cubic
from ..motion.motion import Motion, sample


def carry_edits(standing: Standing, original: Motion, edited: Motion, keyed: Mask, times: Array) -> Motion:
    """Return the original with the poses of `edited` `(T)` where joints are keyed, and its own detail between.

    keyed: mask `(T, J)`. times: `(T,)` the frame of the original that each frame shows. Frames far from edits are the
    original's. Raises InputError for motions of other skeletons or channels, and for arrays of other lengths.

    >>> from genmm_addon.core.library import index_motions
    >>> keyed = np.zeros((60, 2), bool)
    >>> keyed[::20] = True
    >>> same = carry_edits(index_motions([swing]).standing, swing, swing, keyed, np.arange(60.0))
    >>> bool(np.array_equal(same.rotations, swing.rotations))
    True
    """
    original.check_values("The original motion")
    edited.check_values("The edited motion")
    _check(original, edited, keyed, times)
    base = original_at(original, times)
    channels = {name: values.copy() for name, values in base.channels().items()}
    touched = np.zeros(keyed.shape, bool)
    for joints in _groups_by_keys(keyed):
        fixed = np.flatnonzero(keyed[:, joints[0]])
        if len(fixed):
            touched[:, joints] = _carry(channels, base, edited, joints, fixed)
    carried = base.with_channels(channels)
    if not touched.any():
        return base
    contacts = label_contacts(base, standing.feet, standing.ground)
    movement = own_movements(standing, base, carried, contacts)
    highest = float(accelerations(base).max(initial=0.0))
    locked = planted_softly(standing, contacts, carried, keyed | ~_moved(base, touched), highest, movement)
    return _exact(locked, edited, keyed, touched)


def original_at(original: Motion, times: Array) -> Motion:
    """Return the original at fractional frames `(T,)`; beyond its ends it stands still.

    >>> original_at(swing, np.array([0.0, 0.5, 100.0])).frames
    3
    """
    inside = np.clip(times, 0.0, original.frames - 1.0)
    nearest = np.round(inside).astype(np.int64)
    if np.abs(inside - nearest).max(initial=0.0) < 1e-6:
        return original.take(nearest)
    return sample(original, np.asarray(inside, np.float64), original.frames_per_second)


def _moved(motion: Motion, touched: Mask) -> Mask:
    """Return a mask `(T, J)` of joints that have moved: they or a joint above them were touched."""
    moved = touched.copy()
    for joint, parent in enumerate(motion.skeleton.parents.tolist()):
        if parent >= 0:
            moved[:, joint] |= moved[:, parent]
    return moved


def _check(original: Motion, edited: Motion, keyed: Mask, times: Array) -> None:
    same = original.skeleton.names == edited.skeleton.names and np.array_equal(original.translated, edited.translated)
    if not same or original.scalar_names != edited.scalar_names or not np.array_equal(original.scaled, edited.scaled):
        raise InputError("The edited motion has other joints or channels than its original; edit a copy of it.")
    if keyed.shape != edited.rotations.shape[:2] or len(times) != edited.frames:
        raise InputError("The keys and times of an edited motion need one row for each of its frames.")


def _groups_by_keys(keyed: Mask) -> list[Int64]:
    """Return the joints in groups that have keys at the same frames."""
    _, members = np.unique(np.packbits(keyed, axis=0), axis=1, return_inverse=True)
    return [np.flatnonzero(members.ravel() == number) for number in range(int(members.max(initial=-1)) + 1)]


def _carry(
    channels: dict[str, Float32],
    base: Motion,
    edited: Motion,
    joints: Int64,
    fixed: Int64,
) -> Mask:
    """Add the edits of joints keyed at frames `fixed` `(K,)`, and return a mask `(T, len(joints))` of changes."""
    at, knots = np.arange(base.frames, dtype=np.float64), fixed.astype(np.float64)
    after, before = (motion.rotations[np.ix_(fixed, joints)].astype(np.float64) for motion in (edited, base))
    turns = _unwound(rotations.to_vector(rotations.multiply(after, rotations.inverse(before))))
    turns[np.linalg.norm(turns, axis=-1) < ROUNDING] = 0.0
    changed = np.zeros((base.frames, len(joints)), bool)
    if turns.any():
        added = monotone_cubic(knots, turns, at)
        place = np.ix_(np.arange(base.frames), joints)
        turned = rotations.multiply(rotations.from_vector(added), base.rotations[place].astype(np.float64))
        moving = np.linalg.norm(added, axis=-1) > 0
        channels["rotations"][place] = np.where(moving[..., None], turned, base.rotations[place])
        changed |= moving
    for name, owners in (("translations", base.translated), ("scales", base.scaled)):
        columns = np.flatnonzero(np.isin(owners, joints))
        moved = _added(channels[name], getattr(edited, name), columns, fixed, base)
        changed[:, np.searchsorted(joints, owners[columns])] |= moved
    return changed


def _added(
    values: Float32,
    edited: Float32,
    columns: Int64,
    fixed: Int64,
    base: Motion,
) -> Mask:
    """Add the edits to columns of a linear channel `(T, M, 3)`, and return a mask `(T, len(columns))` of changes."""
    off = (edited[np.ix_(fixed, columns)] - values[np.ix_(fixed, columns)]).astype(np.float64)
    off[np.abs(off) < ROUNDING * max(base.skeleton.size, 1e-9)] = 0.0
    if not off.any():
        return np.zeros((len(values), len(columns)), bool)
    moves = monotone_cubic(fixed.astype(np.float64), off, np.arange(len(values), dtype=np.float64))
    values[:, columns] += moves.astype(np.float32)
    return np.asarray(np.abs(moves).max(axis=2) > 0)


def _unwound(turns: Array) -> Float64:
    """Return turns `(K, J, 3)` as vectors without jumps from key to key, longer than half a round if necessary."""
    unwound = np.asarray(turns, np.float64).copy()
    for row in range(1, len(turns)):
        angle = np.linalg.norm(unwound[row], axis=-1, keepdims=True)
        axis = unwound[row] / np.maximum(angle, 1e-12)
        other = unwound[row] - 2 * np.pi * axis
        before = unwound[row - 1]
        farther = np.linalg.norm(unwound[row] - before, axis=-1) > np.linalg.norm(other - before, axis=-1)
        unwound[row] = np.where(farther[:, None], other, unwound[row])
    return unwound


def _exact(motion: Motion, edited: Motion, keyed: Mask, touched: Mask) -> Motion:
    """Return the motion with exactly the edited poses at its keys, without rounding."""
    channels = {name: values.copy() for name, values in motion.channels().items()}
    exact = keyed & touched
    channels["rotations"][exact] = edited.rotations[exact]
    for name, owners in (("translations", motion.translated), ("scales", motion.scaled)):
        of_owners = exact[:, owners]
        channels[name][of_owners] = getattr(edited, name)[of_owners]
    channels["rotations"] = rotations.make_continuous(channels["rotations"])
    return motion.with_channels(channels)

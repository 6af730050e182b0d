# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of the joints in a character's pinned poses, for drawing."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object

from ...core import Array, Int64, Mask, Motion
from ..curves import KeyColumns, SlotCurves, collect_curves, key_columns
from ..layout import make_layout
from ..reading.channel_reading import read_channels
from ..rig import OBJECT_JOINT, read_bones


@dataclass(frozen=True, eq=False)
class PinnedPoses:
    """K pinned poses of B bones, in the space of the skeleton's roots.

    frames: `(K,)`. heads, tails: `(K, B, 3)`. pinned: `(K, B)` whether a bone is pinned. parents: `(B,)`, -1 for none.
    hangs: `(B,)` whether a bone has no location keys, and so follows its parent's rotation.
    with_object: whether the space is that of the object's parent.
    """

    frames: Int64
    heads: Array
    tails: Array
    pinned: Mask
    parents: Int64
    hangs: Mask
    with_object: bool


def pinned_poses(armature: Object, pins: Action, playing: tuple[Action, str] | None) -> PinnedPoses:
    """Return the poses of the pins; free channels have the values of the character's action, or their present ones.

    The poses come from keys alone, without constraints. Raises InputError if the action has no slot for an object.
    """
    curves = collect_curves(armature, pins)
    free = collect_curves(armature, *playing) if playing is not None else SlotCurves()
    columns = key_columns(curves)
    with_object = curves.keys_object or free.keys_object
    skeleton = read_bones(armature, with_object)
    layout = make_layout(armature, skeleton, [curves, free])
    pinned_motion = read_channels(layout, curves, columns.times, 1.0)
    motion = _joined(pinned_motion, read_channels(layout, free, columns.times, 1.0), curves, columns)
    matrices, heads = motion.pose()
    bones = [joint for joint, name in enumerate(skeleton.names) if name != OBJECT_JOINT]
    names = [skeleton.names[joint] for joint in bones]
    lengths = np.array([armature.data.bones[name].length for name in names])
    nobody = np.zeros(len(columns.frames), bool)
    return PinnedPoses(
        columns.frames,
        heads[:, bones],
        heads[:, bones] + matrices[:, bones][..., 1] * lengths[:, None],
        np.stack([columns.keyed.get(name, nobody) for name in names], axis=1),
        np.maximum(skeleton.parents[bones] - with_object, -1),
        np.array([name not in curves.transforms.get("location", {}) for name in names], bool),
        with_object,
    )


def _joined(pinned_motion: Motion, free: Motion, curves: SlotCurves, columns: KeyColumns) -> Motion:
    """Return the pinned motion in pinned channels, and the free motion in the others."""
    names = pinned_motion.skeleton.names
    nobody = np.zeros(len(columns.frames), bool)
    located, scaled = (curves.transforms.get(name, {}) for name in ("location", "scale"))
    turned = {joint for name, of in curves.transforms.items() if name.startswith("rotation") for joint in of}

    def chosen(joints: Sequence[str], known: Container[str]) -> Mask:
        masks = [columns.keyed.get(joint, nobody) if joint in known else nobody for joint in joints]
        return np.stack(masks, axis=1)[..., None] if masks else np.zeros((len(nobody), 0, 1), bool)

    return replace(
        pinned_motion,
        rotations=np.where(chosen(names, turned), pinned_motion.rotations, free.rotations),
        translations=np.where(
            chosen([names[joint] for joint in pinned_motion.translated], located),
            pinned_motion.translations,
            free.translations,
        ),
        scales=np.where(
            chosen([names[joint] for joint in pinned_motion.scaled], scaled), pinned_motion.scales, free.scales
        ),
    )

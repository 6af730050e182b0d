# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and hands that are below their limbs in motions, while their bones are at the armature's root."""

from dataclasses import replace
from types import MappingProxyType

from bpy.types import Object

from ..core import Motion, Skeleton
from ..core.motion import NO_PARENT, on_skeleton, with_parents
from .channels import KeyedChannels
from .rig import OBJECT_JOINT, inheritance_of


def on_bones(motion: Motion, armature: Object) -> Motion:
    """Return a motion of the armature with each joint below its own bone's parent, so that its channels are Blender's.

    Joints without a bone, or without that of its parent, stay where they are.
    """
    skeleton, bones = motion.skeleton, armature.data.bones
    parents = _parents_of_ends(skeleton, armature)
    if not parents:
        return motion
    inherits = {joint: inheritance_of(bones[skeleton.names[joint]]) for joint in parents}
    return on_skeleton(motion, with_parents(skeleton, parents, inherits))


def keyed_with_ends(keyed: KeyedChannels, skeleton: Skeleton, armature: Object) -> KeyedChannels:
    """Return the channels, with those of detached ends below limbs that have some; skeleton: of the motions."""
    channels = {*keyed.rotations, *keyed.locations}
    chains = {
        skeleton.names[end]: frozenset(skeleton.names[joint] for joint in skeleton.chain(end))
        for end in _parents_of_ends(skeleton, armature)
    }
    ends = {end: chain for end, chain in chains.items() if chain & channels}
    if not ends:
        return keyed
    modes = {name: armature.pose.bones[name].rotation_mode for name in ends}
    return replace(
        keyed,
        rotations=MappingProxyType({**modes, **keyed.rotations}),
        locations=tuple(dict.fromkeys((*keyed.locations, *ends))),
        ends=MappingProxyType(ends),
    )


def _parents_of_ends(skeleton: Skeleton, armature: Object) -> dict[int, int]:
    """Return the joints of the bones' own parents, by joint, where they are not those of the skeleton."""
    place = {name: joint for joint, name in enumerate(skeleton.names)}
    top = place.get(OBJECT_JOINT, NO_PARENT)
    parents = {}
    for name, joint in place.items():
        bone, above = armature.data.bones.get(name), int(skeleton.parents[joint])
        if bone is not None:
            own = top if bone.parent is None else place.get(bone.parent.name, above)
            if own != above:
                parents[joint] = own
    return parents

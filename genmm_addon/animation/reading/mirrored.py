# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror images of examples, and the channels that they need in addition to the recorded ones."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from bpy.types import Object

from ...core import InputError, Motion
from ...core.transfer import Symmetry, counterpart, find_symmetry, mirror
from ..channels import KeyedChannels, ScalarChannel
from ..curves import owner_of, scalar_value
from .example_spec import ExampleSpec, Reading, used_examples

NO_SIDES = (
    'The bones of "{name}" have no recognizable left and right sides, so its motion cannot be mirrored; '
    "use the examples As Recorded."
)


def with_mirrored(armature: Object, reading: Reading, specs: Sequence[ExampleSpec]) -> Reading:
    """Return the reading of `specs` with the motions of `used_examples`, all with the same channels.

    Raises InputError if a mirror image is requested and the skeleton has no left and right.
    """
    used = used_examples(specs)
    if not any(example.is_mirrored for example in used):
        return reading
    for example in used:
        reading.motions[example.number].check_values(example.spec.name)
    symmetry = find_symmetry(reading.motions)
    if symmetry is None:
        raise InputError(NO_SIDES.format(name=armature.name))
    names = reading.motions[0].skeleton.names
    partners = {name: names[other] for name, other in zip(names, symmetry.partners, strict=True)}
    added = _added_scalars(armature, reading, symmetry, partners)
    recorded = [_with_scalars(armature, motion, added) for motion in reading.motions]
    motions = [
        mirror(recorded[example.number], symmetry) if example.is_mirrored else recorded[example.number]
        for example in used
    ]
    known = [
        _both_ways(reading.known[example.number], partners) if example.is_mirrored else reading.known[example.number]
        for example in used
        if reading.known
    ]
    return replace(
        reading,
        motions=_with_same_channels(motions),
        keyed=_keyed(armature, reading.keyed, partners, added),
        known=tuple(known),
    )


def _added_scalars(
    armature: Object, reading: Reading, symmetry: Symmetry, partners: dict[str, str]
) -> tuple[ScalarChannel, ...]:
    """Return the other side's values that no example animates, if the character has them."""
    known = {channel.name for channel in reading.keyed.scalars}
    skeleton = reading.motions[0].skeleton
    added = []
    for channel in reading.keyed.scalars:
        path = counterpart(channel.data_path, skeleton, symmetry)
        other = replace(channel, data_path=path, group=partners.get(channel.group, channel.group))
        if other.name not in known and _has(armature, other):
            added.append(other)
    return tuple(added)


def _has(armature: Object, channel: ScalarChannel) -> bool:
    try:
        value = armature.path_resolve(channel.data_path)
        return isinstance(value[channel.index] if channel.is_array else value, bool | int | float)
    except (ValueError, TypeError, IndexError):
        return False


def _with_scalars(armature: Object, motion: Motion, added: Sequence[ScalarChannel]) -> Motion:
    if not added:
        return motion
    values = np.array([scalar_value(armature, channel) for channel in added], np.float32)
    return replace(
        motion,
        scalar_names=(*motion.scalar_names, *(channel.name for channel in added)),
        scalars=np.concatenate((motion.scalars, np.repeat(values[None], motion.frames, 0)), 1),
    )


def _with_same_channels(motions: Sequence[Motion]) -> tuple[Motion, ...]:
    """Return the motions with translations and scales for every joint for which any of them has some."""
    translated = np.unique(np.concatenate([motion.translated for motion in motions]))
    scaled = np.unique(np.concatenate([motion.scaled for motion in motions]))
    return tuple(motion.widened(translated, scaled) for motion in motions)


def _keyed(
    armature: Object, keyed: KeyedChannels, partners: dict[str, str], added: Sequence[ScalarChannel]
) -> KeyedChannels:
    """Return the channels of a result: all that an example animates, and their counterparts on the other side."""
    modes = dict(keyed.rotations)
    for name in keyed.rotations:
        modes.setdefault(partners[name], owner_of(armature, partners[name]).rotation_mode)
    return KeyedChannels(
        MappingProxyType(modes),
        tuple(dict.fromkeys((*keyed.locations, *(partners[name] for name in keyed.locations)))),
        tuple(dict.fromkeys((*keyed.scales, *(partners[name] for name in keyed.scales)))),
        (*keyed.scalars, *added),
        keyed.switched,
        keyed.ends,
    )


def _both_ways(known: frozenset[str] | None, partners: dict[str, str]) -> frozenset[str] | None:
    return None if known is None else frozenset(partners[name] for name in known)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The animated channels of a character, and the form in which they are written."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bpy.types import Object


@dataclass(frozen=True)
class ScalarChannel:
    """An animated value other than a transform, such as a custom property or a constraint's influence.

    data_path, index: as in an F-curve (index 0 unless the property is an array).
    is_array: whether the property has components.
    is_stepped: whether it is a whole number, switch or choice, which keeps its value until the next key.
    group: the F-curve group of the channel.
    """

    data_path: str
    index: int = 0
    is_array: bool = False
    is_stepped: bool = False
    group: str = ""

    @property
    def name(self) -> str:
        """Return the channel's name in a Motion: the data path, with the index if the property has components."""
        return f"{self.data_path}[{self.index}]" if self.is_array else self.data_path


@dataclass(frozen=True)
class KeyedChannels:
    """The channels that are animated in any of the examples, for which a result has keys.

    rotations: the rotation mode ("QUATERNION", "AXIS_ANGLE", "XYZ", ...) of the keys, by joint name.
    locations, scales: names of joints. scalars: in the order of the motions' `scalar_names`. switched: names of joints
    whose rotation mode is animated in an example, which a result sets by a key. ends: names of the joints above each
    detached end, see `detached_ends`; its own channels change with theirs.
    """

    rotations: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    locations: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()
    scalars: tuple[ScalarChannel, ...] = ()
    switched: tuple[str, ...] = ()
    ends: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, turned: Container[str], moved: Container[str], character: Object) -> "KeyedChannels":
        """Return the rotations of the joints in `turned` and the locations of those in `moved`, and no others.

        Bones that are turned but have no keys of rotation have them here, since a motion may turn them. Detached ends
        below any of these have both.
        """
        ends = {end for end, above in self.ends.items() if any(name in turned or name in moved for name in above)}
        modes = {bone.name: bone.rotation_mode for bone in character.pose.bones if bone.name in turned}
        rotations = {name: mode for name, mode in self.rotations.items() if name in turned or name in ends}
        return KeyedChannels(
            MappingProxyType(modes | rotations),
            tuple(name for name in self.locations if name in moved or name in ends),
        )

# SPDX-License-Identifier: GPL-3.0-or-later
"""The animated channels of a character, and how they are to be written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class ScalarChannel:
    """One animated value besides the transforms: a custom property, a constraint's influence.

    data_path, index: as an F-curve has them (index 0 where the property is no array).
    is_array: whether the property has components.
    is_stepped: whole numbers, switches and choices, which hold their value until the next key.
    group: the F-curve group it belongs in.
    """

    data_path: str
    index: int = 0
    is_array: bool = False
    is_stepped: bool = False
    group: str = ""

    @property
    def name(self) -> str:
        """Return its name in a Motion: the data path, with the index where it has components."""
        return f"{self.data_path}[{self.index}]" if self.is_array else self.data_path


@dataclass(frozen=True)
class KeyedChannels:
    """The channels that are animated in any of the examples, so those that a result has keys for.

    rotations: by joint name the rotation mode ("QUATERNION", "AXIS_ANGLE", "XYZ", ...) of its keys.
    locations, scales: the joints' names. scalars: in the order of the motions' `scalar_names`.
    """

    rotations: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    locations: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()
    scalars: tuple[ScalarChannel, ...] = ()

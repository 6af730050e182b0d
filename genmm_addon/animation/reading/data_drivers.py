# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers of an armature's data that read another character of that data, as those of a result's do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bpy.types import Object

BULGE = ".bbone_"
"""Part of the data paths of how bones bulge, which poses of bones do not depend on."""


@contextmanager
def reading_own_properties(armature: Object) -> Iterator[None]:
    """Have drivers of how its bones bulge read this character meanwhile, not another one of the same data.

    Blender would evaluate what they read at each frame as well: beside a result of Rigify's human all of the human that
    it was made of, at work.
    """
    others = [] if _bulges_pose(armature) else _targets_of_others(armature)
    before = [target.id for target in others]
    try:
        for target in others:
            target.id = armature
        yield
    finally:
        for target, was in zip(others, before, strict=True):
            target.id = was


def _targets_of_others(armature: Object) -> list[Any]:
    """Return the targets of such drivers that are other characters of its data; none where that is linked."""
    data = armature.data
    if data.library is not None or data.override_library is not None or data.animation_data is None:
        return []
    return [
        target
        for curve in data.animation_data.drivers
        if BULGE in curve.data_path
        for variable in curve.driver.variables
        for target in variable.targets
        if isinstance(target.id, Object) and target.id != armature and target.id.data == data
    ]


def _bulges_pose(armature: Object) -> bool:
    """Return True where a constraint has a bone follow the bulge of another one."""
    return any(getattr(one, "use_bbone_shape", False) for bone in armature.pose.bones for one in bone.constraints)

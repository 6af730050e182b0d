# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying of objects with as little of their data as possible, with references changed to the copies."""

from collections.abc import Collection
from typing import Any

from bpy.types import ID, Object

from . import tags
from .naming import named, without_number
from .redirect import Copies, drivers_of, points_to, redirect_data, redirect_object, shape_keys_of, targets_of

OWN_PROPERTIES = (tags.RECIPE_PROPERTY, tags.PROPERTY, tags.PLACE_PROPERTY)
"""Custom properties of a result that a copy of it must not have."""


def copy_objects(sources: list[Object], suffix: str, created: list[ID], unshared: Collection[ID] = ()) -> Copies:
    """Return the copies of objects, and of data that cannot be shared, by source; each is added to `created` at once.

    Object data and materials are shared unless they are animated or driven, refer to one of the objects, or are in
    `unshared`: shape keys, materials and other data that will be animated.
    """
    copies: dict[Any, Any] = {}
    for source in sources:
        copies[source] = _local_copy(source, suffix, created)
    for source in sources:
        if source.type != "ARMATURE" and source.data is not None:
            _copy_data(source, suffix, copies, created, unshared)
        _copy_materials(source, suffix, copies, created, unshared)
    for source, copy in copies.items():
        if isinstance(source, Object):
            redirect_object(copy, copies)
        else:
            redirect_data(copy, copies)
    return copies


def _copy_data(
    source: Object, suffix: str, copies: dict[Any, Any], created: list[ID], unshared: Collection[ID]
) -> None:
    data: Any = source.data
    if data not in copies:
        if not (data in unshared or shape_keys_of(data) in unshared or _needs_copy(data, copies)):
            return
        copies[data] = _local_copy(data, suffix, created)
        keys = shape_keys_of(data)
        if keys:
            copies[keys] = shape_keys_of(copies[data])
    copies[source].data = copies[data]


def _copy_materials(
    source: Object, suffix: str, copies: dict[Any, Any], created: list[ID], unshared: Collection[ID]
) -> None:
    """Give the copy its own materials, if the rig drives them or they will be animated.

    They go into the object's slots, since the mesh is shared.
    """
    for index, slot in enumerate(source.material_slots):
        material = slot.material
        if material is None:
            continue
        if material not in copies:
            blocks = (material, material.node_tree)
            if not any(block in unshared or _is_driven(block, copies) for block in blocks):
                continue
            copies[material] = _local_copy(material, suffix, created)
            if material.node_tree:
                copies[material.node_tree] = copies[material].node_tree
        place = copies[source].material_slots[index]
        place.link = "OBJECT"
        place.material = copies[material]


def _local_copy(source: Any, suffix: str, created: list[ID]) -> Any:
    copy = source.copy()
    if copy.override_library is not None:
        # As an override, the copy would lose its result's properties on reload.
        copy = copy.make_local(clear_liboverride=True)
    created.append(copy)
    copy.name = named(without_number(source.name), suffix)
    for name in OWN_PROPERTIES:
        if name in copy:
            del copy[name]
    return copy


def _needs_copy(data: Any, copies: Copies) -> bool:
    keys = shape_keys_of(data)
    return bool(data.animation_data or (keys and keys.animation_data) or points_to(data, copies))


def _is_driven(block: Any, copies: Copies) -> bool:
    """Return whether a driver of the data-block reads one of the copied objects."""
    return any(target.id in copies for target in targets_of(drivers_of(block)))

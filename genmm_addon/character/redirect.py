# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing of references in copied data-blocks from their sources to the copies."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from bpy.types import ID, Constraint, FCurve, Key, Object

Copies = Mapping[Any, Any]
"""Copies by source data-block."""


def redirect_object(copy: Object, copies: Copies) -> None:
    """Change the copy's parent, modifiers, constraints, drivers and own pointers to the copies."""
    _redirect_parent(copy, copies)
    modifier: Any
    for modifier in copy.modifiers:
        redirect_pointers(modifier, copies)
        if modifier.type == "NODES" and modifier.node_group:
            _redirect_node_inputs(modifier, copies)
    for constraint in _constraints(copy):
        redirect_pointers(constraint, copies)
        for target in getattr(constraint, "targets", ()):
            redirect_pointers(target, copies)
    redirect_properties(copy, copies)
    redirect_drivers(copy, copies)


def redirect_data(copy: Any, copies: Copies) -> None:
    """Change drivers and pointers of copied data (meshes, shape keys, materials and their nodes) to the copies."""
    redirect_pointers(copy, copies)
    redirect_drivers(copy, copies)


def redirect_drivers(copy: Any, copies: Copies) -> None:
    """Change the drivers to read the copies."""
    for target in targets_of(drivers_of(copy)):
        if target.id in copies:
            target.id = copies[target.id]


def drivers_of(block: Any) -> list[FCurve]:
    """Return the drivers of a data-block, which may be None or have none."""
    data = getattr(block, "animation_data", None)
    return list(data.drivers) if data else []


def targets_of(drivers: Iterable[FCurve]) -> Iterator[Any]:
    """Yield the targets of the drivers' variables."""
    for curve in drivers:
        for variable in curve.driver.variables:
            yield from variable.targets


def redirect_pointers(struct: Any, copies: Copies) -> None:
    """Change every object pointer of a modifier, constraint, target or data-block to the copies."""
    for name in _object_pointers(struct):
        copy = copies.get(getattr(struct, name))
        if copy is not None:
            setattr(struct, name, copy)


def redirect_properties(struct: Any, copies: Copies) -> None:
    """Change custom properties with a data-block to the copies."""
    for name, value in list(struct.items()):
        if isinstance(value, ID) and value in copies:
            struct[name] = copies[value]


def points_to(data: Any, copies: Copies) -> bool:
    """Return whether a data-block itself refers to a source, as hair refers to its surface."""
    return any(getattr(data, name) in copies for name in _object_pointers(data))


def shape_keys_of(data: Any) -> Key | None:
    """Return the shape keys of object data; None without any."""
    keys: Key | None = getattr(data, "shape_keys", None)
    return keys


def _redirect_node_inputs(modifier: Any, copies: Copies) -> None:
    if not hasattr(modifier, "properties"):  # before 5.2 the inputs are custom properties
        redirect_properties(modifier, copies)
        return
    inputs = modifier.properties.inputs
    for entry in inputs.bl_rna.properties:
        socket = getattr(inputs, entry.identifier)
        value = getattr(socket, "value", None)
        if isinstance(value, ID) and value in copies:
            socket.value = copies[value]


def _constraints(thing: Object) -> Iterator[Constraint]:
    yield from thing.constraints
    if thing.pose is not None:
        for bone in thing.pose.bones:
            yield from bone.constraints


def _redirect_parent(copy: Object, copies: Copies) -> None:
    parent = copies.get(copy.parent)
    if parent is None:
        return
    kind, bone, inverse = copy.parent_type, copy.parent_bone, copy.matrix_parent_inverse.copy()
    copy.parent = parent
    copy.parent_type, copy.parent_bone, copy.matrix_parent_inverse = kind, bone, inverse


def _object_pointers(struct: Any) -> tuple[str, ...]:
    """Return the names of a struct's properties that refer to an object and can be set."""
    kind: Any = type(struct)
    return _object_pointers_of_type(kind)


@cache
def _object_pointers_of_type(kind: Any) -> tuple[str, ...]:
    return tuple(
        entry.identifier
        for entry in kind.bl_rna.properties
        if entry.type == "POINTER" and not entry.is_readonly and entry.fixed_type.identifier == "Object"
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of a character beside it: the rig, its meshes and props, all of which refer to each other."""

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import MappingProxyType

import bpy
from bpy.types import ID, Context, Object
from bpy.types import Collection as BlenderCollection
from mathutils import Vector

from ..animation.actions import clear_assignment
from .belongings import is_carried, objects_of_character, still_shown, users_of
from .copying import copy_objects
from .local_view import show_in_local_view
from .naming import result_suffix
from .placement import CopyPlace, remember_place
from .redirect import Copies, drivers_of
from .results_collection import remove_made, results_collection
from .standing import move_aside, taken_channels

EXCLUDED = "EXCLUDED"
HIDDEN = "HIDDEN"


@dataclass(frozen=True, eq=False)
class Copy:
    """A copied character: its rig, and every data-block that was made for it (the rig first). copies: by source."""

    armature: Object
    made: tuple[ID, ...]
    notes: tuple[str, ...] = ()
    copies: Copies = field(default_factory=lambda: MappingProxyType({}))


def duplicate(
    context: Context,
    armature: Object,
    *,
    number: int,
    animated: Collection[str] = (),
    place: CopyPlace | None = None,
    collection: BlenderCollection | None = None,
    suffix: str = "",
    unshared: Collection[ID] = (),
) -> Copy:
    """Copy the character, without actions, into a collection (the scene's GenMM) and to a place beside the source.

    place: None is the source's own place. animated: the object's channels ("location", ...) that will be animated, so
    that they cannot store the offset. suffix: of the name; "" is that of a result with this number. unshared:
    data-blocks that the copy does not share although they are not animated yet.
    Raises InputError if the scene is linked; on failure, all data made are removed.
    """
    sources = objects_of_character(armature, context.scene)
    hidden = _hidden_pieces(context, armature, sources)
    sources = [source for source in sources if hidden.get(source) != EXCLUDED]
    left_out = sorted(source.name for source, kind in hidden.items() if kind == EXCLUDED and source.type == "MESH")
    created: list[ID] = []
    with ExitStack() as undoing:
        undoing.callback(remove_made, context.scene, created)
        collection = collection or results_collection(context)
        copies = copy_objects(sources, suffix or result_suffix(number), created, unshared)
        for source in sources:
            collection.objects.link(copies[source])
        _play_nothing(copies[armature])
        notes = () if place is None else _stand(armature, sources, copies, place, animated)
        if left_out:
            notes += (_note_on_excluded(left_out),)
        if shown := still_shown(armature, sources, context.scene):
            notes += (_note_on_instances(shown),)
        _show(context, armature, copies, hidden)
        undoing.pop_all()
    return Copy(copies[armature], tuple(created), notes, copies)


def _note_on_excluded(names: list[str]) -> str:
    more = f" and {len(names) - 1} more are" if len(names) > 1 else " is"
    return (
        f'"{names[0]}"{more} left out: the collection is excluded from the view layer; include it and generate again.'
    )


def _note_on_instances(names: list[str]) -> str:
    more = f" and {len(names) - 1} more still show" if len(names) > 1 else " still shows"
    return (
        f'"{names[0]}"{more} pieces that follow the original, by instances or nodes; link the pieces to the scene, or '
        "make them inputs of the modifier, and generate again."
    )


def _hidden_pieces(context: Context, armature: Object, sources: list[Object]) -> dict[Object, str]:
    """Return the armature's invisible pieces: EXCLUDED from the view layer that contains them, or HIDDEN in it.

    A piece that is hidden together with the armature, as in a hidden collection, does not count. An excluded piece to
    which another piece refers, such as the rig of a face, counts as HIDDEN, since the copy needs it.
    """
    layer = context.view_layer
    visible = armature.visible_get(view_layer=layer)
    present = set(layer.objects)  # up to date only after the call above
    hidden: dict[Object, str] = {}
    if armature not in present:
        return hidden
    for source in sources[1:]:
        if source not in present:
            hidden[source] = EXCLUDED
        elif source.hide_get(view_layer=layer) or (visible and not source.visible_get(view_layer=layer)):
            hidden[source] = HIDDEN
    while True:
        kept = {source for source in sources if hidden.get(source) != EXCLUDED}
        used = [source for source, kind in hidden.items() if kind == EXCLUDED and users_of({source}) & kept]
        if not used:
            return hidden
        hidden.update(dict.fromkeys(used, HIDDEN))


def _play_nothing(copy: Object) -> None:
    """Remove action and NLA tracks of the copy, so that only the action assigned next plays; drivers stay."""
    if copy.pose is None:
        _make_pose(copy)
    data = copy.animation_data
    if data is None:
        return
    data.use_tweak_mode = False
    clear_assignment(copy)
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    data.action_influence = 1.0
    data.action_blend_type = "REPLACE"
    data.action_extrapolation = "HOLD"


def _make_pose(copy: Object) -> None:
    # Blender crashes if a slot is changed on an armature that was never evaluated, as a hidden one is.
    scene = bpy.data.scenes.new("GenMM Pose")
    try:
        scene.collection.objects.link(copy)
        scene.view_layers[0].update()
    finally:
        bpy.data.scenes.remove(scene)


def _stand(
    armature: Object, sources: list[Object], copies: Copies, place: CopyPlace, animated: Collection[str]
) -> tuple[str, ...]:
    """Move the copies that no other copy moves to their place; return a note on those that could not be moved."""
    stuck = []
    for source in sources:
        if source.parent in copies or is_carried(source, copies):
            continue
        taken = taken_channels(source)
        if source == armature:
            # The copy has no action, so only drivers and channels that will be animated count.
            taken = {curve.data_path for curve in drivers_of(source)} | set(animated)
        moved = move_aside(copies[source], source, Vector(place.offset), taken)
        if moved is None:
            stuck.append(source.name)
        else:
            remember_place(copies[source], moved, place.ground if source == armature else None)
    return tuple(
        f'The copy of "{name}" stands in the same place: its location and delta location are both animated.'
        for name in stuck
    )


def _show(context: Context, armature: Object, copies: Copies, hidden: dict[Object, str]) -> None:
    """Show the copied rig, and those of the other copies whose sources were visible; keep the selection unchanged."""
    copy = copies[armature]
    copy.hide_viewport = copy.hide_select = False
    for source in hidden:
        if source in copies:
            copies[source].hide_set(True, view_layer=context.view_layer)
    copy.visible_get(view_layer=context.view_layer)  # brings the view layer's objects up to date
    present = set(context.view_layer.objects)
    for thing in copies.values():
        if thing in present:
            thing.select_set(False, view_layer=context.view_layer)
    show_in_local_view(context, copies.values())

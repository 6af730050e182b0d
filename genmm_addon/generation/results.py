# SPDX-License-Identifier: GPL-3.0-or-later
"""The variations of a batch: finding them, showing one, keeping one and removing the others."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Action, Context, NlaTrack, NlaTracks, Object

from ..animation.actions import armature_slots, assign
from ..animation.mesh_channels.playing import played, stop
from ..character import tags
from ..character.belongings import users_of
from ..character.placement import Offset
from ..character.results_collection import remove_made
from ..character.tags import Block, Tag, tag_of, tagged
from ..core import InputError
from .meshes import animated_blocks, show_on_meshes
from .request import Output


@dataclass(frozen=True, eq=False)
class Result:
    """A result that was just written. Holds data-blocks: use it at once, never across operators.

    object: the new character, or the character itself. notes: sentences that warn the user. remarks: sentences on side
    effects. place: the world vector from the character to a new one beside it.
    """

    object: Object
    action: Action
    slot: str
    seed: int
    batch: str
    output: Output
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    place: Offset | None = None


@dataclass(frozen=True, eq=False)
class Variation:
    """A result of a batch, found in the file. Holds data-blocks: use it at once, never across operators.

    number: from 1, in the order of making. action: None where the user removed it.
    """

    batch: str
    number: int
    seed: int
    output: Output
    object: Object
    action: Action | None


def current_variation(character: Object | None) -> Variation | None:
    """Return the variation that this object is, belongs to as a mesh, or plays; None for other objects."""
    tag = current_tag(character)
    if tag is None:
        return None
    same = [variation for variation in variations_of(character) if variation.number == tag.number]
    return same[0] if same else None


def current_tag(character: Object | None) -> Tag | None:
    """Return the tag of the result that this object plays, is or belongs to; fast enough to draw."""
    if character is None:
        return None
    return next((tag for _, tag in _played(character)), None) or tag_of(character)


def variations_of(character: Object | None) -> list[Variation]:
    """Return all existing variations of the object's current batch, by number; none where it is not a result."""
    tag = current_tag(character)
    if character is None or tag is None:
        return []
    actions = [(action, mark) for action, mark in tagged(bpy.data.actions, tag.batch) if mark.role == tags.ACTION]
    if tag.output == Output.NEW_CHARACTER.value:
        by_number = {mark.number: action for action, mark in actions}
        rigs = [(rig, mark) for rig, mark in tagged(bpy.data.objects, tag.batch) if mark.role == tags.CHARACTER]
        variations = [_variation(mark, rig, by_number.get(mark.number)) for rig, mark in rigs]
    else:
        variations = [_variation(mark, character, action) for action, mark in actions]
    return sorted(variations, key=lambda variation: variation.number)


def show_variation(context: Context, variation: Variation) -> None:
    """Select the variation's character, or assign its action, or unmute only its NLA track, as its output requires.

    Raises InputError when the character is hidden, or is editing an NLA strip.
    """
    if variation.output is Output.NEW_CHARACTER:
        select_alone(context, variation.object)
    elif variation.output is Output.NEW_ACTION and variation.action is not None:
        assign(variation.object, variation.action, armature_slots(variation.action)[0])
        show_on_meshes(variation.object, context.scene, variation.action)
    else:
        for block in (variation.object, *animated_blocks(variation.object, context.scene)):
            for track, tag in _tracks(block):
                if tag.batch == variation.batch:
                    track.mute = tag.number != variation.number


def select_alone(context: Context, character: Object) -> None:
    """Make this the active and only selected object. Raises InputError when it is hidden."""
    layer = context.view_layer
    if not character.visible_get(view_layer=layer):
        raise InputError(f'"{character.name}" is hidden; show it and its collection first.')
    _leave_mode(context)
    for thing in layer.objects.selected:
        thing.select_set(False, view_layer=layer)
    character.select_set(True, view_layer=layer)
    layer.objects.active = character


def keep_variation(context: Context, chosen: Variation) -> int:
    """Keep this variation, show it unless it is hidden, and remove the batch's others with all data made for them.

    Returns the number of variations removed. The user's own data and data used elsewhere stay. Raises InputError when
    the character is editing an NLA strip.
    """
    if chosen.output is not Output.NEW_CHARACTER or chosen.object.visible_get(view_layer=context.view_layer):
        show_variation(context, chosen)
    else:
        _leave_mode(context)
    objects = _others(tagged(bpy.data.objects, chosen.batch), chosen)
    actions = _others(tagged(bpy.data.actions, chosen.batch), chosen)
    numbers = {tag.number for tag in map(tag_of, (*objects, *actions)) if tag is not None}
    for block in (chosen.object, *animated_blocks(chosen.object, context.scene)):
        for track, tag in _tracks(block):
            if tag.batch == chosen.batch and tag.number != chosen.number:
                _tracks_of(block).remove(track)
    if chosen.output is Output.NEW_ACTION:
        for action in actions:
            action.use_fake_user = False
    remove_of_batch(context, chosen.batch, objects, actions)
    return len(numbers)


def remove_batch(context: Context, character: Object, batch: str) -> None:
    """Remove all results of a batch that were made from or for a character, with all data made for them."""
    objects = [thing for thing, _ in tagged(bpy.data.objects, batch)]
    actions = [action for action, _ in tagged(bpy.data.actions, batch)]
    for block in (character, *animated_blocks(character, context.scene)):
        for track, tag in _tracks(block):
            if tag.batch == batch:
                _tracks_of(block).remove(track)
        playing = played(block)
        if playing is not None and playing[0] in actions:
            stop(block)
    for action in actions:
        action.use_fake_user = False
    remove_of_batch(context, batch, objects, actions)


def remove_of_batch(context: Context, batch: str, objects: list[Object], actions: list[Action]) -> None:
    """Remove objects made for a batch with their data, and actions that are then unused.

    The user's own data and data used elsewhere stay.
    """
    data = {block for thing in objects for block in _data_of(thing) if _is_of_batch(block, batch)}
    _save_what_is_not_ours(objects)
    remove_made(context.scene, list(objects))
    # Meshes and materials go first, so that their actions have no user left.
    for blocks in (data, actions):
        remove_made(context.scene, [block for block in blocks if block.users == 0])


def result_tracks(character: Object) -> list[NlaTrack]:
    """Return the character's NLA tracks that hold only a result, from the top down."""
    return [track for track, _ in reversed(_tracks(character))]


@contextmanager
def results_muted(character: Object) -> Iterator[None]:
    """Mute the results on the NLA tracks of the character and its meshes, so that they are not learned from."""
    scenes = character.users_scene
    blocks = (character, *(animated_blocks(character, scenes[0]) if scenes else ()))
    tracks = [track for block in blocks for track, _ in _tracks(block) if not track.mute]
    try:
        for track in tracks:
            track.mute = True
        yield
    finally:
        for track in tracks:
            track.mute = False


def _variation(tag: Tag, thing: Object, action: Action | None) -> Variation:
    return Variation(tag.batch, tag.number, tag.seed, Output[tag.output], thing, action)


def _others(marked: Sequence[tuple[Block, Tag]], chosen: Variation) -> list[Block]:
    return [block for block, tag in marked if tag.number != chosen.number]


def _data_of(thing: Object) -> list[bpy.types.ID | None]:
    return [thing.data, *(slot.material for slot in thing.material_slots)]


def _is_of_batch(block: bpy.types.ID | None, batch: str) -> bool:
    tag = tag_of(block)
    return tag is not None and tag.batch == batch


def _played(character: Object) -> list[tuple[Action, Tag]]:
    """Return our actions on the character itself, from the top one down, muted ones last."""
    data = character.animation_data
    if data is None:
        return []
    actions = [data.action] if data.action else []
    for muted in (False, True):
        actions += [track.strips[0].action for track, _ in reversed(_tracks(character)) if track.mute == muted]
    marked = [(action, tag) for action, tag in ((action, tag_of(action)) for action in actions) if tag is not None]
    return [(action, tag) for action, tag in marked if tag.output != Output.NEW_CHARACTER.value]


def _tracks_of(block: Any) -> NlaTracks:
    tracks: NlaTracks = block.animation_data.nla_tracks
    return tracks


def _tracks(block: Any) -> list[tuple[NlaTrack, Tag]]:
    """Return the NLA tracks of a data-block that hold a single strip with a result, from the bottom up."""
    if block.animation_data is None:
        return []
    single = [track for track in block.animation_data.nla_tracks if len(track.strips) == 1]
    marked = [(track, tag_of(track.strips[0].action)) for track in single]
    return [(track, tag) for track, tag in marked if tag is not None and tag.output == Output.NLA_STRIP.value]


def _leave_mode(context: Context) -> None:
    active = context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def _save_what_is_not_ours(doomed: Sequence[Object]) -> None:
    """Unparent, in place, what the user parented to objects about to be removed; keep the actions given to these."""
    for thing in users_of(doomed) - set(doomed):
        if thing.parent in doomed:
            place = thing.matrix_world.copy()
            thing.parent = None
            thing.matrix_world = place
    for thing in doomed:
        action = thing.animation_data.action if thing.animation_data else None
        if action is not None and action.library is None and tag_of(action) is None and action.users == 1:
            action.use_fake_user = True

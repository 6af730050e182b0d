# SPDX-License-Identifier: GPL-3.0-or-later
"""Addition of the sample character to the scene: its armature, body and actions."""

from dataclasses import dataclass

import bpy
from bpy.types import Action, Context, Object

from ...animation.actions import assign
from ...animation.channels import KeyedChannels
from ...animation.keys.key_writing import KEY_BYTES, KEY_COPIES
from ...animation.rotation_modes import QUATERNION
from ...animation.scene_time import scene_rate
from ...animation.writing import Written, write_action
from ...core import InputError
from ...core.examples import as_text, budget, fits
from ..local_view import show_in_local_view
from ..tags import LABELS_PROPERTY
from .sample_armature import new_armature
from .sample_mesh import new_body
from .sample_motions import AUTHORED, TAGS, sample_motions
from .sample_skeleton import BONES

NAME = "GenMM Sample"
CURVES = 4 * len(BONES) + 3
"""Number of curves of an action: rotations of all bones and the location of the hips."""
AUTHORING_BYTES = 130.0
"""Bytes for each frame and bone while motions are authored: twice what tracemalloc finds."""


@dataclass(frozen=True, eq=False)
class SampleCharacter:
    """The objects and actions that were added; the first action is the one that plays."""

    armature: Object
    body: Object
    actions: tuple[Action, ...]


def add_sample_character(context: Context) -> SampleCharacter:
    """Add the character at the 3D cursor, selected and walking from the scene's first frame on.

    Raises InputError if the active collection is linked, not editable or hidden, or if the scene's frame rate is so
    high that the actions need too much memory. Whatever fails, nothing is left behind.
    """
    check_collection(context)
    _check_rate(scene_rate(context.scene))
    there_before = set(bpy.data.user_map())
    try:
        return _added(context)
    except BaseException:
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
        raise


def _check_rate(rate: float) -> None:
    """Raise InputError if the actions have too many frames at a rate."""

    def needed(frames_per_second: float) -> float:
        frames = frames_per_second * sum(seconds for seconds, _ in AUTHORED.values())
        return frames * (CURVES * KEY_COPIES * KEY_BYTES + len(BONES) * AUTHORING_BYTES)

    if not fits(needed(rate)):
        most = budget() / needed(1.0)
        raise InputError(
            f"At the scene's {rate:,.5g} frames per second, the sample's actions need {as_text(needed(rate))} "
            f"of memory and {as_text(budget())} may be used; set a rate below {most:,.0f}."
        )


def _added(context: Context) -> SampleCharacter:
    units_per_meter = 1.0 / context.scene.unit_settings.scale_length
    armature = bpy.data.objects.new(NAME, new_armature(context, NAME, units_per_meter))
    armature.location = context.scene.cursor.location
    # Otherwise the body would hide the bones from a user who poses them.
    armature.show_in_front = True
    body = new_body(armature, units_per_meter)
    for added in (armature, body):
        context.collection.objects.link(added)
    show_in_local_view(context, (armature, body))
    # An armature has no pose before its first evaluation, and Blender then crashes when it is given an action's slot.
    context.view_layer.update()
    written = _write_actions(armature, context, units_per_meter)
    assign(armature, written[0].action, written[0].slot)
    _select_only(context, armature)
    return SampleCharacter(armature, body, tuple(each.action for each in written))


def check_collection(context: Context) -> None:
    """Raise InputError unless the active collection is editable and visible."""
    collection, layer = context.collection, context.view_layer.active_layer_collection
    if collection.override_library is not None or not collection.is_editable:
        raise InputError(f'Collection "{collection.name}" is linked and takes no new objects; make another one active.')
    if not layer.is_visible:
        raise InputError(f'Collection "{collection.name}" is hidden; show it, or make another one active.')


def _write_actions(armature: Object, context: Context, units_per_meter: float) -> list[Written]:
    scene, names = context.scene, [bone.name for bone in BONES]
    keyed = KeyedChannels(rotations=dict.fromkeys(names, QUATERNION), locations=(names[0],))
    written = [
        write_action(motion, keyed, armature, name=name, frame_start=scene.frame_start)
        for name, motion in sample_motions(scene_rate(scene), units_per_meter).items()
    ]
    for each, tags in zip(written, TAGS.values(), strict=True):
        each.action[LABELS_PROPERTY] = tags
        # Actions that do not play would otherwise be lost on saving.
        each.action.use_fake_user = True
    return written


def _select_only(context: Context, armature: Object) -> None:
    for selected in context.selected_objects:
        selected.select_set(False)
    armature.select_set(True)
    context.view_layer.objects.active = armature

# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplify Keys: the action that a character plays, with few keys and smooth curves."""

from dataclasses import replace
from typing import Any

from bpy.props import EnumProperty, FloatProperty, IntProperty
from bpy.types import Action, Context, Menu, Object, Operator

from ...animation.actions import assigned
from ...animation.keys.simplification import KeySpacing, Simplification, simplification
from ...animation.layers.edit_layer import why_on_layer
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.fingerprints import records_kept
from ...animation.stretches.generated import generated_ranges, split_at
from ...animation.stretches.key_times import keyed_times
from ...animation.stretches.linked import why_no_own_action
from ...animation.stretches.simplifying import KeyCounts, simplify_stretches, simplify_whole
from ...core import InputError, computing, counted
from ...editing.filling.ranges import preview_range
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.drawing import in_columns


def max_angle() -> Any:
    """Return the property of the largest error of rotations with few keys."""
    return FloatProperty(
        name="Max Angle",
        description="Largest error of a bone's rotation at any frame, in degrees",
        default=0.5,
        min=0.001,
        max=180.0,
        soft_max=5.0,
    )


def max_offset() -> Any:
    """Return the property of the largest error of places with few keys."""
    return FloatProperty(
        name="Max Offset",
        description="Largest error of a location or a foot at any frame, in percent of the character's size",
        default=0.5,
        min=0.001,
        max=100.0,
        soft_max=5.0,
    )


class GENMM_OT_simplify_keys(CharacterOperator, Operator):
    bl_idname = "genmm.simplify_keys"
    bl_label = "Simplify Keys"
    bl_description = (
        "Replace the keys of the action that the character plays by as few as keep it within the chosen errors, "
        "with smooth curves between them"
    )

    spacing: EnumProperty(
        name="Keys",
        description="The frames that keep keys",
        items=(
            (
                "SHARED",
                "Few Poses",
                "As few keys as possible, at the same frames for all bones, with the changes of foot contacts",
            ),
            ("PER_BONE", "Few per Bone", "As few keys as possible for each bone, at its own frames"),
            (
                "NUMBER",
                "Number of Poses",
                "A number of keys, at the same frames for all bones, with errors as small as it allows",
            ),
        ),
    )
    where: EnumProperty(
        name="Where",
        description="The frames of the action to simplify; all others play as before",
        items=(
            ("ACTION", "Whole Action", "All of the action"),
            ("GENERATED", "Generated Stretches", "The stretches made by Fill Range, Continue and similar operators"),
            ("PREVIEW", "Preview Range", "The preview range of the scene"),
        ),
    )
    poses: IntProperty(name="Poses", description="Maximum number of poses in these frames", default=30, min=2)
    degrees: max_angle()
    percent: max_offset()

    def draw(self, _context: Context) -> None:
        """Draw the number of poses, or the errors from which it follows."""
        limits = ("poses",) if self.spacing == "NUMBER" else ("degrees", "percent")
        for name in ("spacing", "where", *limits):
            in_columns(self.layout).prop(self, name)

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no action that belongs to this file."""
        return why_on_layer(character) or why_no_own_action(character)

    def act(self, context: Context, character: Object) -> Outcome:
        """Simplify the action, and report the number of keys left."""
        playing = assigned(character)
        if playing is None:
            return {"CANCELLED"}
        spacing = KeySpacing.PER_BONE if self.spacing == "PER_BONE" else KeySpacing.SHARED
        chosen = simplification(spacing, self.degrees, self.percent)
        assert chosen is not None, "keys at every frame are not among the choices here"
        if self.spacing == "NUMBER":
            chosen = replace(chosen, poses=self.poses)
        with computing():
            counts = self._simplify(context, character, playing, chosen)
        left_out = f" Left as they are: {counted(counts.left_out, 'curve')}." if counts.left_out else ""
        if counts.after == counts.before:
            self.report({"INFO"}, f"Nothing to simplify; {counted(counts.before, 'key')} cannot be fewer.{left_out}")
            return {"CANCELLED"}
        became = f"{counted(counts.before, 'key')} became {counts.after:,} at {counted(counts.frames, 'frame')}"
        self.report({"INFO"}, f"{became}{counts.difference}.{left_out}")
        return {"FINISHED"}

    def _simplify(
        self, context: Context, character: Object, playing: tuple[Action, str], chosen: Simplification
    ) -> KeyCounts:
        action, slot = playing
        generated = generated_ranges(action, slot)
        if self.where == "ACTION" and not generated:
            with edited_in_place(action, slot), records_kept(action, slot):
                return simplify_whole(character, action, chosen, slot)
        if self.where == "GENERATED" and not generated:
            raise InputError(f'Nothing in action "{action.name}" was generated in place; choose Whole Action.')
        wholes = generated
        if self.where == "ACTION":
            times = keyed_times(character, action, slot)
            wholes = ((float(times[0]), float(times[-1])),)
        elif self.where == "PREVIEW":
            wholes = (preview_range(character, action, slot, context.scene),)
        # The poses between generated ranges keep their keys.
        ranges = [piece for whole in wholes for piece in split_at(whole, generated)]
        with edited_in_place(action, slot), records_kept(action, slot):
            return simplify_stretches(character, action, chosen, ranges, slot)


def _draw_entry(menu: Menu, _context: Context) -> None:
    menu.layout.separator()
    menu.layout.operator(GENMM_OT_simplify_keys.bl_idname)


ENTRIES = {"GRAPH_MT_key": _draw_entry}
"""The Graph Editor has no GenMM menu."""

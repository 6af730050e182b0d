# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend Strip and Connect Strips: an NLA strip that starts where the one before it has brought the root."""

from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Object, Operator

from ...editing.filling.strip_blending import blend_strip
from ...editing.filling.strip_connecting import connect_strips
from ...editing.filling.strips import found_strip, strip_pair
from ...requests.stretch_examples import strip_examples
from ..common.character_operator import CharacterOperator
from ..common.progress_display import busy
from ..timeline.library_first import LibraryFirst, other_library
from ..timeline.stretch_operator import play_all
from .operators import frames_of_seam, seam_range


class StripOperator(CharacterOperator):
    """Mixin for an operator on two NLA strips of the selected character."""

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character has no strips that can be changed; "" where it has."""
        data = character.animation_data
        if character.library is not None or (data is not None and data.use_tweak_mode):
            return f"{character.name} is linked, or is editing an NLA strip; leave tweak mode first"
        strips = 0 if data is None else sum(len(track.strips) for track in data.nla_tracks)
        return "" if strips > 1 else f"{character.name} needs two NLA strips"


class GENMM_OT_blend_strip(StripOperator, Operator):
    bl_idname = "genmm.blend_strip"
    bl_label = "Blend Strip"
    bl_description = (
        "Let the active NLA strip overlap the one before it and blend in, and move its root to where that one leads; "
        "only this strip changes, since it gets a copy of its action"
    )

    strip: StringProperty(
        name="Strip", description="The name of the strip; empty means the active one", options={"SKIP_SAVE"}
    )
    blend_in: IntProperty(
        name="Blend In", description="Frames over which it blends in", default=12, min=0, soft_max=100, max=10_000
    )
    blend_out: IntProperty(
        name="Blend Out", description="Frames over which it blends out", default=0, min=0, soft_max=100, max=10_000
    )

    def act(self, context: Context, character: Object) -> None:
        """Blend the strip, and report where."""
        blend = blend_strip(character, context.scene, self.strip, self.blend_in, self.blend_out)
        shown = play_all(context, character, found_strip(character, blend.strip)[1].frame_end)
        sentence = f'"{blend.strip}" continues from "{blend.before}" at frame {blend.start:g}, as "{blend.action}"'
        self.report({"INFO"}, f"{sentence}.{shown}")


class GENMM_OT_connect_strips(LibraryFirst, StripOperator, Operator):
    bl_idname = "genmm.connect_strips"
    bl_label = "Connect Strips"
    bl_description = (
        "Connect the active NLA strip with the one before it by a strip with a transition from the examples; "
        "the active strip continues from there with a copy of its action, and later strips stay where they are"
    )

    strip: StringProperty(
        name="Strip", description="The name of the second strip; empty means the active one", options={"SKIP_SAVE"}
    )
    slide: seam_range()
    library: other_library()

    def act(self, context: Context, character: Object) -> None:
        """Connect the strips, and report the strip between them."""
        library = self.library_choice(context)
        slide = frames_of_seam(self.slide, context.scene)
        pair = strip_pair(character, self.strip)
        actions = pair.before.action, pair.strip.action
        examples = strip_examples(character, context.scene, actions, library)
        with busy(context):
            bridge = connect_strips(character, context.scene, self.strip, examples, slide)
        shown = play_all(context, character, found_strip(character, bridge.after)[1].frame_end)
        sentence = f'"{bridge.between}" leads to "{bridge.after}" from frame {bridge.first:g} to {bridge.last:g}'
        self.report({"INFO"}, f'{sentence}, from "{bridge.source}".{shown}')

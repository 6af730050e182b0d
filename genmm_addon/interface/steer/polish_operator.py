# SPDX-License-Identifier: GPL-3.0-or-later
"""Polish, which makes a steered performance again at full quality."""

from bpy.props import IntProperty
from bpy.types import Action, Context, Object, Operator

from ...generation.request import LARGEST_SEED
from ...requests.edit_examples import steering_examples
from ...steering.performance import polish_action, record_of
from ..common.progress_display import busy
from ..timeline.stretch_operator import ActionOperator, edited_action


class GENMM_OT_polish_performance(ActionOperator, Operator):
    bl_idname = "genmm.polish_performance"
    bl_label = "Polish"
    bl_description = (
        "Regenerate the performance at full quality, with the same path, pace and styles, as a new action; "
        "the performed action is kept"
    )

    adds_layer = False

    seed: IntProperty(
        name="Seed", description="A different number gives a different motion", default=0, min=0, max=LARGEST_SEED
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no performance; "" where it plays one."""
        reason = super().why_not(context, character)
        edited = edited_action(context)
        if reason or edited is None:
            return reason
        return "" if record_of(edited[1]) is not None else "Steer the character first"

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Make the action, and report its name."""
        with busy(context):
            choice = steering_examples(character, context.scene)
            polished = polish_action(character, context.scene, action, slot, choice, self.seed)
        sentence = f'Action "{polished.action.name}"; "{action.name}" is kept in the file.'
        self.report({"WARNING"} if polished.missed else {"INFO"}, f"{sentence} {polished.missed}".strip())

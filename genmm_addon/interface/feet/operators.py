# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the lists of feet and weights: add and remove rows, and find the feet in the examples."""

from dataclasses import replace

from bpy.types import Context, Object, Operator

from ...core import computing
from ...core.feet import find_feet
from ...core.fields import settings_in
from ...core.motion import with_typical_pose
from ...generation.generate import read
from ...generation.request import Request
from ...requests.direction_values import bone_names_of
from ...requests.request_values import plain_request
from ...state.bone_lists import foot_rows, set_rows
from ...state.properties import ensure_settings, readable_settings
from ..common.character_operator import CharacterOperator


class GENMM_OT_find_feet(CharacterOperator, Operator):
    bl_idname = "genmm.find_feet"
    bl_label = "Find Feet"
    bl_description = "Find the bones that stand on the ground in the examples; this replaces a list of chosen bones"

    def act(self, context: Context, character: Object) -> None:
        """Read the examples and look for feet."""
        settings = ensure_settings(character, context.scene)
        names = feet_in_examples(context, character)
        settings.feet_were_sought = True
        set_rows(settings.found_feet, foot_rows(names))
        if settings.feet_choice == "CHOSEN":
            set_rows(settings.feet, foot_rows(names))
        if names:
            self.report({"INFO"}, f"Found {', '.join(names)}.")
        else:
            self.report({"WARNING"}, "No feet were found: no bone stands on the ground again and again.")


@computing()
def feet_in_examples(context: Context, character: Object) -> tuple[str, ...]:
    """Return the names of the bones that stand on the ground. Raises InputError where an example cannot be read."""
    settings = readable_settings(character, context.scene)
    plain, _ = plain_request(character, settings, frames=1)
    visual = settings_in(Request)["visual"].meant(settings, None)
    request = replace(plain, visual=visual, bone_names=bone_names_of(settings))
    motions = with_typical_pose(read(request, context.scene).reading.motions)
    return tuple(motions[0].skeleton.names[foot.joint] for foot in find_feet(motions, treadmill=True))

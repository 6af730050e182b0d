# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that results store in their character's settings: the batch, the feet found, the examples used."""

from collections.abc import Sequence

from bpy.types import Scene

from ...generation.request import Output, Request
from ...generation.results import Result
from ...requests.choices import keep_examples
from ...state.bone_lists import foot_rows, set_rows
from ...state.properties import GENMM_PG_character, ensure_settings


def remember_results(
    request: Request, results: Sequence[Result], feet: tuple[str, ...], scene: Scene
) -> GENMM_PG_character:
    """Store the batch, the feet and the examples of results in the character's settings, and return these.

    feet: the bones that were found to stand on the ground.
    """
    settings = ensure_settings(request.armature, scene)
    settings.last_batch = results[0].batch
    if request.settings.feet is None:
        set_rows(settings.found_feet, foot_rows(feet))
        settings.feet_were_sought = True
    if request.output is not Output.NEW_CHARACTER:
        keep_examples(request.armature, settings, request.examples, scene)
    return settings

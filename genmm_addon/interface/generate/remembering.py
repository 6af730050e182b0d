# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks that results leave on the panel of their character: the batch, the feet, the examples they were made of."""

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
    """Return the character's settings, which know from now on what was made and from what.

    feet: the bones that were found to stand.
    """
    settings = ensure_settings(request.armature, scene)
    settings.last_batch = results[0].batch
    if request.settings.feet is None:
        set_rows(settings.found_feet, foot_rows(feet))
        settings.feet_were_sought = True
    if request.output is not Output.NEW_CHARACTER:
        keep_examples(request.armature, settings, request.examples, scene)
    return settings

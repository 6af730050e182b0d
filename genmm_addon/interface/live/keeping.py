# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion kept after a drag: written as Generate writes it, in place of the one kept before."""

from dataclasses import replace

from bpy.types import Context

from ...core import InputError
from ...generation.generate import compute, measured, with_body, write
from ...generation.request import Output
from ...generation.results import Result, remove_batch
from ...requests.request_values import places_of, places_text
from ...state.pins_editing import leave_editing
from ...state.properties import readable_settings
from ..generate.remembering import remember_results
from .asking import ask
from .session import LiveSession, PreviewedMotion


def keep(context: Context, session: LiveSession, shown: PreviewedMotion) -> Result:
    """Write the shown motion, and remove the one kept before; it is made again where its examples have changed.

    Raises InputError, with nothing changed, where it cannot be made.
    """
    located = session.found()
    if located is None:
        raise InputError(f'"{session.character}" is no longer in its scene; switch Live on again.')
    character, scene = located
    asked = ask(character, scene, shown.asked)
    request = replace(asked.request, frame_start=shown.asked.request.frame_start)
    syntheses = [shown.synthesis] if asked.is_like(shown.asked) else compute(asked.reading, request)
    computed = measured(with_body(asked.reading, request, scene), request, syntheses)
    if request.output is not Output.NEW_CHARACTER:
        leave_editing(character)
    before = readable_settings(character, scene).last_batch
    if before in session.batches:
        remove_batch(context, character, before)
    results = write(context, request, asked.reading, computed.syntheses, computed.measures, places_of(session.places))
    session.places = places_text(results)
    session.batches.add(results[0].batch)
    remember_results(request, results, computed.feet, scene)
    return results[0]

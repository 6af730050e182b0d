# SPDX-License-Identifier: GPL-3.0-or-later
"""The repair that an operator or the panel asks for, and the examples that it learns from."""

from bpy.types import Action, Object, Scene

from ...animation.stretches.fingerprints import EVERYTHING, fingerprint
from ...animation.stretches.key_times import selected_times
from ...core import InputError
from ...core.repair import FlawKind, KeptInFlight
from ...editing.filling.ranges import preview_range
from ...editing.filling.record import Fingerprint
from ...editing.repairing.reading import RepairRequest
from ...libraries.indexed_examples import ExampleChoice
from ...requests.edit_examples import examples_asked_for
from ...state.edit_properties import GENMM_PG_repair, RepairProperties
from ...state.selection import selected_bones

Range = tuple[float, float]


def repair_request(
    asked: RepairProperties, character: Object, scene: Scene, action: Action, slot: str, left_out: tuple[str, ...] = ()
) -> RepairRequest:
    """Return the request for a repair. Raises InputError for an empty range, and where no bone or kind is chosen."""
    if not asked.kinds:
        raise InputError("No kind of flaw is chosen; choose one or more.")
    return RepairRequest(
        _frames(asked, character, scene, action, slot),
        _bones(asked, character),
        frozenset(FlawKind[kind] for kind in asked.kinds),
        asked.what == "EVERYTHING",
        asked.strength,
        left_out,
        KeptInFlight(asked.kept_in_flights),
    )


def why_not_listed(listed: GENMM_PG_repair, action: Action, slot: str, fingerprint: Fingerprint = fingerprint) -> str:
    """Return a sentence where the list is not of an action's present keys, or is empty; "" where it is of them."""
    if listed.action != action.name or not listed.flaws:
        return "Find flaws first"
    if listed.keys != fingerprint(action, slot, EVERYTHING):
        return f'"{action.name}" changed after its flaws were found; find them again'
    return ""


def repair_examples(asked: RepairProperties, character: Object, scene: Scene, action: Action) -> ExampleChoice | None:
    """Return the examples to learn from; None for filters alone. Raises InputError where they do not exist."""
    if asked.source == "NONE":
        return None
    return examples_asked_for(asked, character, scene, action)


def _frames(asked: RepairProperties, character: Object, scene: Scene, action: Action, slot: str) -> Range | None:
    if asked.frames_choice == "ALL":
        return None
    if asked.frames_choice == "PREVIEW":
        return preview_range(character, action, slot, scene)
    if asked.frames_choice == "FRAMES":
        if asked.last_frame < asked.first_frame:
            raise InputError(f"Frame {asked.last_frame} is before frame {asked.first_frame}; swap them.")
        return float(asked.first_frame), float(asked.last_frame)
    times = selected_times(character, action, slot)
    if not len(times):
        raise InputError("No keys are selected; select the first and the last key of the range to repair.")
    return float(times[0]), float(times[-1])


def _bones(asked: RepairProperties, character: Object) -> tuple[str, ...]:
    if asked.bones_choice == "ALL":
        return ()
    chosen = selected_bones(character)
    if not chosen:
        raise InputError("No bone is selected; select those to repair in Pose Mode.")
    return tuple(chosen)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe of a repair, stored on the action: the flaws repaired, and the examples and values used."""

import json
from collections.abc import Sequence
from typing import Any

from bpy.types import Action

from ...core import counted
from ...core.repair import OF_WEIGHT, FlawKind
from ...core.storage import stored
from ...libraries.indexed_examples import ExampleChoice
from .reading import FoundFlaw, RepairRequest

PROPERTY = "genmm_repaired"
"""Property of an action: a list of repairs, as JSON. Files hold it: its name and form stay."""
UNFILTERED = frozenset(kind.value for kind in OF_WEIGHT | {FlawKind.SLIDE})
"""Kinds of flaws that are repaired by moving limbs or the pelvis, with examples or without."""


def keep_repair(
    action: Action, flaws: Sequence[FoundFlaw], choice: ExampleChoice | None, request: RepairRequest
) -> None:
    """Append a repair to the record on an action."""
    library = choice.library if choice is not None else None
    specs = () if choice is None else choice.specs
    entry = {
        "flaws": [[flaw.kind.value, flaw.first, flaw.last, list(flaw.bones)] for flaw in flaws],
        "strength": request.strength,
        "everything": request.everything,
        "kept": request.kept.value,
        "library": library.files[0] if library else "",
        "tags": library.tags if library else "",
        "example": specs[0].action.name if specs and specs[0].action else "",
    }
    action[PROPERTY] = json.dumps([*_entries(action), entry])


def repair_text(action: Action | None) -> str:
    """Return the last repair of an action in words; "" where there is none, or it cannot be read."""
    entries = _entries(action)
    if not entries:
        return ""
    last = entries[-1]
    try:
        by = last.get("tags") or last.get("example") or ("a library" if last.get("library") else "")
        if not by and any(kind not in UNFILTERED for kind, *_ in last["flaws"]):
            by = "filters"
        how = f" by {by}" if by else ""
        return f"{counted(len(last['flaws']), 'flaw')} repaired{how}, strength {float(last['strength']):.3g}"
    except (KeyError, TypeError, ValueError):
        return ""


def _entries(action: Action | None) -> list[dict[str, Any]]:
    entries = stored(action, PROPERTY, tuple[Any, ...]) or ()
    return [entry for entry in entries if isinstance(entry, dict)]

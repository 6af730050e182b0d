# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that edits store on actions and characters, forged; each reader of them finds something, or nothing."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Action, Object

from genmm_addon.animation.stretches import fingerprints, generated
from genmm_addon.character import tags
from genmm_addon.control_rigs import ground_in_action
from genmm_addon.control_rigs.root_motion import left_over
from genmm_addon.editing import coarse_record
from genmm_addon.editing.filling import record as filled
from genmm_addon.editing.repairing import record as repaired
from genmm_addon.editing.transforming import record as transformed
from genmm_addon.generation import measures, recipe, sources
from genmm_addon.generation.stretches import locks
from genmm_addon.requests.request_values import places_of
from genmm_addon.steering import performance

from .fuzzing import MEASURES, RECIPE, SOURCES
from .reader import Reader, json_reader

PLACES = "places"
"""The text of an operator, not a property."""
RECORDS: Any = {
    filled.PROPERTY: [1.0, 20.0, 1, 3, "Walk", "walks.npz", [[19, 0.2], [25, 0.3]]],
    generated.PROPERTY: [[1.0, 20.0], [30.0, 40.0]], generated.GROUNDED: [[1.0, 20.0]],
    generated.LOCKED: [[5.0, 9.0], [12.0, 12.0]],
    fingerprints.PROPERTY: {filled.PROPERTY: [[1.0, 20.0, "0123456789abcdef"]], generated.PROPERTY: []},
    coarse_record.FRAMES: [1.0, 9.0, 17.5], coarse_record.WRITTEN: "0123456789abcdef",
    repaired.PROPERTY: [{"flaws": [["SLIDE", 1, 9, ["foot"]]], "strength": 1.0, "tags": "walk", "library": ""}],
    transformed.PROPERTY: {"kind": "blend", "content": "Walk", "example": "Run", "share": 0.5, "clips": ["a"]},
    performance.PROPERTY: {
        "first": 1.0, "frames": 60, "sources": ["Walk"], "wishes": [[0, "walk", "A"]], "shown": [[0, "Walk"]],
        "actions": ["Walk"],
    },
    sources.PROPERTY: json.loads(SOURCES), measures.PROPERTY: json.loads(MEASURES), recipe.PROPERTY: json.loads(RECIPE),
    tags.PROPERTY: {
        "batch": "a", "number": 1, "seed": 3, "output": "NEW_ACTION", "role": tags.ACTION, "piece": "b", "name": "Walk",
    },
    left_over.PROPERTY: {"root": {"location": [0, 1, 2], "rotation_quaternion": [1, 0, 0, 0]}},
    PLACES: [[0, 1, 2], [3, 4, 5]],
}  # fmt: skip


def record_reader() -> Reader:
    """Return a reader of all records on an action and a character, each tried as a text and as a group of values."""
    holder = bpy.data.objects.new("Fuzzed", None)

    def read(path: Path) -> None:
        try:
            values: Any = json.loads(path.read_bytes())
            records = dict(values)
        except (ValueError, TypeError, RecursionError):
            return
        ways: tuple[Callable[[Any], Any], ...] = (json.dumps, _itself)
        for as_stored in ways:
            action = bpy.data.actions.new("Fuzzed")
            try:
                for name, value in records.items():
                    _put(action, str(name), as_stored(value))
                    _put(holder, str(name), as_stored(value))
                _read(action, holder)
            finally:
                bpy.data.actions.remove(action)
        places_of(json.dumps(records.get(PLACES)))

    return json_reader(RECORDS, "records.json", read)


def _itself(value: Any) -> Any:
    return value


def _put(block: Action | Object, name: str, value: Any) -> None:
    # Properties hold neither null characters, nor lists of several kinds; halves of characters leave an error behind.
    with suppress(TypeError, ValueError, OverflowError, KeyError, AttributeError):
        json.dumps([name, value], ensure_ascii=False).encode()
        block[name] = value


def _read(action: Action, holder: Object) -> None:
    asked: tuple[Callable[[], object], ...] = (
        lambda: filled.why_not_again(action, ""),
        lambda: generated.generated_ranges(action),
        lambda: ground_in_action.grounded_ranges(action),
        lambda: locks.between_locks(action, 1, 30),
        lambda: coarse_record.coarse_record(action),
        lambda: coarse_record.coarse_of(action),
        lambda: coarse_record.is_as_written(action, ""),
        lambda: repaired.repair_text(action),
        lambda: None if (found := transformed.recipe_of(action)) is None else transformed.recipe_text(found),
        lambda: performance.record_of(action),
        lambda: performance.performed_actions(action),
        lambda: sources.sources_of(action),
        lambda: measures.measures_of(action),
        lambda: measures.visible_frames(action),
        lambda: measures.flawed_frames(action),
        lambda: recipe.recipe_of(action),
        lambda: tags.tag_of(action),
        lambda: left_over._remembered(holder),
    )
    for reading in asked:
        reading()
    with fingerprints.records_kept(action, ""):
        generated.keep_marks(action, "")
    generated.stamp_marks(action, "")
    generated.move_ranges(action, 10.0, 5.0)
    locks.unlock(action, 6, 8)

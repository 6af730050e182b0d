# SPDX-License-Identifier: GPL-3.0-or-later
"""Values stored as JSON on actions and characters: a .blend may hold anything in their place, and none is believed."""

import json
from collections.abc import Callable
from typing import Any

import bpy
import pytest

from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.control_rigs.ground_in_action import grounded_ranges
from genmm_addon.control_rigs.root_motion.left_over import _remembered
from genmm_addon.core import InputError
from genmm_addon.editing.coarse_record import coarse_record
from genmm_addon.editing.filling.record import record_of as filled_of
from genmm_addon.editing.repairing.record import repair_text
from genmm_addon.editing.transforming.record import recipe_of as transformed_of
from genmm_addon.generation.measures import measures_of
from genmm_addon.generation.recipe import recipe_of
from genmm_addon.generation.sources import sources_of
from genmm_addon.generation.stretches.locks import locked_ranges
from genmm_addon.requests.request_values import places_of
from genmm_addon.steering.performance import performed_actions
from genmm_addon.steering.performance import record_of as performed_of

READERS: dict[str, tuple[str, Callable[[Any], object], Any]] = {
    "generated": ("genmm_stretches", generated_ranges, [[1, 20]]),
    "locked": ("genmm_locked", locked_ranges, [[1, 20]]),
    "grounded": ("genmm_grounded", grounded_ranges, [[1, 20]]),
    "filled": ("genmm_filled", filled_of, [1, 20, 1, 3, "Walk", "", [[19, 0.5]]]),
    "coarse": ("genmm_coarse_frames", coarse_record, [1, 10]),
    "transformed": ("genmm_transformed", transformed_of, {"kind": "style", "content": "Walk", "clips": ["a"]}),
    "repaired": ("genmm_repaired", repair_text, [{"flaws": [["POP", 1, 2, ["a"]]], "strength": 1.0, "tags": ""}]),
    "actions": ("genmm_performed", performed_actions, {"actions": ["Walk"]}),
    "performed": (
        "genmm_performed",
        performed_of,
        {"first": 1, "frames": 60, "sources": ["Walk"], "wishes": [[0, "Any", "Walk"]]},
    ),
    "left over": ("genmm_root_motion", _remembered, {"Hips": {"location": [0, 0, 0]}}),
    "measures": ("genmm_measures", measures_of, {"coverage": 0.5}),
    "sources": (
        "genmm_sources",
        sources_of,
        {"frame_start": 1, "frames": 60, "examples": [["Walk", 1, 60, 1.0]], "parts": [["Body", [[0, 60, 0, 0]]]]},
    ),
    "places": ("places", lambda action: places_of(action["places"]), [[0, 0, 0]]),
    "recipe": ("genmm_recipe", recipe_of, {"version": 2, "character": {"name": "Hero"}, "seed": 3}),
}
HOSTILE = (
    "null", "true", "3", '"text"', "[]", "{}", "[[]]", "[null]", "[{}]", '{"a": 1}', "[[1]]", '[["1", "2"]]',
    "[[2, 1]]", "[[[1, 2], 3]]", "[" * 90_000, '{"a":' * 40_000, "NaN", "[[NaN, 1]]", "[[1e999, 1]]", "9" * 5000,
    f"[[{'9' * 400}, 1]]", f"[{'9' * 400}]", '"\\ud800"', '["\\u0000"]', "x" * 5_000_000,
)  # fmt: skip
REPLACED: tuple[Any, ...] = (None, True, -1, 10**400, 1e300, "", "\ud800", [], {}, [[]], [{}], {"a": []})
"""Values put in the place of each value of a valid record."""


def forged(value: Any) -> list[Any]:
    """Return copies of a value with one of its parts replaced or missing."""
    found: list[Any] = list(REPLACED)
    if isinstance(value, dict):
        for key, one in value.items():
            found += [{**value, key: other} for other in forged(one)]
            found.append({name: own for name, own in value.items() if name != key})
    elif isinstance(value, list):
        for place, one in enumerate(value):
            found += [[*value[:place], other, *value[place + 1 :]] for other in forged(one)]
        found += [value[1:], value + value]
    return found


@pytest.mark.parametrize("name", READERS)
def test_a_record_that_anyone_may_have_written_never_raises_more_than_input_error(name: str) -> None:
    place, read, valid = READERS[name]
    action = bpy.data.actions.new("Forged")
    texts = [json.dumps(valid), *HOSTILE, *(json.dumps(value) for value in forged(valid))]
    others: tuple[Any, ...] = (3, 1.5, [1, 2], {"a": 1}, b"bytes")
    fell = []
    for text in (*texts, *(others if name != "places" else ())):
        action[place] = text
        try:
            read(action)
        except InputError:
            assert name == "recipe"
        except Exception as error:
            fell.append(f"{text!r:.60}: {type(error).__name__}")
    bpy.data.actions.remove(action)
    assert not fell, f"{len(fell)} of {len(texts)}: {fell[:5]}"

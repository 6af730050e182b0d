# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples that are cycles: their row in the list, the hint of an action, recipes, and results."""

import math
from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from interface import new_character, registered
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.reading.example_spec import repetition_of
from genmm_addon.core.examples import Repetition
from genmm_addon.core.infill import fill_gap
from genmm_addon.core.motion import Gap
from genmm_addon.generation.recipe import from_json, recipe_from_request, request_from_recipe, to_json
from genmm_addon.generation.sources import sources_of
from genmm_addon.interface.examples.remarks import is_taken_as_cycle
from genmm_addon.libraries.indexed_examples import ready_examples
from genmm_addon.requests.choices import choice_of
from genmm_addon.requests.edit_examples import stretch_examples
from genmm_addon.requests.request_values import panel_request


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def cyclic_action(rig: Object, name: str = "Cycle", frames: int = 30) -> Action:
    """Return an action whose last key leads to its first, with keys on every frame of every bone."""
    action, slot = actions.new_action(name, rig)
    for number, bone in enumerate(rig.data.bones.keys()):
        path = f'pose.bones["{bone}"].rotation_quaternion'
        turned = [0.3 * math.sin(2 * math.pi * frame / frames + number) for frame in range(frames)]
        key(action, slot, path, 0, [(frame + 1, math.cos(angle)) for frame, angle in enumerate(turned)])
        key(action, slot, path, 1, [(frame + 1, math.sin(angle)) for frame, angle in enumerate(turned)])
    return action


def with_cycle() -> Object:
    hero = new_character()
    actions.assign(hero, cyclic_action(hero))
    bpy.ops.genmm.add_example()
    hero.genmm.output, hero.genmm.length = "NEW_ACTION", 120
    return hero


def test_row_shows_whether_its_example_is_taken_as_a_cycle() -> None:
    hero, scene = with_cycle(), bpy.context.scene
    row = hero.genmm.examples[0]
    assert row.repetition == "AUTOMATIC" and is_taken_as_cycle(hero, choice_of(row).spec, scene)
    row.repetition = "TAKE"
    assert not is_taken_as_cycle(hero, choice_of(row).spec, scene)
    row.repetition, row.use_range, row.frame_start, row.frame_end = "AUTOMATIC", True, 1, 20
    assert not is_taken_as_cycle(hero, choice_of(row).spec, scene)
    row.repetition = "CYCLE"
    assert is_taken_as_cycle(hero, choice_of(row).spec, scene)


def test_action_marked_as_cyclic_is_a_cycle_if_it_is_used_whole() -> None:
    hero = new_character()
    bpy.ops.genmm.add_example()
    row = hero.genmm.examples[0]
    action = row.action
    action.use_frame_range, action.frame_start, action.frame_end = True, 1, 40
    assert repetition_of(choice_of(row).spec) is Repetition.AUTOMATIC
    action.use_cyclic = True
    assert repetition_of(choice_of(row).spec) is Repetition.CYCLE
    row.repetition = "TAKE"
    assert repetition_of(choice_of(row).spec) is Repetition.TAKE
    row.repetition, row.use_range, row.frame_end = "AUTOMATIC", True, 30
    assert repetition_of(choice_of(row).spec) is Repetition.AUTOMATIC


def test_result_of_a_cycle_repeats_it_and_that_of_a_take_does_not() -> None:
    hero = with_cycle()
    stretches = {}
    for repetition in ("AUTOMATIC", "TAKE"):
        hero.genmm.examples[0].repetition = repetition
        assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
        sources = sources_of(hero.animation_data.action)
        assert sources is not None
        stretches[repetition] = sources.parts[0].stretches
    starts, lengths, _, sources_at, _ = stretches["AUTOMATIC"].T
    assert np.array_equal((sources_at + lengths)[:-1], np.full(len(starts) - 1, 30.0))
    assert (sources_at[1:] == 0).all() and len(starts) == 5
    assert len(stretches["TAKE"]) > 1 and not (stretches["TAKE"][1:, 3] == 0).all()


def test_results_that_begin_at_a_frame_missing_at_the_end_of_a_cycle_keep_their_sources() -> None:
    hero = with_cycle()
    row, bpy.context.scene.render.fps, hero.genmm.new_seed = hero.genmm.examples[0], 30, False
    row.use_range, row.frame_start, row.frame_end = True, 1, 28
    beginnings = []
    for seed in range(12):
        hero.genmm.seed = seed
        assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
        sources = sources_of(hero.animation_data.action)
        assert sources is not None and sources.examples[0].frames == 28
        beginnings.append(sources.parts[0].stretches[0, 3])
    assert max(beginnings) >= 28


def test_choice_is_kept_in_recipes_and_older_recipes_are_automatic() -> None:
    hero = with_cycle()
    automatic = to_json(recipe_from_request(panel_request(hero, bpy.context.scene)[0], seed=0))
    assert "repetition" not in automatic
    assert request_from_recipe(from_json(automatic)).examples[0].repetition is Repetition.AUTOMATIC
    hero.genmm.examples[0].repetition = "CYCLE"
    chosen = to_json(recipe_from_request(panel_request(hero, bpy.context.scene)[0], seed=0))
    assert request_from_recipe(from_json(chosen)).examples[0].repetition is Repetition.CYCLE


def test_filling_and_steering_learn_from_repeated_cycles() -> None:
    hero, scene = with_cycle(), bpy.context.scene
    for repetition, frames in (("TAKE", 30), ("AUTOMATIC", 150), ("CYCLE", 150)):
        hero.genmm.examples[0].repetition = repetition
        ready = ready_examples(hero, scene, stretch_examples(hero, scene, None, ()))
        assert ready.prepared.index.frames == frames
    # A gap of two rounds is filled with them.
    motion = ready.prepared.motions[0]
    filled = fill_gap(ready.prepared, Gap(motion.slice(0, 11), motion.slice(70, 81)), 60)[0].motion
    assert np.allclose(filled.rotations, motion.slice(10, 71).rotations, atol=1e-3)


def test_a_piece_of_a_cycle_is_a_take() -> None:
    hero, scene = with_cycle(), bpy.context.scene
    row = hero.genmm.examples[0]
    row.repetition = "CYCLE"
    [piece] = stretch_examples(hero, scene, row.action, [(1.0, 10.0)]).specs
    assert piece.repetition is Repetition.TAKE and piece.frame_start == 10.0
    [whole] = stretch_examples(hero, scene, row.action, [(40.0, 50.0)]).specs
    assert whole.repetition is Repetition.CYCLE

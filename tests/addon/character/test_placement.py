# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of results: clear of their character's motion, of each other and of other characters, and reproducible."""

import json

import bpy
import numpy as np
from characters import FRAMES, make_body, make_character, make_request, world_bones, world_position
from hypothesis import given, settings
from hypothesis import strategies as st
from interface import registered, select
from rigs import make_rig

from genmm_addon.character.placement import BodyExtent, free_offset, narrow_axis, swept_footprint
from genmm_addon.generation.generate import generate

BODY = BodyExtent(np.eye(2), 2.0, 0.3, 0.4)


def walked(points: int, seed: int) -> np.ndarray:
    """Return a path `(T, 1, 2)` that wanders."""
    return np.random.default_rng(seed).normal(0, 0.4, (points, 1, 2)).cumsum(axis=0)


def ground_of(rig: bpy.types.Object, frames: range) -> np.ndarray:
    """Return the positions of its bones on the ground at each frame, `(T, J, 2)`."""
    return np.array([world_bones(rig, frame)[:, :2, 3] for frame in frames])


def least_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Return the smallest distance between any two bones at any two frames."""
    one, other = first.reshape(-1, 2), second.reshape(-1, 2)
    return float(np.linalg.norm(one[:, None] - other[None], axis=-1).min())


def place_of(rig: bpy.types.Object) -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in world_position(rig))


def is_clear(footprint: np.ndarray, taken: np.ndarray, gap: float) -> bool:
    """Return whether all rectangles along the axes are at least a gap away from the taken ones."""
    low, high = footprint.min(axis=1), footprint.max(axis=1)
    overlaps = (low[:, None] < taken.max(axis=1) + gap) & (high[:, None] > taken.min(axis=1) - gap)
    return not overlaps.all(axis=-1).any()


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 200), st.integers(0, 10_000), st.integers(0, 1))
def test_a_free_offset_keeps_every_two_points_the_gap_apart(length: int, seed: int, along: int) -> None:
    own, other = walked(length, seed), walked(length, seed + 1)
    footprint, taken = swept_footprint(own, BODY), swept_footprint(other, BODY)
    offset = free_offset(footprint, taken, BODY, along)
    assert offset[1 - along] == 0.0 and offset[along] >= 0.0
    assert is_clear(footprint + offset, taken, BODY.gap - 1e-6)
    if offset[along] > 0.0:
        assert not is_clear(footprint + 0.99 * offset, taken, BODY.gap)
    assert least_distance(own + offset, other) >= 2 * BODY.reach + BODY.gap - 1e-6


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 300), st.integers(0, 10_000))
def test_a_footprint_covers_every_point_of_its_motion(length: int, seed: int) -> None:
    points = walked(length, seed)
    rectangles = swept_footprint(points, BODY)
    low, high = rectangles.min(axis=1), rectangles.max(axis=1)
    inside = (points >= low - 1e-9) & (points <= high + 1e-9)
    assert inside.all(axis=-1).any(axis=1).all()


def test_results_stay_clear_of_the_source_and_each_other_over_the_whole_motion() -> None:
    character = make_character()
    results = generate(bpy.context, make_request(character, seeds=(1, 2), frames=60))
    results += generate(bpy.context, make_request(character, seeds=(3,), frames=60))
    rigs = [(character.armature, range(1, FRAMES + 1)), *((result.object, range(1, 61)) for result in results)]
    covered = [ground_of(rig, frames) for rig, frames in rigs]
    for number, ground in enumerate(covered):
        for other in covered[:number]:
            assert least_distance(ground, other) > 2.0, "their meshes are 2 wide"


def test_the_place_does_not_depend_on_the_frame_that_was_evaluated_last() -> None:
    character = make_character()
    places = []
    for frame in (1, 20, 40):
        bpy.context.scene.frame_set(frame)
        (result,) = generate(bpy.context, make_request(character))
        places.append(place_of(result.object))
        bpy.data.batch_remove([result.object, result.action])
    assert len(set(places)) == 1


def test_a_result_is_put_clear_of_another_character() -> None:
    character = make_character()
    other = make_rig(("hips", "spine"))
    other.location = (3.0, 0.0, 0.0)
    make_body(other, "Bystander")
    bpy.context.view_layer.update()
    (result,) = generate(bpy.context, make_request(character))
    assert least_distance(ground_of(result.object, range(1, 31)), ground_of(other, range(1, 2))) > 1.0


def test_a_result_that_the_user_moved_is_in_the_way_where_it_is_now() -> None:
    character = make_character()
    (first,) = generate(bpy.context, make_request(character))
    vacant = place_of(first.object)
    first.object.location.y += 40.0
    bpy.context.view_layer.update()
    (second,) = generate(bpy.context, make_request(character))
    assert place_of(second.object) == vacant


def test_one_stands_aside_of_a_motion_and_ahead_of_one_that_goes_sideways() -> None:
    straight = np.zeros((50, 1, 2))
    straight[:, 0, 1] = np.linspace(0.0, 20.0, 50)
    assert narrow_axis(swept_footprint(straight, BODY), BODY) == 0
    assert narrow_axis(swept_footprint(straight[..., ::-1], BODY), BODY) == 1
    arms_out = np.array([[[-1.0, 0.0], [1.0, 0.0]]])
    assert narrow_axis(swept_footprint(arms_out, BODY), BODY) == 0


def test_adjusting_leaves_the_results_where_they_stand() -> None:
    with registered():
        character = make_character()
        select(character.armature)
        bpy.ops.ed.undo_push(message="Start")
        places, kept = [], ""
        for seed in (1, 7, 8):
            bpy.ops.genmm.generate_motion(frames=30, seed=seed, variations=2, places=kept)
            bpy.ops.ed.undo_push(message="Generate")
            rigs = [
                thing for thing in bpy.context.scene.objects if thing.get("genmm_place") and thing.type == "ARMATURE"
            ]
            places.append([place_of(rig) for rig in sorted(rigs, key=lambda rig: rig.name)])
            # The value that the operator stores for adjustment: offsets from the character, which is at the origin.
            kept = json.dumps(places[0])
            bpy.ops.ed.undo()
            select(bpy.data.objects["Rig"])
        assert places[0] == places[1] == places[2]

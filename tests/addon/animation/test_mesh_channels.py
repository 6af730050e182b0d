# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys and other values of a character's meshes, which follow the frames of the body shown with them."""

import json
import struct
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import ID, Action
from characters import FRAMES, Character, data_names, make_character, make_request, make_walk
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.mesh_channels.playing import play, played
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.command_line.outputs.exports import Scored, export
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.crowd.crowd import compute_crowd, read_crowd, write_crowd
from genmm_addon.crowd.request import CrowdRequest
from genmm_addon.generation import outputs
from genmm_addon.generation.generate import Output, Request, compute, generate, read, same_reading
from genmm_addon.generation.results import Result, current_variation, keep_variation, show_variation, variations_of
from genmm_addon.generation.sources import sources_of
from genmm_addon.generation.stretches.in_place import regenerate_stretch
from genmm_addon.interface.results.operators import apply_variation
from genmm_addon.libraries.choosing import LibraryChoice

SMILE = 'key_blocks["Smile"].value'
SLOTS = "layers" in bpy.types.Action.bl_rna.properties


def face_value(frame: float) -> float:
    """Return the smile's value at a frame of the example, different for each frame."""
    return frame / (FRAMES + 10)


def make_face(character: Character) -> ID:
    """Add shape keys to the body: a smile, and a frown without keys."""
    for name in ("Basis", "Smile", "Frown"):
        character.body.shape_key_add(name=name)
    keys: ID = character.body.data.shape_keys
    keys.name = "Face"
    return keys


def face_action(
    name: str, block: ID, path: str = SMILE, value: Any = face_value, action: Action | None = None
) -> tuple[Action, str]:
    """Return an action with a key for a value of a data-block at each frame of the example, and its slot."""
    if action is None:
        action, slot = actions.new_action_for(name, block.id_type, block.name)
    else:
        slots: Any = action.slots
        slot = slots.new(id_type=block.id_type, name=block.name).identifier
    key(action, slot, path, 0, [(frame, value(frame)) for frame in range(1, FRAMES + 1)])
    return action, slot


def with_face() -> Character:
    """Return a character whose body smiles while it walks."""
    character = make_character()
    keys = make_face(character)
    play(keys, *face_action("Smiling", keys))
    return character


def body_of(result: Result) -> Any:
    return next(child for child in result.object.children if child.type == "MESH")


def shown_values(result: Result, block: Any, path: str, index: int = 0) -> np.ndarray:
    """Return the values of a data-block over a result, at each frame."""
    own = played(block)
    assert own is not None
    curves = {(curve.data_path, curve.array_index): curve for curve in actions.fcurves_of(*own)}
    sources = sources_of(result.action)
    assert sources is not None
    return np.array([curves[path, index].evaluate(sources.frame_start + at) for at in range(sources.frames)])


def source_frames(result: Result) -> np.ndarray:
    sources = sources_of(result.action)
    assert sources is not None
    return np.array([sources.of_frame(sources.frame_start + at)[1] for at in range(sources.frames)])


def check_follows(result: Result, values: np.ndarray, value: Any = face_value) -> None:
    """Check that the values are those of the frames shown, and that they lie between these around transitions."""
    frames = source_frames(result)
    near = np.abs(values - np.array([value(frame) for frame in frames])) < 1e-4
    jumps = np.flatnonzero(np.abs(np.diff(frames) - 1) > 0.01)
    away = np.all(np.abs(np.arange(len(values))[:, None] - (jumps + 0.5)[None]) > 4, axis=1)
    assert near[away].all() and away.sum() > len(values) / 3


def test_a_face_is_read_the_same_again_until_its_keys_change() -> None:
    character = with_face()
    request, own = make_request(character), played(character.body.data.shape_keys)
    first, again = (read(request, bpy.context.scene) for _ in range(2))
    assert first.meshes.blocks and same_reading(first, again)
    assert own is not None
    (smile,) = actions.fcurves_of(*own)
    smile.keyframe_points[4].co[1] += 0.5
    smile.update()
    assert not same_reading(first, read(request, bpy.context.scene))


@pytest.mark.parametrize("output", list(Output))
def test_a_face_follows_the_frames_that_the_body_shows(output: Output) -> None:
    character = with_face()
    keys = character.body.data.shape_keys
    (result,) = generate(bpy.context, make_request(character, output=output, frames=70))
    block = body_of(result).data.shape_keys
    if output is Output.NLA_STRIP:
        (strip,) = block.animation_data.nla_tracks[-1].strips
        play(block, strip.action, strip.action_slot.identifier if SLOTS else "")
    check_follows(result, shown_values(result, block, SMILE))
    if output is Output.NEW_CHARACTER:
        assert block != keys and played(keys)[0].name == "Smiling"
    else:
        assert bpy.data.actions["Smiling"].users


def test_the_body_moves_as_without_a_face() -> None:
    character = make_character()
    (plain,) = generate(bpy.context, make_request(character))
    keys = make_face(character)
    play(keys, *face_action("Smiling", keys))
    (faced,) = generate(bpy.context, make_request(character))
    one, other = (
        [curve.evaluate(frame) for curve in actions.fcurves_of(result.action, result.slot) for frame in range(1, 31)]
        for result in (plain, faced)
    )
    assert one == other


def test_a_clip_without_a_face_gives_the_basis() -> None:
    character = with_face()
    other = make_walk(character.armature, "Still Face")
    actions.assign(character.armature, character.walk)
    request = Request(character.armature, (ExampleSpec(other),), frames=30)
    both = Request(character.armature, (ExampleSpec(other), ExampleSpec(character.walk)), frames=60)
    (alone,) = generate(bpy.context, request)
    assert any("belongs to none of the examples" in note for note in alone.notes)
    (mixed,) = generate(bpy.context, both)
    values = shown_values(mixed, body_of(mixed).data.shape_keys, SMILE)
    sources = sources_of(mixed.action)
    which = np.array([sources.of_frame(sources.frame_start + at)[0] for at in range(60)])
    middle = np.array([len(set(which[max(at - 4, 0) : at + 5])) == 1 for at in range(60)])
    assert (np.abs(values[middle & (which == 0)]) < 1e-6).all()
    assert (values[middle & (which == 1)] > 0).all()


@pytest.mark.skipif(not SLOTS, reason="actions have no slots")
def test_face_in_a_slot_of_the_example_action_is_generated() -> None:
    character = make_character()
    keys = make_face(character)
    face_action("", keys, action=character.walk)
    (result,) = generate(bpy.context, make_request(character, frames=50))
    block = body_of(result).data.shape_keys
    assert block != keys and played(keys) is None
    assert played(block)[0] == result.action
    check_follows(result, shown_values(result, block, SMILE))


def test_faces_on_tracks_go_with_the_strip_of_the_same_time() -> None:
    character = make_character()
    keys = make_face(character)
    smiling, slot = face_action("Smiling", keys)
    play(keys, smiling, slot)
    walk, own = actions.assigned(character.armature)
    for block, action, identifier, start in (
        (character.armature, walk, own, 101),
        (keys, smiling, slot, 106),
    ):
        track = block.animation_data.nla_tracks.new()
        strip = track.strips.new(action.name, start, action)
        if SLOTS:
            strip.action_slot = next(entry for entry in action.slots if entry.identifier == identifier)
        block.animation_data.action = None
    (result,) = generate(bpy.context, make_request(character, frames=40))
    values = shown_values(result, body_of(result).data.shape_keys, SMILE)
    check_follows(result, values, lambda frame: face_value(frame - 5) if frame >= 6 else 0.0)


def test_importers_names_pair_a_face_with_its_body() -> None:
    character = make_character()
    keys = make_face(character)
    character.walk.name = "Rig|Walk"
    play(keys, *face_action("Face|Walk", keys))
    actions.assign(character.armature, make_walk(character.armature, "Rig|Other"))
    keys.animation_data.action = None
    (result,) = generate(bpy.context, make_request(character, frames=40))
    check_follows(result, shown_values(result, body_of(result).data.shape_keys, SMILE))


def test_materials_and_custom_properties_follow_too_and_drivers_stay() -> None:
    character = with_face()
    body, keys = character.body, character.body.data.shape_keys
    body["glow"] = 0.0
    play(body, *face_action("Glow", body, '["glow"]'))
    paint = bpy.data.materials.new("Paint")
    body.data.materials.append(paint)
    play(paint, *face_action("Blush", paint, "roughness"))
    keys.key_blocks["Frown"].driver_add("value").driver.expression = "0.25"
    (result,) = generate(bpy.context, make_request(character, frames=40))
    copy = body_of(result)
    own = copy.material_slots[0].material
    assert own != paint and played(paint)[0].name == "Blush"
    check_follows(result, shown_values(result, copy, '["glow"]'))
    check_follows(result, shown_values(result, own, "roughness"))
    (driver,) = copy.data.shape_keys.animation_data.drivers
    assert driver.data_path == 'key_blocks["Frown"].value'


def test_object_with_transform_keys_keeps_its_timing_with_a_note() -> None:
    character = with_face()
    play(character.body, *face_action("Drift", character.body, "location"))
    (result,) = generate(bpy.context, make_request(character))
    assert any('"Body" has transform keys of its own' in note for note in result.notes)
    assert played(body_of(result))[0].name == "Drift"


@pytest.mark.parametrize("output", list(Output))
def test_variations_show_and_keep_separate_faces(output: Output, tmp_path: Path) -> None:
    character = with_face()
    before = data_names()["actions"]
    results = generate(bpy.context, make_request(character, output=output, seeds=(1, 2, 3), frames=50))
    owner = results[0].object.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    variations = variations_of(bpy.data.objects[owner])
    assert len(variations) == 3
    show_variation(bpy.context, variations[1])
    keep_variation(bpy.context, variations[1])
    rig = variations_of(variations[1].object)[0].object
    block: Any = next(child for child in rig.children if child.type == "MESH").data.shape_keys
    if output is Output.NLA_STRIP:
        (track,) = (track for track in block.animation_data.nla_tracks if track.strips[0].action.name != "Smiling")
        assert not track.mute
        own = track.strips[0].action
    else:
        own = played(block)[0]
    assert own == variations[1].action if SLOTS else own.name.startswith(variations[1].action.name)
    left = data_names()["actions"] - before
    assert len(left) == (1 if SLOTS else 2)


def test_a_face_is_taken_with_the_variation_that_is_used() -> None:
    character = with_face()
    (result,) = generate(bpy.context, make_request(character, frames=50))
    values = shown_values(result, body_of(result).data.shape_keys, SMILE)
    apply_variation(bpy.context, current_variation(result.object))
    assert np.array_equal(shown_values(result, character.body.data.shape_keys, SMILE), values)
    assert bpy.data.actions["Smiling"].use_fake_user


def test_regenerated_stretch_has_the_face_of_its_new_frames() -> None:
    character = with_face()
    (result,) = generate(bpy.context, make_request(character, frames=80))
    block = body_of(result).data.shape_keys
    before, shown = shown_values(result, block, SMILE), source_frames(result)
    regenerate_stretch(result.object, bpy.context.scene, 30, 60)
    after = shown_values(result, block, SMILE)
    changed = source_frames(result) != shown
    assert changed.any()
    assert np.array_equal(before[:28], after[:28]) and np.array_equal(before[61:], after[61:])
    assert np.abs(np.diff(after)).max() < 0.35
    inside = slice(40, 50)
    wanted = np.array([face_value(frame) for frame in source_frames(result)])
    assert np.median(np.abs(after - wanted)[inside]) < 1e-3


def test_failure_leaves_the_face_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    character = with_face()
    before = data_names()

    def fail(*_values: object, **_options: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(outputs, "assign_new", fail)
    with pytest.raises(RuntimeError):
        generate(bpy.context, make_request(character, output=Output.NEW_ACTION))
    assert data_names() == before
    assert played(character.body.data.shape_keys)[0].name == "Smiling"


def test_crowd_agents_play_the_face_of_their_stretch() -> None:
    character = with_face()
    asked, request = CrowdRequest(agents=3, clips=2, seed=2), make_request(character, frames=24)
    reading = read(request, bpy.context.scene)
    task = read_crowd(bpy.context, request, asked, reading)
    computed = compute_crowd(task)
    write_crowd(bpy.context, task, computed)
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and " Agent " in thing.name]
    faces = [next(child for child in rig.children if child.type == "MESH").data.shape_keys for rig in rigs]
    assert len(set(faces)) == 3
    for rig, face in zip(rigs, faces, strict=True):
        ((body_strip,), (strip,)) = (block.animation_data.nla_tracks[0].strips for block in (rig, face))
        for name in ("frame_start", "frame_end", "action_frame_start", "action_frame_end"):
            assert getattr(strip, name) == getattr(body_strip, name)
        assert strip.action == body_strip.action if SLOTS else strip.action.name.startswith(body_strip.action.name)
        assert face.animation_data.action is None


@pytest.mark.usefixtures("extension")
def test_a_glb_of_a_batch_has_the_face(tmp_path: Path) -> None:
    request = make_request(with_face(), output=Output.NEW_ACTION)
    reading = read(request, bpy.context.scene)
    export(tmp_path / "made.glb", Scored(request, reading, (1,), tuple(compute(reading, request))))
    data = (tmp_path / "made.glb").read_bytes()
    (length,) = struct.unpack("<I", data[12:16])
    (animation,) = json.loads(data[20 : 20 + length])["animations"]
    assert "weights" in {channel["target"]["path"] for channel in animation["channels"]}


@pytest.mark.usefixtures("extension")
def test_library_without_faces_leaves_the_face_unchanged_with_a_note(tmp_path: Path) -> None:
    character = with_face()
    motion = read(make_request(character), bpy.context.scene).reading.motions[0]
    save_library(tmp_path / "walks.npz", library_of([motion], [Clip("walk", "walk.bvh", 0, 0, {})]))
    request = Request(character.armature, (), frames=30, library=LibraryChoice((str(tmp_path / "walks.npz"),)))
    (result,) = generate(bpy.context, request)
    assert any('Libraries contain only the motion of bones: "Face" keeps' in note for note in result.notes)
    assert played(body_of(result).data.shape_keys)[0].name == "Smiling"


def test_linked_face_is_left_unchanged_with_a_note(tmp_path: Path) -> None:
    character = with_face()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"), copy=True)
    with bpy.data.libraries.load(str(tmp_path / "hero.blend"), link=True) as (_, wanted):
        wanted.meshes = ["Body"]
    character.body.data = wanted.meshes[0]
    bpy.context.view_layer.update()
    keys = character.body.data.shape_keys
    (result,) = generate(bpy.context, make_request(character, output=Output.NEW_ACTION))
    assert played(keys)[0].name == "Smiling"
    assert any("is linked and cannot be changed" in note for note in result.notes)


def test_an_example_keeps_its_face_while_a_result_plays_in_its_place() -> None:
    character = with_face()
    for seed in (1, 2):
        request = make_request(character, output=Output.NEW_ACTION, seeds=(seed,), frames=50)
        (result,) = generate(bpy.context, request)
        check_follows(result, shown_values(result, character.body.data.shape_keys, SMILE))

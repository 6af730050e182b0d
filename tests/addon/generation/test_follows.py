# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals: as text, from sounds, properties, strokes and characters, in the panel and on the command line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from commands import run
from interface import select
from sounds import needs_sound, new_strip

from bench.motions.sounds import SOUND_RATE, write_wav
from genmm_addon.animation.signals.beat_markers import BEAT_MARKER, is_beat
from genmm_addon.animation.signals.follows import FOLLOWS, FollowedSignal
from genmm_addon.animation.signals.sampled import read_character, read_property, read_stroke, read_waveform
from genmm_addon.animation.signals.sound import read_sound
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.core import InputError
from genmm_addon.generation.measures import measures_of
from genmm_addon.generation.recipe import recipe_of
from genmm_addon.generation.sources import sources_of

pytestmark = pytest.mark.usefixtures("extension")

FRAMES = 120


@pytest.fixture
def sample() -> SampleCharacter:
    """Return the sample character, whose results are actions of its own, learned from its walk and wave."""
    made = add_sample_character(bpy.context)
    settings = made.armature.genmm
    settings.output, settings.frames, settings.new_seed, settings.seed = "NEW_ACTION", FRAMES, False, 1
    bpy.ops.genmm.add_example(action="GenMM Walk")
    for item in settings.examples:
        item.enabled = item.action.name in ("GenMM Walk", "GenMM Wave")
    select(made.armature)
    return made


@pytest.fixture
def song(tmp_path: Path) -> Path:
    """Return a file of six seconds that is soft, then loud, with a click each half second."""
    time = np.arange(6 * SOUND_RATE) / SOUND_RATE
    tone = np.sin(2 * np.pi * 220 * time) * np.where(time < 3, 0.05, 0.6)
    return write_wav(tmp_path / "song.wav", tone * np.where(time % 0.5 < 0.1, 1.0, 0.4))


@pytest.mark.parametrize(
    "signal",
    [
        FollowedSignal("SOUND", "", "", "ENERGY"),
        FollowedSignal("SOUND", "My song, drives", "", "BEATS"),
        FollowedSignal("PROPERTY", "Lamp.001", 'data.shape_keys.key_blocks["A, b"].value', "HEIGHT", "hand R", 0.25),
        FollowedSignal("CHARACTER", "Big Dog", "head of dog", "ANYTHING"),
        FollowedSignal("STROKE", "of", "", "TRAVEL", "", 1.0),
        FollowedSignal("SOUND", "in", "", "REACH", "hand", 0.5, "Upper Body"),
    ],
)
def test_signals_are_read_back_as_they_are_written(signal: FollowedSignal) -> None:
    assert FOLLOWS.parse(FOLLOWS.text([signal, signal])) == (signal, signal)


def test_a_text_without_a_strength_means_the_full_one_as_when_it_was_saved() -> None:
    (signal,) = FOLLOWS.parse("sound x drives energy")
    assert signal.strength == 1.0 and str(signal) == "sound x drives energy"


@pytest.mark.parametrize(
    "text", ["sound", "sound x", "noise x drives energy", "sound x drives mood", "sound x drives energy by much"]
)
def test_malformed_signal_is_rejected_with_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"is not a followed signal; write it as"):
        FOLLOWS.parse(text)


def test_a_sound_is_followed_and_the_result_and_recipe_tell(sample: SampleCharacter, song: Path) -> None:
    assert bpy.ops.genmm.add_row(rows="follows", signal="SOUND", named=str(song), driven="TRAVEL") == {"FINISHED"}
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    action = sample.armature.animation_data.action
    recipe, measures = recipe_of(action), measures_of(action)
    assert recipe is not None and recipe.follows == f"sound {song} drives travel by 0.5"
    assert measures is not None
    (match,) = measures.followed
    assert match.driven == "travel" and match.correlation is not None and match.correlation > 0.5


@needs_sound
def test_a_strip_is_followed_as_it_is_heard(song: Path) -> None:
    scene = bpy.context.scene
    strip = new_strip(song, "Music", 13)
    quiet = new_strip(song, "Other", 1)
    range_before = scene.frame_start, scene.frame_end
    samples, rate = read_sound("Music", scene, 1, 48)
    assert not np.any(np.abs(samples[: int(0.45 * rate)]) > 0.01) and np.any(np.abs(samples[int(0.55 * rate) :]) > 0.01)
    assert (scene.frame_start, scene.frame_end) == range_before and not quiet.mute and len(bpy.data.scenes) == 1
    strip.volume = 0.5
    softer, _ = read_sound("Music", scene, 1, 48)
    assert np.abs(softer).max() == pytest.approx(np.abs(samples).max() / 2, rel=0.05)
    strip.mute = True
    with pytest.raises(InputError, match='"Music" is muted'):
        read_sound("Music", scene, 1, 48)
    both, _ = read_sound("", scene, 1, 48)
    assert np.abs(both).max() > 0.01


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sound missing.wav drives energy", 'no strip, sound or file "missing.wav"'),
        ("stroke Nothing drives energy", 'no object "Nothing"'),
        ('property "GenMM Sample" location drives energy', "depends on"),
        ("property Lamp nothing drives energy", 'no number or vector at "nothing"'),
        ("property Lamp data.shape_keys.eval_time drives energy", "no number or vector at"),
        ("property Lamp location drives energy", "does not change"),
        ("property Lamp location drives beats", "has no beats"),
        ("property Lamp location drives height", "needs a bone"),
        ('character "GenMM Sample" drives energy', "not another character"),
        ("character Lamp drives energy", "not another character"),
        ("stroke Lamp drives energy", "not a curve"),
        ("property Lamp location drives energy by 0", "strength of 0"),
        ("property Lamp location drives beats in Body", "has no beats|remove the part"),
    ],
)
def test_what_cannot_be_followed_is_one_sentence_and_changes_nothing(
    sample: SampleCharacter, text: str, said: str
) -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Lamp", None))
    sample.armature.genmm.follows = text
    before = sample.armature.animation_data.action
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.genmm.generate_motion()
    assert sample.armature.animation_data.action == before and len(bpy.data.scenes) == 1


def test_a_sound_that_ends_early_is_followed_by_silence(tmp_path: Path) -> None:
    scene, path = bpy.context.scene, write_wav(tmp_path / "short.wav", np.full(SOUND_RATE, 0.5))
    samples, rate = read_sound(str(path), scene, 1, 48)
    assert len(samples) == round(48 / scene.render.fps * rate) > SOUND_RATE
    assert np.abs(samples[SOUND_RATE:]).max() == 0.0 < np.abs(samples[:SOUND_RATE]).min()


def test_a_silent_sound_is_refused(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "silence.wav", np.zeros(4 * SOUND_RATE))
    with pytest.raises(InputError, match="is silent"):
        read_sound(str(path), bpy.context.scene, 1, 48)


def test_a_held_tone_does_not_change(sample: SampleCharacter, tmp_path: Path) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 220 * np.arange(8 * SOUND_RATE) / SOUND_RATE)
    sample.armature.genmm.follows = f"sound {write_wav(tmp_path / 'tone.wav', tone)} drives energy"
    with pytest.raises(RuntimeError, match="does not change"):
        bpy.ops.genmm.generate_motion()


def test_a_property_is_sampled_with_its_drivers(sample: SampleCharacter) -> None:
    scene = bpy.context.scene
    lamp, rod = (bpy.data.objects.new(name, None) for name in ("Lamp", "Rod"))
    for thing in (lamp, rod):
        scene.collection.objects.link(thing)
    for frame, height in ((1, 0.0), (11, 5.0)):
        lamp.location.z = height
        lamp.keyframe_insert("location", frame=frame)
    driver = rod.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = lamp, "location[2]"
    driver.expression = f"2 * {variable.name}"
    frames = np.array([1.0, 11.0])
    assert read_property("Rod", "location[0]", sample.armature, scene, frames)[:, 0].tolist() == [0.0, 10.0]
    assert read_property("Lamp", "location", sample.armature, scene, frames).shape == (2, 3)


def test_a_shape_key_is_sampled(sample: SampleCharacter) -> None:
    scene, body = bpy.context.scene, bpy.data.objects.new("Face", bpy.data.meshes.new("Face"))
    scene.collection.objects.link(body)
    body.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="Smile")
    for frame, value in ((1, 0.0), (11, 1.0)):
        smile.value = value
        smile.keyframe_insert("value", frame=frame)
    path = 'data.shape_keys.key_blocks["Smile"].value'
    values = read_property("Face", path, sample.armature, scene, np.array([1.0, 11.0]))
    assert values[:, 0].tolist() == [0.0, 1.0]


def new_curve(name: str, places: Sequence[tuple[float, ...]]) -> bpy.types.Curve:
    """Add a curve of straight lines, and return its data."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(places) - 1)
    for point, place in zip(spline.points, places, strict=True):
        point.co = (*place, 1.0)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, curve))
    return curve


def new_drawing(name: str, places: Sequence[tuple[float, ...]]) -> None:
    """Add a Grease Pencil object with one stroke."""
    data: Any = bpy.data
    drawings = data.grease_pencils_v3 if hasattr(data, "grease_pencils_v3") else data.grease_pencils
    made = drawings.new(name)
    frame = made.layers.new("Lines").frames.new(1)
    if hasattr(frame, "drawing"):
        frame.drawing.add_strokes([len(places)])
        for point, place in zip(frame.drawing.strokes[0].points, places, strict=True):
            point.position = place
    else:
        points = frame.strokes.new().points
        points.add(len(places))
        for point, place in zip(points, places, strict=True):
            point.co = place
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, made))


BENT = ((0, 0, 0), (1, 0, 0), (1, 0, 3))


@pytest.mark.parametrize("new", [new_curve, new_drawing], ids=lambda new: new.__name__)
def test_a_curve_or_drawing_is_a_stroke_from_end_to_end(new: Callable[..., object]) -> None:
    new("Line", BENT)
    bpy.data.objects["Line"].location.y = 2.0
    bpy.context.view_layer.update()
    assert np.allclose(read_stroke("Line", 5)[[0, 1, -1]], np.add(BENT, (0, 2, 0)), atol=1e-5)
    assert np.allclose(read_waveform("Line", 3)[:, 0], (0.0, 0.0, 3.0), atol=1e-5)


def test_the_thickness_of_a_curve_does_not_count() -> None:
    new_curve("Pipe", BENT).bevel_depth = 0.2
    assert np.allclose(read_stroke("Pipe", 5)[[0, 1, -1]], BENT, atol=1e-5)


@pytest.mark.parametrize(
    ("places", "heights"),
    [
        (((0, 0, 0), (1, 0, 2), (4, 0, 0)), (0.0, 2.0, 4 / 3, 2 / 3, 0.0)),
        (((4, 0, 0), (3, 0, 2), (0, 0, 0)), (0.0, 2.0, 4 / 3, 2 / 3, 0.0)),
        (((0, 0, 1), (2, 4, 1), (4, 4, 1)), (0.0, 2.0, 4.0, 4.0, 4.0)),
        (((0, 0, 0), (0, 0, 4)), (0.0, 1.0, 2.0, 3.0, 4.0)),
        (((0, 0, 0), (1.5, 0, 0), (1.5, 0, 2), (3.5, 0, 2), (3.5, 0, 0), (4, 0, 0)), (0.0, 0.0, 2.0, 2.0, 0.0)),
        (((0, 0, 0), (2, 0, 2), (0, 0, 4)), (0.0, 1.0, 2.0, 3.0, 4.0)),
    ],
    ids=["front view", "from right to left", "top view", "upright", "square", "turning back"],
)
def test_a_stroke_that_drives_a_quantity_is_a_waveform(
    places: tuple[tuple[float, ...], ...], heights: tuple[float, ...]
) -> None:
    new_curve("Wave", places)
    assert np.allclose(read_waveform("Wave", 5)[:, 0], heights, atol=1e-5)


def test_another_character_drives_by_its_pose_or_a_bone(sample: SampleCharacter) -> None:
    other = add_sample_character(bpy.context).armature
    frames = np.arange(1.0, 31.0)
    pose, speed = read_character(other.name, "", sample.armature, bpy.context.scene, frames)
    assert pose.shape == (30, 3 * len(other.pose.bones)) and speed.shape == (30,) and speed.max() > 0
    place, _ = read_character(other.name, "Hand.L", sample.armature, bpy.context.scene, frames)
    assert place.shape == (30, 3)
    sample.armature.genmm.follows = f'character "{other.name}" drives energy'
    select(sample.armature)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}


def test_beats_are_marked_moved_tapped_and_cleared(sample: SampleCharacter, song: Path) -> None:
    scene = bpy.context.scene
    scene.frame_end = FRAMES
    sample.armature.genmm.follows = f"sound {song} drives beats"
    assert bpy.ops.genmm.mark_beats(action="FIND") == {"FINISHED"}
    found = sorted(marker.frame for marker in scene.timeline_markers)
    step = 0.5 * scene.render.fps
    assert np.abs(np.diff(found) - step).max() <= 1.0
    for marker in scene.timeline_markers:
        marker.frame += 3
    inside = sum(frame + 3 <= FRAMES for frame in found)
    scene.frame_set(7)
    assert bpy.ops.genmm.mark_beats(action="TAP") == {"FINISHED"}
    assert sum(is_beat(marker.name) for marker in scene.timeline_markers) == len(found) + 1
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    measures = measures_of(sample.armature.animation_data.action)
    assert measures is not None and measures.followed[0].beats == inside + 1
    assert bpy.ops.genmm.mark_beats(action="CLEAR") == {"FINISHED"}
    assert not len(scene.timeline_markers)


def test_beats_are_no_labels(sample: SampleCharacter) -> None:
    bpy.context.scene.timeline_markers.new(BEAT_MARKER, frame=10)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}


def test_the_command_follows_a_sound(tmp_path: Path, capfd: pytest.CaptureFixture[str], song: Path) -> None:
    add_sample_character(bpy.context)
    path = tmp_path / "sample.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    words = ("--frames", FRAMES, "--follow", f"sound {song} drives travel")
    assert run(capfd, "generate", path, *words, "-o", tmp_path / "out.npz").status == 0
    for beat, driven in (((), "energy"), (("--on-beat",), "beats")):
        out = tmp_path / f"{driven}.blend"
        said = run(capfd, "generate", path, "--frames", FRAMES, "--sound", song, *beat, "--json", "-o", out)
        ((match,),) = next(event["followed"] for event in said.objects if event["event"] == "file")
        assert match["driven"] == driven
        assert 0 < match["accented"] <= match["beats"] if beat else match["correlation"] > 0.0
        bpy.ops.wm.open_mainfile(filepath=str(out))
        recipes = [str(thing.get("genmm_recipe")) for thing in (*bpy.data.objects, *bpy.data.actions)]
        assert any(f"drives {driven}" in recipe for recipe in recipes), recipes
    said = run(capfd, "generate", path, "--on-beat", "-o", tmp_path / "no.npz")
    assert said.status == 2 and "set a file with --sound" in " ".join(said.errors)
    said = run(capfd, "generate", path, "--follow", "sound no.wav drives travel", "-o", tmp_path / "no.npz")
    assert said.status == 2 and 'no strip, sound or file "no.wav"' in " ".join(said.errors)


def test_the_beats_of_a_new_row_are_marked_unless_there_are_marks(sample: SampleCharacter, song: Path) -> None:
    scene = bpy.context.scene
    scene.frame_end = FRAMES
    select(sample.armature)
    assert bpy.ops.genmm.add_row(rows="follows", signal="SOUND", named=str(song), driven="BEATS") == {"FINISHED"}
    marked = [marker.frame for marker in scene.timeline_markers]
    assert len(marked) > 2
    scene.timeline_markers.remove(scene.timeline_markers[0])
    assert bpy.ops.genmm.add_row(rows="follows", signal="SOUND", named=str(song), driven="BEATS") == {"FINISHED"}
    assert len(scene.timeline_markers) == len(marked) - 1
    settings = sample.armature.genmm
    settings.start_at, settings.start_frame = "FRAME", -47
    assert bpy.ops.genmm.mark_beats(action="FIND") == {"FINISHED"}
    assert [marker.frame + 48 for marker in scene.timeline_markers][: len(marked)] == marked


def test_only_the_named_part_follows(sample: SampleCharacter, song: Path) -> None:
    settings = sample.armature.genmm
    bpy.ops.genmm.make_parts(kind="UPPER_LOWER")
    settings.parts = "PAINTED"
    stretches = []
    for follows in ("", f'sound "{song}" drives energy in "Upper Body"'):
        settings.follows = follows
        assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
        sources = sources_of(sample.armature.animation_data.action)
        assert sources is not None
        stretches.append({part.name: part.stretches.tolist() for part in sources.parts})
    free, followed = stretches
    assert free["Upper Body"] != followed["Upper Body"] and free["Lower Body"] == followed["Lower Body"]
    measures = measures_of(sample.armature.animation_data.action)
    assert measures is not None and (measures.followed[0].correlation or 0.0) > 0.3
    settings.follows = f'sound "{song}" drives energy in Tail'
    with pytest.raises(RuntimeError, match=r'no part "Tail" to follow the signal; choose one of .*Upper Body'):
        bpy.ops.genmm.generate_motion()

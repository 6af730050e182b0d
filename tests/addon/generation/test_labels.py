# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels over time in the add-on: tags of examples, the list, markers, recipes, files and the command line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from commands import run
from interface import registered
from recorded_layout import drawn
from rigs import MOTIONS

from genmm_addon.animation.actions import fcurves_of, slot_for
from genmm_addon.animation.labels import LABELS as LABEL_ROWS
from genmm_addon.animation.labels import labels_of, parse_tags, stretches_of_markers
from genmm_addon.animation.reading.example_spec import ExampleSpec
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.character.tags import RECIPE_PROPERTY
from genmm_addon.core import InputError, Labels
from genmm_addon.generation.generate import Request, compute, read
from genmm_addon.generation.recipe import recipe_of
from genmm_addon.interface.generate.direction_panels import GENMM_PT_path
from genmm_addon.interface.labels.panels import GENMM_PT_labels
from genmm_addon.requests.request_values import panel_request

LIBRARY = MOTIONS / "library"
FRAMES = 160
AS_ASKED = 0.97
"""Least share of frames that show the requested tag; a transition may move by two of each stretch's 80 frames."""
LABELS = "style=tired 1-80, style=proud 81-160"


@pytest.fixture
def styles() -> Iterator[SampleCharacter]:
    """Yield the sample character with its three walks as examples, of 160 frames and without labels."""
    bpy.context.scene.render.fps = 30
    with registered():
        sample = add_sample_character(bpy.context)
        settings = sample.armature.genmm
        for action in sample.actions[:3]:
            bpy.ops.genmm.add_example(action=action.name)
        settings.frames, settings.seed, settings.new_seed = FRAMES, 1, False
        assert len(settings.examples) == 3
        yield sample


def constraint_of(character: Any) -> Labels | None:
    """Return the labels that Generate would use."""
    scene = bpy.context.scene
    request, _ = panel_request(character, scene)
    found = [one for one in read(request, scene).resolved.constraints if isinstance(one, Labels)]
    return found[0] if found else None


def stretches_of(character: Any) -> list[tuple[str, int, int]]:
    labels = constraint_of(character)
    return [] if labels is None else [(one.tag, one.first, one.last) for one in labels.stretches]


def sampled(action: Action, armature: Object) -> list[float]:
    """Return the values of all curves of an action at some frames."""
    curves = fcurves_of(action, slot_for(armature, action))
    return [curve.evaluate(frame) for curve in curves for frame in range(1, FRAMES, 13)]


def share_of(request: Request, tag: str, first: int, last: int) -> float:
    """Return the share of some frames of the result, counted from 0, that show examples with a tag."""
    scene = bpy.context.scene
    (result,) = compute(read(request, scene), request)
    right = [number for number, spec in enumerate(request.examples) if tag in spec.tags]
    return float(np.isin(result.source_examples[first : last + 1], right).mean())


def test_the_walks_of_the_sample_are_tagged_by_their_styles(styles: SampleCharacter) -> None:
    tags = [item.tags for item in styles.armature.genmm.examples]
    assert tags == ["action=walk, style=normal", "action=walk, style=tired", "action=walk, style=proud"]


def test_labels_apply_to_the_listed_scene_frames(styles: SampleCharacter) -> None:
    settings = styles.armature.genmm
    settings.labels = "style=tired 11-90, style=proud 91-"
    settings.start_at, settings.start_frame = "FRAME", 11
    assert stretches_of(styles.armature) == [("style=tired", 0, 79), ("style=proud", 80, FRAMES - 1)]
    request, _ = panel_request(styles.armature, bpy.context.scene)
    assert share_of(request, "style=tired", 0, 79) >= AS_ASKED
    assert share_of(request, "style=proud", 80, FRAMES - 1) >= AS_ASKED


def test_an_example_can_be_named_itself(styles: SampleCharacter) -> None:
    styles.armature.genmm.labels = "example=GenMM Walk Proud 1-160"
    assert stretches_of(styles.armature) == [("example=GenMM Walk Proud", 0, FRAMES - 1)]


def test_markers_of_the_scene_and_of_the_action_begin_labels(styles: SampleCharacter) -> None:
    markers = bpy.context.scene.timeline_markers
    markers.new("style=tired", frame=1)
    markers.new("Cut here", frame=50)
    markers.new("GenMM Sample: style=proud", frame=81)
    styles.armature.animation_data.action.pose_markers.new("style=").frame = 141
    expected = [("style=tired", 0, 79), ("style=proud", 80, 139)]
    assert stretches_of(styles.armature) == expected
    styles.armature.genmm.label_markers = False
    assert stretches_of(styles.armature) == []


def test_a_marker_for_another_character_is_left_to_it(styles: SampleCharacter) -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Other", None))
    bpy.context.scene.timeline_markers.new("Other: style=proud", frame=1)
    assert stretches_of_markers(styles.armature, bpy.context.scene) == ()


def test_a_marker_before_the_result_holds_in_it_and_one_after_it_is_left_out(styles: SampleCharacter) -> None:
    markers = bpy.context.scene.timeline_markers
    markers.new("style=tired", frame=-20)
    markers.new("style=proud", frame=500)
    assert stretches_of(styles.armature) == [("style=tired", 0, FRAMES - 1)]


def test_markers_mean_nothing_while_no_example_has_a_tag(styles: SampleCharacter) -> None:
    for item in styles.armature.genmm.examples:
        item.tags = ""
    bpy.context.scene.timeline_markers.new("take=4", frame=10)
    assert stretches_of(styles.armature) == []


def test_of_many_tags_a_few_with_the_key_of_the_wrong_one_are_listed(styles: SampleCharacter) -> None:
    takes = tuple(f"take={number}" for number in range(100, 130))
    examples = [ExampleSpec(None, tags=(take, f"style={style}")) for take in takes for style in ("old", "sad")]

    def sentence(label: str) -> str:
        with pytest.raises(InputError) as refused:
            labels_of(LABEL_ROWS.parse(label), False, examples, styles.armature, bpy.context.scene, 1.0, FRAMES)
        return str(refused.value)

    assert sentence("style=happy 1-80").endswith("no example has; there are style=old, style=sad.")
    assert sentence("take=1 1-80").endswith("take=110, take=111 and 18 more.")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            "style=happy 1-80",
            'The label "style=happy" is a tag that no example has; there are action=walk, style=',
        ),
        ("style=tired 1-800", "covers frames 1 to 800, but the result has frames 1 to 160"),
        ("style=tired 0-80", "covers frames 0 to 80"),
        ("style=tired 80-1", "ends before it begins"),
        ("style=tired 1-90, style=proud 80-160", "both style=tired and style=proud"),
        ("tired 1-80", '"tired" is not a tag; write it as style=angry'),
        ("style=tired", "is not a label; write it as style=angry 1-80"),
    ],
)
def test_impossible_labels_are_rejected_with_one_sentence(styles: SampleCharacter, labels: str, message: str) -> None:
    styles.armature.genmm.labels = labels
    before = set(bpy.data.actions)
    with pytest.raises(RuntimeError, match="Error: ") as refused:
        bpy.ops.genmm.generate_motion()
    assert message in str(refused.value)
    assert set(bpy.data.actions) == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("style=tried", 'The label "style=tried" of the marker at frame 40 is a tag that no example has'),
        ("style=a=b", 'The marker "style=a=b" at frame 40 is not a label'),
        ("Nobody: style=tired", 'refers to "Nobody", but no object has this name'),
    ],
)
def test_a_misspelled_marker_is_named(styles: SampleCharacter, name: str, message: str) -> None:
    bpy.context.scene.timeline_markers.new(name, frame=40)
    with pytest.raises(InputError) as refused:
        constraint_of(styles.armature)
    assert message in str(refused.value)


def test_regenerate_repeats_the_labels(styles: SampleCharacter) -> None:
    settings = styles.armature.genmm
    settings.labels, settings.output = LABELS, "NEW_ACTION"
    bpy.ops.genmm.generate_motion()
    made = styles.armature.animation_data.action
    settings.labels = ""
    for item in settings.examples:
        item.tags = ""
    bpy.ops.genmm.generate_motion(recipe=made[RECIPE_PROPERTY])
    again = styles.armature.animation_data.action
    assert again != made
    assert sampled(made, styles.armature) == sampled(again, styles.armature)
    assert recipe_of(again).labels == LABELS


def test_the_panel_adds_and_removes_labels(styles: SampleCharacter) -> None:
    settings = styles.armature.genmm
    bpy.ops.genmm.add_row(rows="labels", tag="style=proud", first=81, last=160)
    bpy.ops.genmm.add_row(rows="labels", tag="style=tired", first=1, last=80)
    assert settings.labels == LABELS
    bpy.ops.genmm.remove_row(rows="labels", number=0)
    assert settings.labels == "style=proud 81-160"


def test_a_crowd_refuses_labels_in_one_sentence(styles: SampleCharacter) -> None:
    styles.armature.genmm.labels = LABELS
    with pytest.raises(RuntimeError, match="characters of a crowd begin at different times"):
        bpy.ops.genmm.make_crowd(agents=4, clips=1)


def test_texts_of_tags_and_labels_are_read_as_they_are_written() -> None:
    assert parse_tags(" style = angry,action=walk, style=angry") == ("style=angry", "action=walk")
    (one, other) = LABEL_ROWS.parse("style=very angry -5 - 80, style=old 81-")
    assert (one.tag, one.first, one.last) == ("style=very angry", -5, 80)
    assert (other.first, other.last) == (81, None)


def test_the_command_line_tags_actions_and_labels_them(
    styles: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    words = ["generate", path, "--no-panel", "--frames", 160, "--jobs", 1, "--force", "--output", tmp_path / "a.npz"]
    words += ["--action", "GenMM Walk Tired", "--action", "GenMM Walk Proud"]
    tags = ["--tags", "GenMM Walk T*: style=angry", "--tags", "GenMM Walk Proud: style=old"]
    said = run(capfd, *words, *tags, "--labels", "style=angry 1-80, style=old 81-160")
    assert (said.status, said.errors) == (0, [])
    shown = np.load(tmp_path / "a.npz")["source_examples"][:, 0]
    assert np.mean(np.concatenate((shown[:80] == 0, shown[80:] == 1))) >= AS_ASKED
    said = run(capfd, *words, "--tags", "Walk: style=angry")
    assert said.status == 2
    assert 'no example matches "Walk"' in said.errors[0]
    said = run(capfd, *words, *tags, "--labels", "style=glad 1-80")
    assert said.status == 2
    assert "a tag that no example has; there are style=angry, style=old" in said.errors[0]


def test_files_that_are_learned_from_together_are_told_apart_by_their_names(
    styles: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    blend = tmp_path / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    for name, action in (("angry", "GenMM Walk Tired"), ("old", "GenMM Walk Proud")):
        words = ["generate", blend, "--no-panel", "--action", action, "--frames", 200, "--output"]
        assert run(capfd, *words, tmp_path / f"{name}.bvh").status == 0
    words = ["generate", tmp_path / "angry.bvh", tmp_path / "old.bvh", "--together", "--frames", 160]
    labels = ["--labels", "style=angry 1-80, style=old 81-160"]
    tags = ["--tags", "angry: style=angry", "--tags", "old: style=old"]
    said = run(capfd, *words, *tags, *labels, "--output", tmp_path / "both.npz")
    assert (said.status, said.errors) == (0, [])
    shown = np.load(tmp_path / "both.npz")["source_examples"][:, 0]
    assert np.mean(np.concatenate((shown[:80] == 0, shown[80:] == 1))) >= AS_ASKED


@pytest.mark.skipif(not LIBRARY.is_dir(), reason="needs recorded motions beside the repository")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.usefixtures("styles")
def test_recorded_walks_in_three_styles_follow_their_labels(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], seed: int
) -> None:
    recorded = {style: LIBRARY / f"dataset-1_walk_{style}_001.bvh" for style in ("angry", "old", "proud")}
    words = ["generate", *recorded.values(), "--together", "--frames", 300, "--fps", 30, "--seeds", seed]
    for style, path in recorded.items():
        words += ["--tags", f"{path.stem}: style={style}"]
    labels = "style=angry 1-100, style=old 101-200, style=proud 201-300"
    said = run(capfd, *words, "--labels", labels, "--output", tmp_path / "out.npz")
    assert (said.status, said.errors) == (0, [])
    shown = np.load(tmp_path / "out.npz")["source_examples"][:, 0]
    assert np.mean(shown == np.repeat([0, 1, 2], 100)) >= 0.98


def test_a_path_without_a_spline_is_reported_in_its_panel_alone_and_not_while_it_is_off(
    styles: SampleCharacter,
) -> None:
    settings = styles.armature.genmm
    settings.path_curve = bpy.data.objects.new("Line", bpy.data.curves.new("Line", "CURVE"))
    bpy.context.scene.collection.objects.link(settings.path_curve)
    for settings.use_path in (True, False):
        path, labels = (str(drawn(panel, bpy.context).labels) for panel in (GENMM_PT_path, GENMM_PT_labels))
        assert ("has no spline" in path) == settings.use_path and "spline" not in labels
    assert bpy.ops.genmm.generate_motion(frames=40) == {"FINISHED"}

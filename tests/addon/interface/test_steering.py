# SPDX-License-Identifier: GPL-3.0-or-later
"""A character steered live: its session, its proxy, and the action that remains."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import pytest
from interface import select

from genmm_addon.animation.actions import assign, assigned, fcurves_of
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import InputError, Motion, Synthesis, Wish
from genmm_addon.core.motion import place_and_heading
from genmm_addon.interface.steer.steering_keys import digit_of, direction_of_keys, world_direction
from genmm_addon.requests.edit_examples import steering_examples
from genmm_addon.steering import performance
from genmm_addon.steering.performance import PROPERTY, polish_action, write_performance
from genmm_addon.steering.proxy import make_proxy, pose_proxy, read_pose, remove_proxies
from genmm_addon.steering.session import Session, Steering, ready_to_steer

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def character() -> Iterator[bpy.types.Object]:
    sample = add_sample_character(bpy.context)
    rig = sample.armature
    play(rig, "Walk")
    bpy.context.view_layer.objects.active = rig
    bpy.context.scene.frame_set(1)
    yield rig
    remove_proxies()


def play(rig: bpy.types.Object, ending: str) -> None:
    """Make the rig play the sample action whose name has this ending."""
    assign(rig, next(action for action in bpy.data.actions if action.name.endswith(ending)))


def steered(rig: bpy.types.Object) -> Steering:
    return ready_to_steer(rig, bpy.context.scene, steering_examples(rig, bpy.context.scene), 0.5)


def played(rig: bpy.types.Object, steps: int = 20) -> Session:
    """Return a session after a number of steps."""
    steering = steered(rig)
    session = Session.at(steering, read_pose(rig, steering.examples.reading.motions[0]))
    for _ in range(steps):
        session.step(Wish(velocity=session.speed * steering.direction(np.array([0.0, -1.0, 0.0]))))
    return session


def test_a_session_begins_where_the_character_stands(character: bpy.types.Object) -> None:
    bpy.context.scene.frame_set(30)
    steering = steered(character)
    pose = read_pose(character, steering.examples.reading.motions[0])
    session = Session.at(steering, pose)
    root = steering.controller.examples.index.space.plan.joint
    there, here = pose.pose()[1][0, root], session.state.given.pose()[1][0, root]
    assert np.allclose(there[:2], here[:2], atol=1e-4)


def test_performance_becomes_an_action_with_a_recipe_and_the_former_action_is_kept(
    character: bpy.types.Object,
) -> None:
    walk = character.animation_data.action
    session = played(character)
    made = write_performance(character, session, 11.0)
    playing = assigned(character)
    assert playing is not None
    assert playing[0] == made.action
    assert made.before == walk.name
    assert walk.use_fake_user
    curve = fcurves_of(made.action, playing[1])[0]
    assert [point.co[0] for point in curve.keyframe_points][:: made.frames - 1] == [11.0, 30.0]
    recipe = json.loads(made.action[PROPERTY])
    assert recipe["actions"] == [walk.name]
    assert recipe["wishes"][0][2] == "Usual"


def test_written_action_poses_the_character_as_the_proxy(character: bpy.types.Object) -> None:
    session = played(character)
    proxy = make_proxy(character, bpy.context.scene)
    assert proxy.animation_data is None
    pose_proxy(proxy, session.frames[-1])
    bpy.context.view_layer.update()
    shown = {bone.name: bone.matrix.copy() for bone in proxy.pose.bones}
    made = write_performance(character, session, 1.0)
    bpy.context.scene.frame_set(made.frames)
    for bone in character.pose.bones:
        assert np.allclose(np.array(bone.matrix), np.array(shown[bone.name]), atol=1e-4)


def test_performed_action_is_steered_from_its_original_examples(character: bpy.types.Object) -> None:
    walk = character.animation_data.action
    write_performance(character, played(character), 1.0)
    choice = steering_examples(character, bpy.context.scene)
    assert [spec.action for spec in choice.specs] == [walk]


def test_polishing_keeps_the_way_and_the_performance(character: bpy.types.Object) -> None:
    made = write_performance(character, played(character, steps=90), 5.0)
    bpy.context.view_layer.objects.active = character
    hips = character.pose.bones[0]

    def places() -> list[list[float]]:
        found = []
        for frame in (5, 50, 94):
            bpy.context.scene.frame_set(frame)
            found.append([hips.head.x, hips.head.y])
        return found

    performed = places()
    assert bpy.ops.genmm.polish_performance() == {"FINISHED"}
    playing = assigned(character)
    assert playing is not None
    assert playing[0].name == f"{made.action.name} Polished"
    assert made.action.use_fake_user
    assert np.allclose(places(), performed, atol=0.2)


def test_polished_motion_that_leaves_its_path_is_reported(
    character: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = write_performance(character, played(character, steps=60), 5.0)
    playing = assigned(character)
    assert playing is not None

    def elsewhere(motions: list[Motion], performed: Motion, *tags: Any, **settings: Any) -> Synthesis:
        synthesis = polish(motions, performed, *tags, **settings)
        translations = performed.translations.copy()
        translations[40:, 0] += 0.5 * performed.skeleton.size * np.array([1.0, 0.0, 0.0])
        moved = performed.with_channels({**performed.channels(), "translations": translations})
        return replace(synthesis, motion=moved)

    polish = performance.polish
    choice = steering_examples(character, bpy.context.scene)
    assert polish_action(character, bpy.context.scene, made.action, playing[1], choice).missed == ""
    monkeypatch.setattr(performance, "polish", elsewhere)
    off = polish_action(character, bpy.context.scene, made.action, playing[1], choice)
    assert off.missed.startswith("At frame ")
    assert "0.50 body sizes" in off.missed


@pytest.mark.parametrize("by_key", [True, False])
def test_polishing_keeps_the_styles_that_were_shown(
    character: bpy.types.Object, monkeypatch: pytest.MonkeyPatch, by_key: bool
) -> None:
    """Styles are kept where they were chosen by number keys, and where all were allowed and several were shown."""
    select(character)
    bpy.ops.genmm.add_fitting_examples()
    session = played(character, steps=0)
    steering = session.steering
    assert len(steering.styles) == 6
    for style in range(1, 6):
        session.choose_style(style)
        for _ in range(60):
            way = steering.direction(np.array([np.sin(style), -np.cos(style), 0.0]))
            session.step(Wish(velocity=session.speed * way))
    if not by_key:
        session.wishes = [(0, pace) for _, pace in session.wishes]
    made = write_performance(character, session, 5.0)
    playing = assigned(character)
    assert playing is not None
    kept: list[tuple[Motion, list[str], Any, Synthesis]] = []
    polish = performance.polish

    def watched(motions: Any, performed: Motion, tags: list[str], stretches: Any, **settings: Any) -> Synthesis:
        kept.append((performed, tags, stretches, polish(motions, performed, tags, stretches, **settings)))
        return kept[-1][-1]

    monkeypatch.setattr(performance, "polish", watched)
    choice = steering_examples(character, bpy.context.scene)
    report = polish_action(character, bpy.context.scene, made.action, playing[1], choice)
    performed, tags, stretches, synthesis = kept[0]
    assert len({one.tag for one in stretches}) == 5
    shown = np.array(tags)[synthesis.source_examples[:, 0]]
    for one in stretches:
        assert np.mean(shown[one.first : one.last + 1] == one.tag) > 0.8
    assert "Styles" not in report.missed
    turns = [
        place_and_heading(motion, steering.controller.examples.index.space.plan)[1]
        for motion in (performed, synthesis.motion)
    ]
    away = np.abs(np.angle(np.exp(1j * (turns[0] - turns[1]))))
    assert away.mean() < 0.35 and np.abs(np.diff(turns[1])).sum() < np.abs(np.diff(turns[0])).sum() + np.pi


def test_only_performed_actions_can_be_polished(character: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = character
    assert not bpy.ops.genmm.polish_performance.poll()


def test_no_proxy_is_left(character: bpy.types.Object) -> None:
    before = set(bpy.data.objects)
    make_proxy(character, bpy.context.scene)
    assert remove_proxies() == 1
    assert set(bpy.data.objects) == before


def test_missing_performance_and_missing_traveling_examples_are_reported(character: bpy.types.Object) -> None:
    with pytest.raises(InputError, match="No performance was recorded"):
        write_performance(character, played(character, steps=0), 1.0)
    play(character, "Wave")
    with pytest.raises(InputError, match="None of the examples moves"):
        steered(character)


def test_without_a_window_the_operator_says_so(character: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="needs a window"):
        bpy.ops.genmm.steer()


def test_the_clock_sets_the_steps_and_a_pause_stops_them(character: bpy.types.Object) -> None:
    session = played(character, steps=0)
    session.start_clock(10.0)
    still = Wish(velocity=np.zeros(3))
    assert session.advance(10.0 + 3.5 / session.rate, lambda: still) == 3
    session.paused = True
    assert session.advance(20.0, lambda: still) == 0
    session.paused = False
    assert session.advance(20.0 + 1.5 / session.rate, lambda: still) == 1


def test_keys_lead_as_seen_on_the_screen() -> None:
    assert direction_of_keys({"A", "D"}).tolist() == [0.0, 0.0]
    assert np.allclose(direction_of_keys({"W", "RIGHT_ARROW"}), [0.5**0.5, 0.5**0.5])
    from_front = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    assert np.allclose(world_direction(np.array([0.0, 1.0]), from_front), [0.0, 1.0, 0.0])
    from_above = np.eye(3)
    assert np.allclose(world_direction(np.array([1.0, 0.0]), from_above), [1.0, 0.0, 0.0])
    assert np.allclose(world_direction(np.array([0.0, 1.0]), from_above), [0.0, 1.0, 0.0])
    assert (digit_of("TWO"), digit_of("NUMPAD_7"), digit_of("A")) == (2, 7, None)


@pytest.mark.parametrize("rate", [24, 60])
def test_steps_are_frames_of_the_scene(character: bpy.types.Object, rate: int) -> None:
    bpy.context.scene.render.fps = rate
    session = played(character, steps=rate)
    assert session.rate == rate
    away = np.linalg.norm(session.place() - session.on_ground(session.frames[0].translations[0, 0].astype(np.float64)))
    assert 0.3 * session.speed < away < 1.5 * session.speed


def test_a_scaled_and_turned_character_goes_the_way_of_the_world(character: bpy.types.Object) -> None:
    character.scale = (0.1, 0.1, 0.1)
    character.rotation_mode = "XYZ"
    character.rotation_euler = (0.0, 0.0, np.pi / 2)
    character.location = (3.0, 2.0, 0.0)
    bpy.context.view_layer.update()
    session = played(character, steps=180)
    proxy = make_proxy(character, bpy.context.scene)
    places = []
    for frame in (session.frames[120], session.frames[-1]):
        pose_proxy(proxy, frame)
        bpy.context.view_layer.update()
        places.append(np.array(proxy.matrix_world @ proxy.pose.bones[0].head))
    way = places[1] - places[0]
    assert way[1] < -0.05
    assert abs(way[0]) < 0.3 * abs(way[1])


def test_a_style_of_gestures_performs_in_place_and_the_status_says_so(character: bpy.types.Object) -> None:
    for name in ("Walk", "Wave"):
        item = character.genmm.examples.add()
        item.action = next(action for action in bpy.data.actions if action.name.endswith(name))
    session = played(character, steps=0)
    styles = session.steering.styles
    assert [style.travels for style in styles] == [True, True, False]
    assert (styles[1].said, styles[2].said) == (styles[1].name, f"{styles[2].name} (stays in place)")
    session.choose_style(2)
    for _ in range(60):
        session.step(Wish(velocity=session.speed * session.steering.direction(np.array([0.0, -1.0, 0.0]))))
    assert np.linalg.norm(session.place()) < 0.3
    index = session.steering.controller.examples.index
    assert styles[2].allowed is not None
    assert styles[2].allowed[index.clips[int(session.state.frame)]]

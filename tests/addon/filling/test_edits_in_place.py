# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits in place: a failure while writing leaves everything exactly as it was, and two keys on one frame are kept."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, FCurve, Object
from characters import walking_sample
from interface import select
from numpy.typing import NDArray

from genmm_addon.animation import actions
from genmm_addon.animation.keys.key_writing import KeyWriter
from genmm_addon.animation.reading.example_spec import ExampleSpec
from genmm_addon.animation.stretches import key_tables
from genmm_addon.generation.generate import generate
from genmm_addon.generation.request import Request

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST, LENGTH = 41, 71, 301
STRIP = ("name", "action", "frame_start_raw", "frame_end_raw", "action_frame_start", "action_frame_end")
BLEND = ("use_auto_blend", "blend_in", "blend_out", "blend_type", "extrapolation")
State = dict[str, Any]


def played(rig: Object) -> Action:
    playing = actions.assigned(rig)
    assert playing is not None
    return playing[0]


def curves_of(action: Action) -> list[FCurve]:
    return [curve for holder in actions.curve_holders(action) for curve in holder.fcurves]


def exactly(curve: FCurve) -> State:
    """Return all that a curve is made of."""
    table = key_tables.read_keys(curve)
    return {
        "keys": table.places.tobytes(),
        "marks": {name: values.tobytes() for name, values in table.marks.items()},
        "extrapolation": curve.extrapolation,
        "modifiers": [(one.type, one.mute) for one in curve.modifiers],
        "group": "" if curve.group is None else curve.group.name,
        "locked": (curve.lock, curve.mute, curve.auto_smoothing, list(curve.color[:]), curve.color_mode),
    }


def everything() -> State:
    """Return all actions of the file exactly, what plays them, and the strips of all objects."""
    bpy.context.scene.frame_set(1)
    found: State = {}
    for action in bpy.data.actions:
        found[action.name] = (
            [(curve.data_path, curve.array_index, exactly(curve)) for curve in curves_of(action)],
            [group.name for holder in actions.curve_holders(action) for group in holder.groups],
            {name: value.to_dict() if hasattr(value, "to_dict") else value for name, value in action.items()},
            (action.use_frame_range, action.frame_start, action.frame_end, action.use_cyclic),
        )
    for thing in bpy.data.objects:
        data = thing.animation_data
        found[f"{thing.name} plays"] = actions.assigned(thing)
        found[f"{thing.name} strips"] = [
            (track.name, [[getattr(strip, name) for name in (*STRIP, *BLEND)] for strip in track.strips])
            for track in (data.nla_tracks if data is not None else ())
        ]
        if thing.pose is not None:
            bones = [(bone.name, bone.location[:], bone.rotation_quaternion[:]) for bone in thing.pose.bones]
            found[f"{thing.name} bones"] = (bones, thing.get("genmm_root_motion"), thing.data.name)
    return found


def odd(action: Action, *, smooth: bool) -> None:
    """Give the curves shapes that are hard to restore; smooth: without steps and modifiers."""
    for number, curve in enumerate(curves_of(action)):
        curve.extrapolation = "LINEAR" if number % 2 else "CONSTANT"
        for one, point in enumerate(curve.keyframe_points):
            point.interpolation = ("BEZIER", "LINEAR", "LINEAR" if smooth else "CONSTANT")[(one + number) % 3]
            point.handle_left_type = point.handle_right_type = ("AUTO", "FREE", "VECTOR", "ALIGNED")[one % 4]
            point.type = ("KEYFRAME", "EXTREME", "GENERATED")[one % 3]
        if not smooth:
            curve.modifiers.new("NOISE").mute = True
        if number % 3 == 0:
            two_on_one_frame(curve, (1.0, 20.0, FIRST, 55.0, 55.004, LAST, 90.0, LENGTH))
    for holder in actions.curve_holders(action):
        holder.groups.new("Of My Own")


def two_on_one_frame(curve: FCurve, frames: tuple[float, ...]) -> None:
    """Add second keys at frames, which Blender keeps as long as it does not compute the curve's handles again."""
    table = key_tables.read_keys(curve)
    further = key_tables.new_keys(np.array(frames), np.array([curve.evaluate(frame) + 0.01 for frame in frames]))
    whole = key_tables.joined(table, further)
    key_tables.write_exactly(curve, whole.take(np.argsort(whole.times, kind="stable")))
    assert len(curve.keyframe_points) == len(whole.times)


@pytest.fixture
def rig() -> Object:
    """Return the sample, which plays a copy of its walk and learns from the walk itself."""
    rig = walking_sample()
    walk = played(rig)
    own = walk.copy()
    own.name = "Own"
    actions.assign(rig, own)
    select(rig)
    bpy.ops.genmm.add_example(action=walk.name)
    return rig


def keep_poses(rig: Object) -> None:
    for curve in curves_of(played(rig)):
        points = curve.keyframe_points
        for number in reversed(range(len(points))):
            points[number].type = "KEYFRAME"
            if round(points[number].co.x) % 20 != 1:
                points.remove(points[number], fast=True)
        curve.update()


def with_spike(rig: Object) -> None:
    for curve in curves_of(played(rig)):
        if '"Shin.L"' in curve.data_path and "rotation" in curve.data_path and curve.array_index == 1:
            for frame in (40, 41):
                curve.keyframe_points.insert(frame, curve.evaluate(frame) + 0.4)
            curve.update()


def on_stairs(rig: Object) -> None:
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata([(-9, 9, 0), (9, 9, 0), (9, -99, 9), (-9, -99, 9)], [], [(3, 2, 1, 0)])
    ground = bpy.data.objects.new("Ground", mesh)
    bpy.context.scene.collection.objects.link(ground)
    rig.genmm.ground_object = ground


def with_place(rig: Object) -> None:
    bpy.context.scene.frame_set(60)
    target = bpy.data.objects.new("Handle", None)
    target.location = rig.matrix_world @ rig.pose.bones["Hand.R"].matrix.translation
    target.location.z += 0.05
    bpy.context.scene.collection.objects.link(target)


def coarse(_rig: Object) -> None:
    bpy.ops.genmm.coarse_keys()


def filled(_rig: Object) -> None:
    fill()


def in_strips(rig: Object) -> None:
    actions.clear_assignment(rig)
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, bpy.data.actions["GenMM Walk"])
    track.strips.new("Proud", 310, bpy.data.actions["GenMM Walk Proud"])


def with_result(rig: Object) -> None:
    made = generate(bpy.context, Request(rig, (ExampleSpec(bpy.data.actions["GenMM Dance"]),), 120, seeds=(3,)))[0]
    select(made.object)


def with_locks(rig: Object) -> None:
    with_result(rig)
    bpy.ops.genmm.edit_stretch(action="LOCK", first=50, last=70)


def nothing(_rig: Object) -> None:
    pass


def fill(**values: Any) -> set[str]:
    return set(bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=FIRST, last_frame=LAST, **values))


def called(name: str, **values: Any) -> Callable[[], Any]:
    return lambda: getattr(bpy.ops.genmm, name)(**values)


RANGE = {"range_choice": "FRAMES", "first_frame": FIRST, "last_frame": LAST}
TIRED, PROUD = "GenMM Walk Tired", "GenMM Walk Proud"
MADE_BEFORE = ("full", "next filling", "simplify generated", "regenerate", "regenerate unlocked")
"""Edits of what another edit has made."""
EDITS: dict[str, tuple[Callable[[Object], None], Callable[[], Any]]] = {
    "fill": (nothing, called("fill_range", **RANGE)),
    "fill with other duration": (
        nothing,
        called("fill_range", **RANGE, timing="DURATION", duration=40, moves_following=True),
    ),
    "next filling": (filled, called("next_filling")),
    "trajectory": (nothing, called("choose_trajectory", **{**RANGE, "moves_following": True})),
    "blocking": (keep_poses, called("blocking_to_spline")),
    "continue": (nothing, called("continue_action", frames=30, blend=5)),
    "continue from playhead": (nothing, called("continue_action", start="PLAYHEAD", frames=30)),
    "continue backwards": (nothing, called("continue_action", start="FIRST_KEY", frames=30)),
    "connect": (nothing, called("connect_action", action=TIRED)),
    "natural": (nothing, called("make_natural", **RANGE)),
    "coarse": (nothing, called("coarse_keys")),
    "full": (coarse, called("switch_keys", action="FULL")),
    "simplify": (nothing, called("simplify_keys", where="ACTION")),
    "simplify generated": (filled, called("simplify_keys", where="GENERATED")),
    "repair": (with_spike, called("repair", kinds={"SPIKE"})),
    "restyle": (nothing, called("restyle", other_action=TIRED, keep_timing=False)),
    "blend": (nothing, called("blend_action", other_action=TIRED, share=0.5)),
    "attributes": (nothing, called("edit_attributes", other_action=TIRED, attributes="crouch=0.04")),
    "ground": (on_stairs, called("put_feet_on_ground")),
    "places": (with_place, called("reach_in_action", places="Hand.R at Handle 60-64")),
    "root motion": (nothing, called("root_motion_to_bone")),
    "blend strip": (in_strips, called("blend_strip", strip="Proud", blend_in=12)),
    "connect strips": (in_strips, called("connect_strips", strip="Proud")),
    "regenerate": (with_result, called("edit_stretch", action="REGENERATE", first=40, last=70)),
    "regenerate unlocked": (with_locks, called("edit_stretch", action="REGENERATE_UNLOCKED")),
}


def writes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of curves written so far, and the number at which writing fails, both still to be set."""
    counts = [0, 0]

    def counted(write: Callable[..., Any]) -> Callable[..., Any]:
        def writing(*values: Any) -> Any:
            done = write(*values)
            counts[0] += 1
            if counts[0] == counts[1]:
                raise RuntimeError("no memory for keys")
            return done

        return writing

    monkeypatch.setattr(key_tables, "write_exactly", counted(key_tables.write_exactly))
    monkeypatch.setattr(KeyWriter, "_add", counted(KeyWriter._add))
    return counts


def failed(edit: Callable[[], Any], counts: list[int], number: int) -> bool:
    """Return whether an edit fails when it writes the curve with a number; False where it writes fewer."""
    counts[:] = [0, number]
    try:
        assert edit() == {"FINISHED"}
    except RuntimeError as error:
        assert "no memory for keys" in str(error)
        return True
    return False


WRITING = ("coarse", "full", "simplify", "restyle", "ground", "root motion", "connect strips", "regenerate")
"""Edits that write in other ways than the first, and than each other: to actions, slots, strips and objects."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.every_case] if name in WRITING else []) for name in EDITS]
)
def test_an_edit_that_fails_leaves_everything_unchanged_and_can_be_repeated(
    name: str, rig: Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, edit = EDITS[name]
    prepare(rig)
    if name not in MADE_BEFORE:
        for action in (bpy.data.actions["Own"], bpy.data.actions[PROUD]):
            odd(action, smooth=name == "simplify")
    counts, before = writes(monkeypatch), everything()
    number = 1
    while failed(edit, counts, number):
        now = everything()
        assert now.keys() == before.keys()
        for what, there in before.items():
            assert now[what] == there, f"{what} after failure {number}"
        number *= 5 if number == 1 else 20
    assert number > 5, "it fails while it writes"


def values(action: Action, frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of the curves at frames, as they play."""
    return np.array([[curve.evaluate(frame) for frame in frames] for curve in curves_of(action)])


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("fill", FIRST, LAST),
        ("natural", FIRST, LAST),
        ("continue from playhead", FIRST, 9e9),
        ("continue", LENGTH - 5, 9e9),
        ("continue backwards", -9e9, 1),
    ],
)
def test_two_keys_on_one_frame_stay_outside_of_the_range(name: str, first: float, last: float, rig: Object) -> None:
    own = played(rig)
    doubled = (20.0, FIRST, 55.0, 55.004, LAST, 90.0, LENGTH)
    for curve in curves_of(own)[::3]:
        two_on_one_frame(curve, doubled)
    bpy.context.scene.frame_set(FIRST)
    # At two keys on a frame itself, Blender plays either.
    frames = np.setdiff1d(np.arange(1.0, LENGTH + 0.01, 0.125), doubled)
    outside = frames[(frames < first) | (frames > last)]
    before = values(own, outside)
    assert EDITS[name][1]() == {"FINISHED"}
    np.testing.assert_allclose(values(own, outside), before, atol=1e-5)

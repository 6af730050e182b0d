# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of all keys of the sample's walk after each operator that edits an action, and of the actions they make."""

from collections.abc import Callable, Iterator
from typing import Any

import bpy
from bpy.types import Action, Object

from genmm_addon.animation.actions import armature_slots, assign, assigned, fcurves_of
from genmm_addon.character.sample.sample_character import add_sample_character

from ..motions.clips import RATE
from .digests import Case, key_columns_of

WALK, TIRED, PROUD = "GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud"
RANGE = {"range_choice": "FRAMES", "first_frame": 41, "last_frame": 71}


def operator_cases() -> Iterator[Case]:
    """Yield the digest of the played action's keys after each edit of the sample's walk, each in a fresh file."""
    for name, edit in EDITS.items():
        rig = _walking_sample()
        before = set(bpy.data.actions)
        try:
            edit(rig)
        except RuntimeError as error:
            yield f"operator {name}", f"refused: {error}"
            continue
        made = sorted(set(bpy.data.actions) - before, key=lambda action: str(action.name))
        playing = assigned(rig)
        assert playing is not None
        curves = [curve for action in (playing[0], *made) for curve in _curves_of(action)]
        yield f"operator {name}", [key_columns_of(curve) for curve in curves]


def _walking_sample() -> Object:
    """Return the sample, alone in an empty file, which plays a copy of its walk and uses two walks as examples."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = RATE, 1.0
    rig = add_sample_character(bpy.context).armature
    own = bpy.data.actions[WALK].copy()
    own.name = "Mine"
    assign(rig, own)
    bpy.context.view_layer.objects.active = rig
    for name in (WALK, PROUD):
        _operators().add_example(action=name)
    return rig


def _curves_of(action: Action) -> list[Any]:
    # Their order says nothing about the motion.
    curves = [curve for slot in armature_slots(action)[:1] for curve in fcurves_of(action, slot)]
    return sorted(curves, key=lambda curve: (curve.data_path, curve.array_index))


def _operators() -> Any:
    return bpy.ops.genmm  # type: ignore[attr-defined]  # registered by the extension


def _coarse_and_back(_rig: Object) -> None:
    _operators().coarse_keys()
    _operators().switch_keys(action="FULL")


def _block(_rig: Object) -> None:
    _operators().coarse_keys(spacing="EVEN", seconds=0.5)
    _operators().blocking_to_spline()


def _stand_on_a_ramp(_rig: Object) -> None:
    mesh = bpy.data.meshes.new("Ramp")
    corners = [(-20.0, -20.0, -0.4), (20.0, -20.0, -0.4), (20.0, 20.0, 0.4), (-20.0, 20.0, 0.4)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    ramp = bpy.data.objects.new("Ramp", mesh)
    bpy.context.scene.collection.objects.link(ramp)
    bpy.context.view_layer.update()
    _operators().put_feet_on_ground(ground=ramp.name)


def _reach(rig: Object) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    hand = next(bone for bone in rig.pose.bones if "hand" in bone.name.lower())
    bpy.context.scene.frame_set(50)
    target.location = rig.matrix_world @ hand.head + rig.matrix_world.to_3x3().col[2] * 0.1
    bpy.context.view_layer.update()
    _operators().reach_in_action(places=f"{hand.name} at {target.name} 45-55")


EDITS: dict[str, Callable[[Object], object]] = {
    "fill": lambda _rig: _operators().fill_range(**RANGE),
    "next filling": lambda _rig: (_operators().fill_range(**RANGE), _operators().next_filling()),
    "blocking to spline": _block,
    "continue": lambda _rig: _operators().continue_action(frames=60),
    "continue backward": lambda _rig: _operators().continue_action(start="FIRST_KEY", frames=30),
    "connect": lambda _rig: _operators().connect_action(action=PROUD),
    "coarse keys": _coarse_and_back,
    "make natural": lambda _rig: _operators().make_natural(**RANGE),
    "simplify": lambda _rig: _operators().simplify_keys(),
    "restyle": lambda _rig: _operators().restyle(other_action=TIRED),
    "blend": lambda _rig: _operators().blend_action(other_action=TIRED),
    "attributes": lambda _rig: _operators().edit_attributes(other_action=TIRED, attributes="speed=0.95x"),
    "repair": lambda _rig: _operators().repair(what="EVERYTHING"),
    "ground": _stand_on_a_ramp,
    "reach": _reach,
    "root motion": lambda _rig: _operators().root_motion_to_bone(),
}
"""Edits of the played action by name."""

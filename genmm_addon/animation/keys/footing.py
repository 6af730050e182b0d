# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of an action that is simplified: keys where they land or lift off, and errors small enough for their places."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Action, Constraint, Object

from ...core import Float64, Mask, Motion, rotations
from ...core.feet import contact_changes, find_feet
from ...core.motion import on_skeleton
from ..actions import POSE_BONES
from ..curves import collect_curves
from ..layout import make_layout
from ..reading.channel_reading import read_channels
from ..reading.example_spec import ExampleSpec
from ..reading.visual import read_visual
from ..rig import read_bones, read_skeleton
from ..scene_time import scene_rate
from .simplification import Simplification

SHORTEST_STILL = 0.25
"""Shortest hold, in seconds: the six frames of film that a pose needs to be read (Williams 2001)."""
MOST_TRIES = 6
"""Most times that the errors of legs are reduced; two are usual."""


@dataclass(frozen=True)
class KeyedFooting:
    """Needs of the feet of an action for its keys.

    changes: frames at which a foot lands or lifts off. bones: those that move the feet; "" is the object. fineness:
    factor of their largest errors. shortest_still: least frames of a hold.
    """

    changes: tuple[float, ...] = ()
    bones: frozenset[str] = frozenset()
    fineness: float = 1.0
    shortest_still: int = 0

    def required(self, frames: Float64) -> Mask:
        """Return a mask `(T,)` of the frames that need a key; of each change, the nearest frame."""
        mask = np.zeros(len(frames), bool)
        for change in self.changes if len(frames) else ():
            if frames[0] <= change <= frames[-1]:
                mask[int(np.abs(frames - change).argmin())] = True
        return mask

    def factor(self, path: str) -> float:
        """Return the factor of the largest errors of curves with this data path."""
        start, _, rest = path.partition(f'{POSE_BONES}"')
        bone = bpy.utils.unescape_identifier(rest[: rest.rfind('"]')]) if rest and not start else ""
        return self.fineness if bone in self.bones else 1.0


NO_FOOTING = KeyedFooting()


def footing_for(
    before: Motion,
    frames: Float64,
    precision: Simplification,
    moving: Callable[[list[str]], Iterable[str]],
    shown: Callable[[KeyedFooting], Motion],
) -> KeyedFooting:
    """Return the footing with which no foot of a motion at `frames` `(T,)` is farther off than a location may be.

    moving: returns the bones that move the feet with these names. shown: returns the motion simplified with a footing.
    """
    feet = [foot.joint for foot in find_feet([before])]
    changes = frames[contact_changes(before)].tolist()
    bones = frozenset(moving([before.skeleton.names[foot] for foot in feet]))
    still = max(round(SHORTEST_STILL * before.frames_per_second), 2)
    footing = KeyedFooting(tuple(changes), bones, 1.0, still)
    for _ in range(MOST_TRIES if feet and precision.density is None else 0):
        worst = largest_miss(before, shown(footing), feet)
        if worst <= precision.share:
            break
        # The errors of a leg add up at its foot nearly in proportion to them.
        footing = replace(footing, fineness=0.9 * footing.fineness * precision.share / worst)
    return footing


def footing_in_action(
    armature: Object,
    action: Action,
    slot: str,
    precision: Simplification,
    frames: Float64,
    simplify: Callable[[Action, KeyedFooting], object],
) -> KeyedFooting:
    """Return the footing for an action at `frames` `(T,)`, with feet where the rig's constraints bring them.

    simplify: simplifies an action with a footing; it is called with copies.
    """

    def shown(footing: KeyedFooting) -> Motion:
        tried = action.copy()
        try:
            simplify(tried, footing)
            return motion_shown(armature, tried, slot, frames)
        finally:
            bpy.data.actions.remove(tried)

    before = motion_shown(armature, action, slot, frames)
    return footing_for(before, frames, precision, lambda feet: _moving(armature, feet), shown)


def largest_miss(before: Motion, after: Motion, joints: Iterable[int]) -> float:
    """Return the largest distance of the joints from their places at any frame, in sizes of the skeleton."""
    places, others = before.pose()[1], after.pose()[1]
    away = [float(np.linalg.norm(places[:, joint] - others[:, joint], axis=1).max()) for joint in joints]
    return max(away, default=0.0) / max(before.skeleton.size, float(np.finfo(np.float32).tiny))


def describe_difference(before: Motion, after: Motion) -> str:
    """Return the end of a sentence that tells how far bones and feet of a motion are off at any frame."""
    turn = math.degrees(rotations.angle_between(before.rotations, after.rotations).max(initial=0.0))
    miss = largest_miss(before, after, [foot.joint for foot in find_feet([before])])
    feet = f", and feet by {100.0 * miss:.1f} % of the size" if miss else ""
    return f"; bones are off by up to {turn:.1f} degrees{feet}"


def motion_shown(armature: Object, action: Action, slot: str, frames: Float64) -> Motion:
    """Return the action as Blender shows it at `frames` `(T,)`; in NLA tweak mode, the motion of its keys."""
    curves, scene, data = collect_curves(armature, action, slot), bpy.context.scene, armature.animation_data
    if data is not None and data.use_tweak_mode:
        layout = make_layout(armature, read_bones(armature, curves.keys_object), [curves])
        read = read_channels(layout, curves, frames, scene_rate(scene))
        return on_skeleton(read, read_skeleton(armature, curves.keys_object))
    motion = read_visual(armature, [ExampleSpec(action, slot)], [curves], [frames], scene).motions[0]
    return replace(motion, frames_per_second=scene_rate(scene))


def _moving(armature: Object, feet: list[str]) -> set[str]:
    """Return the bones that move the feet: those above them, and those that their constraints follow."""
    found, waiting = {""}, list(feet)
    while waiting:
        name = waiting.pop()
        if name in found or name not in armature.pose.bones:
            continue
        bone = armature.pose.bones[name]
        found.add(name)
        waiting += [bone.parent.name] if bone.parent else []
        waiting += [followed for constraint in bone.constraints for followed in _followed(armature, constraint)]
    return found


def _followed(armature: Object, constraint: Constraint) -> Iterator[str]:
    """Yield the names of the bones that a constraint follows; "" for others."""
    for target in getattr(constraint, "targets", (constraint,)):
        if getattr(target, "target", None) == armature:
            yield target.subtarget
    if getattr(constraint, "pole_target", None) == armature:
        yield getattr(constraint, "pole_subtarget", "")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet of the action that a character plays brought to places; nothing else in it changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.bone_places import BonePlace, check_place, read_places
from ..animation.reading.evaluation import ROUNDING
from ..animation.reading.example_spec import Reading
from ..animation.stretches.checks import check_action
from ..animation.stretches.key_times import times_of_motion
from ..animation.stretches.replacing import Stretch
from ..core import Float64, InputError, Mask, Motion, Reach, computing
from ..core.environment import (
    Met,
    ReachBody,
    find_body,
    meet_places,
    note_on_acceleration,
    quickest_in,
    why_not_met,
    why_out_of_reach,
)
from ..core.evaluation import find_balance
from ..core.feet import standing_of
from ..core.motion import SAME_PLACE
from .control_rig import legs_need_controls
from .controls import EvaluatedRig, check_followed, responses_of
from .evaluated_body import RigAction, read_keys_of
from .rig_limbs import ROUNDS


@dataclass(frozen=True)
class Reached:
    """Changed frames of an action; bones: the number of bones at their places. notes: sentences for the user."""

    first: float
    last: float
    bones: int
    notes: tuple[str, ...] = ()


@computing()
def reach_in_action(character: Object, scene: Scene, action: Action, slot: str, places: Sequence[BonePlace]) -> Reached:
    """Bring bones to their places in the character's action; the frames of the way there and back change as well.

    Raises InputError, with nothing changed, for places out of reach and where the action cannot be written to.
    """
    if not places:
        raise InputError("No bone has a place; add one to the list, with its object and frames.")
    check_action(character, action)
    times = times_of_motion(character, action, slot)
    reading = read_keys_of(character, scene, action, slot)
    skeleton = reading.motions[0].skeleton
    for place in places:
        check_place(place, character, skeleton)
        check_keys(place.bone, reading)
    first = min(float(np.floor(times[0])), *(float(place.first) for place in places))
    last = max(float(np.ceil(times[-1])), *(float(place.last) for place in places))
    frames = np.arange(first, last + 1.0)
    edited = RigAction(character, scene, action, slot, reading, frames)
    check_followed(edited, [(place.bone, np.arange(float(place.first), place.last + 1.0)) for place in places])
    motion = edited.keys()
    reaches = read_places(places, character, motion.skeleton, scene, frames)
    reason = why_out_of_reach(skeleton, reaches, np.max(motion.pose()[1] @ np.array(skeleton.up), axis=0))
    if reason:
        raise InputError(reason)
    body = find_body([motion], [reach.joint for reach in reaches])
    body = replace(body, balance=find_balance([motion], standing_of(motion)))
    fixed = np.tile(unkeyed(motion, reading), (motion.frames, 1))
    met = meet_places(motion, reaches, body, fixed)
    if legs_need_controls(character, [motion], None) and not _is_calm(met, reaches, body):
        # The few keyed joints of a control rig's trunk may not bend to a low place while its feet stay.
        body = replace(body, feet=(), balance=None)
        met = meet_places(motion, reaches, body, fixed)
    reason = why_not_met(reaches, met.missing, skeleton.size, first)
    if reason:
        raise InputError(reason)

    def solve(asked: Sequence[Reach]) -> Motion:
        return meet_places(motion, asked, body, fixed, met.attempt).motion

    reached = corrected(edited, motion, met.motion, reaches, reaches, solve)
    where = write_changes(edited, motion, reached)
    notes = note_on_acceleration(quickest_in(reached), reached, reaches, body.acceleration, first)
    return Reached(*where, len({place.bone for place in places}), notes)


def check_keys(bone: str, reading: Reading) -> None:
    """Raise InputError where neither a bone nor any above it has keys that could move it."""
    skeleton = reading.motions[0].skeleton
    keyed = {*reading.keyed.rotations, *reading.keyed.locations}
    if keyed.isdisjoint(skeleton.names[joint] for joint in skeleton.chain(skeleton.names.index(bone))):
        raise InputError(f'No keys move "{bone}"; choose a control that has keys.')


def unkeyed(motion: Motion, reading: Reading) -> Mask:
    """Return the joints `(J,)` whose rotations have no keys, and which constraints move on a control rig."""
    return np.asarray(~np.isin(motion.skeleton.names, list(reading.keyed.rotations)))


def _is_calm(met: Met, reaches: Sequence[Reach], body: ReachBody) -> bool:
    """Return whether a body with legs meets places and moves calmly."""
    is_calm = not note_on_acceleration(met.quickest, met.motion, reaches, body.acceleration, 0.0)
    is_met = met.missing.max() <= SAME_PLACE * met.motion.skeleton.size
    return bool(is_calm and is_met and any(foot.has_leg for foot in body.feet))


def write_changes(edited: RigAction, motion: Motion, reached: Motion) -> tuple[float, float]:
    """Write only the frames and joints that differ; return the first and the last of these frames."""
    turned = np.abs(reached.rotations - motion.rotations).max(axis=2) > ROUNDING
    moved = (
        np.abs(reached.translations - motion.translations).max(axis=2, initial=0.0) > ROUNDING * motion.skeleton.size
    )
    frames = edited.frames
    changed = np.flatnonzero(turned.any(axis=1) | moved.any(axis=1))
    if not len(changed):
        return float(frames[0]), float(frames[0])
    names = np.array(motion.skeleton.names)
    bones = set(names[turned.any(axis=0)]), set(names[motion.translated[moved.any(axis=0)]])
    keyed = edited.reading.keyed.of(*bones, edited.character)
    first, last = max(int(changed[0]) - 1, 0), min(int(changed[-1]) + 1, len(frames) - 1)
    keeps_first, keeps_last = first < changed[0], last > changed[-1]
    stretch = Stretch(float(frames[first]), float(frames[last]), keeps_first, keeps_last)
    edited.write(stretch, reached.slice(first, last + 1), keyed)
    return float(frames[changed[0]]), float(frames[changed[-1]])


def corrected(
    edited: RigAction,
    motion: Motion,
    reached: Motion,
    reaches: Sequence[Reach],
    asked: Sequence[Reach],
    solve: Callable[[Sequence[Reach]], Motion],
    *,
    may_stretch: bool = False,
) -> Motion:
    """Return a reached motion corrected for the effect of the rig's own constraints on the keys.

    motion: before it was changed. reaches: the places of the bones as Blender evaluates them. asked: those of the
    joints, with which `solve` returned `reached`. The keys are tried on a copy of the action.
    may_stretch: controls may be farther away than the rig's inverse kinematics reaches.
    Raises InputError where the rig keeps a bone off its place, or its inverse kinematics does not reach a control.
    """
    size, asked = motion.skeleton.size, list(asked)
    tried = replace(edited, action=edited.action.copy())
    rig = EvaluatedRig(tried)

    def heads_with(places: Sequence[Reach]) -> tuple[Motion, list[Float64]]:
        shown = solve(places)
        write_changes(tried, motion, shown)
        return shown, rig.heads(shown, reaches)

    try:
        write_changes(tried, motion, reached)
        heads, worst = rig.heads(reached, reaches), [np.inf]
        # A control's location may use other axes than its bone's, or be affected by constraints.
        tried_places = [number for number, reach in enumerate(asked) if reach.joint in motion.translated]
        responses: list[Float64] = []
        for _ in range(ROUNDS):
            away = [
                np.where(reach.active[:, None], reach.positions - head, 0.0)
                for reach, head in zip(reaches, heads, strict=True)
            ]
            before, worst = max(worst), [float(np.linalg.norm(off, axis=1).max(initial=0.0)) for off in away]
            if max(worst) <= SAME_PLACE * size:
                if not may_stretch:
                    rig.check_chains(reached, reaches)
                return reached
            # A limb may hang from bones that constraints turn, so that it does not move as its target does.
            is_slow = max(worst) > before / 2
            if is_slow:
                tried_places = list(range(len(asked)))
            if is_slow or not responses:
                responses = responses_of(motion, asked, heads, lambda places: heads_with(places)[1], tried_places)
            asked = [
                replace(reach, positions=reach.positions + np.einsum("tab,tb->ta", response, off))
                for reach, response, off in zip(asked, responses, away, strict=True)
            ]
            reached, heads = heads_with(asked)
    finally:
        bpy.data.actions.remove(tried.action)
    place = reaches[int(np.argmax(worst))].said
    raise InputError(
        f"Constraints of the rig keep {place} off by {100 * max(worst) / size:.2g} % of the character's size; choose a "
        "control that moves the limb, or bake the action first."
    )

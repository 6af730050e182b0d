# SPDX-License-Identifier: GPL-3.0-or-later
"""Round trips: a character's motion is read and written back, and its poses are compared."""

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import Reading, example_range, read_examples
from genmm_addon.animation.writing import write_action
from genmm_addon.core import InputError
from genmm_addon.generation.outputs import mute_pose_makers
from genmm_addon.requests.played_examples import played_examples

from .random_rigs import Built

SAME = 2e-3
"""Largest difference of poses in single precision through long chains: positions in sizes of the skeleton, axes in
their lengths."""
SAME_CHANNELS = 1e-5
"""Largest difference in the channels of one bone, where no chain accumulates errors."""
BEHIND = 3e-7
"""Smallest relative difference of frames in single precision."""
LOOKED_AT = 6
"""Number of frames of each action that are compared."""


@dataclass(frozen=True)
class Posed:
    """Matrices `(T, 1 + B, 4, 4)` of the object and its bones: those from the channels, and the evaluated ones."""

    channels: NDArray[np.float64]
    pose: NDArray[np.float64]


def round_trip(built: Built, *, visual: bool | None = None) -> str:
    """Return the outcome for a character whose motion is read and written back.

    "channels" or "visual": the poses are as before. "said": keys cannot represent them exactly, and a note says so;
    apart from bones detached from a connected parent, all joints are at their positions. "refused": it cannot be read.
    "unsettled": Blender itself poses it differently after a different frame.
    visual: whether to read it visually; None is as the character needs. Raises AssertionError if poses differ.
    """
    armature = built.armature
    try:
        spec = played_examples(armature)[0]
        reading = read_examples(armature, [spec], scene=bpy.context.scene, visual=visual)
        reading.motions[0].check_values("The action")
    except InputError as error:
        check_sentence(str(error))
        return "refused"
    armature.data.pose_position = "POSE"
    start, _ = example_range(armature, spec, bpy.context.scene)
    frames = start + np.unique(np.linspace(0, reading.motions[0].frames - 1, LOOKED_AT).astype(int))
    size = max(reading.motions[0].skeleton.size, 1e-3)
    constrained = _has_constraints(armature)
    before = _both_sides(armature, frames)
    if reading.visual and constrained and _depends_on_order(armature, frames, before[0], size):
        return "unsettled"
    _play_instead(armature, reading, start)
    after = _both_sides(armature, frames)
    traits = ", ".join(built.traits)
    if reading.visual and any("keys cannot represent" in note for note in reading.notes):
        if not any("connected" in note for note in reading.notes):
            away = _nearest([moved(old.pose, new.pose, size) for old, new in zip(before, after, strict=True)])
            assert away < SAME + _grain(armature, size), f"joints {away:.4g} away (sheared): {traits}"
        return "said"
    kind = "visual" if reading.visual else "channels"
    if not reading.visual:
        away = _nearest([difference(old.channels, new.channels, size) for old, new in zip(before, after, strict=True)])
        assert away < SAME_CHANNELS, f"channels {away:.4g} away: {traits}"
    if reading.visual or not constrained:
        away = _nearest([difference(old.pose, new.pose, size) for old, new in zip(before, after, strict=True)])
        assert away < SAME + _grain(armature, size), f"{away:.4g} away ({kind}): {traits}"
    return kind


def check_sentence(text: str) -> None:
    """Raise AssertionError unless the text is a sentence for the user."""
    assert text.endswith(".") and "Traceback" not in text, f"no sentence: {text}"


def difference(one: NDArray[np.float64], other: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    """Return the largest difference `(T,)` of matrices `(T, B, 4, 4)`: positions in `size`, axes in lengths."""
    lengths = np.maximum(np.linalg.norm(one[..., :3, :3], axis=-2, keepdims=True), 1.0)
    turned = np.abs(one[..., :3, :3] - other[..., :3, :3]) / lengths
    worst: NDArray[np.float64] = np.maximum(turned.max(axis=(1, 2, 3)), moved(one, other, size))
    return worst


def moved(one: NDArray[np.float64], other: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    """Return the largest difference `(T,)` between the positions of matrices `(T, B, 4, 4)`, in `size`."""
    # For a bone that a scale in its chain moves far away, the difference is relative to its distance.
    reach = np.maximum(np.linalg.norm(one[..., :3, 3], axis=-1, keepdims=True), size)
    farthest: NDArray[np.float64] = (np.abs(one[..., :3, 3] - other[..., :3, 3]) / reach).max(axis=(1, 2))
    return farthest


def _both_sides(armature: Object, frames: NDArray[np.float64]) -> tuple[Posed, Posed]:
    """Return the poses at the frames, and slightly after those that are not whole.

    Rounding may put the result on either side of a key that steps between two frames, or of the seam of a cycle; both
    are correct.
    """
    behind = np.where(frames % 1.0 == 0, frames, frames + BEHIND * np.maximum(np.abs(frames), 1.0))
    return _posed(armature, frames), _posed(armature, behind)


def _posed(armature: Object, frames: NDArray[np.float64]) -> Posed:
    channels, poses = [], []
    scene = bpy.context.scene
    for frame in frames.tolist():
        whole = int(np.floor(frame))
        scene.frame_set(whole, subframe=frame - whole)
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        channels.append([posed.matrix_basis.copy(), *(bone.matrix_basis.copy() for bone in posed.pose.bones)])
        poses.append([posed.matrix_basis.copy(), *(bone.matrix.copy() for bone in posed.pose.bones)])
    return Posed(np.array(channels, np.float64), np.array(poses, np.float64))


def _nearest(sides: list[NDArray[np.float64]]) -> float:
    return float(np.minimum(*sides).max())


def _has_constraints(armature: Object) -> bool:
    """Return whether constraints follow the channels, so that channels are compared instead of poses.

    Small differences grow in solvers of inverse kinematics, and in stretched bones of zero length.
    """
    return any(not item.mute for bone in armature.pose.bones for item in bone.constraints)


def _depends_on_order(armature: Object, frames: NDArray[np.float64], forwards: Posed, size: float) -> bool:
    """Return whether constraints give other poses if the frames are visited backward."""
    backwards = _posed(armature, frames[::-1]).pose[::-1]
    return bool(difference(forwards.pose, backwards, size).max() > SAME)


def _grain(armature: Object, size: float) -> float:
    """Return the resolution of single precision in the world, where constraints are evaluated, in sizes."""
    if not any(bone.constraints for bone in armature.pose.bones):
        return 0.0
    world = np.abs(np.array(armature.matrix_world, np.float64)[:3])
    scale = np.linalg.norm(world[:, :3], axis=0).min()
    return float(8 * np.finfo(np.float32).eps * max(world[:, 3].max(), 1.0) / (scale * size))


def _play_instead(armature: Object, reading: Reading, start: float) -> None:
    """Write the motion, and make the character play it alone."""
    written = write_action(reading.motions[0], reading.keyed, armature, name="Back", frame_start=start)
    if armature.animation_data is not None:
        armature.animation_data.use_nla = False
    if reading.visual:
        mute_pose_makers(armature, ExitStack())
    actions.assign(armature, written.action, written.slot)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions marked as assets, with tags, a catalog and a preview rendered here, since Blender's needs a camera."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.curves import collect_curves
from ..animation.reading.evaluation import evaluated_poses, playing, stage
from ..animation.reading.example_spec import check_example, used_examples
from ..animation.reading.examples import ExampleSpec, example_range, read_examples
from ..animation.rig import up_direction
from ..animation.stray_keys import stray_keys
from ..animation.stretches.linked import check_local
from ..core import Float32, Float64, Motion, computing
from .exploring.strips import PIXELS, moments, strip_of, strip_of_lines

ROWS, COLUMNS = 2, 2
"""Arrangement of a preview's poses: four moments, from the top left."""


def mark_as_asset(
    action: Action, preview: Float32, *, catalog: str = "", tags: Iterable[str] = (), description: str = ""
) -> None:
    """Mark an action as an asset, keep the asset data that it has, and replace its preview by `(H, W, 4)`.

    catalog: an identifier; "" leaves the action in its catalog. Raises InputError for an action that is linked.
    """
    check_local(action)
    action.use_fake_user = True
    if action.asset_data is None:
        action.asset_mark()
    data = action.asset_data
    assert data is not None
    if catalog:
        data.catalog_id = catalog
    if description:
        data.description = description
    for tag in tags:
        data.tags.new(tag, skip_if_exists=True)
    _keep_preview(action, preview)


def preview_of(motion: Motion) -> Float32:
    """Return four poses `(2 PIXELS, 2 PIXELS, 4)` of a motion; rows from the bottom up, colors not premultiplied."""
    return _together(strip_of(motion, ROWS * COLUMNS, PIXELS))


@computing()
def preview_of_action(armature: Object, action: Action, slot: str, scene: Scene) -> Float32:
    """Return the preview of an action that a character plays; for a control rig, it shows the visible bones.

    Raises InputError if the action has no keys for the character.
    """
    spec = _where_keys_are(armature, ExampleSpec(action, slot), scene)
    reading = read_examples(armature, [spec], scene=scene)
    check_example(armature, used_examples([spec])[0], reading.motions[0], scene)
    if not is_carried_by_constraints(armature):
        return preview_of(reading.motions[0])
    start = example_range(armature, spec, scene)[0]
    frames = np.asarray(start + moments(reading.motions[0].frames, ROWS * COLUMNS), np.float64)
    lines = seen_lines(armature, action, slot, frames, scene)
    return _together(strip_of_lines(lines, up_direction(armature), PIXELS))


def _where_keys_are(armature: Object, spec: ExampleSpec, scene: Scene) -> ExampleSpec:
    """Return the example without the frames to a key far from all others, in which nothing moves."""
    assert spec.action is not None
    start, end = example_range(armature, spec, scene)
    stray = stray_keys(collect_curves(armature, spec.action, spec.slot), start, end)
    return spec if stray is None else replace(spec, frame_start=float(stray.first), frame_end=float(stray.last))


def _together(strip: Float32) -> Float32:
    rows = [np.concatenate(list(strip[row * COLUMNS : (row + 1) * COLUMNS]), axis=1) for row in range(ROWS)]
    return np.concatenate(rows[::-1], axis=0)


def _keep_preview(action: Action, pixels: Float32) -> None:
    # Blender's stubs type the preview's pixels as a single number.
    preview: Any = action.preview_ensure()
    height, width = pixels.shape[:2]
    preview.image_size = (width, height)
    # Blender stores the colors of previews multiplied by their alpha.
    multiplied = np.concatenate((pixels[..., :3] * pixels[..., 3:], pixels[..., 3:]), axis=2)
    preview.image_pixels_float.foreach_set(np.ascontiguousarray(multiplied, np.float32).ravel())


def is_carried_by_constraints(armature: Object) -> bool:
    """Return whether deforming bones follow constraints, as in a control rig, so that keys do not give the pose."""
    deforming = (bone for bone in armature.pose.bones if bone.bone.use_deform)
    return any(not constraint.mute for bone in deforming for constraint in bone.constraints)


def seen_lines(armature: Object, action: Action, slot: str, frames: Float64, scene: Scene) -> Float64:
    """Return both ends `(T, 2, L, 3)` of the L deforming bones while an action plays, in the armature's space."""
    bones = armature.data.bones
    rows = [number for number, bone in enumerate(armature.pose.bones) if bones[bone.name].use_deform]
    lengths = np.array([armature.pose.bones[number].bone.length for number in rows])
    with stage(armature, scene) as temporary, playing(armature, action, slot):
        poses = evaluated_poses(armature, temporary, frames)[:, rows].astype(np.float64)
    heads = poses[..., :3, 3]
    return np.stack((heads, heads + lengths[:, None] * poses[..., :3, 1]), axis=1)

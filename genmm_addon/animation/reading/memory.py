# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory that examples need, estimated from their curves before anything is read."""

from collections.abc import Sequence

from bpy.types import Object, Scene

from ...core import InputError
from ...core.examples import BodySize, ExampleSize, Purpose, check_examples
from ..curves import SlotCurves
from ..scene_time import scene_rate
from ..stray_keys import LONGEST, stray_keys
from .example_spec import ExampleSpec, count_of, range_of, rate_of, used_examples

READING_BYTES = (140.0, 40.0)
"""Bytes per frame while keys are read: for each joint, and for each translated or scaled joint."""
VISUAL_BYTES = (430.0, 60.0)
"""Bytes as above while evaluated poses are read (both measured: 67 joints, 3,000 to 10,000 frames, Blender 5.0)."""


def check_reading(
    armature: Object,
    specs: Sequence[ExampleSpec],
    examples: Sequence[SlotCurves],
    scene: Scene,
    visual: bool,
    purpose: Purpose | None,
) -> tuple[str, ...]:
    """Raise InputError unless memory suffices for reading the examples and for their purpose; return notes.

    The notes are about stray keys, which also raise InputError if they make an example longer than
    LONGEST. examples: the curves of `specs`. purpose: None is a result of the whole body at the scene's
    rate.
    """
    sizes = [
        example_size(spec, curves, scene, beyond_keys=visual) for spec, curves in zip(specs, examples, strict=True)
    ]
    every = [sizes[example.number] for example in used_examples(specs)]
    body = body_of(armature, examples, visual)
    purpose = purpose or Purpose(scene_rate(scene))
    check_examples(every, body, purpose, body.times(VISUAL_BYTES if visual else READING_BYTES))
    for size in sizes:
        if size.advice and size.frames > LONGEST:
            beginning = f"{size.name} has {size.frames:,} frames, nearly all of them without keys."
            raise InputError(f"{beginning} {size.advice}")
    return tuple(size.advice.replace("It has", f"{size.name} has", 1) for size in sizes if size.advice)


def example_size(spec: ExampleSpec, curves: SlotCurves, scene: Scene, *, beyond_keys: bool = False) -> ExampleSize:
    """Return the name and number of frames of an example; beyond_keys: see range_of.

    Raises InputError if it has no range.
    """
    start, end = range_of(spec, curves, scene, beyond_keys=beyond_keys)
    stray = stray_keys(curves, start, end)
    advice = ""
    if stray is not None:
        advice = (
            f"It has {stray.where}: learn from {stray.range} "
            f"(a button below Learn From does; on the command line {stray.option})."
        )
    return ExampleSize(spec.name, count_of(start, end), rate_of(spec, scene), advice)


def body_of(armature: Object, examples: Sequence[SlotCurves], visual: bool) -> BodySize:
    """Return the number of channels in a frame, estimated from keys; a visual reading may move every bone."""
    joints = len(armature.pose.bones) + 1
    if visual:
        return BodySize(joints, joints)
    moved = max(sum(len(curves.transforms.get(name, {})) for name in ("location", "scale")) for curves in examples)
    scalars = max(len(curves.scalars) for curves in examples)
    return BodySize(joints, moved - (-scalars // 3))

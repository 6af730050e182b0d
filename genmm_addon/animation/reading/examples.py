# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of a character's actions as motions for the core."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from bpy.types import Object, Scene

from ...core import InputError, Motion, computing
from ...core.examples import BodySize, ExampleSize, Purpose, check_examples
from ...core.motion import on_skeleton
from ...core.transfer import Symmetry, counterpart, find_symmetry, mirror
from ..actions import strips_range
from ..channels import KeyedChannels, ScalarChannel
from ..curves import SlotCurves, owner_of, scalar_value
from ..detached_ends import keyed_with_ends
from ..layout import make_layout
from ..rig import check_armature, read_bones, read_skeleton
from ..scene_time import scene_rate
from ..stray_keys import LONGEST, stray_keys
from .channel_reading import read_channels
from .evaluation import ROUNDING, at_frame
from .example_spec import (
    ExampleSpec,
    Mirrored,
    Reading,
    count_of,
    curves_of_each,
    example_range,
    fixed_frame,
    frames_of,
    range_note,
    range_of,
    rate_of,
    used_examples,
)
from .other_characters import Foreign, brought_together
from .rest_start import has_rest_start
from .visual import read_visual

__all__ = ["ExampleSpec", "Reading", "example_range", "has_rest_start", "read_examples"]
READING_BYTES = (140.0, 40.0)
"""Bytes per frame while keys are read: for each joint, and for each translated or scaled joint."""
VISUAL_BYTES = (430.0, 60.0)
"""Bytes as above while evaluated poses are read (both measured: 67 joints, 3,000 to 10,000 frames, Blender 5.0)."""
NO_SIDES = (
    'The bones of "{name}" have no recognizable left and right sides, so its motion cannot be mirrored; '
    "use the examples As Recorded."
)


@computing()
def read_examples(
    armature: Object,
    specs: Sequence[ExampleSpec],
    *,
    scene: Scene,
    visual: bool | None = None,
    bone_names: Sequence[tuple[str, str]] = (),
    purpose: Purpose | None = None,
    keep_contacts: bool = True,
) -> Reading:
    """Return the examples' motions, sampled at frame_start, frame_start + 1, ... up to frame_end.

    Examples of other characters are transferred to this one's skeleton. bone_names: pairs of names there and here,
    which take precedence over those found automatically. Channels that an example does not key have the values of the
    character at the first frame of its first example, wherever the playhead is. keep_contacts: whether hands touch the
    body here where they do there. visual: False reads the keys of the channels, True the evaluated pose; None reads the
    evaluated pose only if the bones have no keys but are moved by other means. Values that are not finite are returned
    unchanged (`Motion.check_values` reports them). purpose: of the reading, which must fit into memory as well; None is
    a result of the whole body at the scene's rate. Mirrored examples follow, in the order of `used_examples`. Raises
    InputError for examples that cannot be read.
    """
    check_armature(armature)
    with at_frame(armature, scene, fixed_frame(armature, specs, scene)):
        reading = _read_as_recorded(armature, specs, scene, visual, bone_names, purpose, keep_contacts=keep_contacts)
        return with_mirrored(armature, reading, specs)


def read_keyed(armature: Object, specs: Sequence[ExampleSpec], scene: Scene) -> Reading:
    """Return the examples' keys, mirrored where asked, without evaluating anything, so that panels can read them.

    Channels without keys have their values at the playhead. Raises InputError as read_examples does.
    """
    return with_mirrored(armature, _read_as_recorded(armature, specs, scene, False, (), None), specs)


def _read_as_recorded(
    armature: Object,
    specs: Sequence[ExampleSpec],
    scene: Scene,
    visual: bool | None,
    bone_names: Sequence[tuple[str, str]],
    purpose: Purpose | None,
    *,
    keep_contacts: bool = True,
) -> Reading:
    """Return an unmirrored motion for each example."""
    check_armature(armature)
    if not specs:
        raise InputError("There is no example to learn from; add an action to the list.")
    if any(spec.armature not in (None, armature) for spec in specs):
        for spec in specs:
            check_armature(spec.armature or armature)
        check_reading(armature, specs, curves_of_each(armature, specs), scene, bool(visual), purpose)
        return _with_other_characters(armature, specs, scene, visual, bone_names, keep_contacts=keep_contacts)
    examples = curves_of_each(armature, specs)
    if visual is None:
        visual = any(spec.action is None for spec in specs) or _moved_by_others(armature, examples)
    stray = check_reading(armature, specs, examples, scene, visual, purpose)
    pairs = list(zip(specs, examples, strict=True))
    frames = [frames_of(spec, curves, scene, beyond_keys=visual) for spec, curves in pairs]
    if visual:
        seen = read_visual(armature, specs, examples, frames, scene)
        still = _check_moving(armature, pairs, seen.motions, scene)
        return replace(seen, notes=(*stray, *seen.notes, *still))
    if any(spec.action is None for spec in specs):
        raise InputError("An example without an action has no keys; choose an action or read it as Visual.")
    for spec, curves in zip(specs, examples, strict=True):
        if not curves.all_curves():
            raise InputError(curves.why_empty(spec.name, "choose another action or read it as Visual"))
    with_object = any(curves.keys_object for curves in examples)
    layout = make_layout(armature, read_bones(armature, with_object), examples)
    skeleton = read_skeleton(armature, with_object)
    motions = tuple(
        on_skeleton(read_channels(layout, curves, at, rate_of(spec, scene)), skeleton)
        for spec, curves, at in zip(specs, examples, frames, strict=True)
    )
    beyond = [note for spec, curves in pairs for note in range_note(spec, curves, scene)]
    notes = dict.fromkeys((*stray, *beyond, *(note for curves in examples for note in curves.notes)))
    return Reading(motions, keyed_with_ends(layout.keyed, skeleton, armature), False, tuple(notes))


def _check_moving(
    armature: Object, pairs: Sequence[tuple[ExampleSpec, SlotCurves]], motions: Sequence[Motion], scene: Scene
) -> tuple[str, ...]:
    """Return a sentence if nothing moves in an evaluated motion without keys or strips.

    Raises InputError if nothing moves in one that is outside the keys of its action or the strips.
    """
    still = []
    strips = strips_range(armature)
    for (spec, curves), motion in zip(pairs, motions, strict=True):
        changes = [np.ptp(values, axis=0).max(initial=0.0) for values in motion.channels().values()]
        if motion.frames < 2 or max(changes) > ROUNDING:
            continue
        first, last = range_of(spec, curves, scene, beyond_keys=True)
        if spec.action is not None:
            range_of(spec, curves, scene)
        elif strips is None:
            still.append(f'Nothing moves "{armature.name}" at frames {first:g} to {last:g}; give it an action.')
        elif last <= strips[0] or first >= strips[1]:
            raise InputError(
                f'The strips of "{armature.name}" play frames {strips[0]:g} to {strips[1]:g}, and nothing moves at '
                f"{first:g} to {last:g}; set the scene's range to theirs."
            )
    return tuple(still)


def _with_other_characters(
    armature: Object,
    specs: Sequence[ExampleSpec],
    scene: Scene,
    visual: bool | None,
    bone_names: Sequence[tuple[str, str]],
    *,
    keep_contacts: bool,
) -> Reading:
    """Return the character's own examples, and those of other characters on its skeleton, in their order."""
    own_specs = [spec for spec in specs if spec.armature in (None, armature)]
    read = _read_as_recorded(armature, own_specs, scene, visual, (), None) if own_specs else None
    foreign = [
        Foreign(
            spec.armature,
            read_examples(spec.armature, [replace(spec, armature=None, mirrored=Mirrored.AS_RECORDED)], scene=scene),
        )
        for spec in specs
        if spec.armature not in (None, armature)
    ]
    is_own = [spec.armature in (None, armature) for spec in specs]
    return brought_together(armature, is_own, read, foreign, bone_names, keep_contacts=keep_contacts)


def _moved_by_others(armature: Object, examples: Sequence[SlotCurves]) -> bool:
    """Return whether no bone has keys, but constraints, drivers or the NLA may move bones."""
    if any(curves.keys_bones for curves in examples):
        return False
    data = armature.animation_data
    driven = data is not None and (len(data.drivers) > 0 or len(data.nla_tracks) > 0)
    return driven or any(len(bone.constraints) > 0 for bone in armature.pose.bones)


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


def with_mirrored(armature: Object, reading: Reading, specs: Sequence[ExampleSpec]) -> Reading:
    """Return the reading of `specs` with the motions of `used_examples`, all with the same channels.

    Raises InputError if a mirror image is requested and the skeleton has no left and right.
    """
    used = used_examples(specs)
    if not any(example.is_mirrored for example in used):
        return reading
    for example in used:
        reading.motions[example.number].check_values(example.spec.name)
    symmetry = find_symmetry(reading.motions)
    if symmetry is None:
        raise InputError(NO_SIDES.format(name=armature.name))
    names = reading.motions[0].skeleton.names
    partners = {name: names[other] for name, other in zip(names, symmetry.partners, strict=True)}
    added = _added_scalars(armature, reading, symmetry, partners)
    recorded = [_with_scalars(armature, motion, added) for motion in reading.motions]
    motions = [
        mirror(recorded[example.number], symmetry) if example.is_mirrored else recorded[example.number]
        for example in used
    ]
    known = [
        _both_ways(reading.known[example.number], partners) if example.is_mirrored else reading.known[example.number]
        for example in used
        if reading.known
    ]
    return replace(
        reading,
        motions=_with_same_channels(motions),
        keyed=_keyed(armature, reading.keyed, partners, added),
        known=tuple(known),
    )


def _added_scalars(
    armature: Object, reading: Reading, symmetry: Symmetry, partners: dict[str, str]
) -> tuple[ScalarChannel, ...]:
    """Return the other side's values that no example animates, if the character has them."""
    known = {channel.name for channel in reading.keyed.scalars}
    skeleton = reading.motions[0].skeleton
    added = []
    for channel in reading.keyed.scalars:
        path = counterpart(channel.data_path, skeleton, symmetry)
        other = replace(channel, data_path=path, group=partners.get(channel.group, channel.group))
        if other.name not in known and _has(armature, other):
            added.append(other)
    return tuple(added)


def _has(armature: Object, channel: ScalarChannel) -> bool:
    try:
        value = armature.path_resolve(channel.data_path)
        return isinstance(value[channel.index] if channel.is_array else value, bool | int | float)
    except (ValueError, TypeError, IndexError):
        return False


def _with_scalars(armature: Object, motion: Motion, added: Sequence[ScalarChannel]) -> Motion:
    if not added:
        return motion
    values = np.array([scalar_value(armature, channel) for channel in added], np.float32)
    return replace(
        motion,
        scalar_names=(*motion.scalar_names, *(channel.name for channel in added)),
        scalars=np.concatenate((motion.scalars, np.repeat(values[None], motion.frames, 0)), 1),
    )


def _with_same_channels(motions: Sequence[Motion]) -> tuple[Motion, ...]:
    """Return the motions with translations and scales for every joint for which any of them has some."""
    translated = np.unique(np.concatenate([motion.translated for motion in motions]))
    scaled = np.unique(np.concatenate([motion.scaled for motion in motions]))
    return tuple(motion.widened(translated, scaled) for motion in motions)


def _keyed(
    armature: Object, keyed: KeyedChannels, partners: dict[str, str], added: Sequence[ScalarChannel]
) -> KeyedChannels:
    """Return the channels of a result: all that an example animates, and their counterparts on the other side."""
    modes = dict(keyed.rotations)
    for name in keyed.rotations:
        modes.setdefault(partners[name], owner_of(armature, partners[name]).rotation_mode)
    return KeyedChannels(
        MappingProxyType(modes),
        tuple(dict.fromkeys((*keyed.locations, *(partners[name] for name in keyed.locations)))),
        tuple(dict.fromkeys((*keyed.scales, *(partners[name] for name in keyed.scales)))),
        (*keyed.scalars, *added),
        keyed.switched,
        keyed.ends,
    )


def _both_ways(known: frozenset[str] | None, partners: dict[str, str]) -> frozenset[str] | None:
    return None if known is None else frozenset(partners[name] for name in known)

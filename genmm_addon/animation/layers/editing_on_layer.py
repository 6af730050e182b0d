# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits made on a layer: in the sum of base and layer while it plays, and then taken into the layer."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.types import Action, FCurve, NlaStrip, NlaTrack, Object

from ...core import Float64, InputError
from ..actions import (
    assign,
    assigned,
    check_tweak_mode,
    clear_assignment,
    curve_factory,
    default_slot,
    fcurves_of,
    has_slots,
    new_action,
    restore,
)
from ..sampling import CurveSampler
from ..stretches.checks import title_of
from ..stretches.fingerprints import fingerprint
from ..stretches.key_tables import new_keys, read_keys, write_exactly, write_keys
from .edit_layer import BASE, SUM, EditLayer, layer_of, slot_of

SEEN = "genmm_layer_seen"
"""Property of a layer's action: the fingerprints of base and layer at the last edit."""
DEFAULTS: Mapping[str, Sequence[float]] = {
    "location": (0.0, 0.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
}
"""The values to which Blender adds where nothing below the strip animates a channel."""

QUATERNION = "rotation_quaternion"
Curves = dict[str, dict[int, FCurve]]


@contextmanager
def edited_on_layer(owner: Object, *, asked: bool) -> Iterator[None]:
    """Have edits in the block go onto the object's layer, or onto a new one if `asked` and it plays an action.

    In the block, the object plays base and layer as one action. Nothing is changed if the block fails.
    Raises InputError where no layer is possible.
    """
    layer = layer_of(owner)
    playing = assigned(owner)
    if layer is not None:
        with _playing_sum(owner, layer):
            yield
    elif asked and playing is not None:
        with _new_layer(owner, *playing):
            yield
    else:
        yield


@contextmanager
def _playing_sum(owner: Object, layer: EditLayer) -> Iterator[None]:
    for part in (layer.track, layer.strip, layer.base_track, layer.base_strip):
        if part.mute:
            raise InputError(
                f'"{part.name}" is muted in the NLA editor, so edits on the layer would not be seen; unmute it first.'
            )
    data = owner.animation_data
    total, slot, used = layer.total, layer.slot, data.use_nla
    if layer.action.get(SEEN) != _seen(layer):
        write_sum(layer.base, slot, total, layer.action, slot_of(layer.strip))
    before = fingerprint(total, slot)
    data.use_nla = False
    try:
        assign(owner, total, slot)
        yield
    finally:
        # An edit may also make a new action, which then plays above the layer.
        if (assigned(owner) or (total,))[0] == total:
            clear_assignment(owner)
        data.use_nla = used
    if fingerprint(total, slot) == before:
        return
    try:
        _take(layer)
    except InputError:
        write_sum(layer.base, slot, total, layer.action, slot_of(layer.strip))
        raise


@contextmanager
def _new_layer(owner: Object, base: Action, slot: str) -> Iterator[None]:
    if owner.library is not None or owner.override_library is not None:
        raise InputError(f'"{owner.name}" is linked or overridden, and gets no layer; choose to edit In Action.')
    check_tweak_mode(owner)
    slot, before_slot = slot or default_slot(base), slot
    total = base.copy()
    total.name = f"{base.name} with Layer"
    total.use_fake_user = False
    before = fingerprint(total, slot)
    try:
        assign(owner, total, slot)
        yield
    except BaseException:
        restore(owner, (base, before_slot))
        bpy.data.actions.remove(total)
        raise
    restore(owner, (base, before_slot))
    if fingerprint(total, slot) == before:
        bpy.data.actions.remove(total)
        return
    action, layer_slot = new_action(f"{base.name} Layer", owner)
    try:
        write_difference(base, slot, total, action, layer_slot)
    except InputError:
        bpy.data.actions.remove(action)
        bpy.data.actions.remove(total)
        raise
    action[BASE], action[SUM] = base, total
    data = owner.animation_data
    blend, influence = data.action_blend_type, data.action_influence
    clear_assignment(owner)
    below, lower = _add_strip(owner, base.name, base, slot)
    lower.blend_type = blend
    if influence < 1.0:
        _set_influence(lower, influence)
    above, upper = _add_strip(owner, action.name, action, layer_slot)
    upper.blend_type = "ADD"
    _set_influence(upper, 1.0)
    _take(EditLayer(above, upper, below, lower))


def _take(layer: EditLayer) -> None:
    """Take the edits of the sum into the layer, and have both strips last as long as the sum."""
    write_difference(layer.base, layer.slot, layer.total, layer.action, slot_of(layer.strip))
    ends = [layer.base.frame_range, layer.total.frame_range]
    first, last = min(float(end[0]) for end in ends), max(float(end[1]) for end in ends)
    for strip in (layer.base_strip, layer.strip):
        offset = strip.frame_start - strip.action_frame_start
        # Blender keeps an end behind its beginning, so the range grows first.
        strip.action_frame_end = max(last, strip.action_frame_end)
        strip.action_frame_start, strip.action_frame_end = first, last
        strip.frame_end = max(last + offset, strip.frame_end)
        strip.frame_start, strip.frame_end = first + offset, last + offset
    layer.action[SEEN] = _seen(layer)
    # The sum's keys are never seen, so none may decide by its selection which range is edited next.
    for curve in fcurves_of(layer.total, layer.slot):
        points = curve.keyframe_points
        points.foreach_set("select_control_point", np.zeros(len(points), np.bool_))


def _seen(layer: EditLayer) -> str:
    return f"{fingerprint(layer.base, layer.slot)} {fingerprint(layer.action, slot_of(layer.strip))}"


def _add_strip(owner: Object, name: str, action: Action, slot: str) -> tuple[NlaTrack, NlaStrip]:
    """Return a strip of an action that plays at the action's own frames, on a new track above all others."""
    tracks = owner.animation_data.nla_tracks
    track = tracks.new(prev=tracks[-1] if len(tracks) else None)
    track.name = name
    strip = track.strips.new(name, math.floor(action.frame_range[0]), action)
    strip.frame_end = strip.frame_end + 1.0
    strip.frame_start, strip.frame_end = strip.action_frame_start, strip.action_frame_end
    strip.extrapolation, strip.use_sync_length = "HOLD", False
    if has_slots(action):
        strip.action_slot = next(known for known in action.slots if known.identifier == slot)
    return track, strip


def _set_influence(strip: NlaStrip, influence: float) -> None:
    """Have a strip play with an influence that is not animated, which the sidebar then changes."""
    strip.use_animated_influence = True
    # Blender keys it, and a key would override the value.
    strip.fcurves[0].keyframe_points.clear()
    strip.influence = influence


def write_difference(base: Action, slot: str, total: Action, layer: Action, layer_slot: str) -> None:
    """Replace the keys of a layer by the difference of `total` and `base`, on the frames where they differ.

    Raises InputError, with nothing changed, where `total` moves a channel that has no default value, or lacks one.
    """
    below, above = _by_path(fcurves_of(base, slot)), _by_path(fcurves_of(total, slot))
    for path, curves in below.items():
        if curves.keys() - above.get(path, {}).keys():
            raise InputError(f"The edit removes keys of {title_of(path)}, which a layer cannot; edit In Action.")
    for path in above.keys() - below.keys():
        if path.rpartition(".")[2] not in DEFAULTS:
            raise InputError(f"The edit adds keys of {title_of(path)}; key it in the action, or edit In Action.")
    factory = curve_factory(layer, layer_slot)
    factory.fcurves.clear()
    groups = {curve.data_path: curve.group.name for curve in fcurves_of(total, slot) if curve.group}
    for path, curves in above.items():
        times = _times([*curves.values(), *below.get(path, {}).values()])
        difference = _difference(path, curves, below.get(path), times)
        moved = difference != 0.0
        if path.endswith(QUATERNION):
            # Blender adds the default of a number that the strip does not key, so all four are.
            moved[:] = moved.any(axis=1, keepdims=True)
        if path not in below:
            moved[:] = True
        # Zeros on both sides keep the base exact outside.
        kept = moved.copy()
        kept[:-1] |= moved[1:]
        kept[1:] |= moved[:-1]
        for column, index in enumerate(curves):
            rows = kept[:, column]
            if rows.any():
                curve = factory.new(path, index, groups.get(path, ""))
                write_keys(curve, new_keys(times[rows], difference[rows, column]))
        if path.endswith(QUATERNION) and kept.any():
            for index in set(range(4)) - curves.keys():
                write_keys(factory.new(path, index, groups.get(path, "")), new_keys(times[:1], np.zeros(1)))


def write_sum(base: Action, slot: str, total: Action, layer: Action, layer_slot: str) -> None:
    """Make `total` the base with the layer's keys added, on every frame from a curve's first key to its last."""
    added = _by_path(fcurves_of(layer, layer_slot))
    known = _by_path(fcurves_of(base, slot))
    present = _by_path(fcurves_of(total, slot))
    factory = curve_factory(total, slot)
    for path in present.keys() - known.keys() - added.keys():
        for curve in present[path].values():
            factory.fcurves.remove(curve)
    for path in {**known, **added}:
        for index in {**known.get(path, {}), **added.get(path, {})}:
            below, above = known.get(path, {}).get(index), added.get(path, {}).get(index)
            curve = present.get(path, {}).get(index) or factory.new(path, index)
            if above is None and below is not None:
                write_exactly(curve, read_keys(below))
            elif above is not None:
                times = _times([curve for curve in (below, above) if curve is not None])
                sampler = CurveSampler(times)
                values = _default(path, index) if below is None else sampler.sample(below)
                write_keys(curve, new_keys(times, values + sampler.sample(above)))


def _by_path(curves: Sequence[FCurve]) -> Curves:
    known: Curves = {}
    for curve in curves:
        if not curve.is_empty:
            known.setdefault(curve.data_path, {})[curve.array_index] = curve
    return known


def _times(curves: Sequence[FCurve]) -> Float64:
    """Return the whole frames that curves last, and the times of their keys."""
    keys = np.concatenate([read_keys(curve).times for curve in curves])
    return np.unique(np.concatenate([np.arange(np.floor(keys.min()), np.ceil(keys.max()) + 1.0), keys]))


def _default(path: str, index: int) -> float:
    return DEFAULTS.get(path.rpartition(".")[2], (0.0,) * (index + 1))[index]


def _difference(path: str, curves: dict[int, FCurve], below: dict[int, FCurve] | None, times: Float64) -> Float64:
    """Return the difference `(T, C)` of a property's curves."""
    sampler = CurveSampler(times)
    total = np.stack([sampler.sample(curve) for curve in curves.values()], axis=1).astype(np.float64)
    base = np.empty_like(total)
    for column, index in enumerate(curves):
        curve = None if below is None else below.get(index)
        base[:, column] = _default(path, index) if curve is None else sampler.sample(curve)
    if path.endswith(QUATERNION):
        total[(total * base).sum(axis=1) < 0.0] *= -1.0
    difference = total - base
    if path.endswith("rotation_euler"):
        difference -= 2.0 * np.pi * np.round(difference / (2.0 * np.pi))
    return difference

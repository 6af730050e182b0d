# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of an action replaced, moved and thinned out, in place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import Array, Float64, Motion, rotations
from ...core.keys import ON_KEY
from ...core.motion import pose_starts
from ..actions import MOVING, curve_factory, fcurves_of
from ..channels import KeyedChannels
from ..curves import NOTICED, collect_curves
from ..keys.key_writing import AUTO_CLAMPED, KEYFRAME
from ..rotation_modes import AXIS_ANGLE, QUATERNION
from ..sampling import BEZIER, CONSTANT, CurveSampler
from ..writing import Channel, channels_of
from .checks import check_action, check_curves, check_new_curves
from .editing import edited_in_place
from .generated import forget_ranges, move_ranges
from .key_tables import KeyTable, new_keys, read_keys, write_keys
from .replaced_keys import NewKeys, write_around, write_stretches

TURN = 2 * np.pi


@dataclass(frozen=True, eq=False)
class Stretch:
    """The frames from `first` to `last` of an action.

    keeps_first, keeps_last: whether the pose there, and all beyond it, stays; False if the action has nothing to keep
    there, as after its last key. times: `(T,)` the frames of the motion, ascending from first to last; None means
    evenly spaced.
    """

    first: float
    last: float
    keeps_first: bool = True
    keeps_last: bool = True
    times: Float64 | None = None


@dataclass(frozen=True, eq=False)
class _Component:
    """One curve of a stretch; curve: None if it does not exist yet."""

    data_path: str
    index: int
    group: str
    curve: FCurve | None
    keys: NewKeys


def replace_stretch(
    armature: Object,
    action: Action,
    slot: str,
    stretch: Stretch,
    motion: Motion,
    keyed: KeyedChannels,
    poses: Sequence[int] = (),
) -> None:
    """Replace the keys strictly inside a stretch of an action by a motion of T frames.

    keyed: the channels that are replaced; all others stay. The motion's poses at the ends are not written if the
    action's own are kept. poses: rows of the motion whose keys count as set by hand, not as generated.
    A motion that holds its poses, as on twos, gets constant keys where they begin.
    Channels without keys get some only if the motion differs from their present value.
    Raises InputError, with nothing changed, if keys would not play or would change the action outside: for linked and
    overridden actions, NLA tweak mode, drivers, locked or muted curves, and F-modifiers, except cycles beyond ends that
    are kept.
    """
    check_action(armature, action)
    curves = fcurves_of(action, slot)
    components = list(_components(armature, curves, stretch, motion, keyed, list(poses)))
    check_stretch(armature, [component.curve for component in components if component.curve is not None], stretch)
    check_new_curves(
        armature,
        action,
        [(component.data_path, component.index) for component in components if component.curve is None],
    )
    with edited_in_place(action, slot):
        factory = curve_factory(action, slot)
        for component in components:
            curve = (
                factory.new(component.data_path, component.index, component.group)
                if component.curve is None
                else component.curve
            )
            write_stretches(curve, read_keys(curve), [component.keys])
        if not stretch.keeps_first:
            forget_ranges(action, last=stretch.first)
        if not stretch.keeps_last:
            forget_ranges(action, first=stretch.last)


def check_stretch(armature: Object, curves: Sequence[FCurve], stretch: Stretch) -> None:
    """Raise InputError if keys in a stretch of curves would not play unchanged; ends that stay may cycle beyond it."""
    stays = [stretch.keeps_first and stretch.keeps_last and _lies_between_ends(stretch, curve) for curve in curves]
    for may_repeat in (True, False):
        of_kind = [curve for curve, staying in zip(curves, stays, strict=True) if staying == may_repeat]
        check_curves(armature, of_kind, may_repeat=may_repeat)


def _lies_between_ends(stretch: Stretch, curve: FCurve) -> bool:
    first, last = curve.range()[:]
    return first - ON_KEY <= stretch.first and stretch.last <= last + ON_KEY


def _components(
    armature: Object,
    curves: Sequence[FCurve],
    stretch: Stretch,
    motion: Motion,
    keyed: KeyedChannels,
    poses: list[int],
) -> Iterator[_Component]:
    known = {(curve.data_path, curve.array_index): curve for curve in curves}
    even = np.linspace(stretch.first, stretch.last, motion.frames)
    times = even if stretch.times is None else stretch.times
    size = motion.skeleton.size or 1.0
    begins = pose_starts(motion)
    rows = np.unique([*begins, len(times) - 1]) if len(begins) else begins
    for channel in channels_of(motion, keyed, armature, 0.0, 0.0):
        width = channel.values.shape[1]
        present_curves = [known.get((channel.data_path, channel.first + index)) for index in range(width)]
        now = _present_values(armature, channel)
        starts, ends = (_values_at(present_curves, now, frame) for frame in (stretch.first, stretch.last))
        values = channel.values.astype(np.float64)
        if channel.mode and stretch.keeps_first:
            values = continued(channel.mode, values, starts)
        elif channel.mode and stretch.keeps_last:
            values = continued(channel.mode, values[::-1], ends)[::-1]
        kept = size if channel.data_path.endswith("location") else 1.0
        moved = np.abs(values - now).max(axis=0) > NOTICED * kept
        keyed_now = np.array([curve is not None for curve in present_curves])
        # A property without any keys gets all of its curves or none.
        written = keyed_now | moved if keyed_now.any() else np.full(width, moved.any())
        steps = _steps(channel, values, ends, stretch)
        for index in np.flatnonzero(written).tolist():
            column = values[:, index].copy()
            column[0] = starts[index] if stretch.keeps_first else column[0]
            column[-1] = ends[index] if stretch.keeps_last else column[-1]
            table = new_keys(times, column, interpolation=channel.interpolation)
            table = table.with_marks(steps, interpolation=CONSTANT).with_marks(poses, type=KEYFRAME)
            if len(rows) and channel.data_path.endswith(MOVING):
                table = table.with_marks(slice(None), interpolation=CONSTANT).take(rows)
            keys = NewKeys(table, stretch.keeps_first, stretch.keeps_last)
            yield _Component(channel.data_path, channel.first + index, channel.group, present_curves[index], keys)


def _steps(channel: Channel, values: Float64, ends: Float64, stretch: Stretch) -> list[int]:
    """Return the keys after which a rotation is constant, since its numbers there have no line between them."""
    meeting = not channel.mode or not (stretch.keeps_first and stretch.keeps_last) or len(values) < 3
    return [] if meeting or meets(channel.mode, values[-2], ends) else [len(values) - 2]


def _values_at(curves: Sequence[FCurve | None], now: Float64, frame: float) -> Float64:
    return np.array(
        [
            value if curve is None or curve.is_empty else curve.evaluate(frame)
            for curve, value in zip(curves, now.tolist(), strict=True)
        ],
        np.float64,
    )


def _present_values(armature: Object, channel: Channel) -> Float64:
    """Return the present values `(W,)` of a channel's property, which play if it has no keys."""
    value = armature.path_resolve(channel.data_path)
    if isinstance(value, str):
        prefix, _, name = channel.data_path.rpartition(".")
        owner = armature.path_resolve(prefix) if prefix else armature
        value = owner.bl_rna.properties[name].enum_items[value].value
    values = np.atleast_1d(np.array(value, np.float64))
    return values[channel.first : channel.first + channel.values.shape[1]] if len(values) > 1 else values


def continued(mode: str, values: Array, start: Array) -> Float64:
    """Return the same rotations `(T, C)` in numbers that begin nearest to `start` `(C,)`, a form of the first rotation.

    The values must be continuous in time, and so is the result.

    >>> continued("XYZ", np.zeros((2, 3)), np.array([2 * np.pi, 0.0, 0.0]))[1].round(3).tolist()
    [6.283, 0.0, 0.0]
    """
    candidates = [_whole_turns(mode, form, start) for form in _ways(mode, np.asarray(values, np.float64))]
    return min(candidates, key=lambda candidate: float(np.abs(candidate[0] - start).sum()))


def meets(mode: str, values: Array, end: Array) -> bool:
    """Return whether a line may connect numbers `(C,)` of a rotation to `end` `(C,)`, less than a quarter turn away."""
    if mode == QUATERNION:
        return float(np.dot(values, end)) >= 0
    return float(np.abs(np.asarray(values) - end).max()) < TURN / 4


def _ways(mode: str, values: Float64) -> list[Float64]:
    """Return the sets of numbers that represent the same rotations, apart from whole turns."""
    if mode in (QUATERNION, AXIS_ANGLE):
        return [values, -values]
    first, second, third = ("XYZ".index(axis) for axis in mode)
    other = values.copy()
    other[:, [first, third]] += np.pi
    other[:, second] = np.pi - other[:, second]
    return [values, other]


def _whole_turns(mode: str, values: Float64, start: Array) -> Float64:
    if mode == QUATERNION:
        return values
    turned = np.arange(values.shape[1]) < (1 if mode == AXIS_ANGLE else values.shape[1])
    return values + np.where(turned, TURN * np.round((start - values[0]) / TURN), 0.0)


def move_following(armature: Object, action: Action, slot: str, first: float, last: float, by: float) -> None:
    """Move the keys at `last` and later by a number of frames, in all curves of the slot.

    The keys between `first` and `last` are scaled in time. Raises InputError, with nothing changed, as
    `replace_stretch` does.
    """
    check_action(armature, action)
    curves = [curve for curve in fcurves_of(action, slot) if not curve.is_empty]
    check_curves(armature, curves)
    with edited_in_place(action, slot):
        for curve in curves:
            table = read_keys(curve)
            before, after = table.times <= first + ON_KEY, table.times >= last - ON_KEY
            moved = _moved(table, first, last, by)
            changed = moved.times[before].max(initial=-np.inf), moved.times[after].min(initial=np.inf)
            write_around(curve, moved, [changed])
        move_ranges(action, last - ON_KEY, by)
        if action.use_frame_range and action.frame_end >= last:
            action.frame_end += by


def _moved(table: KeyTable, first: float, last: float, by: float) -> KeyTable:
    places = table.places.copy()
    rate = (last + by - first) / (last - first)
    times = table.times[:, None]
    moved = np.where(
        times >= last - ON_KEY,
        places[:, :, 0] + by,
        np.where(times > first + ON_KEY, first + (places[:, :, 0] - first) * rate, places[:, :, 0]),
    )
    places[:, :, 0] = moved
    return KeyTable(places, table.marks)


def keep_keys_at(armature: Object, action: Action, slot: str, frames: Float64) -> None:
    """Key all transforms of an action at `frames` `(K,)`, ascending, and nowhere else; other curves are unchanged.

    Raises InputError, with nothing changed, for curves that are locked, muted or driven, or have modifiers; cycles
    beyond these frames may stay.
    """
    transforms = collect_curves(armature, action, slot).transforms
    groups = [(name, curves) for name, joints in transforms.items() for curves in joints.values()]
    # Muted curves beside playing ones are checked too, since the full motion could not be written into them.
    paths = {curve.data_path for _, curves in groups for curve in curves.values()}
    present = [curve for curve in fcurves_of(action, slot) if curve.data_path in paths]
    check_stretch(armature, present, Stretch(float(frames[0]), float(frames[-1])))
    sampler = CurveSampler(frames)
    for name, curves in groups:
        values = {index: sampler.sample(curve).astype(np.float64) for index, curve in curves.items()}
        if name == f"rotation_{QUATERNION.lower()}" and len(values) == 4:
            # Between quaternion keys of opposite signs, the rotation would take the long way.
            together = rotations.make_continuous(np.stack([values[index] for index in sorted(values)], axis=1))
            values = {index: np.asarray(together[:, place], np.float64) for place, index in enumerate(sorted(values))}
        for index, curve in curves.items():
            _key(curve, frames, values[index])


def _key(curve: FCurve, frames: Float64, values: Float64) -> None:
    stepped = bool(np.all(read_keys(curve).marks["interpolation"] == CONSTANT))
    marks = {"interpolation": CONSTANT if stepped else BEZIER, "type": KEYFRAME}
    table = new_keys(frames, values, handle_left_type=AUTO_CLAMPED, handle_right_type=AUTO_CLAMPED, **marks)
    write_keys(curve, table)

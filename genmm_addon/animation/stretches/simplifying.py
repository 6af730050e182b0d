# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplification of keys inside stretches of an action; everything outside plays as before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from ...core import InputError, counted
from ...core.keys import ON_KEY, Keys
from ..actions import fcurves_of, slot_for
from ..curves import key_values
from ..keys.footing import NO_FOOTING, KeyedFooting, footed_keys, footing_in_action
from ..keys.key_writing import ALIGNED, FREE, GENERATED, KEYFRAME
from ..keys.simplification import Simplification
from ..keys.simplifying import (
    Group,
    KeyCounts,
    check_finite,
    frames_of,
    groups_of,
    has_own_keys,
    jumps_of,
    simplify_action,
)
from ..rig import read_skeleton
from ..sampling import BEZIER, CONSTANT
from ..stray_keys import LONGEST
from .editing import edited_in_place
from .fingerprints import Range
from .generated import without
from .key_tables import LEFT, RIGHT, KeyTable, new_keys, read_keys
from .key_times import keyed_bones
from .linked import check_local
from .replaced_keys import NewKeys, write_stretch


def simplify_stretches(
    armature: Object, action: Action, simplification: Simplification, ranges: Sequence[Range], slot: str = ""
) -> KeyCounts:
    """Replace the keys in stretches of a character's action by as few as keep each within the precision at its frames.

    slot: "" is the character's own. Feet stay at their places within the precision of locations, and with shared keys
    their contacts begin and end at keys. A curve is unchanged in a stretch if it is locked, has modifiers, has no key
    at or beyond both ends, or jumps from key to key there; a stretch is unchanged if no keys would be saved.
    Raises InputError, with nothing changed, for linked actions, stretches that are too long, and keys that are not
    finite.
    """
    check_local(action)
    slot = slot or slot_for(armature, action)
    check_finite(action, [curve for curve in fcurves_of(action, slot) if has_own_keys(curve)])
    frames = np.unique(np.concatenate([_frames_in(stretch) for stretch in ranges] or [np.empty(0)]))

    def simplify(edited: Action, footing: KeyedFooting) -> KeyCounts:
        return _simplify_stretches(armature, edited, simplification, ranges, slot, footing)

    return simplify(action, _footing(armature, action, slot, simplification, frames, simplify))


def simplify_whole(armature: Object, action: Action, simplification: Simplification, slot: str = "") -> KeyCounts:
    """Simplify a character's whole action; curves that jump from key to key are simplified between all jumps.

    Otherwise as `simplify_stretches` and `simplify_action`.
    """
    check_local(action)
    slot = slot or slot_for(armature, action)
    curves = [curve for curve in fcurves_of(action, slot) if not curve.is_empty]

    def simplify(edited: Action, footing: KeyedFooting) -> KeyCounts:
        return _simplify_whole(armature, edited, simplification, slot, footing)

    frames = frames_of(action, curves) if curves else np.empty(0)
    return simplify(action, _footing(armature, action, slot, simplification, frames, simplify))


def _footing(
    armature: Object,
    action: Action,
    slot: str,
    precision: Simplification,
    frames: NDArray[np.float64],
    simplify: Callable[[Action, KeyedFooting], KeyCounts],
) -> KeyedFooting:
    """Return the demands of the feet at `frames` `(T,)`; none where no bone moves."""
    if len(frames) < 2 or not keyed_bones(action, slot):
        return NO_FOOTING
    return footing_in_action(armature, action, slot, precision, frames, simplify)


def _simplify_stretches(
    armature: Object,
    action: Action,
    simplification: Simplification,
    ranges: Sequence[Range],
    slot: str,
    footing: KeyedFooting,
) -> KeyCounts:
    curves = [curve for curve in fcurves_of(action, slot) if not curve.is_empty]
    before, size = _count(curves), read_skeleton(armature).size
    planned = [_planned(curves, size, simplification, stretch, footing) for stretch in ranges]
    with edited_in_place(action, slot):
        for plan in planned:
            _write(plan)
    return KeyCounts(before, _count(curves), max((plan.left_out for plan in planned), default=0))


def _simplify_whole(
    armature: Object, action: Action, simplification: Simplification, slot: str, footing: KeyedFooting
) -> KeyCounts:
    curves = [curve for curve in fcurves_of(action, slot) if not curve.is_empty]
    jumps = {curve.as_pointer(): jumps_of(curve) for curve in curves if has_own_keys(curve)}
    jumping = [curve for curve in curves if len(jumps.get(curve.as_pointer(), ()))]
    if not jumping:
        return simplify_action(armature, action, simplification, slot, footing)
    times = np.concatenate([key_values(curve)[:, 0] for curve in jumping])
    jumped = [(first, last) for curve_jumps in jumps.values() for first, last in curve_jumps.tolist()]
    before, size = _count(curves), read_skeleton(armature).size
    planned = [
        _planned(jumping, size, simplification, stretch, footing)
        for stretch in without((float(times.min()), float(times.max())), jumped)
    ]
    smooth = len(jumps) > len(jumping)
    if not smooth and not any(plan.groups for plan in planned):
        raise InputError(f'Action "{action.name}" jumps from key to key; only keys of smooth curves become fewer.')
    if smooth:
        simplify_action(armature, action, simplification, slot, footing)
    for plan in planned:
        _write(plan)
    written = {curve.as_pointer() for plan in planned for group in plan.groups for curve in group.curves}
    return KeyCounts(before, _count(curves), len(curves) - len(jumps) + len(jumping) - len(written))


@dataclass(frozen=True, eq=False)
class _Plan:
    """The curves to write in a stretch, their new keys, its frames, and the number of curves that stay as they are."""

    groups: list[Group]
    keys: list[Keys]
    frames: NDArray[np.float64]
    left_out: int


def _planned(
    curves: Sequence[FCurve],
    size: float,
    simplification: Simplification,
    stretch: Range,
    footing: KeyedFooting,
) -> _Plan:
    """Return the plan of a stretch; no curves if they would have as many keys as before."""
    first, last = stretch
    frames = _frames_in(stretch)
    reaching = [(curve, count) for curve in curves if (count := _keys_inside(curve, first, last))]
    inside = [(curve, count) for curve, count in reaching if _can_be_simplified(curve, first, last)]
    groups = groups_of([curve for curve, _ in inside], frames, size, simplification, footing)
    keys = footed_keys([group.sampled for group in groups], frames, simplification, footing)
    then = sum((len(group_keys.frames) - 2) * len(group.curves) for group, group_keys in zip(groups, keys, strict=True))
    if then >= sum(count for _, count in inside):
        return _Plan([], [], frames, len(reaching))
    return _Plan(groups, keys, frames, len(reaching) - len(inside))


def _frames_in(stretch: Range) -> NDArray[np.float64]:
    """Return the frames `(T,)` of a stretch, about one apart. Raises InputError if there are too many."""
    first, last = stretch
    if last - first >= LONGEST:
        raise InputError(f"Frames {first:g} to {last:g} are more than {counted(LONGEST, 'frame')}; choose fewer.")
    return np.linspace(first, last, max(round(last - first), 1) + 1)


def _write(plan: _Plan) -> None:
    for group, group_keys in zip(plan.groups, plan.keys, strict=True):
        for column, curve in enumerate(group.curves):
            table = _table(group_keys, plan.frames, column)
            if _has_own_keys_inside(curve, table.times):
                table = table.with_marks(slice(None), type=KEYFRAME)
            write_stretch(curve, NewKeys(table))


def _has_own_keys_inside(curve: FCurve, times: NDArray[np.float64]) -> bool:
    """Return whether a curve has a key strictly between two frames that an animator has set."""
    keys = read_keys(curve)
    inside = (keys.times > times[0] + ON_KEY) & (keys.times < times[-1] - ON_KEY)
    return bool((keys.marks["type"][inside] != GENERATED).any())


def _can_be_simplified(curve: FCurve, first: float, last: float) -> bool:
    if curve.lock or len(curve.modifiers):
        return False
    return not any(begin < last - ON_KEY and end > first + ON_KEY for begin, end in jumps_of(curve).tolist())


def _keys_inside(curve: FCurve, first: float, last: float) -> int:
    """Return the number of keys strictly inside a stretch; 0 for a curve without keys at or beyond both its ends."""
    times = key_values(curve)[:, 0]
    if not (times[0] <= first + ON_KEY and times[-1] >= last - ON_KEY):
        return 0
    return int(np.count_nonzero((times > first + ON_KEY) & (times < last - ON_KEY)))


def _table(keys: Keys, frames: NDArray[np.float64], column: int) -> KeyTable:
    """Return one column of keys, with handles along their slopes."""
    times, values = frames[keys.frames], keys.values[:, column]
    table = new_keys(times, values, interpolation=BEZIER)
    places, pace = table.places.copy(), (frames[-1] - frames[0]) / (len(frames) - 1)
    for side, slopes in ((LEFT, keys.arriving), (RIGHT, keys.leaving)):
        away = places[:, side, 0] - times
        places[:, side, 1] = values + slopes[:, column] / pace * away
    kinds = np.where(keys.arriving[:, column] == keys.leaving[:, column], ALIGNED, FREE)
    table = KeyTable(places, table.marks).with_marks(slice(None), handle_left_type=kinds, handle_right_type=kinds)
    return table.with_marks(keys.stepped, interpolation=CONSTANT)


def _count(curves: Sequence[FCurve]) -> int:
    return sum(len(key_values(curve)) for curve in curves)

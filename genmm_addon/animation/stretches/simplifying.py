# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplification of keys inside stretches of an action; everything outside plays as before."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from ...core import InputError, counted
from ...core.keys import Keys
from ..actions import fcurves_of, slot_for
from ..curves import key_values
from ..keys.key_writing import ALIGNED, FREE
from ..keys.simplification import Simplification, simplified
from ..keys.simplifying import Group, KeyCounts, groups_of, has_own_keys, jumps_of, simplify_action
from ..rig import read_skeleton
from ..sampling import BEZIER
from ..stray_keys import LONGEST
from .editing import edited_in_place
from .fingerprints import Range
from .generated import without
from .key_tables import LEFT, ON_KEY, RIGHT, KeyTable, new_keys
from .linked import check_local
from .replaced_keys import NewKeys, write_stretch


def simplify_stretches(
    armature: Object, action: Action, simplification: Simplification, ranges: Sequence[Range], slot: str = ""
) -> KeyCounts:
    """Replace the keys in stretches of a character's action by as few as keep each within the precision at its frames.

    slot: "" is the character's own. A curve is unchanged in a stretch if it is locked, has modifiers, has no key at or
    beyond both ends, or jumps from key to key there; a stretch is unchanged if no keys would be saved.
    Raises InputError, with nothing changed, for linked actions, stretches that are too long, and keys that are not
    finite.
    """
    check_local(action)
    curves = [curve for curve in fcurves_of(action, slot or slot_for(armature, action)) if not curve.is_empty]
    before, size = _count(curves), read_skeleton(armature).size
    planned = [_planned(action, curves, size, simplification, stretch) for stretch in ranges]
    with edited_in_place(action, slot or slot_for(armature, action)):
        for plan in planned:
            _write(plan)
    return KeyCounts(before, _count(curves), max((plan.left_out for plan in planned), default=0))


def simplify_whole(armature: Object, action: Action, simplification: Simplification, slot: str = "") -> KeyCounts:
    """Simplify a character's whole action; curves that jump from key to key are simplified between all jumps.

    Otherwise as `simplify_action`.
    """
    slot = slot or slot_for(armature, action)
    curves = [curve for curve in fcurves_of(action, slot) if not curve.is_empty]
    jumps = {curve.as_pointer(): jumps_of(curve) for curve in curves if has_own_keys(curve)}
    jumping = [curve for curve in curves if len(jumps.get(curve.as_pointer(), ()))]
    if not jumping:
        return simplify_action(armature, action, simplification, slot)
    check_local(action)
    times = np.concatenate([key_values(curve)[:, 0] for curve in jumping]).astype(np.float64)
    jumped = [(first, last) for curve_jumps in jumps.values() for first, last in curve_jumps.tolist()]
    before, size = _count(curves), read_skeleton(armature).size
    planned = [
        _planned(action, jumping, size, simplification, stretch)
        for stretch in without((float(times.min()), float(times.max())), jumped)
    ]
    smooth = len(jumps) > len(jumping)
    if not smooth and not any(plan.groups for plan in planned):
        raise InputError(f'Action "{action.name}" jumps from key to key; only keys of smooth curves become fewer.')
    if smooth:
        simplify_action(armature, action, simplification, slot)
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
    action: Action, curves: Sequence[FCurve], size: float, simplification: Simplification, stretch: Range
) -> _Plan:
    """Return the plan of a stretch; no curves if they would have as many keys as before."""
    first, last = stretch
    if last - first >= LONGEST:
        raise InputError(f"Frames {first:g} to {last:g} are more than {counted(LONGEST, 'frame')}; choose fewer.")
    frames = np.linspace(first, last, max(round(last - first), 1) + 1)
    reaching = [(curve, count) for curve in curves if (count := _keys_inside(curve, first, last))]
    inside = [(curve, count) for curve, count in reaching if _can_be_simplified(action, curve, first, last)]
    groups = groups_of([curve for curve, _ in inside], frames, size, simplification)
    keys = simplified([group.sampled for group in groups], simplification)
    then = sum((len(group_keys.frames) - 2) * len(group.curves) for group, group_keys in zip(groups, keys, strict=True))
    if then >= sum(count for _, count in inside):
        return _Plan([], [], frames, len(reaching))
    return _Plan(groups, keys, frames, len(reaching) - len(inside))


def _write(plan: _Plan) -> None:
    for group, group_keys in zip(plan.groups, plan.keys, strict=True):
        for column, curve in enumerate(group.curves):
            write_stretch(curve, NewKeys(_table(group_keys, plan.frames, column)))


def _can_be_simplified(action: Action, curve: FCurve, first: float, last: float) -> bool:
    if curve.lock or len(curve.modifiers):
        return False
    if not np.isfinite(key_values(curve)).all():
        raise InputError(f'Action "{action.name}" has a key whose value is not a number; delete it first.')
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
    return KeyTable(places, table.marks).with_marks(slice(None), handle_left_type=kinds, handle_right_type=kinds)


def _count(curves: Sequence[FCurve]) -> int:
    return sum(len(key_values(curve)) for curve in curves)

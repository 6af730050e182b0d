# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving of the keys after a stretch of an action when the stretch becomes longer or shorter."""

import numpy as np
from bpy.types import Action, Object

from ...core.keys import ON_KEY
from ..actions import fcurves_of
from .checks import check_action, check_curves
from .editing import edited_in_place
from .generated import move_ranges
from .key_tables import KeyTable, read_keys
from .replaced_keys import write_around


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

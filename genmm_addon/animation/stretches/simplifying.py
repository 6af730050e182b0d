# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of the keys of an action, or of stretches of it, by fewer keys; everything outside plays as before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import Float64, InputError, counted
from ...core.keys import ON_KEY, Keys
from ..actions import fcurves_of, is_cyclic, slot_for
from ..curves import key_values
from ..keys.footing import NO_FOOTING, KeyedFooting, describe_difference, footing_in_action, motion_shown
from ..keys.key_writing import ALIGNED, FREE, GENERATED, KEYFRAME
from ..keys.simplification import Simplification, simplified
from ..keys.simplifying import Group, check_finite, frames_of, groups_of, has_own_keys, jumps_of, write_whole
from ..rig import read_skeleton
from ..sampling import BEZIER, CONSTANT
from ..stray_keys import LONGEST
from .editing import edited_in_place
from .fingerprints import Range
from .generated import without
from .key_tables import LEFT, RIGHT, KeyTable, new_keys, read_keys
from .key_times import keyed_bones
from .linked import check_local
from .replaced_keys import NewKeys, write_stretches


@dataclass(frozen=True)
class KeyCounts:
    """The keys of a simplified action.

    before, after: their numbers. frames: the number of frames that have keys afterwards. left_out: the number of curves
    that were left unchanged. difference: for a number of poses, how far the motion is off, as the end of a sentence.
    """

    before: int
    after: int
    frames: int
    left_out: int
    difference: str


def simplify_stretches(
    armature: Object, action: Action, simplification: Simplification, ranges: Sequence[Range], slot: str = ""
) -> KeyCounts:
    """Replace the keys in stretches of a character's action by as few as keep each within the precision at its frames.

    ranges: ascending and separate. slot: "" is the character's own. Feet stay at their places within the precision of
    locations, and with shared keys their contacts begin and end at keys. A curve is unchanged in a stretch if it is
    locked, has modifiers, has no key at or beyond both ends, or jumps from key to key there; a stretch is unchanged if
    no keys would be saved.
    Raises InputError, with nothing changed, for linked actions, stretches that are too long, and keys that are not
    finite.
    """
    check_local(action)
    slot = slot or slot_for(armature, action)
    present = _present(action, slot)
    check_finite(action, [keyed.curve for keyed in present if has_own_keys(keyed.curve)])
    size = read_skeleton(armature).size
    stretches = [_sampled(present, size, simplification, stretch) for stretch in ranges]
    frames = np.unique(np.concatenate([np.empty(0), *(stretch.frames for stretch in stretches)]))
    simplification = simplification.over(len(frames))

    def simplify(edited: Action, footing: KeyedFooting) -> int:
        plans = [stretch.planned(simplification, footing) for stretch in stretches]
        _write(edited, slot, present, plans)
        return max((plan.left_out for plan in plans), default=0)

    with edited_in_place(action, slot):
        return _simplified(armature, action, slot, simplification, frames, simplify)


def simplify_whole(armature: Object, action: Action, simplification: Simplification, slot: str = "") -> KeyCounts:
    """Replace the keys of a character's whole action by as few as keep it within the precision at every frame.

    Curves that jump from key to key are simplified between all jumps. Curves that are locked or modified, that cycle
    within the action's frames, or that have no jumps while together no keys would be saved, are unchanged. Otherwise as
    `simplify_stretches`.
    """
    check_local(action)
    slot = slot or slot_for(armature, action)
    present = _present(action, slot)
    frames = frames_of(action, [keyed.curve for keyed in present]) if present else np.empty(0)
    simplification, size = simplification.over(len(frames)), read_skeleton(armature).size
    own = [keyed for keyed in present if has_own_keys(keyed.curve) and not keyed.cycles_within(frames)]
    smooth, jumping = ([keyed for keyed in own if bool(len(keyed.jumps)) == jumps] for jumps in (False, True))
    if not own:
        raise InputError(
            f'Action "{action.name}" has no curves whose keys could be simplified; unlock its curves, apply their '
            "F-modifiers, or choose another action."
        )
    whole = _sampled_whole(action, smooth, size, simplification) if smooth else None
    stretches = [_sampled(jumping, size, simplification, stretch) for stretch in _between_jumps(jumping)]

    def simplify(edited: Action, footing: KeyedFooting) -> int:
        plans = [stretch.planned(simplification, footing) for stretch in stretches]
        if not smooth and not any(plan.groups for plan in plans):
            raise InputError(f'Action "{action.name}" jumps from key to key; only keys of smooth curves become fewer.')
        if whole is not None:
            _write_whole(edited, slot, whole.planned(simplification, footing))
        _write(edited, slot, present, plans)
        written = {_name(curve) for plan in plans for group in plan.groups for curve in group.curves}
        return len(present) - len(own) + len(jumping) - len(written)

    return _simplified(armature, action, slot, simplification, frames, simplify)


def _simplified(
    armature: Object,
    action: Action,
    slot: str,
    precision: Simplification,
    frames: Float64,
    simplify: Callable[[Action, KeyedFooting], int],
) -> KeyCounts:
    """Simplify the action with the demands of its feet at `frames` `(T,)`; without those where no bone moves."""
    footing, before, difference = NO_FOOTING, _key_times(action, slot), ""
    moves = len(frames) > 1 and bool(keyed_bones(action, slot))
    if moves:
        footing = footing_in_action(armature, action, slot, precision, frames, simplify)
    motion = motion_shown(armature, action, slot, frames) if moves and precision.poses else None
    left_out = simplify(action, footing)
    if motion is not None:
        difference = describe_difference(motion, motion_shown(armature, action, slot, frames))
    after = _key_times(action, slot)
    return KeyCounts(len(before), len(after), len(np.unique(np.round(after))), left_out, difference)


@dataclass(frozen=True, eq=False)
class _Keyed:
    """A curve with its keys, and the frames `(K, 2)` between which it jumps, see `jumps_of`."""

    curve: FCurve
    table: KeyTable
    jumps: Float64

    def keys_inside(self, first: float, last: float) -> int:
        """Return the number of keys strictly inside a stretch; 0 without keys at or beyond both its ends."""
        times = self.table.times
        if not (times[0] <= first + ON_KEY and times[-1] >= last - ON_KEY):
            return 0
        return int(np.count_nonzero((times > first + ON_KEY) & (times < last - ON_KEY)))

    def can_be_simplified(self, first: float, last: float) -> bool:
        """Return whether the curve may change in a stretch, and does not jump there."""
        if self.curve.lock or len(self.curve.modifiers):
            return False
        begins, ends = self.jumps.T
        return not ((begins < last - ON_KEY) & (ends > first + ON_KEY)).any()

    def cycles_within(self, frames: Float64) -> bool:
        """Return whether the curve cycles at some of the frames `(T,)`, where keys would change its period."""
        return is_cyclic(self.curve) and bool((self.table.times[[0, -1]] != frames[[0, -1]]).any())

    def has_own_keys_inside(self, first: float, last: float) -> bool:
        """Return whether a key strictly between two frames was set by an animator."""
        inside = (self.table.times > first + ON_KEY) & (self.table.times < last - ON_KEY)
        return bool((self.table.marks["type"][inside] != GENERATED).any())


def _present(action: Action, slot: str) -> list[_Keyed]:
    return [
        _Keyed(curve, read_keys(curve), jumps_of(curve)) for curve in fcurves_of(action, slot) if not curve.is_empty
    ]


def _name(curve: FCurve) -> tuple[str, int]:
    return curve.data_path, curve.array_index


@dataclass(frozen=True, eq=False)
class _Plan:
    """The curves to write in a stretch, their new keys, its frames, and the number of curves that stay as they are."""

    groups: Sequence[Group]
    keys: Sequence[Keys]
    frames: Float64
    left_out: int


@dataclass(frozen=True, eq=False)
class _Sampled:
    """The frames `(T,)` of a stretch, and the values there of the curves that can be simplified.

    inside: the number of keys of these curves that may go. reaching: the number of curves with keys there. fixed: the
    number of keys of each curve that stay, at the ends.
    """

    frames: Float64
    groups: Sequence[Group]
    inside: int
    reaching: int
    fixed: int = 2

    def planned(self, simplification: Simplification, footing: KeyedFooting) -> _Plan:
        """Return the plan with a footing; no curves if they would have as many keys as before."""
        curves = [group.with_footing(footing) for group in self.groups]
        keys = simplified(curves, simplification, footing.required(self.frames), footing.shortest_still)
        counts = [len(group.curves) for group in self.groups]
        if sum((len(new.frames) - self.fixed) * count for new, count in zip(keys, counts, strict=True)) >= self.inside:
            return _Plan([], [], self.frames, self.reaching)
        return _Plan(self.groups, keys, self.frames, self.reaching - sum(counts))


def _sampled(present: Sequence[_Keyed], size: float, simplification: Simplification, stretch: Range) -> _Sampled:
    frames = _frames_in(stretch)
    reaching = [(keyed, count) for keyed in present if (count := keyed.keys_inside(*stretch))]
    inside = [(keyed.curve, count) for keyed, count in reaching if keyed.can_be_simplified(*stretch)]
    groups = groups_of([curve for curve, _ in inside], frames, size, simplification)
    return _Sampled(frames, groups, sum(count for _, count in inside), len(reaching))


def _sampled_whole(action: Action, smooth: Sequence[_Keyed], size: float, simplification: Simplification) -> _Sampled:
    curves = [keyed.curve for keyed in smooth]
    frames = frames_of(action, curves)
    groups = groups_of(curves, frames, size, simplification)
    return _Sampled(frames, groups, sum(len(keyed.table.times) for keyed in smooth), len(smooth), fixed=0)


def _frames_in(stretch: Range) -> Float64:
    """Return the frames `(T,)` of a stretch, about one apart. Raises InputError if there are too many."""
    first, last = stretch
    if last - first >= LONGEST:
        longest = counted(LONGEST, "frame")
        raise InputError(
            f"Frames {first:,g} to {last:,g} are more than {longest}; delete stray keys, or choose the preview range."
        )
    return np.linspace(first, last, max(round(last - first), 1) + 1)


def _between_jumps(jumping: Sequence[_Keyed]) -> Sequence[Range]:
    """Return the stretches in which none of the curves jumps."""
    if not jumping:
        return ()
    first = min(float(keyed.table.times.min()) for keyed in jumping)
    last = max(float(keyed.table.times.max()) for keyed in jumping)
    return without((first, last), [(begin, end) for keyed in jumping for begin, end in keyed.jumps.tolist()])


def _write(action: Action, slot: str, present: Sequence[_Keyed], plans: Sequence[_Plan]) -> None:
    """Write the plans into an action with the curves that are present, or a copy of it."""
    stretches: dict[tuple[str, int], list[NewKeys]] = {}
    keyed_by_name = {_name(keyed.curve): keyed for keyed in present}
    for plan in plans:
        for group, keys in zip(plan.groups, plan.keys, strict=True):
            for column, curve in enumerate(group.curves):
                table = _table(keys, plan.frames, column)
                if keyed_by_name[_name(curve)].has_own_keys_inside(plan.frames[0], plan.frames[-1]):
                    table = table.with_marks(slice(None), type=KEYFRAME)
                stretches.setdefault(_name(curve), []).append(NewKeys(table))
    for curve in fcurves_of(action, slot):
        if _name(curve) in stretches:
            write_stretches(curve, keyed_by_name[_name(curve)].table, stretches[_name(curve)])


def _write_whole(action: Action, slot: str, plan: _Plan) -> None:
    """Write a plan of whole curves into an action or a copy of it."""
    curves = {_name(curve): curve for curve in fcurves_of(action, slot)}
    groups = [[curves[_name(sampled)] for sampled in group.curves] for group in plan.groups]
    write_whole(groups, plan.keys, float(plan.frames[0]))


def _table(keys: Keys, frames: Float64, column: int) -> KeyTable:
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


def _key_times(action: Action, slot: str) -> Float64:
    """Return the frames `(K,)` of all keys."""
    times = [key_values(curve)[:, 0] for curve in fcurves_of(action, slot)]
    return np.concatenate([np.empty(0), *times])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of actions in place, undone exactly where writing fails."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bpy.types import Action, FCurve

from ..actions import curve_holders
from .generated import keep_marks, stamp_marks
from .key_tables import KeyTable, read_keys, write_exactly

OWN = "genmm_"
"""Beginning of the names of all properties that edits store on an action."""
FRAMES = ("use_frame_range", "frame_start", "frame_end", "use_cyclic")


@dataclass(frozen=True, eq=False)
class _Curves:
    """The curves of one slot before an edit, with their keys and their number of modifiers, and their groups."""

    holder: Any
    curves: tuple[tuple[FCurve, KeyTable, int], ...]
    groups: frozenset[str]

    def restore(self) -> None:
        """Restore the keys, and remove curves, modifiers and groups that were added."""
        known = [curve for curve, _, _ in self.curves]
        for curve in [curve for curve in self.holder.fcurves if curve not in known]:
            self.holder.fcurves.remove(curve)
        for curve, table, modifiers in self.curves:
            write_exactly(curve, table)
            while len(curve.modifiers) > modifiers:
                curve.modifiers.remove(curve.modifiers[-1])
        for group in [group for group in self.holder.groups if group.name not in self.groups]:
            self.holder.groups.remove(group)


@dataclass(frozen=True, eq=False)
class _Before:
    """An action before an edit: its curves, its frame range, and the properties that edits store."""

    action: Action
    holders: tuple[_Curves, ...]
    frames: Mapping[str, Any]
    stored: Mapping[str, Any]

    def restore(self) -> None:
        """Restore the action exactly."""
        for holder in self.holders:
            holder.restore()
        for name, value in self.frames.items():
            setattr(self.action, name, value)
        now = _stored(self.action)
        for name in set(now) - set(self.stored):
            del self.action[name]
        for name, value in self.stored.items():
            if now.get(name) != value:
                self.action[name] = value


_edited: list[Action] = []
"""The actions that are being edited: of nested edits, only the outermost restores."""


@contextmanager
def edited_in_place(action: Action, slot: str, *others: Action) -> Iterator[None]:
    """Restore an action, and others, exactly if the block fails; may be nested.

    Marks of generated ranges that hold before the edit hold afterwards too, since only an edit by hand ends them.
    """
    if action in _edited:
        yield
        return
    before = [_before(action), *(_before(other) for other in others if other != action)]
    _edited.append(action)
    try:
        keep_marks(action, slot)
        yield
        stamp_marks(action, slot)
    except BaseException:
        for state in before:
            state.restore()
        raise
    finally:
        _edited.remove(action)


def _before(action: Action) -> _Before:
    holders = tuple(
        _Curves(
            holder,
            tuple((curve, read_keys(curve), len(curve.modifiers)) for curve in holder.fcurves),
            frozenset(group.name for group in holder.groups),
        )
        for holder in curve_holders(action)
    )
    return _Before(action, holders, {name: getattr(action, name) for name in FRAMES}, _stored(action))


def _stored(action: Action) -> dict[str, Any]:
    """Return the values stored by edits; they are texts and actions."""
    return {name: value for name, value in action.items() if name.startswith(OWN) and isinstance(value, str | Action)}

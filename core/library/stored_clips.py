# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as a library's file describes them, each checked and made where it is asked for."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, get_type_hints, overload

from ..errors import InputError
from ..storage import Malformed, read_record, read_value
from .clip import Clip


class StoredClips(Sequence[Clip]):
    """Clips from their fields in a file; most uses of a large library need few of them.

    Raises InputError where a clip is asked for whose fields are no clip's.

    >>> clips = StoredClips("swings.npz", [{"name": "swing", "source": "swing.bvh", "start": 0, "frames": 60}])
    >>> clips[0].name, clips.values("frames"), clips == (clips[0],)
    ('swing', [60], True)
    """

    def __init__(self, file_name: str, entries: Sequence[Mapping[str, Any]]) -> None:
        """Begin; file_name: for messages. entries: the fields of each clip, of which none are checked yet."""
        self._file_name = file_name
        self._entries: list[Mapping[str, Any] | Clip] = list(entries)

    def __len__(self) -> int:
        """Return the number of clips."""
        return len(self._entries)

    @overload
    def __getitem__(self, number: int) -> Clip: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Clip, ...]: ...

    def __getitem__(self, number: int | slice) -> Clip | tuple[Clip, ...]:
        """Return the clip of a number, or those of a slice. Raises InputError for fields that no clip has."""
        if isinstance(number, slice):
            return tuple(self[one] for one in range(*number.indices(len(self))))
        entry = self._entries[number]
        if not isinstance(entry, Clip):
            with self._as_input_errors():
                entry = clip_of(entry)
            self._entries[number] = entry
        return entry

    def __eq__(self, other: object) -> bool:
        """Return whether another sequence has equal clips."""
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # as all sequences that are compared by their items, but tuples

    def values(self, name: str) -> list[Any]:
        """Return the values of a field of all clips, a number or a text. Raises InputError as for a clip."""
        kind, default = get_type_hints(Clip)[name], getattr(Clip, name, None)
        with self._as_input_errors():
            return [
                getattr(entry, name) if isinstance(entry, Clip) else read_value(kind, entry.get(name, default), name)
                for entry in self._entries
            ]

    @contextmanager
    def _as_input_errors(self) -> Iterator[None]:
        try:
            yield
        except Malformed as error:
            raise InputError(f'"{self._file_name}" cannot be read as a library; build it again.') from error


def values_of(clips: Sequence[Clip], name: str) -> list[Any]:
    """Return the values of a field of all clips, a number or a text. Raises InputError as `StoredClips` does.

    >>> values_of([Clip("swing", "swing.bvh", 0, 60)], "frames")
    [60]
    """
    return clips.values(name) if isinstance(clips, StoredClips) else [getattr(clip, name) for clip in clips]


def clip_of(values: Mapping[str, Any]) -> Clip:
    """Return a clip from its fields in a file; unknown fields are of a later version and ignored. Raises Malformed."""
    known = read_record(
        Clip, {field.name: values[field.name] for field in fields(Clip) if field.name in values}, "clip"
    )
    return replace(known, tags=MappingProxyType(known.tags), source_tags=MappingProxyType(known.source_tags))

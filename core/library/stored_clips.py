# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as a library's file describes them, each checked and made where it is asked for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, get_type_hints, overload

import numpy as np

from ..arrays import Int64
from ..errors import InputError
from ..storage import Malformed, parse_json, read_record, read_value
from .clip import Clip

LONGEST_CLIPS = 2**30
"""Longest description of a library's clips, in bytes: some hundred for each of a million."""


class StoredClips(Sequence[Clip]):
    """Clips from their fields in a file; most uses of a large library need few of them, and some need none.

    Raises InputError where a clip is asked for, and the text or the clip's fields are no clip's.

    >>> text = b'[{"name": "swing", "source": "swing.bvh", "start": 0, "frames": 60}]'
    >>> clips = StoredClips("swings.npz", text)
    >>> clips[0].name, clips.values("frames"), clips == (clips[0],)
    ('swing', [60], True)
    """

    def __init__(self, file_name: str, text: bytes, stops: Int64 | None = None) -> None:
        """Begin; file_name: for messages. text: JSON, a list of objects. stops: as `stops_of`, if listed."""
        self._file_name, self._text, self.listed_stops = file_name, text, stops

    def __len__(self) -> int:
        """Return the number of clips."""
        return len(self._entries if self.listed_stops is None else self.listed_stops)

    def may_have(self, text: str) -> bool:
        """Return False if no field of any clip has this value; True may be wrong."""
        return any(json.dumps(text, ensure_ascii=ascii_only).encode() in self._text for ascii_only in (True, False))

    @cached_property
    def _entries(self) -> list[Mapping[str, Any] | Clip]:
        with self._as_input_errors():
            entries = parse_json(self._text, "clips", LONGEST_CLIPS)
            if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
                raise Malformed("The clips are not a list of JSON objects")
        return entries

    @overload
    def __getitem__(self, number: int) -> Clip: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Clip, ...]: ...

    def __getitem__(self, number: int | slice) -> Clip | tuple[Clip, ...]:
        """Return the clip of a number, or those of a slice. Raises InputError for fields that no clip has."""
        if isinstance(number, slice):
            return tuple(self[index] for index in range(*number.indices(len(self))))
        entry = self._entries[number]
        if not isinstance(entry, Clip):
            with self._as_input_errors():
                entry = clip_of(entry)
                if self.listed_stops is not None and entry.stop != self.listed_stops[number]:
                    raise Malformed("The clips are of other lengths than listed")
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


def stops_of(clips: Sequence[Clip]) -> Int64:
    """Return the frame `(C,)` after the last of each clip.

    Raises InputError for a clip that does not follow the one before it, and as `StoredClips` does.

    >>> stops_of([Clip("swing", "swing.bvh", 0, 60), Clip("wave", "wave.bvh", 60, 20)]).tolist()
    [60, 80]
    """
    if isinstance(clips, StoredClips) and clips.listed_stops is not None:
        return clips.listed_stops
    starts, lengths = (np.array(values_of(clips, name), np.int64) for name in ("start", "frames"))
    stops = np.cumsum(lengths)
    amiss = np.flatnonzero((starts != stops - lengths) | (lengths < 1))
    if len(amiss):
        raise InputError(f'The clip "{clips[int(amiss[0])].name}" of the library does not follow the one before it.')
    return stops


def values_of(clips: Sequence[Clip], name: str) -> list[Any]:
    """Return the values of a field of all clips, a number or a text. Raises InputError as `StoredClips` does.

    >>> values_of([Clip("swing", "swing.bvh", 0, 60)], "frames")
    [60]
    """
    return clips.values(name) if isinstance(clips, StoredClips) else [getattr(clip, name) for clip in clips]


def may_have(clips: Sequence[Clip], text: str) -> bool:
    """Return False if no clip has a text, such as its name; True may be wrong.

    >>> may_have([Clip("swing", "swing.bvh", 0, 60)], "wave")
    True
    """
    return not isinstance(clips, StoredClips) or clips.may_have(text)


def clip_of(values: Mapping[str, Any]) -> Clip:
    """Return a clip from its fields in a file; unknown fields are of a later version and ignored. Raises Malformed."""
    known = read_record(
        Clip, {field.name: values[field.name] for field in fields(Clip) if field.name in values}, "clip"
    )
    return replace(known, tags=MappingProxyType(known.tags), source_tags=MappingProxyType(known.source_tags))

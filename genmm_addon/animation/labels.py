# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels over time: tags of examples, stretches as rows of a list, and timeline markers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
from bpy.types import Object, Scene

from ..core import MOST_OFFERED, InputError, Labels, LabelStretch, listed
from .reading.example_spec import ExampleSpec
from .row_lists import ResultFrames, RowList

EXAMPLE = "example"
"""Key of the tag that every example has by itself, with its action's name as value."""
_TAG = re.compile(r"([^=,:]+)=([^=,]+)")
_MARKER = re.compile(r"(?:([^=]+):)?([^=:]+)=([^=]*)")


@dataclass(frozen=True)
class TagStretch:
    """A tag and the scene frames at which it is shown, both inclusive.

    last: None is the result's last. marker: the frame of the marker that begins it; None for a stretch of the list.
    """

    tag: str
    first: int
    last: int | None
    marker: int | None = None

    def __str__(self) -> str:
        return f"{self.tag} {self.first}-{'' if self.last is None else self.last}"

    @property
    def said(self) -> str:
        """Return the name of the stretch for a sentence."""
        return f'The label "{self.tag}"' + ("" if self.marker is None else f" of the marker at frame {self.marker}")

    @property
    def shown(self) -> str:
        """Return the text of the stretch in a panel, without its frames."""
        return self.tag

    @property
    def icon(self) -> str:
        """Return the icon of the stretch."""
        return "NONE" if self.marker is None else "MARKER_HLT"


def parse_tags(text: str) -> tuple[str, ...]:
    """Return the tags in a text such as `style=angry, action=walk`, each once. Raises InputError for any other text."""
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    return tuple(dict.fromkeys(_tag(piece) for piece in pieces))


def tags_of(spec: ExampleSpec) -> tuple[str, ...]:
    """Return the tags of an example, including the one with its name."""
    return (*spec.tags, f"{EXAMPLE}={spec.action.name}") if spec.action else spec.tags


def stretches_of_markers(character: Object, scene: Scene) -> tuple[TagStretch, ...]:
    """Return the stretches that begin at markers of the scene and of the action that the character plays.

    A marker `key=value` holds until the next one of its key, `key=` ends it, and `Character: key=value` is for this
    character alone. Raises InputError for a marker with = that has none of these forms.
    """
    data = character.animation_data
    markers = [*scene.timeline_markers, *(data.action.pose_markers if data and data.action else ())]
    entries_by_key: dict[str, list[tuple[int, str]]] = {}
    for marker in markers:
        entry = _read_marker(marker.name, marker.frame, character)
        if entry is not None:
            entries_by_key.setdefault(entry[0], []).append((marker.frame, entry[1]))
    stretches = []
    for key, entries in entries_by_key.items():
        entries.sort()
        ends = [frame - 1 for frame, _ in entries[1:]] + [None]
        stretches += [
            TagStretch(f"{key}={value}", frame, end, frame)
            for (frame, value), end in zip(entries, ends, strict=True)
            if value and (end is None or end >= frame)
        ]
    return tuple(sorted(stretches, key=lambda stretch: stretch.first))


def labels_of(
    stretches: tuple[TagStretch, ...],
    markers: bool,
    examples: Sequence[ExampleSpec],
    character: Object,
    scene: Scene,
    start: float,
    frames: int,
) -> Labels | None:
    """Return the constraint for the stretches of the list and, if they count, the markers; None without any label.

    start: the scene frame of the result's first. Markers count if an example has a tag, or if one names an example.
    Raises InputError for a tag that no example has, and for a stretch of the list that is outside of the result.
    """
    if markers:
        tagged = any(spec.tags for spec in examples)
        marked = [
            stretch
            for stretch in (stretches_of_markers(character, scene) if tagged or _names_example(scene) else ())
            if tagged or stretch.tag.startswith(f"{EXAMPLE}=")
        ]
        stretches += tuple(_within(stretch, start, frames) for stretch in marked if _is_seen(stretch, start, frames))
    if not stretches:
        return None
    tags = tuple(tags_of(spec) for spec in examples)
    last = round(start) + frames - 1
    for stretch in stretches:
        _check_tag(stretch, tags)
        end = last if stretch.last is None else stretch.last
        if stretch.first > end:
            raise InputError(f"{stretch.said} ends before it begins; give its first frame first.")
        if stretch.first < round(start) or end > last:
            raise InputError(
                f"{stretch.said} covers frames {stretch.first} to {end}, but the result has frames "
                f"{round(start)} to {last}; move it into the result."
            )
    return Labels(tags, tuple(_in_result(stretch, round(start), frames) for stretch in stretches))


def _tag(text: str) -> str:
    match = _TAG.fullmatch(text.strip())
    if match is None or not match[1].strip() or not match[2].strip():
        raise InputError(f'"{text.strip()}" is not a tag; write it as style=angry.')
    return f"{match[1].strip()}={match[2].strip()}"


def _read_marker(name: str, frame: int, character: Object) -> tuple[str, str] | None:
    """Return the key and the value in a marker's name; None without a label, or for another character."""
    if "=" not in name:
        return None
    match = _MARKER.fullmatch(name.strip())
    if match is None or not match[2].strip():
        raise InputError(
            f'The marker "{name}" at frame {frame} is not a label; rename it to the form style=angry, or remove the =.'
        )
    owner = (match[1] or "").strip()
    if owner and owner not in bpy.data.objects:
        raise InputError(
            f'The marker "{name}" at frame {frame} refers to "{owner}", but no object has this name; rename the marker.'
        )
    return None if owner and owner != character.name else (match[2].strip(), match[3].strip())


def _names_example(scene: Scene) -> bool:
    return any(re.search(rf"\b{EXAMPLE}\s*=", marker.name) for marker in scene.timeline_markers)


def _is_seen(stretch: TagStretch, start: float, frames: int) -> bool:
    return stretch.first < start + frames and (stretch.last is None or stretch.last >= start)


def _within(stretch: TagStretch, start: float, frames: int) -> TagStretch:
    """Return the part of a marker's stretch that is within the result."""
    first, last = round(start), round(start) + frames - 1
    return replace(
        stretch, first=max(stretch.first, first), last=last if stretch.last is None else min(stretch.last, last)
    )


def _check_tag(stretch: TagStretch, tags: Sequence[tuple[str, ...]]) -> None:
    if any(stretch.tag in example_tags for example_tags in tags):
        return
    given = sorted({tag for example_tags in tags for tag in example_tags if not tag.startswith(f"{EXAMPLE}=")})
    known = f"there are {_listed(given, stretch.tag)}" if given else "give the examples tags, such as style=angry"
    raise InputError(f"{stretch.said} is a tag that no example has; {known}.")


def _listed(given: Sequence[str], tag: str) -> str:
    """Return the tags in a list for a sentence; if they are many, a few of those with the key of a tag."""
    if len(given) > MOST_OFFERED:
        key = tag.partition("=")[0]
        given = [other for other in given if other.partition("=")[0] == key] or given
    return listed(given, "", MOST_OFFERED)


def _in_result(stretch: TagStretch, start: int, frames: int) -> LabelStretch:
    last = frames - 1 if stretch.last is None else stretch.last - start
    return LabelStretch(stretch.tag, stretch.first - start, last)


def _read(match: re.Match[str]) -> TagStretch:
    last = None if match["last"] is None else int(match["last"])
    return TagStretch(_tag(match[1]), int(match["first"]), last)


def _constraints(stretches: tuple[TagStretch, ...], result: ResultFrames) -> tuple[Labels, ...]:
    labels = labels_of(
        stretches, result.markers, result.examples, result.character, result.scene, result.start, result.frames
    )
    return () if labels is None else (labels,)


_PATTERN = r"([^,]+?)\s+(?P<first>-?\d+)\s*-\s*(?P<last>-?\d+)?"
LABELS = RowList("label", "style=angry 1-80", TagStretch, _PATTERN, _read, _constraints)
"""The list of labels. Without a last frame (`style=old 81-`), a stretch lasts until the result's end."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip of a library: a name for some of its frames, with their origin and tags."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


def _no_tags() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True)
class LeftOut:
    """A file or action that a library does not have. name: as a clip's source. reason: without its subject.

    >>> LeftOut("broken.bvh", "it has a single frame, which is a pose.").name
    'broken.bvh'
    """

    name: str
    reason: str


@dataclass(frozen=True)
class Clip:
    """Consecutive frames of a library that were recorded together.

    name: as the user sees it. source: the file, below the library's folder, and its action if it holds several.
    start, frames: its first frame among the library's N, and the number of its frames.
    tags: each key with its value, such as style with angry; a tag of a single word has an empty value.
    source_tags: the tags that are stored in the source itself, and do not come from its name.
    mirrored: the source was mirrored, with left and right exchanged.
    fingerprint: SHA-256 of the source's content, in hexadecimal digits.
    original_skeleton, original_rate: a digest of the source's own skeleton, and its frames per second.
    by_mean_pose: it was transferred to the library's skeleton by mean poses, and is inexact.

    >>> Clip("walk", "walk.bvh", start=0, frames=60).stop
    60
    """

    name: str
    source: str
    start: int
    frames: int
    tags: Mapping[str, str] = field(default_factory=_no_tags)
    source_tags: Mapping[str, str] = field(default_factory=_no_tags)
    mirrored: bool = False
    fingerprint: str = ""
    original_skeleton: str = ""
    original_rate: float = 0.0
    by_mean_pose: bool = False

    @property
    def stop(self) -> int:
        """Return the frame after its last one."""
        return self.start + self.frames

    def is_called(self, text: str) -> bool:
        """Return whether each word of a text occurs in the name, the source or a tag, in any case."""
        texts = [self.name, self.source, *(f"{key}={value}" for key, value in self.tags.items())]
        described = "\n".join(texts).lower()
        return all(word in described for word in text.lower().split())

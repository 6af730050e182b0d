# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters of a library's clips, named from tags at first, and then by the animator.

Names are stored in the library as a tag of the clips that gives the names down to their cluster:
`cluster=Walks/Tired`. A choice of clips by tags can use it, and a rebuilt library keeps it, also for changed files.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from ...core import InputError
from ...core.library import Clip, ClipLibrary, Cluster, build_cluster_tree
from ..takes import CLUSTER_TAG
from .indexes import index_of, keep_index

SEPARATOR = "/"
FORBIDDEN = ",=*?[/"
"""Characters that have a meaning in a choice by tags or in the path of a cluster."""
MOSTLY, TOGETHER = 0.6, 0.75
"""Least share of a cluster's clips with the value that names it, and with the two that name it together."""
MOST_VALUES = 2
"""Most values in an automatic name."""
LONGEST = 100
"""Largest length of a name, in characters."""

Path = tuple[int, ...]


@dataclass(frozen=True)
class NamedCluster:
    """A cluster of a library. path: the numbers, from 1, that lead to it. is_named: whether the animator has named it.

    full_name: the names that lead to it; for a named cluster, as in its clips' tag.
    """

    path: Path
    name: str
    is_named: bool
    full_name: str
    cluster: Cluster

    @property
    def number(self) -> str:
        """Return the path as text, such as 1.3."""
        return ".".join(map(str, self.path))

    @property
    def choice(self) -> str:
        """Return the choice by tags that selects the clips of a named cluster."""
        return f"{CLUSTER_TAG}={self.full_name}, {CLUSTER_TAG}={self.full_name}{SEPARATOR}*"


_trees: dict[str, Cluster] = {}
"""The last tree that was computed, by the fingerprint of its library."""


def tree_of(library: ClipLibrary) -> Cluster:
    """Return the tree of a library's clusters; the last tree stays in memory. Raises InputError without clips."""
    if library.fingerprint not in _trees:
        tree = build_cluster_tree(index_of(library))
        _trees.clear()
        _trees[library.fingerprint] = tree
    return _trees[library.fingerprint]


def named_clusters(library: ClipLibrary) -> list[NamedCluster]:
    """Return all clusters of a library, each before those inside it. Raises InputError without clips."""
    return list(_named(library, tree_of(library), _common_values(library), ()))


def renamed(library: ClipLibrary, path: Path, name: str) -> ClipLibrary:
    """Return the library with a cluster renamed; an empty name removes the cluster's name and those inside it.

    Raises InputError for a name that cannot be a tag's value, and if the cluster does not exist.
    """
    name = _checked(name)
    tree = tree_of(library)
    inside, depth = set(tree.at(path).clips), len(path)
    if not path:
        raise InputError("All clips together are no cluster; choose one of the list.")
    above = [named.name for named in named_clusters(library) if path[: len(named.path)] == named.path != path]
    clips = []
    for number, clip in enumerate(library.clips):
        if number in inside:
            names = [*above, name, *_names_of(clip)[depth:]] if name else _names_of(clip)[: depth - 1]
            clip = _tagged(clip, SEPARATOR.join(names))
        clips.append(clip)
    changed = replace(library, clips=tuple(clips), known_fingerprint="")
    keep_index(library, changed)
    _trees[changed.fingerprint] = tree
    return changed


def path_of(text: str) -> Path:
    """Return the path in a text such as 1.3. Raises InputError for any other text."""
    pieces = text.split(".")
    if not all(piece.isascii() and piece.isdigit() and len(piece) < 9 for piece in pieces):
        raise InputError(f'"{text}" is not a cluster; write its numbers as in the list: 1.3.')
    return tuple(int(piece) for piece in pieces)


def _named(
    library: ClipLibrary, cluster: Cluster, common: set[tuple[str, str]], above: tuple[str, ...], path: Path = ()
) -> Iterator[NamedCluster]:
    taken = set(above[-1:])
    for number, child in enumerate(cluster.children, start=1):
        child_path = (*path, number)
        given = _given_name(library, child, len(child_path))
        name = given or _first_name(library, child, common, taken)
        taken.add(name)
        yield NamedCluster(child_path, name, bool(given), SEPARATOR.join((*above, name)), child)
        yield from _named(library, child, common, (*above, name), child_path)


def _given_name(library: ClipLibrary, cluster: Cluster, depth: int) -> str:
    """Return the name that more than half of the clips have for a cluster at this depth; "" without one."""
    names = [_names_of(library.clips[number]) for number in cluster.clips]
    counts = Counter(levels[depth - 1] for levels in names if len(levels) >= depth)
    name, count = counts.most_common(1)[0] if counts else ("", 0)
    return name if 2 * count > len(names) else ""


def _first_name(library: ClipLibrary, cluster: Cluster, common: set[tuple[str, str]], taken: set[str]) -> str:
    """Return a name from the tags of most clips; if there is none, or it is taken, the name of a typical clip."""
    clips = [library.clips[number] for number in cluster.clips]
    names = (_name_of_tags(clips, common), *(_plain(clip.name) for clip in clips))
    return next((name for name in names if name and name not in taken), names[1])


def _name_of_tags(clips: Sequence[Clip], common: set[tuple[str, str]]) -> str:
    words = []
    for key in dict.fromkeys(key for clip in clips for key in clip.tags if key != CLUSTER_TAG):
        values = [clip.tags[key] or key for clip in clips if key in clip.tags and (key, clip.tags[key]) not in common]
        most = Counter(values).most_common(2)
        if most and most[0][1] >= MOSTLY * len(clips):
            words.append(most[0][0])
        elif sum(count for _, count in most) >= TOGETHER * len(clips):
            words.append(" + ".join(value for value, _ in most))
    return _plain(" ".join(words[:MOST_VALUES])) if words else ""


def _plain(name: str) -> str:
    """Return a name changed so that it can be a tag's value."""
    return "".join(" " if character in FORBIDDEN else character for character in name)[:LONGEST].strip() or "clips"


def _common_values(library: ClipLibrary) -> set[tuple[str, str]]:
    counts = Counter(item for clip in library.clips for item in clip.tags.items())
    return {item for item, count in counts.items() if count == len(library.clips)}


def _names_of(clip: Clip) -> Sequence[str]:
    full_name = clip.tags.get(CLUSTER_TAG, "")
    return full_name.split(SEPARATOR) if full_name else ()


def _tagged(clip: Clip, full_name: str) -> Clip:
    """Return the clip tagged with its cluster, also in its source's tags, so that a rebuild from the file keeps it."""
    tags, source_tags = dict(clip.tags), dict(clip.source_tags)
    for kept in (tags, source_tags):
        kept.pop(CLUSTER_TAG, None)
        if full_name:
            kept[CLUSTER_TAG] = full_name
    return replace(clip, tags=MappingProxyType(tags), source_tags=MappingProxyType(source_tags))


def _checked(name: str) -> str:
    name = " ".join(name.split())
    wrong = sorted(set(name) & set(FORBIDDEN))
    if wrong:
        raise InputError(f'The name "{name}" has {" ".join(wrong)} in it, which tags give a meaning; leave that out.')
    if len(name) > LONGEST:
        raise InputError(f"A cluster's name has at most {LONGEST} characters; this one has {len(name)}.")
    return name

# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving nodes below the joints of a skin that the skin does not list, made bones of its armature.

Blender's importer makes objects of them, with animations of their own that no result would follow.
"""

import json
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from ...core import InputError
from .document import DATA_URI, ERRORS, Document, read_document

MOVING = frozenset({"translation", "rotation", "scale"})
"""Values of nodes that animations change, beside the weights of meshes."""


@contextmanager
def joined(path: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield a file whose skins list all moving nodes below their joints, and a note if that is a temporary copy."""
    try:
        rewritten = _rewritten(path)
    except (InputError, *ERRORS):
        # The importer rejects damaged files.
        rewritten = None
    if rewritten is None:
        yield path, ()
        return
    content, note = rewritten
    with tempfile.TemporaryDirectory(prefix="genmm_") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(content)
        yield copy, (note,)


def _rewritten(path: Path) -> tuple[bytes, str] | None:
    """Return a file's content with all moving nodes in skins, and a note; None if there are none outside."""
    document = read_document(path)
    outside = _outside(document)
    if not outside:
        return None
    first, count = outside[0][0], sum(map(len, outside))
    name = str(document.rows("nodes")[first].get("name", first)).encode("utf-8", "replace").decode()
    others = f" and {count - 1} more moving nodes are" if count > 1 else " is"
    note = f'In "{path.name}" "{name}"{others} outside the skin, below its joints; read as bones.'
    return _with_skins(document, outside, is_binary=path.suffix.lower() == ".glb"), note


def _outside(document: Document) -> list[list[int]]:
    """Return, for each skin that has any, the moving nodes below its joints that no skin lists."""
    nodes, skins = document.rows("nodes"), document.rows("skins")
    targets = [
        channel.get("target", {}) for animation in document.rows("animations") for channel in animation["channels"]
    ]
    moving = {target["node"] for target in targets if target.get("path") in MOVING and "node" in target}
    listed = {joint for skin in skins for joint in skin["joints"]}
    by_skin = []
    for skin in skins:
        outside = sorted((_below(nodes, _tops(document, skin)) & moving) - listed)
        listed.update(outside)
        if outside:
            by_skin.append(outside)
    return by_skin


def _below(nodes: Sequence[Mapping[str, Any]], above: Iterable[int]) -> set[int]:
    """Return the nodes below some nodes."""
    below: set[int] = set()
    waiting = [child for node in above for child in nodes[node].get("children", [])]
    while waiting:
        node = waiting.pop()
        if node not in below:
            below.add(node)
            waiting += nodes[node].get("children", [])
    return below


def _with_skins(document: Document, outside: Sequence[Sequence[int]], *, is_binary: bool) -> bytes:
    """Return a file with a further skin, which no mesh uses, for each list of nodes, with the joints above them."""
    listed = {tuple(joints): _skin_above(document, joints) for joints in outside}
    skins = [*document.rows("skins"), *({"joints": [*above, *joints]} for joints, above in listed.items())]
    values = {**document.values, "skins": skins}
    for name in ("buffers", "images"):
        if name in values:
            values[name] = [_with_whole_uri(place, document.folder) for place in document.rows(name)]
    text = json.dumps(values).encode()
    return _glb(text, document.binary) if is_binary else text


def _skin_above(document: Document, joints: Sequence[int]) -> list[int]:
    """Return the joints of the skin below which some nodes are."""
    nodes = document.rows("nodes")
    return next(
        skin["joints"] for skin in document.rows("skins") if set(joints) <= _below(nodes, _tops(document, skin))
    )


def _tops(document: Document, skin: Mapping[str, Any]) -> list[int]:
    """Return the nodes of a skin below which its character is: its joints, and ancestors that they alone have."""
    nodes, joints = document.rows("nodes"), set(skin["joints"])
    foreign = {
        joint for other in document.rows("skins") if not joints & set(other["joints"]) for joint in other["joints"]
    }
    above = [number for number, node in enumerate(nodes) if joints & set(node.get("children", []))]
    shared = [node for node in above if not _below(nodes, [node]) & foreign]
    return [*joints, *shared, *([skin["skeleton"]] if "skeleton" in skin else [])]


def _with_whole_uri(place: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return a buffer or image whose file can be found from any folder."""
    uri = place.get("uri")
    if not isinstance(uri, str) or uri.startswith(DATA_URI):
        return place
    return {**place, "uri": quote((folder / unquote(uri)).absolute().as_posix(), safe="/:")}


def _glb(text: bytes, binary: bytes) -> bytes:
    text, binary = text + b" " * (-len(text) % 4), binary + bytes(-len(binary) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection of results, and the removal of created data."""

from collections.abc import Iterator

import bpy
from bpy.types import ID, Collection, Context, LayerCollection, Scene

from ..core import InputError

NAME = "GenMM"
MARK = "genmm_results"
"""Property that marks our collection, since a collection of the user may have the same name."""


def results_collection(context: Context) -> Collection:
    """Return the scene's GenMM collection that the view layer shows; create it if it is missing.

    Raises InputError if the scene is linked.
    """
    scene = context.scene
    if scene.library is not None:
        raise InputError(f'Scene "{scene.name}" is linked; use a local scene for the results.')
    for collection in own_collections(scene):
        if collection in _shown_collections(context.view_layer.layer_collection):
            return collection
    collection = bpy.data.collections.new(NAME)
    collection[MARK] = True
    scene.collection.children.link(collection)
    return collection


def remove_made(scene: Scene, created: list[ID]) -> None:
    """Remove created data-blocks, and the scene's GenMM collections that become empty."""
    bpy.data.batch_remove(created)
    created.clear()
    bpy.data.batch_remove(
        [collection for collection in own_collections(scene) if not collection.all_objects and not collection.children]
    )


def own_collections(scene: Scene) -> list[Collection]:
    """Return the collections in the scene that were made for results."""
    return [
        collection
        for collection in scene.collection.children_recursive
        if collection.get(MARK) and not collection.library
    ]


def _shown_collections(layer: LayerCollection) -> Iterator[Collection]:
    """Yield the collections in and below a layer collection that the view layer shows."""
    if layer.is_visible and not layer.exclude:
        yield layer.collection
        for child in layer.children:
            yield from _shown_collections(child)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection of results, and the removal of data that were made."""

from collections.abc import Iterator

import bpy
from bpy.types import ID, Collection, Context, LayerCollection, Scene

from ..core import InputError

NAME = "GenMM"
MARK = "genmm_results"
"""Property that marks our collection, since a collection of the user may have the same name."""


def results_collection(context: Context) -> Collection:
    """Return the scene's GenMM collection that the view layer shows; create it if there is none.

    Raises InputError if the scene is linked.
    """
    scene = context.scene
    if scene.library is not None:
        raise InputError(f'Scene "{scene.name}" is linked; make a scene of this file for the results.')
    for collection in own_collections(scene):
        if collection in _shown_collections(context.view_layer.layer_collection):
            return collection
    collection = bpy.data.collections.new(NAME)
    collection[MARK] = True
    scene.collection.children.link(collection)
    return collection


def remove_made(scene: Scene, made: list[ID]) -> None:
    """Remove data-blocks of our own, and the scene's GenMM collections that become empty."""
    bpy.data.batch_remove(made)
    made.clear()
    bpy.data.batch_remove([own for own in own_collections(scene) if not own.all_objects and not own.children])


def own_collections(scene: Scene) -> list[Collection]:
    """Return the collections in the scene that were made for results."""
    return [own for own in scene.collection.children_recursive if own.get(MARK) and not own.library]


def _shown_collections(layer: LayerCollection) -> Iterator[Collection]:
    """Yield the collections in and below a layer collection that the view layer shows."""
    if layer.is_visible and not layer.exclude:
        yield layer.collection
        for child in layer.children:
            yield from _shown_collections(child)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The most typical clip of a listed cluster on the character, beginning where it stands."""

from dataclasses import replace

from bpy.types import Context, Object

from ...core import InputError
from ...core.library import ClipLibrary
from ...core.motion import begin_at
from ...libraries.choosing import library_in
from ...libraries.exploring.finding import FoundPlace, LaidPlace, lay_place
from ...requests.direction_values import bone_names_of
from ...state.exploring_properties import GENMM_PG_cluster, listed_clusters
from ...state.properties import readable_settings
from ...steering.proxy import read_pose


def listed_library(context: Context) -> ClipLibrary:
    """Return the library whose clusters are listed. Raises InputError where it has changed since."""
    kept = listed_clusters(context)
    library = library_in(kept.file)
    if library.fingerprint != kept.fingerprint:
        raise InputError("The library has changed since its clusters were listed; list them again.")
    return library


def lay_typical(context: Context, character: Object, row: GENMM_PG_cluster) -> LaidPlace:
    """Return the typical clip of a cluster on the character, beginning where it stands now and facing as it does.

    Raises InputError.
    """
    kept, frames = listed_clusters(context), listed_library(context).clips[row.typical].frames
    place = FoundPlace(kept.file, kept.fingerprint, row.typical, 0, frames)
    names = bone_names_of(readable_settings(character, context.scene))
    laid = lay_place(character, place, names, context.scene)
    return replace(laid, motion=begin_at(laid.motion, read_pose(character, laid.motion)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm asset`: marks an action as an asset, and writes the .blend file with it."""

import argparse

import bpy

from ...files.asset_catalogs import catalog_path, ensure_catalog
from ...libraries.assets import mark_as_asset, preview_of_action
from ..console import Console
from ..outputs.exports import check_kind
from .edited_file import open_edited


def asset(options: argparse.Namespace, console: Console) -> int:
    """Mark the action, write the file and return the exit status. Raises InputError, and Failed if writing fails.

    The catalog is stored in the folder of the output.
    """
    check_kind(options.output, (".blend",))
    file = open_edited(options, console)
    preview = preview_of_action(file.opened.armature, file.action, file.slot, bpy.context.scene)
    catalog = ensure_catalog(options.output, options.catalog) if options.catalog else ""
    tags = [tag.strip() for tag in options.tags.split(",") if tag.strip()]
    mark_as_asset(file.action, preview, catalog=catalog, tags=tags)
    where = f' in the catalog "{catalog_path(options.catalog)}"' if options.catalog else ""
    return file.write(f'"{file.action.name}" is an asset{where}.')

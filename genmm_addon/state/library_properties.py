# SPDX-License-Identifier: GPL-3.0-or-later
"""The libraries that a character learns from, and the values for building a library."""

from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from ..libraries.choosing import MOST_FRAMES, suggested_tags

LEARN_FROM = (
    ("ACTIONS", "Actions", "Learn from the actions in the list, or from the one that the character plays"),
    ("LIBRARY", "Library", "Learn from the clips of libraries, chosen by tags and words"),
)


BUILD_SOURCES = (
    ("FOLDER", "Folder", "The motion files in a folder and its subfolders"),
    ("ASSETS", "Asset Library", "The actions of an asset library, tagged by their asset tags and catalogs"),
    ("FILE", "This File", "The actions in this file that move one of its characters"),
)


class GENMM_PG_library_file(PropertyGroup):
    """A library to learn from."""

    path: StringProperty(name="Library", description="The file of a library", subtype="FILE_PATH", default="")


class LibraryProperties:
    """The libraries that a character learns from, and the choice of their clips."""

    learn_from: EnumProperty(
        name="Learn From", description="The source of new motion", items=LEARN_FROM, default="ACTIONS"
    )
    library_files: CollectionProperty(type=GENMM_PG_library_file)
    library_tags: StringProperty(
        name="Tags",
        description="Tags of the clips to learn from, such as style=angry, action=walk: several values of one key "
        "widen the choice, several keys narrow it, and * stands for any characters",
        search=lambda settings, _context, text: suggested_tags([file.path for file in settings.library_files], text),
        search_options={"SUGGESTION"},
    )
    library_search: StringProperty(
        name="Search",
        description="Learn only from clips that have these words in their names, files or tags",
        options={"TEXTEDIT_UPDATE"},
    )
    library_frames: IntProperty(
        name="Most Frames",
        description="The most frames to learn from, spread evenly over the chosen clips; more take longer to prepare",
        default=MOST_FRAMES,
        min=1,
        soft_min=1_000,
        soft_max=100_000,
        max=10_000_000,
    )


class GENMM_PG_library_build(PropertyGroup):
    """The source of the next library, and the values for building it."""

    source: EnumProperty(
        name="Source",
        description="The clips that the library is made of",
        items=BUILD_SOURCES,
        default="FOLDER",
    )
    asset_library: StringProperty(
        name="Asset Library",
        description="An asset library from the preferences, whose action assets become clips with their tags and "
        "catalogs",
        default="",
    )
    folder: StringProperty(
        name="Folder",
        description="The folder with BVH, FBX, glTF and .blend files; its subfolders are read too",
        subtype="DIR_PATH",
        default="",
    )
    file: StringProperty(
        name="Library",
        description="The file to write the library to; in an existing library only changed clips are read again",
        subtype="FILE_PATH",
        default="",
    )
    pattern: StringProperty(
        name="Name Pattern",
        description="The pattern that makes tags of file names, such as {action}_{style}_{take}, or with folders "
        "{subject}/{action}_*; empty makes none",
        default="",
    )
    mirrored: BoolProperty(
        name="Add Mirrored",
        description="Add each clip a second time with left and right exchanged",
        default=False,
    )
    prune: BoolProperty(
        name="Prune Duplicates",
        description="Leave out clips that nearly repeat another one",
        default=False,
    )

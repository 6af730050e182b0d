# SPDX-License-Identifier: GPL-3.0-or-later
"""The libraries that a character learns from, and the way in which the next library is built."""

from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from ..libraries.choosing import MOST_FRAMES, suggested_tags
from .registration import registration_of

LEARN_FROM = (
    ("ACTIONS", "Actions", "Learn from the actions in the list, or from the one that the character plays"),
    ("LIBRARY", "Library", "Learn from the clips of libraries, chosen by tags and words"),
)


BUILD_SOURCES = (
    ("FOLDER", "Folder", "The motion files in a folder and those below it"),
    ("ASSETS", "Asset Library", "The actions of an asset library, their tags and catalogs as tags"),
    ("FILE", "This File", "The actions of this file that move a character of it"),
)


class GENMM_PG_library_file(PropertyGroup):
    """A library to learn from."""

    path: StringProperty(
        name="Library", description="The file of a library", subtype="FILE_PATH", default="", options=set()
    )


class LibraryProperties:
    """The libraries that a character learns from, and which of their clips."""

    learn_from: EnumProperty(
        name="Learn From", description="What new motion is made of", items=LEARN_FROM, default="ACTIONS", options=set()
    )
    library_files: CollectionProperty(type=GENMM_PG_library_file)
    library_tags: StringProperty(
        name="Tags",
        description="Tags of the clips to learn from: style=angry, action=walk. Several values of one key add up, "
        "several keys narrow the choice, and * stands for any characters",
        search=lambda settings, _context, text: suggested_tags([one.path for one in settings.library_files], text),
        search_options={"SUGGESTION"},
        options=set(),
    )
    library_search: StringProperty(
        name="Search",
        description="Learn from clips alone that have these words in their names, files or tags",
        options={"TEXTEDIT_UPDATE"},
    )
    library_frames: IntProperty(
        name="Most Frames",
        description="Frames of clips to learn from, evenly spread over those chosen; more takes longer to begin with",
        default=MOST_FRAMES,
        min=1,
        soft_min=1_000,
        soft_max=100_000,
        max=10_000_000,
        options=set(),
    )


class GENMM_PG_library_build(PropertyGroup):
    """The source that the next library is built from, and how."""

    source: EnumProperty(
        name="Source",
        description="The clips that the library is made of",
        items=BUILD_SOURCES,
        default="FOLDER",
        options=set(),
    )
    asset_library: StringProperty(
        name="Asset Library",
        description="An asset library of the preferences: its actions that are assets become clips, with their tags "
        "and catalogs",
        default="",
        options=set(),
    )
    folder: StringProperty(
        name="Folder",
        description="The folder with BVH, FBX, glTF and .blend files, in it and in folders below it",
        subtype="DIR_PATH",
        default="",
        options=set(),
    )
    file: StringProperty(
        name="Library",
        description="The file that the library is written to; where it is one already, only what has changed is read",
        subtype="FILE_PATH",
        default="",
        options=set(),
    )
    pattern: StringProperty(
        name="Name Pattern",
        description="Tags out of names: {action}_{style}_{take}, with folders {subject}/{action}_*; empty is without",
        default="",
        options=set(),
    )
    mirrored: BoolProperty(
        name="Add Mirrored",
        description="Add each clip once more with left and right exchanged",
        default=False,
        options=set(),
    )
    prune: BoolProperty(
        name="Prune Duplicates",
        description="Leave out clips that nearly repeat another one",
        default=False,
        options=set(),
    )


CLASSES = (GENMM_PG_library_file, GENMM_PG_library_build)
register, unregister = registration_of(CLASSES)

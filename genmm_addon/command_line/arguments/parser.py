# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of all commands, and their help."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from ...core.fields import settings_in
from ...crowd.request import CrowdRequest
from ...libraries.choosing import MOST_FRAMES
from .in_place import GROUND_HELP, add_asset, add_continue, add_fill, add_ground, add_natural, add_reach, add_repair
from .library import add_library, add_measure
from .new_actions import add_blend, add_edit, add_restyle, add_retarget, add_set
from .one_sentence import OneSentenceParser
from .pages import add_gallery, add_gather, add_generated_pages, add_serve
from .setting_options import add_option, add_options, choice
from .values import frame_range, mirrored, path_or_none, processes, repetition, seeds, tags_of_action
from .voices import add_voices

DESCRIPTION = "Generate new character motion from one or a few example actions, without a window."
EPILOG = """\
examples:
  genmm info walk.bvh                            list the contents of a file
  genmm generate walk.bvh --seeds 0-9            generate ten walks, walk_0000.npz to walk_0009.npz
  genmm generate hero.blend --settings dance.json --seeds 0-99 --output "out/{name}_{seed:04}.fbx" --resume
  genmm crowd hero.blend --agents 1000 --output crowd.blend
  blender hero.blend --command genmm generate    generate as the panel would in the open file

exit status: 0 success, 1 failed or stopped, 2 invalid request"""
SETTINGS_HELP = (
    "Options that are not given come from --settings, else from the character's panel in a .blend, else the defaults."
)

MAIN_OF_GENERATE = (
    "--output",
    "--seeds",
    "--frames",
    "--action",
    "--library",
    "--settings",
    "--loop",
    "--path",
    "--labels",
    "--resume",
)
MAIN_OF_CROWD = ("--output", "--agents", "--frames", "--along", "--surface", "--objects", "--clips", "--settings")
"""Options that `--help` of the commands with the most options explains; `--help all` explains the others."""


def parser() -> OneSentenceParser:
    """Return the parser of `genmm`."""
    root = OneSentenceParser(
        prog="genmm", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add(commands, "generate", "generate new motions, one file per seed", _add_generate, MAIN_OF_GENERATE)
    _add(commands, "crowd", "generate a crowd of characters in one file", _add_crowd, MAIN_OF_CROWD)
    _add(commands, "info", "list the contents of files: characters, actions, lengths, feet", _add_info)
    what = "check that all motions are present, or collect the favorites of a gallery"
    _add(commands, "gather", what, add_gather)
    _add(commands, "gallery", "write a page that shows all motions of a folder, to choose from", add_gallery)
    what = "open a page on this computer where motions can be dropped and varied"
    _add(commands, "serve", what, add_serve)
    _add(commands, "fill", "fill the gaps between poses of an action with new motion, in place", add_fill)
    _add(commands, "continue", "continue an action, or connect it to another one, in place", add_continue)
    what = "make rough frames natural, or convert an action to coarse keys and back"
    _add(commands, "natural", what, add_natural)
    what = "transfer the style of another action, or of a library's clips, to an action"
    _add(commands, "restyle", what, add_restyle)
    _add(commands, "blend", "blend an action with another one of the same kind, aligned in time", add_blend)
    _add(commands, "edit", "change the speed, steps, arms or posture of an action", add_edit)
    what = "repair or list spikes, jitter, lost markers and sliding feet in an action"
    _add(commands, "repair", what, add_repair)
    _add(commands, "retarget", "bring the motion of files to a character with another skeleton", add_retarget)
    _add(commands, "ground", "adapt an action to uneven ground, in place", add_ground)
    _add(commands, "reach", "make the hands and feet of an action reach objects, in place", add_reach)
    _add(commands, "set", "cut loops, starts, stops and turns from walks and runs, one file each", add_set)
    _add(commands, "asset", "mark an action as an asset, with catalog, tags and a preview", add_asset)
    add_library(_command(commands, "library", "build, list and search libraries of clips"))
    _add(commands, "measure", "measure how closely a set of motions resembles a library", add_measure)
    return root


def _add(
    commands: "argparse._SubParsersAction[OneSentenceParser]",
    name: str,
    what: str,
    add: Callable[[OneSentenceParser], None],
    main: Sequence[str] = (),
) -> None:
    """Add a command: its arguments, and the options of all commands."""
    parser = _command(commands, name, what, main)
    add(parser)
    add_voices(parser)


def _command(
    commands: "argparse._SubParsersAction[OneSentenceParser]", name: str, what: str, main: Sequence[str] = ()
) -> OneSentenceParser:
    return commands.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".", main=main)


def _add_generate(generate: OneSentenceParser) -> None:
    _inputs(
        generate,
        "example files (.blend, .bvh, .fbx, .glb, .gltf), folders of them, and patterns such as takes/*.bvh, each used "
        "separately (default: the open file)",
    )
    generate.add_argument(
        "--together", action="store_true", help="learn from all inputs together, for the character of the first"
    )
    _choosing(generate)
    generate.add_argument(
        "--seeds", type=seeds, metavar="LIST", help="seeds, one motion for each: 7, 0-99 or 0-9,20 (default: 0)"
    )
    generate.add_argument(
        "--result",
        type=choice("new-character", "new-action", "nla-strip"),
        metavar="KIND",
        help="result in a .blend: new-character, new-action or nla-strip (default: new-action, or new-character for "
        "several motions)",
    )
    _output(generate, "{name}_{seed:04}.npz", "{name}, {character}, {action}, {seed:04}; .npz .blend .bvh .fbx .glb")
    generate.add_argument(
        "--up",
        type=choice("y", "z"),
        metavar="AXIS",
        help="up axis of a .bvh (default: as in the input, z for a .blend)",
    )
    add_generated_pages(generate)
    _method(generate)
    _add_jobs(generate)


def _add_crowd(crowd: OneSentenceParser) -> None:
    _inputs(crowd, "the example file (default: the open file)", single=True)
    _choosing(crowd)
    _crowd(crowd)
    _output(crowd, "{name}_crowd.blend", "a .blend, or a .npz with the motion and location of every agent")
    _method(crowd)
    _add_jobs(crowd)


def _add_info(info: OneSentenceParser) -> None:
    _inputs(info, "files, folders and patterns to read (default: the open file)")
    info.add_argument("--armature", default="", metavar="NAME", help="list only this character")


def _inputs(parser: argparse.ArgumentParser, text: str, *, single: bool = False) -> None:
    parser.add_argument("inputs", nargs="?" if single else "*", type=Path, metavar="INPUT", help=text)


def _choosing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("examples")
    group.add_argument("--armature", default="", metavar="NAME", help="the character (default: the active or only one)")
    group.add_argument(
        "--action",
        action="append",
        default=[],
        dest="actions",
        metavar="NAME",
        help="an action to learn from; can be repeated, * matches any characters (default: the examples in the panel, "
        "else the longest action)",
    )
    group.add_argument(
        "--tags",
        action="append",
        default=[],
        type=tags_of_action,
        metavar="NAME:TAGS",
        help='tags of an action for --labels: "walk_angry: style=angry, action=walk"; can be repeated, * matches any '
        "characters. An unnamed action has the name of its file. With --library, tags of the clips to learn from: "
        "style=angry,style=old,action=walk",
    )
    _choosing_clips(group)
    group.add_argument(
        "--mirror",
        action="append",
        default=[],
        type=mirrored,
        metavar="[NAME:]HOW",
        help='use an action as recorded, mirrored, or both: "both" for all actions, "walk: both" for one; can be '
        "repeated, * matches any characters",
    )
    group.add_argument(
        "--repetition",
        action="append",
        default=[],
        type=repetition,
        metavar="[NAME:]HOW",
        help='use an action as a cycle, which repeats, or as a take: "walk: cycle"; automatic if its end leads to its '
        "beginning; can be repeated, * matches any characters",
    )
    group.add_argument(
        "--range",
        type=frame_range,
        dest="example_range",
        metavar="START-END",
        help="learn only from these frames, such as 1-80",
    )
    group.add_argument("--settings", type=path_or_none, metavar="FILE", help="a settings file exported from the panel")
    group.add_argument("--no-panel", action="store_true", help="ignore the panel's settings in a .blend")
    group.add_argument(
        "--fps", type=float, metavar="RATE", help="frames per second of the result (default: the file's)"
    )
    add_options(group, "length")
    _length(parser)


def _choosing_clips(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--library",
        action="append",
        default=[],
        dest="libraries",
        metavar="FILE",
        help="learn from the clips of a library built by `genmm library build`, or of a folder of libraries; can be "
        "repeated, in any order",
    )
    group.add_argument(
        "--map",
        type=Path,
        metavar="FILE",
        help="a map of bones that Save Map in Bone Names wrote, for examples of another skeleton, in either direction",
    )
    group.add_argument(
        "--search", default="", metavar="WORDS", help="use only clips with these words in their names or tags"
    )
    group.add_argument(
        "--library-frames",
        type=int,
        metavar="N",
        help=f"maximum number of frames to learn from, spread evenly over the clips (default: {MOST_FRAMES:,})",
    )


def _length(parser: argparse.ArgumentParser) -> None:
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--frames", type=int, metavar="N", help="length in frames (default: as in the settings, else as the example)"
    )
    length.add_argument("--seconds", type=float, metavar="S", help="length in seconds")


def _crowd(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("crowd")
    options = [name for name, described in settings_in(CrowdRequest).items() if described.option is not None]
    add_option(group, CrowdRequest, options[0])
    place = group.add_mutually_exclusive_group()
    place.add_argument("--along", default="", metavar="CURVE", help="place the agents along a curve object")
    place.add_argument("--surface", default="", metavar="MESH", help="place the agents on a mesh object")
    place.add_argument("--objects", nargs="+", default=[], metavar="NAME", help="place the agents at these objects")
    for name in options[1:]:
        add_option(group, CrowdRequest, name)
    group.add_argument(
        "--seed", type=int, metavar="N", help="seed of the first motion, locations and phases (default: 0)"
    )


def _output(parser: argparse.ArgumentParser, default: str, text: str) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--output", "-o", default=default, metavar="PATTERN", help=f"{text} (default: {default})".replace("%", "%%")
    )
    existing = group.add_mutually_exclusive_group()
    existing.add_argument("--force", action="store_true", help="overwrite existing files")
    existing.add_argument(
        "--resume", action="store_true", help="keep existing complete files and generate only the others"
    )


def _method(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("method", SETTINGS_HELP)
    group.add_argument("--preset", metavar="NAME", help='a method preset, such as "More Variety"')
    add_options(group, "method")
    group = parser.add_argument_group("direction")
    add_options(group, "direction")
    group.add_argument("--pins", metavar="ACTION", help="an action whose keys the motion passes through; off")
    group.add_argument(
        "--pins-pose-only", action="store_true", help="pins fix poses, not where the character is or faces"
    )
    group.add_argument(
        "--path",
        metavar="CURVE",
        help="a curve object to follow, a .blend with one, or a .csv of its points: x, y and z, in scene units as "
        "imported; off",
    )
    group.add_argument(
        "--waypoints",
        metavar="LIST",
        help='empties to pass, and frames: "Start@1, Door@60:facing, End@120:both" (default: place). Or locations with '
        'an optional facing in degrees: "0 0@1, 2 -1.5 90@60", in scene units as imported: for a BVH in '
        "centimeters, these are centimeters; off",
    )
    group.add_argument("--ground", metavar="OBJECT", help=GROUND_HELP)
    group.add_argument("--sound", metavar="FILE", help="a sound whose loudness drives the motion's energy")
    group.add_argument("--on-beat", action="store_true", help="accents of the motion fall on the beats of --sound")
    add_options(group, "path")
    group.add_argument(
        "--given-part", metavar="PART", help="a part of the list in the panel that plays an action unchanged; off"
    )
    group.add_argument(
        "--given-action", metavar="ACTION", help="the action of that part (default: the character's active action)"
    )


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", "-j", type=processes, metavar="N", help="number of processes (default: one per core)")

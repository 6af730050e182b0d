# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of all commands, and their help."""

import argparse
import math
import os
import re
from pathlib import Path

from ...animation.labels import parse_tags
from ...animation.reading.example_spec import MIRRORED_CHOICES, Mirrored
from ...core import InputError
from ...core.library import parse_choice
from ...libraries.choosing import MOST_FRAMES
from .asset import add_asset
from .fill import add_continue, add_fill, add_reach
from .ground import GROUND_HELP, add_ground
from .library import add_library, add_measure
from .natural import add_natural
from .one_sentence import OneSentenceParser
from .pages import add_gallery, add_gather, add_generated_pages, add_serve
from .repairing import add_repair
from .seeds import parse_seeds
from .setting_options import add_options, choice
from .transforming import add_blend, add_edit, add_restyle

DESCRIPTION = "New character motion from one or a few example actions, with no window."
EPILOG = """\
examples:
  genmm info walk.bvh                            list the content of a file
  genmm generate walk.bvh --seeds 0-9            make ten new walks: walk_0000.npz to walk_0009.npz
  genmm generate hero.blend --settings dance.json --seeds 0-99 --output "out/{name}_{seed:04}.fbx" --resume
  genmm crowd hero.blend --agents 1000 --output crowd.blend
  blender hero.blend --command genmm generate    make what Generate would make in the open file

exit status: 0 done, 1 failed or stopped, 2 impossible request"""
SETTINGS_HELP = (
    "options left out come from --settings, else from the character's panel in a .blend, else are the defaults"
)


def parser() -> OneSentenceParser:
    """Return the parser of `genmm`."""
    root = OneSentenceParser(
        prog="genmm", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    generate = _command(commands, "generate", "make new motions, one file for each seed")
    _inputs(
        generate,
        "+ files to learn from, each on its own (.blend, .bvh, .fbx, .glb, .gltf), folders of them, and patterns "
        "such as takes/*.bvh; none: the open file",
    )
    generate.add_argument(
        "--together", action="store_true", help="learn from all inputs at once, for the first's character"
    )
    _choosing(generate)
    generate.add_argument(
        "--seeds", type=_seeds, metavar="LIST", help="make one motion per seed: 7, 0-99 or 0-9,20 (default: 0)"
    )
    generate.add_argument(
        "--result",
        type=choice("new-character", "new-action", "nla-strip"),
        metavar="KIND",
        help="in a .blend: new-character, new-action or nla-strip (default: new-action, for several new-character)",
    )
    _output(generate, "{name}_{seed:04}.npz", "{name}, {character}, {action}, {seed:04}; .npz .blend .bvh .fbx .glb")
    generate.add_argument(
        "--up",
        type=choice("y", "z"),
        metavar="AXIS",
        help="up axis of a .bvh (default: the input's, z for a .blend)",
    )
    add_generated_pages(generate)
    _method(generate)
    _running(generate)
    crowd = _command(commands, "crowd", "many characters, each with its own motion, in one file")
    _inputs(crowd, "the file to learn from; none: the open file", single=True)
    _choosing(crowd)
    _crowd(crowd)
    _output(crowd, "{name}_crowd.blend", "a .blend, or a .npz with every agent's motion and place")
    _method(crowd)
    _running(crowd)
    info = _command(commands, "info", "list the content of files: characters, actions, lengths, feet")
    _inputs(info, "files, folders and patterns to read; none: the open file")
    info.add_argument("--armature", default="", metavar="NAME", help="list only this character")
    _voices(info)
    gather = _command(commands, "gather", "check that all motions are there, or take the favorites of a gallery")
    add_gather(gather, _seeds, _voices)
    add_gallery(_command(commands, "gallery", "make one page with all motions of a folder, to choose from"), _voices)
    add_serve(_command(commands, "serve", "open a page on this machine, to drop motions onto and vary them"), _voices)
    add_fill(_command(commands, "fill", "put new motion between poses of an action, in place"), _range, _voices)
    what = "continue an action, or connect it with another one, in place"
    add_continue(_command(commands, "continue", what), _voices)
    what = "make rough frames natural, make coarse keys of an action, or the full motion of coarse keys"
    add_natural(_command(commands, "natural", what), _range, _voices)
    what = "make an action again in the style of another one, or of a library's clips"
    add_restyle(_command(commands, "restyle", what), _voices)
    add_blend(
        _command(commands, "blend", "blend an action with another one of the same kind, matched in time"), _voices
    )
    add_edit(_command(commands, "edit", "change the speed, steps, arms or posture of an action"), _voices)
    what = "repair spikes, jitter, lost markers and sliding feet of an action, or list them"
    add_repair(_command(commands, "repair", what), _range, _voices)
    add_ground(_command(commands, "ground", "put the feet of an action on a mesh, in place"), _range, _voices)
    add_reach(_command(commands, "reach", "bring hands and feet of an action to objects, in place"), _voices)
    add_asset(_command(commands, "asset", "make an asset of an action, with catalog, tags and a preview"), _voices)
    add_library(_command(commands, "library", "build, list and search libraries of clips"), _voices)
    add_measure(_command(commands, "measure", "measure how close a set of motions comes to a library"), _voices)
    return root


def _command(commands: "argparse._SubParsersAction[OneSentenceParser]", name: str, what: str) -> OneSentenceParser:
    return commands.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")


def _inputs(parser: argparse.ArgumentParser, text: str, *, single: bool = False) -> None:
    parser.add_argument(
        "inputs", nargs="?" if single else "*", type=Path, metavar="INPUT", help=text.removeprefix("+ ")
    )


def _choosing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what to learn from")
    group.add_argument("--armature", default="", metavar="NAME", help="the character (default: the active or only one)")
    group.add_argument(
        "--action",
        action="append",
        default=[],
        dest="actions",
        metavar="NAME",
        help="an action to learn from; repeat for more (default: the panel's examples, else the longest action)",
    )
    group.add_argument(
        "--tags",
        action="append",
        default=[],
        type=_tags,
        metavar="NAME:TAGS",
        help='tags of an action, named as its file unless it has its own name, for --labels: "walk_angry: '
        'style=angry, action=walk"; repeat for more, * stands for any letters. With --library, the tags of the clips '
        "to learn from: style=angry,style=old,action=walk",
    )
    group.add_argument(
        "--library",
        action="append",
        default=[],
        dest="libraries",
        metavar="FILE",
        help="learn from the clips of a library that `genmm library build` made; repeat for more",
    )
    group.add_argument("--search", default="", metavar="WORDS", help="only clips with these words in names or tags")
    group.add_argument(
        "--library-frames",
        type=int,
        metavar="N",
        help=f"the most frames of clips to learn from, evenly spread (default: {MOST_FRAMES:,})",
    )
    group.add_argument(
        "--mirror",
        action="append",
        default=[],
        type=_mirror,
        metavar="[NAME:]HOW",
        help='learn from an action recorded (as it is), mirrored (left and right exchanged) or both: "both" for all, '
        '"walk: both" for one; repeat for more, * stands for any letters',
    )
    group.add_argument(
        "--range", type=_range, dest="example_range", metavar="START-END", help="learn only from these frames: 1-80"
    )
    group.add_argument("--settings", type=_path_or_none, metavar="FILE", help="a settings file exported from the panel")
    group.add_argument("--no-panel", action="store_true", help="ignore the panel's settings in a .blend")
    group.add_argument(
        "--fps", type=float, metavar="RATE", help="frames per second of the result (default: the file's)"
    )
    add_options(group, "length")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--frames", type=int, metavar="N", help="length in frames (0 or none: the settings', else the example's)"
    )
    length.add_argument("--seconds", type=float, metavar="S", help="length in seconds")


def _crowd(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the crowd")
    group.add_argument("--agents", type=int, metavar="N", help="number of agents (default: 100, or one per --objects)")
    place = group.add_mutually_exclusive_group()
    place.add_argument("--along", default="", metavar="CURVE", help="stand along a curve object")
    place.add_argument("--surface", default="", metavar="MESH", help="stand on a mesh object")
    place.add_argument("--objects", nargs="+", default=[], metavar="NAME", help="stand on these objects")
    group.add_argument(
        "--spacing", type=float, metavar="D", help="distance between neighbors (default: enough to keep them apart)"
    )
    group.add_argument("--columns", type=int, metavar="N", help="columns of the grid (default: a square)")
    group.add_argument(
        "--scatter", type=float, metavar="SHARE", help="largest distance of agents from the grid, 0 to 1"
    )
    group.add_argument(
        "--face",
        type=choice("same", "along", "random"),
        metavar="HOW",
        help="the agents' facing: same, along (the curve or the objects) or random (default: along)",
    )
    group.add_argument("--clips", type=int, metavar="N", help="motions that the agents of a .blend share (default: 32)")
    group.add_argument("--seed", type=int, metavar="N", help="seed of first motion, places and phases (default: 0)")


def _output(parser: argparse.ArgumentParser, default: str, text: str) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--output", "-o", default=default, metavar="PATTERN", help=f"{text} (default: {default})".replace("%", "%%")
    )
    there = group.add_mutually_exclusive_group()
    there.add_argument("--force", action="store_true", help="overwrite existing files")
    there.add_argument("--resume", action="store_true", help="keep existing whole files, and make the others")


def _method(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how it is made", SETTINGS_HELP)
    group.add_argument("--preset", metavar="NAME", help='a method preset, such as "More Variety"')
    add_options(group, "method")
    group = parser.add_argument_group("how it is directed")
    add_options(group, "direction")
    group.add_argument("--pins", metavar="ACTION", help="an action whose keys the motion goes through; off")
    group.add_argument("--path", metavar="CURVE", help="a curve object to follow; off")
    group.add_argument(
        "--waypoints",
        metavar="LIST",
        help='empties to pass and their frames: "Start@1, Door@60:facing, End@120:both"; without a word, only the '
        'place counts. Or places with an optional facing in degrees: "0 0@1, 2 -1.5 90@60"; off',
    )
    group.add_argument("--ground", metavar="OBJECT", help=GROUND_HELP)
    add_options(group, "path")
    group.add_argument(
        "--given-part", metavar="PART", help="a part of the panel's list that plays an action unchanged; off"
    )
    group.add_argument("--given-action", metavar="ACTION", help="the part's action (default: the character's)")


def _running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", "-j", type=_processes, metavar="N", help="processes (default: one per core)")
    _voices(parser)


def _voices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log", default=os.devnull, metavar="FILE", help="keep Blender's own output; - means the standard error"
    )
    voice = parser.add_mutually_exclusive_group()
    voice.add_argument("--quiet", "-q", action="store_true", help="print only errors")
    voice.add_argument(
        "--json", action="store_true", help="print one JSON object per line on the standard output, nothing else"
    )
    voice.add_argument("--openjd", action="store_true", help="report progress and failure for Open Job Description")


def _path_or_none(text: str) -> Path | None:
    # Farms pass an unset path as an empty one, which some write as ".".
    return None if text in ("", ".") else Path(text)


def _range(text: str) -> tuple[float, float]:
    number = r"(-?\d+(?:\.\d+)?)"
    found = re.fullmatch(f"{number}-{number}", text.replace(",", ""))
    start, end = (float(found[1]), float(found[2])) if found is not None else (1.0, 0.0)
    if not start <= end < math.inf:
        raise argparse.ArgumentTypeError(f'"{text}" is no range of frames; write it as 1-80')
    return start, end


def _tags(text: str) -> tuple[str, tuple[str, ...]]:
    name, colon, tags = text.partition(":")
    try:
        if not colon and parse_choice(text):
            return "", (text,)  # tags that choose clips of a library
        found = parse_tags(tags)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not colon or not name.strip() or not found:
        raise argparse.ArgumentTypeError(f'"{text}" names no action with tags; write it as "walk: style=angry"')
    return name.strip(), found


def _mirror(text: str) -> tuple[str, Mirrored]:
    name, colon, word = text.rpartition(":")
    words = {choice.word: choice.value for choice in MIRRORED_CHOICES}
    if word.strip() not in words or (colon and not name.strip()):
        known = " or ".join((", ".join(list(words)[:-1]), list(words)[-1]))
        raise argparse.ArgumentTypeError(f'"{text}" is no way to mirror; write {known}, or "walk: both"')
    return name.strip() or "*", words[word.strip()]


def _seeds(text: str) -> tuple[int, ...]:
    try:
        return parse_seeds(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _processes(text: str) -> int:
    try:
        count = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number') from error
    if count < 0:
        raise argparse.ArgumentTypeError("a number of processes is 1 or more; leave it out for one on each core")
    return count

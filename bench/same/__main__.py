# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of results over many clips, kinds of control and edits, for comparing two versions of the code.

Equal digests mean equal bytes. They are comparable on one machine with one NumPy only, since others round differently.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import bpy

import genmm_addon
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import InputError, Motion
from genmm_addon.core.library import Clip, ClipLibrary, TagPattern, library_of
from genmm_addon.generation.generate import Request, read
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

from ..motions.clip_lists import LIBRARY
from ..motions.clips import RATE, sources
from .digests import Digests, differences, digests_of
from .edits import edit_cases
from .operators import operator_cases
from .results import cases_of

FOLDERS = ("bvh", "gltf")
"""Subfolders of a folder of motions that are compared if they exist; a library would take hours."""
PATTERN = "{}_{action}_{style}_{}"
LIBRARY_CLIPS = tuple(
    f"dataset-1_walk_{style}_00{take}" for style in ("happy", "active", "old", "angry", "sad") for take in (1, 2)
)
"""Clips of the library of which the first is edited; the others are the examples."""


def digests(motions: Path | None) -> Digests:
    """Return the digest of each case, named `clip: kind`, for the sample character, a folder's motion files and edits.

    Edits are made of the sample's walk, and of clips of the folder's library if it has one.
    """
    found: Digests = {}
    target: Motion | None = None
    for folder in _folders(motions):
        for name, open_clips in sources(folder):
            if name == "sample" and target is not None:
                continue
            try:
                for clip in open_clips():
                    cases = digests_of(cases_of(clip, target))
                    found |= {f"{clip.name}: {kind}": value for kind, value in cases.items()}
                    if target is None:
                        request = Request(clip.armature, (clip.example,), frames=1)
                        target = read(request, bpy.context.scene).reading.motions[0]
            except InputError as error:
                found[name] = f"refused: {error}"
            print(name, file=sys.stderr, flush=True)
    library = small_library(motions)
    found |= {f"{library.clips[0].name}: {kind}": value for kind, value in digests_of(edit_cases(library)).items()}
    print("edits", file=sys.stderr, flush=True)
    return found | digests_of(operator_cases())


def _folders(motions: Path | None) -> list[Path | None]:
    if motions is None:
        return [None]
    return [motions / name for name in FOLDERS if (motions / name).is_dir()] or [motions]


def small_library(motions: Path | None) -> ClipLibrary:
    """Return a library of a folder's walks in several styles; of the sample's motions if the folder has no library."""
    if motions is not None and (motions / LIBRARY).is_dir():
        files = [file for file in files_in(motions / LIBRARY) if Path(file.path).stem in LIBRARY_CLIPS]
        return build(files, Plan((TagPattern(PATTERN),))).library
    named = sample_motions(RATE)
    clips = [Clip(name, "", 0, 0, {"style": name.split()[-1].lower()}) for name in named]
    return library_of(list(named.values()), clips)


def main(arguments: list[str]) -> int:
    """Write the digests, compare them if requested, and return 1 if any differs."""
    parser = argparse.ArgumentParser(prog="build.py bench --same", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--motions", type=Path)
    options = parser.parse_args(arguments)
    if options.motions and not options.motions.is_dir():
        parser.error(f"there is no folder {options.motions}")
    if options.against and not options.against.is_file():
        parser.error(f"there is no file {options.against}")
    genmm_addon.register()
    # Blender's importers print to stdout, which is reserved for the differences.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    found = digests(options.motions)
    options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if not options.against:
        return 0
    old = json.loads(options.against.read_text(encoding="utf-8"))
    lines = differences(old, found)
    for line in lines or [f"all {len(found)} cases are the same"]:
        print(line, file=results)
    results.flush()
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

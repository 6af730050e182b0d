# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts broken by accident or on purpose, for all readers of files and custom properties."""

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from genmm_addon.character import tags
from genmm_addon.command_line.arguments.values import parse_seeds
from genmm_addon.command_line.outputs.file_names import check_pattern, file_name
from genmm_addon.command_line.outputs.whole_files import is_whole
from genmm_addon.core import InputError
from genmm_addon.core.motion import bvh_frames_per_second, bvh_rate, load_motion
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.measures import measures_of
from genmm_addon.generation.recipe import from_json, read_settings
from genmm_addon.generation.sources import sources_of
from genmm_addon.requests.presets import read_preset

Trying = Callable[[str], AbstractContextManager[None]]
Random = np.random.Generator

RECIPE = json.dumps(
    {
        "version": 2, "character": {"name": "Hero", "library": ""}, "frames": 100, "seed": 3, "loop": "TRAVEL",
        "examples": [{"action": {"name": "Walk"}, "frame_start": 1.5, "skip_first_frame": True}],
        "settings": {"patch_frames": 9, "feet": ["a", "b"], "joint_weights": [["Head", 2.0]]},
        "parts": [{"name": "Low", "bones": ["a"], "examples": [0, 1]}], "part_mode": "PAINTED",
        "path": {"curve": {"name": "Ring"}, "speed": "ARRIVE"}, "bone_names": [["x", "y"]],
    }
)  # fmt: skip
SETTINGS = json.dumps({"genmm": "settings", **json.loads(RECIPE)})
BVH = """HIERARCHY
ROOT Hips
{
OFFSET 0 1 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT Spine
{
OFFSET 0 0.1 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 0.1 0
}
}
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 1 0 1 2 3 4 5 6
0 1 0 1 2 3 4 5 6
"""
PRESET = "patch_frames = 7\ncompleteness = 0.01\nfacing = 'AUTO'\nparts = 'LIMBS'\n"
MEASURES = '{"coverage": 0.5, "diversity": null, "skate": 1.5, "example_skate": 0.2}'
SOURCES = '{"frame_start": 1, "frames": 60, "examples": [["Walk", 1, 60, 1.0]], "parts": [["Body", [[0, 60, 0, 0]]]]}'
NASTY = (
    "\0", "\ud800", "NaN", "Infinity", "-1e999", "9" * 400, "[" * 500, "{" * 500, "null", "true", '"', "\\u0000", "\\",
    "__import__('os').system('x')", "../../etc/passwd", "%s%n", "{0.__class__}", "\r\n", "\ufeff", "🦴", "-0", "1e400",
    "Frames: 99999999999999999999", "CHANNELS 999999", "{" * 3000,
    "0,5", "inf", "1e30", "Frame Time: 1e-30", "Frame Time: 0", "CHANNELS 2 Xrotation Zrotation",
    "\nJOINT\n", "\nMOTION\n", "End Site", "OFFSET", "}", "\r", "\x85", "\u2028",
)  # fmt: skip


def broken(random: Random, text: str) -> str:
    """Return the text with a few changes: pieces cut, repeated, swapped, replaced or inserted."""
    for _ in range(int(random.integers(1, 6))):
        start, stop = sorted(random.integers(0, len(text) + 1, 2).tolist())
        piece = text[start:stop][:200]
        kind = int(random.integers(6))
        if kind == 0:
            text = text[:start] + text[stop:]
        elif kind == 1:
            text = text[:start] + piece * int(random.integers(2, 5)) + text[start:]
        elif kind == 2:
            text = text[:start] + str(random.choice(NASTY)) + text[start:]
        elif kind == 3:
            text = text[:start] + str(random.choice(NASTY)) + text[stop:]
        elif kind == 4:
            text = text[:start] + chr(int(random.integers(1, 0x3000))) + text[start + 1 :]
        else:
            text = text[:start] + str(random.choice([-1, 0, 2**31, 1e30, 0.5])) + text[start + 1 :]
        text = text[:20_000]
    return text


def fuzz(count: int, trying: Trying) -> dict[str, Any]:
    """Give `count` broken texts to the readers in turn; return by reader how many were read or refused."""
    random, start = np.random.default_rng(0), time.perf_counter()
    outcomes: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        readers = _readers(Path(folder))
        names = list(readers)
        for number in range(count):
            name = names[number % len(names)]
            text, do = readers[name]
            given = broken(random, text)
            outcome = "crashed"
            with trying(f"{name}: {given!r:.300}"):
                outcome = _outcome(do, given)
            outcomes.setdefault(name, Counter())[outcome] += 1
    counts = {name: dict(found) for name, found in outcomes.items()}
    return {"inputs": count, "readers": counts, "seconds": round(time.perf_counter() - start)}


def _outcome(do: Callable[[str], object], given: str) -> str:
    try:
        do(given)
    except InputError as error:
        assert str(error).endswith("."), f"no sentence: {error}"
        return "refused"
    return "read"


def _readers(folder: Path) -> dict[str, tuple[str, Callable[[str], object]]]:
    """Return, by name, a valid text and its reader; readers of custom properties never refuse, but find nothing."""
    action = bpy.data.actions.new("Fuzzed")

    def from_file(name: str, read: Callable[[Path], object]) -> Callable[[str], object]:
        def reading(text: str) -> object:
            path = folder / name
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            return read(path)

        return reading

    def from_property(name: str, read: Callable[[], object]) -> Callable[[str], object]:
        def reading(text: str) -> object:
            # Properties cannot store these characters.
            action[name] = text.replace("\0", "").encode("utf-8", "replace").decode()
            return read()

        return reading

    def imported(path: Path) -> object:
        there_before = set(bpy.data.user_map())
        try:
            return import_file(path, bpy.context)
        except InputError as error:
            # Blender's importer fails with Python's own messages, so none of these texts may reach it.
            assert "could not be read" not in str(error), error
            raise
        finally:
            bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)

    def named(text: str) -> object:
        check_pattern(text)
        return file_name(text, {"name": "a/../b", "character": "..", "action": "c:\\d", "seed": 7})

    return {
        "recipe": (RECIPE, from_json),
        "settings file": (SETTINGS, from_file("s.json", read_settings)),
        "preset": (PRESET, from_file("p.py", read_preset)),
        "BVH": (BVH, from_file("w.bvh", bvh_frames_per_second)),
        "BVH in Blender": (BVH, from_file("w.bvh", imported)),
        "frame time": ("0.0333330", lambda text: bvh_rate(text, "w.bvh", 1)),
        "motion file": ("PK\x03\x04rotations.npy", from_file("m.npz", load_motion)),
        "whole file": ("BLENDERglTF", from_file("m.glb", is_whole)),
        "measures": (MEASURES, from_property("genmm_measures", lambda: measures_of(action))),
        "sources": (SOURCES, from_property("genmm_sources", lambda: sources_of(action))),
        "mark": (MEASURES, from_property(tags.PROPERTY, lambda: tags.tag_of(action))),
        "seeds": ("0-9,20,30-39:2", parse_seeds),
        "pattern": ("out/{name}_{character}_{seed:04}.npz", named),
    }

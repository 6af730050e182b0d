# SPDX-License-Identifier: GPL-3.0-or-later
"""The first Generate and Fill Range of a session with a library, by a real mouse; preparations are beside the library.

The library is in the folder that GENMM_TEST_LIBRARY names, which remains for the next session.
"""

import hashlib
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from sidebar import press_button
from window import DONE, context, facts, picture

from genmm_addon.animation import actions
from genmm_addon.animation.reading import clips_on_character
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.libraries import indexed_examples as examples

FOLDER = Path(os.environ["GENMM_TEST_LIBRARY"])
WALKS = ("GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud")
PIECES, PIECE = 20, 100
"""Number of clips of each walk, and their frames: 6,000 together, enough for preparations to be stored."""

body: list[Any] = []


def counting(module: Any, name: str) -> None:
    """Count the calls of a module's function."""
    own = getattr(module, name)
    facts[name] = 0

    def counted(*given: Any, **how: Any) -> Any:
        facts[name] += 1
        return own(*given, **how)

    setattr(module, name, counted)


def set_up() -> None:
    window.register_open("GENMM_PT_generate")
    window.only_sample()
    scene = bpy.context.scene
    scene.render.fps = 30
    file = FOLDER / "walks.npz"
    if not file.exists():
        walks = [motion for name, motion in sample_motions(30.0).items() if name in WALKS]
        motions = [walk.take((np.arange(PIECE) + 3 * n) % walk.frames) for walk in walks for n in range(PIECES)]
        save_library(file, library_of(motions, [Clip(f"walk {n}", f"{n}.bvh", 0, 0) for n in range(len(motions))]))
    body.append(bpy.data.objects["GenMM Sample"])
    with context():
        bpy.ops.genmm.add_library(filepath=str(file))
    settings = body[0].genmm
    settings.frames, settings.seed, settings.new_seed, settings.output = 150, 1, False, "NEW_ACTION"
    kept = import_module("genmm_addon.core.library.cache.kept")
    for module, name in ((kept, "prepare"), (clips_on_character, "retarget"), (examples, "index_motions")):
        counting(module, name)


def digest() -> str:
    """Return a digest of all keys of the action that the character plays."""
    found = hashlib.sha256()
    for curve in actions.fcurves_of(body[0].animation_data.action):
        keys = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        found.update(f"{curve.data_path}{curve.array_index}".encode() + keys.tobytes())
    return found.hexdigest()


def has_result() -> bool:
    return "genmm_sources" in body[0].animation_data.action


def note_generated() -> None:
    facts["generated"], facts["learned_from"] = digest(), body[0].genmm.learn_from


def fill() -> None:
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 60, 90
    with context():
        facts["outcome"] = sorted(bpy.ops.genmm.fill_range())


def note_filled() -> None:
    facts["filled"] = digest()
    facts["files"] = sorted(path.suffix for path in (FOLDER / "walks.preparations").iterdir())


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button("generate_motion()"), DONE),
        (window.until(has_result), 1.0),
        (note_generated, 0.0),
        (picture("kept_generated"), 0.0),
        (fill, DONE),
        (note_filled, 0.0),
    ]
)

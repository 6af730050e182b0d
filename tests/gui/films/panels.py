# SPDX-License-Identifier: GPL-3.0-or-later
"""A film of a library's clusters, in the sidebar and as poses in the viewport."""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
from film import Film, Moment, choose, context, look, sample, take, view
from window import OUTPUT

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.interface.generate.panels import GENMM_PT_generate
from genmm_addon.state.exploring_properties import listed_clusters

TAGS = {
    "GenMM Walk": ("walk", "neutral"),
    "GenMM Walk Tired": ("walk", "tired"),
    "GenMM Walk Proud": ("walk", "proud"),
    "GenMM Wave": ("wave", "neutral"),
    "GenMM Dance": ("dance", "neutral"),
}
PIECES, LENGTH = 24, 60
"""Number of clips from each motion, and their frames."""
SHOWN = 8
"""Number of rows of the tree that are shown one after another."""


def clusters() -> None:
    """Make a library of pieces of the sample's motions, and list its clusters."""
    motions, clips = list[Motion](), list[Clip]()
    for name, motion in sample_motions(30.0).items():
        action, style = TAGS.get(name, ("", ""))
        for number in range(PIECES if action else 0):
            first = number * (motion.frames - LENGTH) // PIECES
            motions.append(motion.slice(first, first + LENGTH))
            clips.append(Clip(f"{action}_{style}_{number:03}", "", 0, 0, {"action": action, "style": style}))
    save_library(OUTPUT / "takes.npz", library_of(motions, clips))
    sample().genmm.library_files.add().path = str(OUTPUT / "takes.npz")
    choose(sample())
    with context():
        bpy.ops.genmm.show_clusters("EXEC_DEFAULT", True)


def rows() -> Iterable[Moment]:
    kept = listed_clusters(bpy.context)
    look((0.0, 0.0, 0.9), 7.0)

    def show(number: int) -> None:
        kept.rows[number].expanded, kept.active = True, number
        view()[0].tag_redraw()

    for number in range(min(len(kept.rows), SHOWN)):
        yield lambda number=number: show(number)  # type: ignore[misc]
        yield lambda: None


GENMM_PT_generate.bl_options = {"DEFAULT_CLOSED"}
take([Film("clusters", [(clusters, 2.5)], rows, pause=0.4)], panels=("GENMM_PT_library",))

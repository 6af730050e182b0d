# SPDX-License-Identifier: GPL-3.0-or-later
"""A film of an action that is marked as an asset, with the asset browser below the viewport."""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
from film import Film, Moment, choose, context, editor, following, play, sample, take


def browse() -> None:
    """Show this file's assets below the viewport."""
    editor()[0].spaces.active.params.asset_library_reference = "LOCAL"


def marked() -> Iterable[Moment]:
    """Yield the moments: three walks are played, and each is marked."""
    for name in ("GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud"):
        play(name)
        yield from following(range(1, 25, 4), lambda: [sample()], distance=5.6, turn=1.0)()

        def mark() -> None:
            choose(sample())
            with context():
                bpy.ops.genmm.mark_asset("EXEC_DEFAULT", True, tags="action=walk")

        yield mark


take([Film("assets", [(lambda: None, 1.0), (browse, 1.0)], marked, pause=0.5)], below="ASSETS")

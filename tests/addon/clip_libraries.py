# SPDX-License-Identifier: GPL-3.0-or-later
"""Small libraries for tests, made from pieces of the sample's motions."""

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.library import Clip, ClipLibrary, library_of

WALK_STYLES = ("angry", "old", "old", "sad")
ACTIONS = {"GenMM Walk": "walk", "GenMM Walk Tired": "walk", "GenMM Wave": "wave", "GenMM Dance": "dance"}
STYLES = {"GenMM Walk Tired": "tired"}


def walks() -> ClipLibrary:
    """Return four pieces of one walk, each tagged with a style."""
    walk = sample_motions(30.0)["GenMM Walk"]
    motions = [walk.slice(5 * number, 65 + 15 * number) for number in range(len(WALK_STYLES))]
    clips = [Clip(f"walk {n}", f"{n}.bvh", 0, 0, {"style": style}) for n, style in enumerate(WALK_STYLES)]
    return library_of(motions, clips)


def four_motions(tags: bool = True, walks: int = 8) -> ClipLibrary:
    """Return a library with eight pieces of each of four motions; walks: number of pieces of the walk."""
    motions, clips = [], []
    for name, motion in sample_motions(30.0).items():
        pieces = walks if ACTIONS.get(name) == "walk" else 8 if name in ACTIONS else 0
        for number in range(pieces):
            first = number * (motion.frames - 60) // pieces
            motions.append(motion.slice(first, first + 60))
            said = {"subject": "one", "action": ACTIONS[name], "style": STYLES.get(name, "plain")} if tags else {}
            clips.append(Clip(f"{ACTIONS[name]} {STYLES.get(name, 'plain')} {number}", "", 0, 0, said))
    return library_of(motions, clips)
